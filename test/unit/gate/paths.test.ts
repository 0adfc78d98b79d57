// Tests path decisions of the gate on a real disk against shared and own vectors.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ToolDeclaration } from "../../../src/core/ports/gate.ts";
import type { PathUse } from "../../../src/core/ports/tool.ts";
import { pathSyntaxError } from "../../../src/gate/pathSyntax.ts";
import { type Asking, grant, makeWorld, paths, request, rules, tools, type World } from "./world.ts";

interface Vector {
	op: string;
	path: string;
	want: string;
}

/** Everything given that can be: an ask that remains is one that nothing lifts. */
const generous: Asking = {
	mode: "auto",
	planRuns: true,
	rules: rules({ allow: ["*"] }),
	grants: Object.values(tools).map(({ name }) => grant(name, name)),
};

const calls: Record<string, { tool: ToolDeclaration; uses: PathUse[] }> = {
	read: { tool: tools.read, uses: ["read"] },
	search: { tool: tools.search, uses: ["read"] },
	list: { tool: tools.search, uses: ["read"] },
	write: { tool: tools.update, uses: ["write"] },
	create: { tool: tools.create, uses: ["create"] },
	mkdir: { tool: tools.create, uses: ["create"] },
	create_dir: { tool: tools.create, uses: ["create"] },
	delete: { tool: tools.remove, uses: ["delete"] },
	rename: { tool: tools.rename, uses: ["write", "create"] },
	rename_from: { tool: tools.rename, uses: ["write", "create"] },
	rename_to: { tool: tools.rename, uses: ["create"] },
};

async function decide(world: World, { op, path }: Vector) {
	const call = calls[op] as (typeof calls)[string];
	const given = path
		.split(" -> ")
		.map((part) => part.replace("<ROOT>", world.root).replace("<OUR_CONFIG_DIR>", join(world.root, "storage")));
	const named =
		call.uses.length === 1 ? [path.replace("<ROOT>", world.root).replace("<OUR_CONFIG_DIR>", join(world.root, "storage"))] : given;
	return paths(
		world,
		call.tool,
		named.map((part, index) => [part, call.uses[index] as PathUse]),
		generous,
	);
}

async function plainWorld(): Promise<World> {
	const world = await makeWorld({
		"ws/src/a.ts": "a",
		"ws/README.md": "r",
		"ws/x.ts": "x",
		"ws/inner/a.ts": "a",
		"ws/sub/.git": "gitdir: ../.git/modules/sub\n",
		"ws/tpl/.vscode/settings.json": "{}",
		"ws/.git/config": "[core]\n",
		"ws/.git/HEAD": "ref: x\n",
		"ws/.vscode/": "",
		"ws/.env": "CANARY=1",
		"ws/package.json": "{}",
		"ws/gitdir/HEAD": "ref: x",
		"ws/gitdir/objects/": "",
		"ws/gitdir/refs/": "",
		"ws/linked/HEAD": "ref: x",
		"ws/linked/commondir": "../.git",
		"ws2/b.ts": "b",
		"out/secret.txt": "s",
		"home/.ssh/id_rsa": "k",
		"storage/x": "x",
	});
	const ws = join(world.root, "ws");
	const links = {
		link: "../out",
		linkfile: "../out/secret.txt",
		up: "..",
		loop: "loop",
		deep: "link/new",
		deeper: "src/../link",
		vs: ".vscode",
		dangling: "../out/not-yet.txt",
		gitlink: ".git",
		envlink: ".env",
		abs: join(world.root, "out"),
	};
	for (const [name, target] of Object.entries(links)) await symlink(target, join(ws, name));
	await link(join(world.root, "out/secret.txt"), join(ws, "hard.txt"));
	await mkdir(join(ws, "node_modules"));
	await link(join(world.root, "out/secret.txt"), join(ws, "node_modules/hard.txt"));
	return world;
}

