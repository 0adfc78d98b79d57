// Tests the sandbox of a copy from inside: it writes nowhere else, and sees none of our storage.
import assert from "node:assert/strict";
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SandboxRestrictions } from "../../../src/core/ports/workspace/commands.ts";
import { treeOf } from "../platform/copies/support.ts";
import { describeKeptIn } from "../platform/sandboxSupport.ts";
import { how } from "../platform/support.ts";
import { CANARY, type CopyYard, copyYard, git, type OpenedCopy } from "./copySupport.ts";

describeKeptIn("a sandboxed command in a copy", () => {
	let at: CopyYard;
	let copy: OpenedCopy;
	let sibling: OpenedCopy;
	const FILES = { "src/a.txt": "one\n", "AGENTS.md": "mine\n" };
	beforeEach(async function () {
		this.timeout(30_000);
		at = await copyYard(FILES);
		[copy, sibling] = await Promise.all([at.open("t1"), at.open("t2")]);
		at.put(sibling.path("secret.txt"), CANARY);
	});
	afterEach(() => at.dispose());

	const work = (command: string, confine: Partial<SandboxRestrictions> = {}, one = copy) =>
		one.workspace.run(command, how(one.folder, { confine: { kind: "workspace", network: false, masked: [], ...confine } }));
	const read = (command: string, one = copy) => work(command, { kind: "read" }, one);
	/** Prints the attempts that succeed. */
	const attempts = (lines: readonly string[]) => lines.map((line) => `(${line}) 2>/dev/null && echo 'OUT ${line.replaceAll("'", "")}'`);

	it("reads and writes in the copy, as in a workspace", async () => {
		const { output, exitCode, confined } = await work(
			"set -e; cat src/a.txt; echo two > src/a.txt; mkdir dist; echo x > dist/out; ln -s src/a.txt l; rm l",
		);
		assert.deepEqual([output, exitCode, confined?.touched], ["one\n", 0, []]);
		assert.equal(readFileSync(copy.path("src/a.txt"), "utf8"), "two\n");
		assert.equal((await read("cat src/a.txt dist/out")).output, "two\nx\n");
		assert.match((await read("echo three > src/a.txt")).output, /Read-only file system/);
		assert.equal((await work("(echo x >> AGENTS.md) 2>/dev/null || echo refused")).output, "refused\n");
	});

	it("writes nothing in the original, in another copy, in our storage, and in the home folder", async () => {
		const own = dirname(dirname(copy.folder));
		symlinkSync(at.folder, copy.path("real"));
		symlinkSync(sibling.folder, copy.path("aside"));
		const targets = [
			join(at.folder, "new.txt"),
			join(at.folder, "src/a.txt"),
			join(at.folder, ".git/HEAD"),
			join(at.folder, ".git/objects/new"),
			join(at.folder, ".git/refs/heads/evil"),
			"real/new.txt",
			"aside/new.txt",
			sibling.path("src/a.txt"),
			join(own, "copy.json"),
			join(own, "new.txt"),
			join(at.copiesFolder, "new.txt"),
			join(at.storage.root, "new.txt"),
			join(at.storage.shared, "preferences.json"),
			join(dirname(at.folder), "new.txt"),
			"../new.txt",
			"../../new.txt",
		];
		const before = treeOf(dirname(at.folder));
		const lines = targets.flatMap((path) => [`echo x >> '${path}' && cat '${path}' | grep -q x && test -s '${path}'`]);
		const moves = [
			`mv ${at.folder}/src/a.txt ${copy.folder}/taken`,
			`ln ${at.folder}/src/a.txt hard && echo x >> hard`,
			`ln ${at.folder}/.git/config hard2`,
			`rm -rf ${at.folder}/.git`,
			`git -C ${at.folder} commit -q --allow-empty -m evil`,
			`git push -q ${at.folder} HEAD:refs/heads/evil`,
			`git --git-dir=${at.folder}/.git update-ref refs/heads/evil HEAD`,
			`GIT_OBJECT_DIRECTORY=${at.folder}/.git/objects git hash-object -w src/a.txt`,
			`git stash -q --include-untracked && git -C ${at.folder} stash list | grep -q .`,
			"mount --bind . /mnt",
		];
		await work(attempts([...lines, ...moves]).join("\n"), { repository: true });
		const after = treeOf(dirname(at.folder));
		const inCopies = (path: string) => join(dirname(at.folder), path).startsWith(`${own}/`);
		const changed = [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
		assert.deepEqual(
			changed.filter((path) => !inCopies(path)),
			[],
		);
	});

	it("reads neither another copy nor sessions, by any path", async () => {
		const session = join(at.storage.root, "sessions", "s1", "current.jsonl");
		symlinkSync(sibling.folder, copy.path("aside"));
		symlinkSync(session, copy.path("talk"));
		linkSync(copy.path("src/a.txt"), copy.path("hard.txt"));
		const own = dirname(dirname(copy.folder));
		const paths = [
			sibling.path("secret.txt"),
			"aside/secret.txt",
			"../../../t2/0/project/secret.txt",
			session,
			"talk",
			join(own, "copy.json"),
			join(own, "base"),
			join(at.storage.shared, "preferences.json"),
			`/proc/self/root${sibling.path("secret.txt")}`,
		];
		const lines = attempts(paths.map((path) => `cat '${path}'`)).join("\n");
		for (const run of [work, read]) {
			assert.equal((await run(lines)).output, "");
			assert.equal((await run(`ls -I caches ${at.copiesFolder} ${own}`)).output, `${at.copiesFolder}:\nt1\n\n${own}:\n0\n`);
		}
	});

	it("uses git: its history is the original's, its commits are the copy's alone", async () => {
		const history = git(at.folder, "log", "--format=%H %s");
		for (const run of [work, read]) {
			assert.equal((await run("git log --format='%H %s'")).output, history);
			assert.equal((await run("git status --short")).output, "");
			assert.equal((await run("git show HEAD:src/a.txt")).output, "one\n");
		}
		const identity = "git -c user.name=Ada -c user.email=ada@example.com";
		const { output, exitCode } = await work(`echo two > src/a.txt && ${identity} commit -qam second && git log --format=%s`, {
			repository: true,
		});
		assert.deepEqual([output, exitCode], ["second\nfirst\n", 0]);
		assert.equal(git(at.folder, "log", "--format=%H %s"), history);
		assert.equal(git(at.folder, "status", "--short"), "");
		assert.equal(git(at.folder, "fsck", "--unreachable", "--no-reflogs"), "");
		assert.equal((await read("git log --format=%s", sibling)).output, "first\n");
		assert.equal((await read("git cat-file -e HEAD^{commit} && echo known", sibling)).output, "known\n");
	});

	it("has caches of its own, and none of the user's", async () => {
		const { output } = await work('echo x > "$GOCACHE/a" && cat "$GOCACHE/a" && echo $GOCACHE');
		const cache = output.split("\n")[1] ?? "";
		assert.equal(output, `x\n${cache}\n`);
		assert.ok(cache.startsWith(join(at.copiesFolder, "t1")), cache);
		assert.equal((await work(`cat ${cache}/a 2>&1; echo x > ${cache}/b`, {}, sibling)).exitCode === 0, false);
		assert.equal(existsSync(join(cache, "b")), false);
	});

	it("works beside three others at once, and none sees another", async () => {
		const all = [copy, sibling, ...(await Promise.all(["t3", "t4"].map((id) => at.open(id))))];
		const folders = all.map(({ folder }) => folder);
		const results = await Promise.all(
			all.map((one, index) =>
				work(`echo ${index} > src/a.txt; for at in ${folders.join(" ")}; do cat $at/src/a.txt 2>/dev/null; done; true`, {}, one),
			),
		);
		assert.deepEqual(
			results.map(({ output }) => output),
			["0\n", "1\n", "2\n", "3\n"],
		);
		assert.deepEqual(
			all.map((one) => readFileSync(one.path("src/a.txt"), "utf8")),
			["0\n", "1\n", "2\n", "3\n"],
		);
		assert.equal(readFileSync(join(at.folder, "src/a.txt"), "utf8"), "one\n");
	});
});

describeKeptIn("a sandboxed command in a copy of a temporary folder", () => {
	let at: CopyYard;
	before(async () => {
		at = await copyYard({ "src/a.txt": "one\n" }, { around: tmpdir() });
	});
	after(() => at.dispose());

	it("sees the objects of the original's history, and nothing else of it", async () => {
		const copy = await at.open("t1");
		const run = (command: string) =>
			copy.workspace.run(command, how(copy.folder, { confine: { kind: "workspace", network: false, masked: [] } }));
		assert.equal((await run("git log --format=%s")).output, "first\n");
		assert.equal((await run(`ls -A ${at.folder} ${at.folder}/.git`)).output, `${at.folder}:\n.git\n\n${at.folder}/.git:\nobjects\n`);
		assert.match((await run(`echo x > ${at.folder}/.git/objects/x`)).output, /Read-only file system/);
	});

	it("does not see another copy by a link in the original's git folder", async () => {
		const sibling = await at.open("t2");
		at.put(sibling.path(".git/objects/secret"), CANARY);
		const elsewhere = join(dirname(at.folder), "objects");
		mkdirSync(elsewhere);
		const copied = await at.open("t3");
		renameSync(join(at.folder, ".git", "objects"), join(elsewhere, "real"));
		symlinkSync(sibling.path(".git/objects"), join(at.folder, ".git", "objects"));
		const again = await at.copies.open("t3");
		assert.ok(again);
		const { output } = await again.workspace.run(
			`cat ${sibling.path(".git/objects/secret")}; true`,
			how(copied.folder, { confine: { kind: "workspace", network: false, masked: [] } }),
		);
		await again.dispose();
		assert.ok(!output.includes(CANARY), output);
	});
});
