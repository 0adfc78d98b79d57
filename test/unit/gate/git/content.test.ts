// Tests that git commands printing file contents ask for protected names, whatever the way they are reached.

// The gate lists the files beforehand, with the same revisions and paths.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Fixture, fixture } from "./repositories.ts";

describe("what git would print", () => {
	let at: Fixture;
	beforeEach(() => {
		at = fixture();
	});
	afterEach(() => at.dispose());

	async function all(outcome: string, lines: readonly string[], folder = at.ws): Promise<void> {
		for (const line of lines) assert.equal(await at.outcome(line, folder), outcome, line);
	}

	it("goes ahead where nothing of it is protected", () =>
		all("goes", [
			"git log -p",
			"git log -p -2 -- src",
			"git log -p main -- src/a.ts",
			"git log -p HEAD~1..HEAD",
			"git log --follow -p src/a.ts",
			"git log -p --all --since=2000",
			"git show",
			"git show v1",
			"git show HEAD~1 HEAD",
			"git show HEAD:src/a.ts",
			"git show HEAD:src",
			"git show :README.md",
			"git show main -- victim",
			"git diff",
			"git diff HEAD~1",
			"git diff HEAD~1 HEAD -- victim",
			"git diff main...HEAD",
			"git diff HEAD ':!package.json'",
			"git diff --cached",
			"git diff v1 -- 'src/*.ts'",
			"git grep needle",
			"git grep -n needle -- src",
			"git grep -e needle --and -e n v1 -- victim",
			"git blame victim",
			"git blame HEAD~1 -- victim",
			"git cat-file -p HEAD",
			"git cat-file -p HEAD^{tree}",
			"git cat-file blob HEAD:victim",
			"git status -v",
		]));

	it("asks where a protected file is among it, in all of the history or in a part", async () => {
		at.bash(
			"git add -f .env; git commit -qm env; git rm -q --cached .env; git commit -qm gone; echo more >> victim; git commit -qam later",
		);
		await all("always", [
			"git log -p",
			"git log -p -3",
			"git log --stat -p --all",
			"git log -U0 main",
			"git log -p -- .env",
			"git log -p -- ':(icase).ENV'",
			"git log -p --full-diff -- .env",
			"git show HEAD~1",
			"git show HEAD~2 --stat HEAD~2:.env",
			"git show HEAD~2:./.env",
			"git show -s HEAD~2:.env",
			"git diff HEAD~2",
			"git diff HEAD~3..HEAD~2",
			"git diff HEAD~2:.env HEAD~2:victim",
			"git grep SECRET HEAD~2",
			"git grep SECRET HEAD~2 -- ':!victim'",
			"git blame HEAD~2 -- .env",
			"git cat-file -p HEAD~2:.env",
			"git cat-file blob HEAD~2:.env",
		]);
		await all("goes", [
			"git log -p -1",
			"git show",
			"git diff HEAD~1",
			"git log",
			"git log --stat",
			"git show --stat HEAD~1",
			"git grep SECRET",
			"git diff HEAD~2 --name-only",
		]);
		await all("goes", ["git grep SECRET HEAD~2 -- victim", "git log -p -- victim", "git show HEAD~2 -- victim"]);
	});

	it("asks where an object is named without its path", async () => {
		at.bash(
			"git add -f .env; git commit -qm env; git tag blob $(git rev-parse HEAD:.env); git tag -a -m x note $(git rev-parse HEAD:.env); git rm -q --cached .env; git commit -qm gone",
		);
		await all("always", [
			"git show blob",
			"git show note",
			"git show blob..blob",
			"git show -s blob",
			"git show --stat note",
			"git diff blob HEAD:victim",
			"git diff blob note",
			"git diff blob..note",
			"git cat-file -p blob",
			"git cat-file blob blob",
			"git grep SECRET blob",
			"git grep SECRET HEAD~1^{tree}:",
			"git diff HEAD~1^{tree} HEAD~1:src",
		]);
	});

	it("asks where a rename, a copy or a merge would show what was protected before", async () => {
		at.bash(
			"seq 20 > server.pem; git add -f server.pem; git commit -qm key; git mv server.pem notes; echo x >> notes; git commit -qam renamed; echo y >> notes; git commit -qam later",
		);
		await all("always", [
			"git show HEAD~1",
			"git log -p -2",
			"git diff HEAD~2 HEAD",
			"git log --follow -p notes",
			"git log -p --follow -2 -- notes",
			"git diff -M1 HEAD~2",
			"git diff -C HEAD~2 HEAD",
		]);
		await all("goes", ["git log -p -1 -- notes", "git log -p -- notes", "git show HEAD"]);
		at.bash("git config --global log.follow true");
		await all("always", ["git log -p notes"]);
		at.bash(
			"git config --global --unset log.follow; git checkout -q -b side HEAD~3; echo k > k.pem; git add -f k.pem; git commit -qm k; git checkout -q main; git merge -q side -m merged",
		);
		await all("always", [
			"git show HEAD",
			"git log -p -m -1",
			"git log --cc -1",
			"git log -p -1 --diff-merges=first-parent",
			"git log -p --first-parent -1",
		]);
		await all("goes", ["git log -p -1 HEAD^"]);
	});

	it("asks where a file on disk is another one than it seems", async () => {
		at.bash(
			"ln ../outside/secret.txt hard && git add hard; mkdir d && echo x > d/secret.txt && git add d; git commit -qm d; rm -r d && ln -s ../outside d",
		);
		await all("always", [
			"git grep canary",
			"git grep canary -- hard",
			"git grep canary -- d/secret.txt",
			"git blame hard",
			"git blame d/secret.txt",
		]);
		await all("goes", ["git grep --cached canary -- victim", "git grep needle -- victim src", "git show HEAD -- victim"]);
		at.bash("echo changed >> hard");
		await all("always", ["git diff", "git diff HEAD -- hard", "git status -vv"]);
		await all("goes", ["git status", "git diff --stat", "git diff --cached"]);
	});

	it("asks where it lies outside of the workspace", async () => {
		await all("always", [
			"git diff /etc/passwd README.md",
			"git diff -- ../outside/secret.txt victim",
			"git diff ../outside ../home",
			"git blame ../outside/secret.txt",
			"git -C .. diff ws outside",
			"git grep x -- ../outside",
		]);
		at.dispose();
		// The repository is larger than the workspace folder.
		at = fixture({ git: false, folder: "ws/src" });
		at.bash("git init -q; git add -A; git commit -qm all");
		await all("always", ["git show", "git log -p", "git show HEAD:victim"], join(at.ws, "src"));
		await all(
			"goes",
			[
				"git log -p -- .",
				"git show HEAD -- a.ts",
				"git show HEAD:./a.ts",
				"git grep needle",
				"git grep needle HEAD",
				"git diff",
				"git log",
				"git status",
			],
			join(at.ws, "src"),
		);
		await all("always", ["git grep needle -- ..", "git grep needle HEAD -- :/", "git show HEAD:../victim"], join(at.ws, "src"));
	});

	it("takes words as git does: what is a file is one, what could be two things is asked about", async () => {
		at.bash("echo x > on; echo x > v1x; git add on v1x; git add -f .env; git commit -qm x");
		await all("always", [
			"git log -p --diff-merges on",
			"git log -p :/x",
			"git log -p HEAD^{/x}",
			"git log -p -g",
			"git log -p --not HEAD~1",
			"git log -p nothing-of-that-name",
			"git show HEAD~1..HEAD",
		]);
		await all("goes", ["git log -p on", "git log -p on v1x", "git log -p HEAD -- on"]);
	});

	it("asks where a stash holds it, untracked files included", async () => {
		at.bash("echo w >> victim; git stash -q");
		await all("goes", ["git stash show", "git stash show -p", "git stash show stash@{0}", "git stash list"]);
		at.bash("echo w >> victim; echo k > k.pem; git stash -q -u");
		await all("always", ["git stash show", "git stash show -p 0", "git stash show --include-untracked", "git stash show --only-untracked"]);
		await all("goes", ["git stash show -p 1", "git stash list"]);
	});

	it("asks where it is too much to tell, and in time", async function () {
		this.timeout(60_000);
		at.bash("mkdir many; cd many; seq 20001 | xargs touch; git add .; git commit -qm many");
		const start = performance.now();
		await all("always", ["git show", "git grep x", "git log -p -1", "git grep x HEAD"]);
		await all("goes", ["git show HEAD~1", "git grep x -- src", "git log", "git status"]);
		assert.ok(performance.now() - start < 10_000);
		const { facts } = await at.facts(["git", "show"]);
		assert.match(facts.always ?? "", /too many files to check/);
	});

	it("does not ask in submodules what it would print of them", async () => {
		at.bash("git init -q sub; git -C sub commit -q --allow-empty -m x; git add sub; git commit -qm sub; echo x > sub/.env");
		await all("goes", ["git diff", "git show", "git grep x"]);
		at.bash("git config --global diff.submodule diff");
		await all("always", ["git diff"]);
	});
});
