// Command lines against the gate: the shared vectors, and our own, each with the answer it must get.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { link, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Asking, command, listed, makeWorld, rules, type World } from "./world.ts";

interface Vector {
	group: string;
	command: string;
	want: "allow" | "ask" | "deny";
	under: keyof typeof circumstances;
}

const any = rules({ allow: ["execute_command(*)"] });
const circumstances = {
	listed: { rules: listed },
	any: { rules: any },
	auto: { mode: "auto" },
	"deny-rm": { rules: rules({ deny: ["execute_command(rm)"], allow: ["execute_command(*)"] }) },
	"deny-rm-any": { rules: rules({ deny: ["execute_command(rm)"], allow: ["execute_command(*)"] }) },
} satisfies Record<string, Asking>;

const files = {
	"ws/README.md": "hello\n",
	"ws/victim": "b\na\n",
	"ws/prog.sed": "w PWNED\n",
	"ws/package.json": '{ "scripts": { "test": "true", "build": "true" } }',
	"ws/src/a.ts": "a\n",
	"ws/src/package.json": '{ "scripts": { "test": "true" } }',
	"ws/sub/x": "x",
	"out/secret.txt": "secret\n",
};

async function plainWorld(): Promise<World> {
	return makeWorld(files);
}

/** One with links, hard links and files that hold secrets. */
async function trickyWorld(secrets: Record<string, string>, links: Record<string, string> = {}): Promise<World> {
	const world = await makeWorld({ ...files, ...secrets, "ws/tpl/linkfile": "x", "ws/tpl2/.vscode/settings.json": "{}" });
	const ws = join(world.root, "ws");
	await symlink("../out", join(ws, "link"));
	await symlink("../out/secret.txt", join(ws, "linkfile"));
	await symlink("loop", join(ws, "loop"));
	await symlink("../out/absent.txt", join(ws, "dangling"));
	await symlink(".git", join(ws, "gitlink"));
	await symlink(".env", join(ws, "envlink"));
	await symlink("src", join(ws, "deepin"));
	for (const [name, target] of Object.entries(links)) await symlink(target, join(ws, name));
	await link(join(world.root, "out/secret.txt"), join(ws, "hard.txt"));
	return world;
}

describe("a command line", () => {
	const vectors: Vector[] = JSON.parse(readFileSync("test/fixtures/gate/commands.json", "utf8"));
	const worlds: Record<string, () => Promise<World>> = {
		places: () => trickyWorld({}),
		attack: () => trickyWorld({ "ws/inner/a.ts": "a" }, { "inner/up": ".." }),
		secrets: () =>
			trickyWorld({
				"ws/.env": "CANARY=1\n",
				"ws/.npmrc": "",
				"ws/id_rsa": "k",
				"ws/server.pem": "k",
				"ws/.git/config": "[core]\n",
				"ws/.git/HEAD": "ref: refs/heads/main\n",
			}),
	};
	for (const group of new Set(vectors.map((vector) => vector.group))) {
		it(`gets the answer it must: ${group}`, async () => {
			const world = await (worlds[group] ?? plainWorld)();
			const wrong: unknown[] = [];
			for (const vector of vectors.filter((candidate) => candidate.group === group)) {
				const verdict = await command(world, vector.command, circumstances[vector.under]);
				if (verdict.decision !== vector.want) wrong.push({ ...vector, got: verdict.decision, reason: verdict.reason });
			}
			await world.dispose();
			assert.deepEqual(wrong, []);
		});
	}

	it("has at least 120 vectors of its own", () => assert.ok(vectors.length >= 120));

	it("never passes unasked when it has a side effect and the allowlist is one of reading programs", async function () {
		const shared = "../shared/vectors/commands.json";
		if (!existsSync(shared)) this.skip();
		const world = await plainWorld();
		const all: { cmd: string; effect: string; class: string }[] = JSON.parse(readFileSync(shared, "utf8"));
		const passed: string[] = [];
		for (const { cmd, effect } of all) {
			if (effect === "SIDE_EFFECT" && (await command(world, cmd, { rules: listed })).decision === "allow") passed.push(cmd);
		}
		assert.deepEqual(passed, []);
		const benign = all.filter((vector) => vector.class === "benign");
		const asked: string[] = [];
		for (const { cmd } of benign) if ((await command(world, cmd, { rules: listed })).decision !== "allow") asked.push(cmd);
		assert.ok(asked.length <= benign.length / 20, asked.join("\n"));
		await world.dispose();
	});

	it("is bound to the folder the model names, which must lie in the workspace", async () => {
		const world = await trickyWorld({});
		for (const cwd of ["..", "link", "/", world.root]) assert.equal((await command(world, "ls", { rules: any }, cwd)).decision, "ask", cwd);
		assert.equal((await command(world, "ls", { rules: any }, "file:///")).decision, "deny");
		assert.equal((await command(world, "ls", { rules: any }, "loop/x")).decision, "deny");
		assert.equal((await command(world, "cat ../README.md", { rules: any }, "src")).decision, "allow");
		assert.equal((await command(world, "cat ../../out/secret.txt", { rules: any }, "src")).decision, "ask");
		await world.dispose();
	});
});
