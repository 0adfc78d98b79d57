// Tests unusual git folders: files, links, bare and incomplete repositories, and repositories owned by others.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Fixture, fixture } from "./repositories.ts";

describe("a git folder", () => {
	let at: Fixture;
	beforeEach(() => {
		at = fixture({ inTime: true });
	});
	afterEach(() => at.dispose());

	/** What is said of reading commands in a folder below the root, and why. */
	async function said(folder = "ws", line = "git log -1"): Promise<string> {
		const { facts } = await at.facts(line.split(" "), join(at.root, folder));
		assert.equal(await at.outcome(line, join(at.root, folder)), facts.always === undefined ? "goes" : "always");
		return facts.always === undefined ? "goes" : `${facts.lasts ? "lasts" : "once"}: ${facts.always}`;
	}

	it("is found from every folder in it, and from one that is not there yet", async () => {
		for (const folder of ["ws", "ws/src", "ws/tpl", "ws/not/yet"]) assert.equal(await said(folder), "goes");
		assert.equal(await at.outcome("git -C packages/app status"), "goes");
	});

	it("is none where there is none: then nothing in files is shown", async () => {
		assert.equal(await said("outside"), "goes");
		assert.match(await said("outside", "git diff"), /^once: The command runs outside a repository\.$/);
	});

	it("may be a file that leads to a linked work tree which knows it, or to a submodule", async () => {
		at.bash("git worktree add -q ../ws/wt; git -c protocol.file.allow=always submodule --quiet add ./ lib 2> /dev/null || git init -q lib");
		assert.equal(await said("ws/wt"), "goes");
		assert.equal(await said("ws/lib"), "goes");
		at.bash("git clone -q . ../outside/src && git -c protocol.file.allow=always submodule --quiet add -f ../outside/src mod");
		assert.equal(await said("ws/mod"), "goes");
	});

	it("may be a file that leads to a folder inside of it", async () => {
		at.bash("mv .git store && echo 'gitdir: store' > .git");
		assert.equal(await said(), "goes");
	});

	it("asks where it is a file that leads to somebody else's repository", async () => {
		at.bash("git init -q ../outside/theirs && mkdir ../ws/mine && echo 'gitdir: ../../outside/theirs/.git' > mine/.git");
		assert.match(await said("ws/mine"), /^once: .*\/mine points to a git folder that belongs to another repository\.$/);
		at.bash("mkdir -p mine2/store && cp -r .git/. mine2/store && echo 'gitdir: store' > mine2/.git");
		assert.equal(await said("ws/mine2"), "goes");
		at.bash("echo ../../../outside/theirs/.git > mine2/store/commondir && echo $PWD/mine2/.git > mine2/store/gitdir");
		assert.match(await said("ws/mine2"), /^once: .*\/mine2 points to a git folder that belongs to another repository\.$/);
	});

	it("asks where a folder that is no linked work tree shares another one's", async () => {
		at.bash("git init -q ../outside/theirs && echo ../../outside/theirs/.git > .git/commondir");
		assert.match(await said(), /^once: .* points to a git folder that belongs to another repository\.$/);
	});

	it("asks where it, or something in it, is a link", async () => {
		at.bash("git init -q ../outside/theirs && mkdir mine && ln -s ../../outside/theirs/.git mine/.git");
		assert.match(await said("ws/mine"), /^once: .*\/mine\/\.git is a link/);
		for (const name of ["objects", "refs", "config", "packed-refs", "index", "logs"]) {
			at.bash(`rm -rf own && cp -r .git own && mkdir -p ${name} && rm -rf ${name} && git init -q ${name} && rm -rf ${name}/.git/${name}`);
			at.bash(`ln -s ../../own/${name} ${name}/.git/${name}`);
			assert.match(await said(`ws/${name}`), new RegExp(`^once: .*/\\.git/${name} is a link`), name);
		}
	});

	it("asks where what git prints or takes objects by is a link, whatever its name", async () => {
		at.bash("echo 'SECRET=1' > .env && git worktree add -q ../ws/wt && git worktree lock wt");
		const cases = [
			["shallow", "ln -s ../.env .git/shallow"],
			["FETCH_HEAD", "ln -s ../.env .git/FETCH_HEAD"],
			["made-up", "ln -s ../.env .git/made-up"],
			["objects/pack", "rm -rf .git/objects/pack && mkdir -p ../outside/pack && ln -s ../../../outside/pack .git/objects/pack"],
			["objects/ff", "rm -rf .git/objects/ff && ln -s ../../../outside .git/objects/ff"],
			["refs/theirs", "ln -s ../../../outside .git/refs/theirs"],
			[
				"objects/info/commit-graphs/commit-graph-chain",
				"mkdir .git/objects/info/commit-graphs && ln -s ../../../../.env .git/objects/info/commit-graphs/commit-graph-chain",
			],
			["worktrees/wt/locked", "ln -sf ../../../.env .git/worktrees/wt/locked"],
			["worktrees/wt/gitdir", "ln -sf ../../../.env .git/worktrees/wt/gitdir"],
			["worktrees/other", "ln -s ../../../outside .git/worktrees/other"],
		] as const;
		assert.equal(await said("ws", "git worktree list --porcelain"), "goes");
		at.bash("cp -r .git kept");
		for (const [name, script] of cases) {
			at.bash(`rm -rf .git && cp -r kept .git && ${script}`);
			assert.match(await said("ws", "git worktree list --porcelain"), new RegExp(`^once: .*/\\.git/${name} is a link`), name);
		}
	});

	it("may have hooks, and a HEAD, that are links as git and people make them", async () => {
		at.bash("rm -rf .git/hooks && mkdir githooks && ln -s ../githooks .git/hooks && ln -sf refs/heads/main .git/HEAD");
		assert.equal(await said(), "goes");
	});

	it("asks where it is bare, or looks like it", async () => {
		at.bash("git clone -q --bare . bare.git; mkdir like; mkdir like/objects like/refs; echo 'ref: refs/heads/main' > like/HEAD");
		assert.match(await said("ws/bare.git"), /^once: .* is a bare repository/);
		assert.match(await said("ws/bare.git/refs"), /^once: .* is a bare repository/);
		assert.match(await said("ws/like"), /^once: .* is a bare repository/);
		assert.match(await said("ws/.git"), /^once: /);
		at.bash("git config core.bare true");
		assert.match(await said(), /^once: /);
	});

	it("asks where an empty one stands before a bare repository", async () => {
		at.bash(
			"git clone -q --bare . trap && mkdir trap/.git && git config --file trap/config core.bare false && git config --file trap/config core.worktree $PWD/trap",
		);
		assert.match(await said("ws/trap"), /^once: .*\/trap\/\.git isn't a git folder\.$/);
	});

	it("asks where it is half written, or no folder and no file", async () => {
		for (const [index, script] of [
			"mkdir .git",
			"mkdir .git; echo 'ref: refs/heads/main' > .git/HEAD",
			"git init -q; rm -r .git/objects",
			"git init -q; echo nonsense > .git/HEAD",
			"git init -q; echo '[core' >> .git/config",
			"git init -q; printf '[core]\\n\\tbare = perhaps\\n' > .git/config",
			"echo gitdir > .git",
			"echo 'gitdir: ' > .git",
			"printf 'gitdir: x\\ngitdir: ../.git\\n' > .git",
			"head -c 100000 /dev/zero > .git",
			"mkfifo .git",
			"git init -q; rm .git/HEAD; mkfifo .git/HEAD",
			"git init -q; rm .git/config; mkfifo .git/config",
		].entries()) {
			at.bash(`mkdir half${index} && cd half${index} && ${script}`);
			assert.match(await said(`ws/half${index}`), /^once: /, script);
		}
	});

	it("asks where it says that its files are elsewhere", async () => {
		at.bash("git config core.worktree $PWD/../outside");
		assert.match(await said(), /^once: /);
	});

	it("asks where it belongs to somebody else on this machine", async function () {
		if (process.getuid?.() !== 0) return this.skip();
		at.bash("chown -R 12345 .git .");
		assert.match(await said(), /^once: git doesn't recognize .* as your repository\.$/);
	});

	it("asks where its objects come from another repository", async () => {
		at.bash("git init -q ../outside/theirs; echo $PWD/../outside/theirs/.git/objects > .git/objects/info/alternates");
		assert.match(await said(), /^lasts: .*alternates/);
	});
});
