// Tests the table of harmless git configuration keys: git never runs a program set as their value.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { harmlessKeys, settingRiskOf } from "../../../../src/gate/git/harmlessKeys.ts";
import { hardenedGitEnvironment } from "../../../../src/platform/programs/hardenedGit.ts";
import { type Fixture, fixture, wordsOf } from "./repositories.ts";

const reading = [
	"status",
	"log -p -2",
	"show",
	"diff",
	"diff HEAD~1",
	"grep needle",
	"blame victim",
	"stash list",
	"branch -av",
	"describe --dirty",
];
/** They change something however often they run, as the classes do. */
const changing = [
	"commit -q --allow-empty -m x",
	"add -A",
	"commit -qa --allow-empty -m y",
	"branch -f one",
	"tag -f two",
	"tag -f -m x three",
];
const uses = { read: reading, change: [...changing, "checkout -q -B four"] } as const;

/** Some of those that run, reveal or reach something. */
const dangerous = (
	"core.fsmonitor core.pager core.alternaterefscommand core.attributesfile include.path includeif.gitdir:x.path filter.x.clean filter.x.smudge " +
	"filter.x.process diff.external diff.x.command diff.x.textconv merge.x.driver pager.log extensions.partialclone remote.x.promisor " +
	"remote.x.uploadpack remote.x.vcs remote.x.receivepack uploadpack.packobjectshook log.showsignature format.pretty pretty.x hook.x.command " +
	"trailer.x.command trailer.x.cmd submodule.x.update protocol.ext.allow gc.recentobjectshook status.submodulesummary mailmap.file mailmap.blob " +
	"core.excludesfile diff.orderfile notes.displayref log.diffmerges log.follow tar.x.command unknown.key"
).split(" ");

describe("the table of harmless keys", () => {
	let at: Fixture;
	let config: string;
	let plain: string;
	before(() => {
		at = fixture();
		config = join(at.ws, ".git/config");
		// Attributes that would make every driver and filter count, and a staged, a changed and an untracked file.
		at.bash("printf '* diff=x filter=x merge=x\\n' > .git/info/attributes; echo more >> victim; echo x > new; git add new; echo y > newer");
		plain = readFileSync(config, "utf8");
	});
	after(() => at.dispose());
	afterEach(() => writeFileSync(config, plain));

	/** Which of the keys run the value: each by itself in the first command, and those that git takes all together in every one. */
	function running(keys: readonly string[], value: string, lines: readonly string[], env: NodeJS.ProcessEnv): string[] {
		const found: string[] = [];
		const taken = keys.filter((key) => {
			const worked = works([key], value, lines.slice(0, 1), env);
			if (ran()) found.push(key);
			return worked;
		});
		for (const each of [value, `!${value}`]) works(taken, each, lines, env);
		return ran() ? [...found, "one of all"] : found;
	}

	function works(keys: readonly string[], value: string, lines: readonly string[], env: NodeJS.ProcessEnv): boolean {
		appendFileSync(join(at.ws, "victim"), "more\n");
		writeFileSync(config, plain + keys.map((key) => setting(key, value)).join(""));
		const codes = lines.map((line) => spawnSync("git", wordsOf(line), { cwd: at.ws, env, stdio: "ignore", timeout: 20_000 }).status);
		return codes.every((code) => code === 0);
	}

	function ran(): boolean {
		const found = existsSync(join(at.ws, "PWNED"));
		rmSync(join(at.ws, "PWNED"), { force: true });
		return found;
	}

	function own(): NodeJS.ProcessEnv {
		return { PATH: process.env["PATH"], HOME: join(at.root, "home"), GIT_CONFIG_NOSYSTEM: "1", GIT_EDITOR: "true" };
	}

	for (const use of ["read", "change"] as const) {
		it(`runs nothing where its keys have a program as their value, and git is there to ${use}`, function () {
			this.timeout(180_000);
			const keys = harmlessKeys().filter((key) => settingRiskOf(key, "touch PWNED", use) !== "unknown");
			assert.ok(keys.length > 100, `only ${keys.length} keys`);
			assert.deepEqual(running(keys, "touch PWNED", uses[use], { ...own(), ...(use === "read" && hardenedGitEnvironment()) }), []);
		});
	}

	it("is tried in a way that would tell", () => {
		const keys = ["user.name", "filter.x.clean", "user.email"];
		assert.deepEqual(running(keys, "touch PWNED; cat", ["add -A"], own()), ["filter.x.clean", "one of all"]);
	});

	it("has none that runs, reveals or reaches something", () => {
		for (const use of ["read", "change", "network"] as const) {
			for (const key of dangerous) assert.equal(settingRiskOf(key, "touch PWNED", use), "unknown", key);
			for (const value of ["ext::sh -c x", "foo://x", "-oProxyCommand=x", "ssh://-oProxyCommand=x/y", "fd::7", "\next::x"]) {
				assert.equal(settingRiskOf("remote.origin.url", value, use), "unknown", value);
			}
		}
		assert.equal(settingRiskOf("remote.origin.fetch", "+refs/heads/*:refs/heads/*", "network"), "unknown");
		assert.equal(settingRiskOf("http.proxy", "http://x", "network"), "unknown");
	});

	it("knows what everyday repositories have", () => {
		const values: Record<string, string> = {
			"core.repositoryformatversion": "0",
			"core.bare": "false",
			"core.fsmonitor": "true",
			"remote.origin.url": "git@github.com:a/b.git",
			"remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
			"branch.main.remote": "origin",
			"branch.feature/x.merge": "refs/heads/feature/x",
			"branch.main.vscode-merge-base": "origin/main",
			"submodule.lib.url": "https://example.org/lib.git",
			"lfs.https://example.org/a/b.git/info/lfs.access": "basic",
		};
		for (const use of ["read", "change", "network"] as const) {
			for (const [key, value] of Object.entries(values)) assert.equal(settingRiskOf(key, value, use), "none", key);
		}
		assert.equal(settingRiskOf("core.hookspath", ".husky/_", "read"), "hardened");
	});
});

function setting(key: string, value: string): string {
	const [section = ""] = key.split(".");
	const name = key.slice(key.lastIndexOf(".") + 1);
	const middle = key.slice(section.length + 1, -name.length - 1);
	return `[${section}${middle === "" ? "" : ` "${middle}"`}]\n\t${name} = "${value}"\n`;
}
