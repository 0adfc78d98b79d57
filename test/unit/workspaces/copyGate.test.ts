// Tests the gate of a copy: its own files are a workspace, and everything else in our storage stays protected.
import assert from "node:assert/strict";
import { appendFileSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readWorkspaceInstructions } from "../../../src/agents/systemPrompt.ts";
import type { Gate, GateRequest } from "../../../src/core/ports/gate.ts";
import type { PathUse } from "../../../src/core/ports/tool.ts";
import { type Asking, request, rules, tools } from "../gate/world.ts";
import { CANARY, type CopyYard, copyYard, git, type OpenedCopy } from "./copySupport.ts";

const byUse: Record<PathUse, GateRequest["tool"]> = { read: tools.read, write: tools.update, create: tools.create, delete: tools.remove };

describe("the gate of a copy", () => {
	let at: CopyYard;
	let copy: OpenedCopy;
	let sibling: OpenedCopy;
	before(async function () {
		this.timeout(30_000);
		at = await copyYard({
			"src/a.txt": "one\n",
			"AGENTS.md": "Be brief.\n",
			"package.json": '{"scripts":{"test":"node --test"}}\n',
			".env": `KEY=${CANARY}\n`,
			".gitignore": ".env\n",
		});
		[copy, sibling] = await Promise.all([at.open("t1"), at.open("t2")]);
	});
	after(() => at.dispose());

	const judge = async (gate: Gate, path: string, use: PathUse = "read", asking: Asking = {}) =>
		gate.authorize(request({ tool: byUse[use], mode: "auto", paths: [await gate.path(path, use)], ...asking }));
	const run = async (gate: Gate, line: string, asking: Asking = {}) =>
		gate.authorize(request({ tool: tools.run, mode: "auto", command: await gate.command(line), ...asking }));
	const decisions = (verdicts: readonly { decision: string }[]) => verdicts.map(({ decision }) => decision).join(" ");

	it("reads, changes and creates files of the copy without approval, by relative and absolute path, though it is in our storage", async () => {
		const verdicts = await Promise.all([
			judge(copy.gate, "src/a.txt"),
			judge(copy.gate, copy.path("src/a.txt")),
			judge(copy.gate, "src/a.txt", "write"),
			judge(copy.gate, "src/new/b.txt", "create"),
			judge(copy.gate, copy.folder),
			run(copy.gate, "cat src/a.txt"),
			run(copy.gate, "cp src/a.txt src/b.txt"),
			run(copy.gate, "rg one"),
		]);
		assert.equal(decisions(verdicts), "allow allow allow allow allow allow allow allow", verdicts.map(({ reason }) => reason).join("\n"));
		assert.equal(await copy.gate.visible(copy.path("src/a.txt")), true);
	});

	it("asks about everything else in our storage, however it is named", async () => {
		symlinkSync(sibling.folder, copy.path("aside"));
		symlinkSync(join(at.storage.root, "sessions"), copy.path("talks"));
		symlinkSync("../../..", copy.path("up"));
		linkSync(sibling.path("src/a.txt"), copy.path("hard.txt"));
		const own = dirname(dirname(copy.folder));
		const session = join(at.storage.root, "sessions", "s1", "current.jsonl");
		const outside = [
			sibling.path("src/a.txt"),
			relative(copy.folder, sibling.path("src/a.txt")),
			`src/../../../../t2/0/project/src/a.txt`,
			"aside/src/a.txt",
			"aside/new.txt",
			"talks/s1/current.jsonl",
			"up/t2/0/project/src/a.txt",
			"hard.txt",
			session,
			join(own, "copy.json"),
			join(own, "files.json"),
			join(own, "base"),
			join(own, "new.txt"),
			at.copiesFolder,
			join(at.storage.shared, "preferences.json"),
			copy.path("src/a.txt").replace("/copies/", "/COPIES/"),
			`${copy.folder}-beside/a.txt`,
			"..",
			"../..",
			"/",
		];
		for (const path of outside) {
			for (const use of ["read", "write", "create"] as const) {
				const { decision, reason } = await judge(copy.gate, path, use);
				assert.equal(decision, "ask", `${use} ${path}: ${reason}`);
				assert.equal((await judge(copy.gate, path, use, { canAsk: false })).decision, "deny", `${use} ${path}`);
			}
			const commands = [`cat '${path}'`, `cp src/a.txt '${path}'`, `tool '${path}'`, `cd '${path}' && ls`];
			for (const line of commands) assert.equal((await run(copy.gate, line)).decision, "ask", line);
			if (path.startsWith("/")) assert.equal(await copy.gate.visible(path), false, path);
		}
		const links = ["aside", "talks", "up", "hard.txt"].map((name) => copy.path(name));
		assert.deepEqual(await Promise.all(links.map((path) => copy.gate.visible(path))), [false, false, false, false]);
	});

	it("says that a folder above the copy contains our storage, and that another copy belongs to it", async () => {
		const factOf = async (path: string, use: PathUse) => (await copy.gate.path(path, use)).guarded;
		assert.deepEqual(await factOf(dirname(at.storage.shared), "write"), { kind: "above storage" });
		assert.deepEqual(await factOf(sibling.path("src/a.txt"), "read"), { kind: "storage" });
		assert.deepEqual(await factOf("../../copy.json", "read"), { kind: "storage" });
		assert.equal(await factOf("src/a.txt", "write"), undefined);
	});

	it("asks about the original workspace as about any folder outside", async () => {
		for (const use of ["read", "write", "create", "delete"] as const) {
			const { decision, reason } = await judge(copy.gate, join(at.folder, "src/a.txt"), use);
			assert.equal(decision, "ask");
			assert.match(reason, /outside the workspace/);
		}
		symlinkSync(at.folder, copy.path("home"));
		assert.equal((await judge(copy.gate, "home/src/a.txt", "write")).decision, "ask");
		for (const line of [`cat ${at.folder}/src/a.txt`, `touch ${at.folder}/x`, `make -C ${at.folder}`, `npm --prefix ${at.folder} test`]) {
			assert.equal((await run(copy.gate, line)).decision, "ask", line);
		}
	});

	it("protects in the copy what is protected in every workspace", async () => {
		const same = [".git/config", ".vscode/tasks.json", "package.json", ".env", "AGENTS.md", ".github/workflows/x.yml"];
		for (const path of same) {
			const [copied, real] = await Promise.all([copy.gate, at.gate].map((gate) => judge(gate, path, "write")));
			assert.deepEqual([copied?.decision, copied?.reason], ["ask", real?.reason], path);
		}
		assert.equal((await judge(copy.gate, "src/a.txt", "delete")).decision, "ask");
	});

	it("applies rules with paths as in the real workspace", async () => {
		const deny = rules({ deny: ["read_file(src/**)"], ask: ["update_file(src/a.txt)"] });
		assert.equal((await judge(copy.gate, "src/a.txt", "read", { rules: deny })).decision, "deny");
		assert.equal((await judge(copy.gate, "src/a.txt", "write", { rules: deny })).layer, "rules");
		assert.equal((await judge(copy.gate, "package.json", "read", { rules: deny })).decision, "allow");
	});

	it("keeps the window from reaching into the copy without approval", async () => {
		assert.equal((await judge(at.gate, copy.path("src/a.txt"))).decision, "ask");
		assert.equal(await at.gate.visible(copy.path("src/a.txt")), false);
	});

	it("shows the copy's instructions as the workspace's", async () => {
		const { workspace, gate } = copy;
		const [found] = await readWorkspaceInstructions({ folders: workspace.folders, disk: workspace, visible: gate.visible });
		assert.match(found?.text ?? "", /^Be brief\./);
	});

	it("lets git read the history of the copy without approval, until something else than the original's objects is named", async () => {
		for (const line of ["git status", "git log --oneline", "git diff"]) {
			assert.equal((await run(copy.gate, line)).decision, "allow", line);
		}
		const alternates = copy.path(".git/objects/info/alternates");
		const before = readFileSync(alternates, "utf8");
		assert.equal(before, `${join(at.folder, ".git", "objects")}\n`);
		appendFileSync(alternates, `${join(sibling.folder, ".git", "objects")}\n`);
		assert.match((await run(copy.gate, "git log")).reason, /alternates/);
		writeFileSync(alternates, `${join(sibling.folder, ".git", "objects")}\n`);
		assert.match((await run(copy.gate, "git log")).reason, /alternates/);
		writeFileSync(alternates, before);
		assert.equal((await run(copy.gate, "git log")).decision, "allow");
	});

	it("judges a repository that itself reads the objects of another one as the original is judged", async () => {
		mkdirSync(join(dirname(at.folder), "deep"));
		const library = join(dirname(at.folder), "deep", "library");
		git(dirname(at.folder), "clone", "-q", "--shared", at.folder, library);
		const third = await copyYard({ "a.txt": "a\n" });
		try {
			appendFileSync(join(third.folder, ".git", "objects", "info", "alternates"), `${join(library, ".git", "objects")}\n`);
			const inCopy = await third.open("t1");
			const [copied, real] = await Promise.all([inCopy.gate, third.gate].map((gate) => run(gate, "git log")));
			assert.match(real?.reason ?? "", /alternates/);
			assert.deepEqual([copied?.decision, copied?.grants], [real?.decision, real?.grants]);
		} finally {
			await third.dispose();
		}
	});
});