describe("a path", () => {
	it("gets the answer it must, though every rule, grant and mode would let it pass", async () => {
		const vectors: Vector[] = JSON.parse(readFileSync("test/fixtures/gate/paths.json", "utf8"));
		assert.ok(vectors.length >= 40);
		const world = await plainWorld();
		const wrong: unknown[] = [];
		for (const vector of vectors) {
			const { decision, layer, reason } = await decide(world, vector);
			const got = decision === "allow" ? "go" : decision === "deny" && layer === "input" ? "refused" : decision;
			if (got !== vector.want) wrong.push({ ...vector, got, reason });
		}
		await world.dispose();
		assert.deepEqual(wrong, []);
	});

	it("gets the answer the shared vectors ask for", async function () {
		const shared = "../shared/vectors/paths.json";
		if (!existsSync(shared)) this.skip();
		const { layout, cases } = JSON.parse(readFileSync(shared, "utf8"));
		const world = await makeWorld({ "storage/x": "x" });
		for (const folder of layout.dirs) await mkdir(join(world.root, folder), { recursive: true });
		for (const [name, text] of Object.entries<string>({ ...layout.files, ...layout.gitfile })) {
			await mkdir(dirname(join(world.root, name)), { recursive: true });
			if (!(name in layout.hardlinks)) await writeFile(join(world.root, name), text);
		}
		for (const [name, target] of Object.entries<string>(layout.symlinks))
			await symlink(target.replace("<ROOT>", world.root), join(world.root, name));
		for (const [name, target] of Object.entries<string>(layout.hardlinks)) await link(join(world.root, target), join(world.root, name));
		const wrong: unknown[] = [];
		for (const vector of cases as (Vector & { os: string })[]) {
			if (vector.os === "win32") continue;
			const { decision, reason } = await decide(world, vector);
			if ((vector.want === "allow_in_workspace") !== (decision === "allow")) wrong.push({ ...vector, decision, reason });
		}
		await world.dispose();
		assert.deepEqual(wrong, []);
	});

	it("is refused on Windows where its spelling means something else there", () => {
		const refused = [
			"CON",
			"src\\nul.txt",
			"com1.log",
			"a:stream",
			".git::$INDEX_ALLOCATION",
			"GIT~1/config",
			".vscode./x",
			"a|b",
			"\\\\host\\x",
			"//host/x",
		];
		for (const path of refused) assert.ok(pathSyntaxError(path, true), path);
		for (const path of ["src\\a.ts", "src/a.ts", "C:\\ws\\a.ts", "..\\a", "."]) assert.equal(pathSyntaxError(path, true), undefined, path);
	});

	it("is found in the folder it names, or in the only one that has it", async () => {
		const world = await makeWorld(
			{ "one/src/a.ts": "", "one/only/a.ts": "", "two/src/a.ts": "" },
			{ folders: ["one", "two"].map((name) => ({ name, path: name })) },
		);
		assert.equal((await world.gate.path("one/src/a.ts", "read")).real, `${world.root}/one/src/a.ts`);
		assert.equal((await world.gate.path("two/src/a.ts", "read")).realInside, "src/a.ts");
		assert.equal((await world.gate.path("only/a.ts", "read")).real, `${world.root}/one/only/a.ts`);
		assert.match((await world.gate.path("src/a.ts", "read")).refused ?? "", /one\/, two\//);
		assert.match((await world.gate.path("new.ts", "create")).refused ?? "", /one\/, two\//);
		assert.equal((await world.gate.path("one/../two/src/a.ts", "read")).realInside, "src/a.ts");
		await world.dispose();
	});

	it("leads nowhere without a folder, and says so", async () => {
		const world = await makeWorld({}, { folders: [] });
		assert.match((await world.gate.path("a.ts", "read")).refused ?? "", /No folder is open/);
		assert.equal((await world.gate.path(`${world.root}/x`, "read")).realInside, undefined);
		await world.dispose();
	});

	it("is the whole fact: where it lies by name and where it leads", async () => {
		const world = await plainWorld();
		assert.deepEqual(await world.gate.path("link/secret.txt", "read"), {
			use: "read",
			given: "link/secret.txt",
			literal: `${world.root}/ws/link/secret.txt`,
			literalInside: "link/secret.txt",
			real: `${world.root}/out/secret.txt`,
			exists: true,
			links: 3,
		});
		assert.deepEqual(await world.gate.path("vs/new.json", "create"), {
			use: "create",
			given: "vs/new.json",
			literal: `${world.root}/ws/vs/new.json`,
			literalInside: "vs/new.json",
			real: `${world.root}/ws/.vscode/new.json`,
			realInside: ".vscode/new.json",
			exists: false,
		});
		await world.dispose();
	});

	it("shows in listings unless it is protected for reading", async () => {
		const world = await plainWorld();
		const visible = async (name: string) => world.gate.visible(join(world.root, name));
		for (const name of ["ws/src/a.ts", "ws", "ws/.vscode/settings.json", "ws/odd\\name", "ws/ blank"])
			assert.equal(await visible(name), true, name);
		for (const name of [
			"ws/.env",
			"ws/.git/config",
			"ws/envlink",
			"ws/linkfile",
			"ws/hard.txt",
			"out/secret.txt",
			"ws/loop",
			"storage/x",
		]) {
			assert.equal(await visible(name), false, name);
		}
		await world.dispose();
	});

	it("of package.json may be written only where its scripts stay the same", async () => {
		const world = await plainWorld();
		const fact = await world.gate.path("package.json", "write");
		const decision = (scriptsUnchanged?: boolean) =>
			world.gate.authorize(
				request({ tool: tools.update, ...generous, paths: [{ ...fact, ...(scriptsUnchanged !== undefined && { scriptsUnchanged }) }] }),
			).decision;
		assert.deepEqual([decision(), decision(false), decision(true)], ["ask", "ask", "allow"]);
		await world.dispose();
	});
});
