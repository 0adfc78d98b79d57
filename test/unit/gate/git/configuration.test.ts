// Tests git configuration of real repositories: read once, and again whenever any of its sources changes.

// Reading it must never be a danger itself.
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Fixture, fixture } from "./repositories.ts";

describe("git's configuration", () => {
	let at: Fixture;
	beforeEach(() => {
		at = fixture({ inTime: true });
		before = 0;
	});
	afterEach(() => at.dispose());

	const status = ["git", "status"];
	/** How often git was asked for its configuration since the last time. */
	let before = 0;
	function asked(): number {
		const all = at.asked.filter(({ words }) => words[0] === "config").length;
		const since = all - before;
		before = all;
		return since;
	}

	async function always(words: readonly string[] = status, folder = at.ws): Promise<string> {
		return (await at.facts(words, folder)).facts.always ?? "";
	}

	it("is asked once for a folder as long as nothing changes", async () => {
		for (let count = 0; count < 5; count++) assert.equal(await always(), "");
		assert.equal(asked(), 1);
	});

	it("is asked again when a file changes, even to one of the same size and time", async () => {
		const config = join(at.ws, ".git/config");
		appendFileSync(config, "[user]\n\tname = aaaaaaaaaaaaaaaaaa\n");
		utimesSync(config, 1_000_000, 1_000_000);
		assert.equal(await always(), "");
		const text = readFileSync(config, "utf8");
		const other = text.replace("[user]\n\tname = aaaaaaaaaaaaaaaaaa\n", "[core]\n\tpager = aaaaaaaaaaaaaaaaa\n");
		assert.equal(other.length, text.length);
		writeFileSync(config, other);
		utimesSync(config, 1_000_000, 1_000_000);
		assert.match(await always(), /core\.pager/);
		assert.equal(asked(), 2);
	});

	it("is asked again when a file appears that could matter", async () => {
		at.bash("git config core.repositoryformatversion 1; git config extensions.worktreeConfig true; mkdir sub");
		writeFileSync(join(at.root, "home/.gitconfig"), `[include]\n\tpath = ~/more\n[includeIf "gitdir:${at.ws}/"]\n\tpath = ${at.ws}/team\n`);
		assert.equal(await always(), "");
		at.bash("printf '[core]\\n\\tfsmonitor = touch PWNED\\n' > .git/config.worktree");
		assert.match(await always(), /core\.fsmonitor/);
		at.bash("rm .git/config.worktree");
		assert.equal(await always(), "");
		// What the person's own configuration includes from the repository is the repository's.
		at.bash("printf '[core]\\n\\tfsmonitor = touch PWNED\\n' > team");
		assert.match(await always(), /core\.fsmonitor/);
		at.bash("rm team; printf '[diff]\\n\\tsubmodule = diff\\n' > ~/more");
		assert.equal(await always(), "");
		assert.match(await always(["git", "diff"]), /diff\.submodule/);
		at.bash("rm ~/more; git init -q sub");
		assert.equal(await always(status, join(at.ws, "sub")), "");
		at.bash("git -C sub config core.pager x");
		assert.match(await always(status, join(at.ws, "sub")), /core\.pager/);
	});

	it("is asked again where an include depends on the branch", async () => {
		at.bash(
			`git branch other; printf '[diff]\\n\\tsubmodule = diff\\n' > ~/branch; printf '[includeIf "onbranch:other"]\\n\\tpath = branch\\n' >> ~/.gitconfig`,
		);
		assert.equal(await always(["git", "diff"]), "");
		at.bash("git checkout -q other");
		assert.match(await always(["git", "diff"]), /diff\.submodule/);
	});

	it("is the person's own outside of the repository", async () => {
		at.bash("git config --global core.pager less; git config --global core.fsmonitor true; git config --global alias.x '!x'");
		assert.equal(await always(), "");
	});

	it("ends an approval when it changes, and not when only harmless keys do", async () => {
		const bound = async () => (await at.facts(status)).facts.bound;
		assert.equal(await bound(), undefined);
		at.bash("git config branch.x.remote origin; git config user.name b");
		assert.equal(await bound(), undefined);
		at.bash("git config core.pager less");
		const first = await bound();
		at.bash("git config branch.y.remote origin");
		assert.equal(await bound(), first);
		at.bash("git config core.pager 'touch PWNED'");
		const second = await bound();
		at.bash("git config filter.x.clean cat");
		const third = await bound();
		assert.equal(new Set([undefined, first, second, third]).size, 4);
		assert.equal((await at.facts(status)).facts.lasts, true);
	});

	it("is the person's own where it says so for all repositories: their filters run, those of a repository ask", async () => {
		at.bash("git config --global filter.lfs.clean 'git-lfs clean -- %f'; git config --global filter.lfs.process 'git-lfs filter-process'");
		for (const line of ["git status", "git diff"]) assert.equal(await always(line.split(" ")), "", line);
		at.bash("printf '[filter \"lfs\"]\\n\\tprocess = ./evil.sh\\n' > more; git config include.path ../more");
		for (const line of ["git status", "git diff"]) assert.match(await always(line.split(" ")), /filter\.lfs\.process|include\.path/, line);
		at.bash("git config --unset include.path; git config filter.lfs.process ./evil.sh");
		for (const line of ["git status", "git diff"]) assert.match(await always(line.split(" ")), /filter\.lfs\.process/, line);
	});

	it("asks in time where an include leads to a pipe, and where it cannot be read", async () => {
		at.bash("mkfifo pipe; git config include.path ../pipe");
		const start = performance.now();
		assert.match(await always(), /git couldn't inspect/);
		assert.ok(performance.now() - start < 2_000);
		at.bash("sed -i '/include/,$d' .git/config; echo '[' >> .git/config");
		assert.match(await always(), /git couldn't inspect|git doesn't recognize/);
	});

	it("may be a megabyte long", async () => {
		appendFileSync(join(at.ws, ".git/config"), `[branch "x"]\n${"\tdescription = some words that go on and on\n".repeat(22_000)}`);
		assert.equal(await always(), "");
		appendFileSync(join(at.ws, ".git/config"), "[core]\n\tpager = x\n");
		assert.match(await always(), /core\.pager/);
	});

	it("counts in submodules where the command enters them, in theirs too, listed or not", async () => {
		at.bash(
			"git init -q one && git -C one commit -q --allow-empty -m x && git init -q one/two && git -C one/two commit -q --allow-empty -m y && " +
				"git -C one add two && git -C one commit -qm z && git add one && git commit -qm sub",
		);
		for (const line of ["git status", "git diff", "git describe --dirty", "git commit -m x", "git add -u"])
			assert.equal(await always(line.split(" ")), "", line);
		at.bash("git -C one/two config core.fsmonitor 'touch PWNED'");
		for (const line of ["git status", "git diff", "git describe --dirty", "git commit -m x", "git add -u"]) {
			assert.match(await always(line.split(" ")), /core\.fsmonitor \(one\/two\)/, line);
		}
		for (const line of ["git log", "git show", "git branch", "git tag x", "git ls-files"])
			assert.equal(await always(line.split(" ")), "", line);
		at.bash("git -C one/two config --unset core.fsmonitor; rm -rf one/two/.git; ln -s ../../.git one/two/.git");
		assert.match(await always(), /is a link/);
	});

	it("cannot be known without a git that can be hardened: then every command asks", async () => {
		Object.assign(at.gateContext, { host: undefined });
		assert.match(await always(), /git couldn't inspect/);
	});
});
