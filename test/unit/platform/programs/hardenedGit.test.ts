// Tests every way a repository makes git run a program: none runs when git is hardened.

// Each of them does run in a user's own git.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EnvironmentKind } from "../../../../src/platform/programs/environment.ts";
import { type Home, home } from "./support.ts";

interface Way {
	/** Configuration of the repository; `$CANARY` is a program that leaves a mark. */
	config?: Record<string, string>;
	prepare?(repository: Repository): void;
	words: readonly string[];
	input?: string;
}

interface Repository {
	path: string;
	canary: string;
	git(...words: string[]): string;
	put(name: string, text: string): void;
}

const MISSING = "1".repeat(40);
const HOOKS = ["post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout"];

const ways: Record<string, Way> = {
	"a file system monitor": { config: { "core.fsmonitor": "$CANARY" }, words: ["status"] },
	"the hooks of the repository": {
		prepare({ path, canary }) {
			for (const hook of HOOKS) cpSync(canary, join(path, ".git", "hooks", hook));
			utimesSync(join(path, "a.txt"), 1, 1);
		},
		words: ["diff"],
	},
	"hooks elsewhere": {
		config: { "core.hooksPath": "hooks" },
		prepare({ path, canary }) {
			mkdirSync(join(path, "hooks"));
			for (const hook of HOOKS) cpSync(canary, join(path, "hooks", hook));
		},
		words: ["update-ref", "refs/heads/other", "HEAD"],
	},
	"a program for signatures": {
		config: { "gpg.program": "$CANARY" },
		prepare: signed("PGP SIGNATURE"),
		words: ["log", "-1", "--format=%G?"],
	},
	"a program for signatures, by format": {
		config: { "gpg.openpgp.program": "$CANARY" },
		prepare: signed("PGP SIGNATURE"),
		words: ["log", "-1", "--format=%GS"],
	},
	"signatures in every log": {
		config: { "gpg.program": "$CANARY", "log.showSignature": "true" },
		prepare: signed("PGP SIGNATURE"),
		words: ["log", "-1"],
	},
	"a program for X.509": {
		config: { "gpg.x509.program": "$CANARY" },
		prepare: signed("SIGNED MESSAGE"),
		words: ["show", "--show-signature"],
	},
	"a program for SSH signatures": {
		config: { "gpg.ssh.program": "$CANARY", "gpg.ssh.allowedSignersFile": "/dev/null" },
		prepare: signed("SSH SIGNATURE"),
		words: ["log", "-1", "--format=%G?"],
	},
	"refs of alternates": {
		config: { "core.alternateRefsCommand": "$CANARY" },
		prepare({ path }) {
			execFileSync("git", ["init", "-q", "--bare", join(path, "other.git")]);
			writeFileSync(join(path, ".git", "objects", "info", "alternates"), `${path}/other.git/objects\n`);
		},
		words: ["rev-list", "--alternate-refs", "HEAD"],
	},
	"a helper for credentials": { config: { "credential.helper": "!$CANARY" }, words: ["credential", "fill"], input: "url=http://h/\n\n" },
	"a helper for the credentials of one address": {
		config: { "credential.http://h.helper": "!$CANARY" },
		words: ["credential", "fill"],
		input: "url=http://h/\n\n",
	},
	"a program that asks for passwords": { config: { "core.askPass": "$CANARY" }, words: ["credential", "fill"], input: "url=http://h/\n\n" },
	ssh: { config: { "core.sshCommand": "$CANARY" }, words: ["ls-remote", "ssh://127.0.0.1:1/x"] },
	"an address that is a command": { config: { "protocol.ext.allow": "always" }, words: ["ls-remote", "ext::$CANARY"] },
	"a lazy fetch by a command": { config: promisor("ext::$CANARY", { "protocol.ext.allow": "always" }), words: ["cat-file", "-p", MISSING] },
	"a lazy fetch by ssh": { config: promisor("ssh://127.0.0.1:1/x", { "core.sshCommand": "$CANARY" }), words: ["cat-file", "-e", MISSING] },
	"a lazy fetch through a proxy": { config: promisor("git://h/x", { "core.gitProxy": "$CANARY" }), words: ["show", MISSING] },
	"a lazy fetch by a program of the remote": {
		config: promisor("/nowhere", { "remote.o.uploadpack": "$CANARY" }),
		words: ["rev-parse", "--verify", `${MISSING}^{commit}`],
	},
	"a lazy fetch of what HEAD names": {
		config: promisor("ext::$CANARY", { "protocol.ext.allow": "always" }),
		prepare: ({ path, git }) => {
			const head = git("rev-parse", "HEAD");
			rmSync(join(path, ".git", "objects", head.slice(0, 2), head.slice(2)));
		},
		words: ["log", "-1"],
	},
	"a submodule's own monitor": { prepare: submodule({ "core.fsmonitor": "$CANARY" }), words: ["status"] },
	"a submodule's own diff, shown in ours": {
		config: { "diff.submodule": "diff" },
		prepare(repository) {
			submodule({ "diff.external": "$CANARY" })(repository);
			repository.put("sub/b.txt", "other\n");
		},
		words: ["diff"],
	},
	"a folder that looks like a repository": {
		prepare({ path, canary, git }) {
			git("clone", "-q", "--bare", ".", "sub");
			execFileSync("git", ["config", "-f", join(path, "sub", "config"), "core.fsmonitor", canary]);
			execFileSync("git", ["config", "-f", join(path, "sub", "config"), "core.bare", "false"]);
			execFileSync("git", ["config", "-f", join(path, "sub", "config"), "core.worktree", path]);
		},
		words: ["-C", "sub", "status"],
	},
};

