// Tests git changes and commit context of a folder, and that no repository configuration redirects them.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listProjectFiles } from "../../../src/platform/files/files.ts";
import { isInWorkTree, readCommitContext, readWorkingChanges } from "../../../src/platform/git/gitChanges.ts";
import { type Place, place } from "./support.ts";

describe("what git tells", () => {
	let at: Place;
	beforeEach(() => {
		at = place();
		git("init", "-q", "-b", "main");
		at.put("a.txt", "one\n");
		git("add", ".");
		git("commit", "-q", "-m", "first\n\nwhy");
	});
	afterEach(() => at.dispose());

	const git = (...words: string[]) =>
		execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: at.folder, encoding: "utf8" }).trim();

	it("for a commit message is what is staged, else what has changed, with the last messages", async () => {
		const { programs } = at.machine;
		at.put("a.txt", "two\n");
		assert.match((await readCommitContext(programs, at.folder))?.diff ?? "", /^\+two$/m);
		git("add", "a.txt");
		at.put("a.txt", "three\n");
		const found = await readCommitContext(programs, at.folder);
		assert.match(found?.diff ?? "", /^\+two$/m);
		assert.doesNotMatch(found?.diff ?? "", /three/);
		assert.deepEqual(found?.commits, ["first\n\nwhy\n"]);
		rmSync(at.path(".git"), { recursive: true });
		assert.equal(await readCommitContext(programs, at.folder), undefined);
	});

	it("leaves the index as it is, where files were touched and not changed", async () => {
		utimesSync(at.path("a.txt"), 1, 1);
		const before = readFileSync(at.path(".git/index"));
		const { programs } = at.machine;
		await readCommitContext(programs, at.folder);
		const told = await readWorkingChanges(programs, at.machine.folders(), async () => true);
		assert.deepEqual([told?.diff, told?.untracked, told?.hidden], ["", [], 0]);
		assert.ok(readFileSync(at.path(".git/index")).equals(before));
	});

	it("runs no filter, the person's own neither", async () => {
		const mark = join(at.outside, "mark");
		writeFileSync(join(at.outside, "config"), `[filter "lfs"]\n\tclean = touch ${mark}\n\tprocess = touch ${mark}\n\trequired = true\n`);
		git("config", "include.path", join(at.outside, "config"));
		at.put(".gitattributes", "* filter=lfs\n");
		at.put("a.txt", "two\n");
		const told = await readWorkingChanges(at.machine.programs, at.machine.folders(), async () => true);
		assert.match(told?.diff ?? "", /^\+two$/m);
		await at.machine.programs.git(at.folder, ["status", "--porcelain"], { time: 5_000 });
		await at.machine.programs.git(at.folder, ["ls-files", "-m"], { time: 5_000 });
		assert.equal(existsSync(mark), false);
		spawnSync("git", ["diff"], { cwd: at.folder });
		assert.equal(existsSync(mark), true, "a person's git runs it");
	}).timeout(20_000);

	it("is searched in history without a conversion, whoever asks", async () => {
		const mark = join(at.outside, "mark");
		git("config", "diff.evil.textconv", `touch ${mark}; cat`);
		git("config", "diff.external", `touch ${mark}`);
		at.put(".gitattributes", "* diff=evil\n");
		at.put("a.txt", "two\n");
		for (const words of [["log", "-Sone", "--name-only", "-z"], ["show", "HEAD"], ["diff"], ["diff-files", "-p"], ["log", "-p"]]) {
			assert.equal((await at.machine.programs.git(at.folder, words, { time: 5_000 }))?.code, 0, words.join(" "));
			assert.equal(existsSync(mark), false, words.join(" "));
		}
		git("log", "-Sone", "--name-only");
		assert.equal(existsSync(mark), true, "a person's git runs it");
	}).timeout(20_000);

	it("is nothing of a work tree that the configuration says is elsewhere", async () => {
		const { programs } = at.machine;
		assert.equal(await isInWorkTree(programs, at.folder), true);
		writeFileSync(join(at.outside, "a.txt"), "secret\n");
		git("config", "core.worktree", at.outside);
		assert.equal(await isInWorkTree(programs, at.folder), false);
		const told = await readWorkingChanges(programs, at.machine.folders(), async () => true);
		assert.doesNotMatch(JSON.stringify(told ?? ""), /secret/);
		at.put("b.txt", "");
		assert.deepEqual((await listProjectFiles(at.folder, programs)).sort(), [at.path("a.txt"), at.path("b.txt")]);
		git("config", "--unset", "core.worktree");
		assert.equal(await isInWorkTree(programs, at.folder), true);
		git("config", "extensions.worktreeConfig", "true");
		assert.equal(await isInWorkTree(programs, at.folder), true);
		writeFileSync(at.path(".git/config.worktree"), `[core]\n\tworktree = ${at.outside}\n`);
		assert.equal(await isInWorkTree(programs, at.folder), false);
		writeFileSync(at.path(".git/config.worktree"), "");
		git("config", "core.worktree", at.folder);
		assert.equal(await isInWorkTree(programs, at.folder), true);
		mkdirSync(at.path("deep"));
		assert.equal(await isInWorkTree(programs, at.path("deep")), true);
		assert.equal(await isInWorkTree(programs, at.outside), false);
	});

	it("is asked again after it gave no answer", async () => {
		const silent = { gitOutput: async () => undefined };
		git("config", "user.name", "Ada");
		assert.equal(await isInWorkTree(silent, at.folder), false);
		assert.equal(await isInWorkTree(at.machine.programs, at.folder), true);
	});

	it("is not asked about a folder in no repository, until there is one above it", async () => {
		const asked: string[] = [];
		const watched = {
			gitOutput: async (folder: string, words: readonly string[]) => {
				asked.push(folder);
				return at.machine.programs.gitOutput(folder, words);
			},
		};
		const deep = join(at.outside, "deep");
		mkdirSync(deep);
		symlinkSync(at.folder, join(deep, "link"));
		assert.equal(await isInWorkTree(watched, deep), false);
		assert.deepEqual(asked, []);
		assert.equal(await isInWorkTree(watched, join(deep, "link")), true);
		execFileSync("git", ["init", "-q", at.outside]);
		assert.equal(await isInWorkTree(watched, deep), true);
		assert.deepEqual(asked, [join(deep, "link"), deep]);
		// A folder that cannot be read may be in one: here too long a name.
		const unknown = join(at.outside, "x".repeat(300));
		rmSync(join(at.outside, ".git"), { recursive: true });
		assert.equal(await isInWorkTree(watched, unknown), false);
		assert.deepEqual(asked.slice(2), [unknown]);
	});

	it("is not waited for, where the repository never lets git answer", async () => {
		rmSync(at.path(".git/index"));
		execFileSync("mkfifo", [at.path(".git/index")]);
		const own = place({ folders: () => at.machine.folders(), gitTimeout: 300 });
		for (let round = 0; round < 20; round += 1)
			assert.deepEqual(await listProjectFiles(at.folder, own.machine.programs), [at.path("a.txt")]);
		await own.dispose();
	});
});