describe("git, hardened, does not run", () => {
	let at: Home;
	beforeEach(() => {
		at = home();
		at.set({ GIT_CONFIG_GLOBAL: undefined, GIT_CONFIG_COUNT: undefined });
	});
	afterEach(() => at.dispose());

	/** Whether git ran the canary. Each time in a repository of its own. */
	async function runs({ config = {}, prepare, words, input }: Way, kind: EnvironmentKind): Promise<boolean> {
		const path = join(at.work, kind);
		const mark = join(at.path, `mark-${kind}`);
		const canary = at.put(`canary-${kind}`, `#!/bin/sh\n: > '${mark}'\n`);
		chmodSync(canary, 0o755);
		const named = (text: string): string => text.replaceAll("$CANARY", canary);
		const repository = build(path, canary);
		for (const [key, value] of Object.entries(config)) repository.git("config", key, named(value));
		prepare?.(repository);
		rmSync(mark, { force: true });
		const env = await at.programs().environment(kind);
		spawnSync("/usr/bin/git", words.map(named), { cwd: path, env, input: input ?? "", timeout: 5_000, killSignal: "SIGKILL" });
		return existsSync(mark);
	}

	for (const [name, way] of Object.entries(ways)) {
		it(name, async () => {
			assert.equal(await runs(way, "approved"), true, "the way must be one");
			assert.equal(await runs(way, "reading"), false);
			assert.equal(await runs(way, "own"), false);
		});
	}

	it("but does its work: status, log, diff, blame and a work tree of a bare repository", async () => {
		const { path, git, put } = build(join(at.work, "r"), "");
		put("a.txt", "one\ntwo\n");
		git("clone", "-q", "--bare", ".", join(at.path, "bare"));
		execFileSync("git", ["worktree", "add", "-q", join(at.path, "tree")], { cwd: join(at.path, "bare"), stdio: "ignore" });
		const env = await at.programs().environment("reading");
		const said = (cwd: string, ...words: string[]) => execFileSync("/usr/bin/git", words, { cwd, env, encoding: "utf8" });
		assert.equal(said(path, "status", "--short"), " M a.txt\n");
		assert.match(said(path, "log", "-p"), /^\+one$/m);
		assert.match(said(path, "diff"), /^\+two$/m);
		assert.match(said(path, "blame", "a.txt"), /Not Committed Yet/);
		assert.match(said(join(at.path, "tree"), "log", "--oneline"), /first/);
	});
});

function build(path: string, canary: string): Repository {
	mkdirSync(path, { recursive: true });
	const person = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
	const git = (...words: string[]) =>
		execFileSync("git", [...person, ...words], { cwd: path, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
	const put = (name: string, text: string): void => writeFileSync(join(path, name), text);
	git("init", "-q", "-b", "main");
	put("a.txt", "one\n");
	git("add", ".");
	git("commit", "-q", "-m", "first");
	return { path, canary, git, put };
}

/** The newest commit has a signature of that kind. */
function signed(kind: string) {
	return ({ path, git }: Repository): void => {
		const person = "a <a@b> 1700000000 +0000";
		const head = [`tree ${git("rev-parse", "HEAD^{tree}")}`, `author ${person}`, `committer ${person}`];
		const text = [...head, `gpgsig -----BEGIN ${kind}-----`, " x", ` -----END ${kind}-----`, "", "signed", ""].join("\n");
		writeFileSync(join(path, ".git", "signed"), text);
		git("update-ref", "HEAD", git("hash-object", "-t", "commit", "-w", ".git/signed"));
	};
}

function promisor(url: string, more: Record<string, string>): Record<string, string> {
	return {
		"core.repositoryFormatVersion": "1",
		"extensions.partialClone": "o",
		"remote.o.url": url,
		"remote.o.promisor": "true",
		...more,
	};
}

/** With configuration of its own. */
function submodule(config: Record<string, string>) {
	return ({ path, canary, git }: Repository): void => {
		const inner = build(`${path}-inner`, canary);
		inner.put("b.txt", "b\n");
		inner.git("add", ".");
		inner.git("commit", "-q", "-m", "b");
		git("submodule", "--quiet", "add", inner.path, "sub");
		git("commit", "-q", "-m", "sub");
		const own = join(path, ".git", "modules", "sub", "config");
		for (const [key, value] of Object.entries(config)) execFileSync("git", ["config", "-f", own, key, value.replaceAll("$CANARY", canary)]);
	};
}
