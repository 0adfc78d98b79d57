// Hostile repositories: each a way in which what somebody cloned might run a program.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hostile } from "./hostileWorkspace.ts";

export interface HostileRepository {
	lay(hostile: Hostile): void;
	/** A command of git that falls for it, as a person would give it; absent where none does. */
	falls?: readonly string[];
}

const HOOKS = ["post-index-change", "reference-transaction", "post-checkout", "pre-commit", "fsmonitor-watchman", "pre-auto-gc"];

export const repositories: Record<string, HostileRepository> = {
	"a file system monitor": configured({ "core.fsmonitor": "CANARY" }, ["status"]),
	"a file system monitor behind a comment that ends in a backslash": appended("# note \\\n[core]\n\tfsmonitor = CANARY\n", ["status"]),
	"a file system monitor in quotes": appended('[core]\n\tfsmonitor = "#\\nCANARY; false"\n', ["status"]),
	hooks: {
		lay({ folder, canary }) {
			for (const name of HOOKS) cpSync(canary("hook"), join(folder, ".git", "hooks", name));
		},
		falls: ["checkout", "-q", "HEAD"],
	},
	"hooks elsewhere": {
		lay({ folder, canary, config }) {
			mkdirSync(join(folder, "githooks"));
			for (const name of HOOKS) cpSync(canary("hook"), join(folder, "githooks", name));
			config("core.hooksPath", "githooks");
		},
		falls: ["checkout", "-q", "HEAD"],
	},
	"a pager": configured({
		"core.pager": "CANARY",
		"pager.diff": "CANARY",
		"pager.ls-files": "CANARY",
		"pager.config": "CANARY",
		"pager.log": "CANARY",
	}),
	"an editor and a browser": configured({
		"core.editor": "CANARY",
		"sequence.editor": "CANARY",
		"web.browser": "x",
		"browser.x.cmd": "CANARY",
	}),
	"aliases of what we ask": configured(
		Object.fromEntries(["diff", "log", "ls-files", "rev-parse", "config", "status"].map((name) => [`alias.${name}`, "!CANARY"])),
	),
	"an external diff": configured({ "diff.external": "CANARY" }, ["diff"]),
	"a text conversion": attributed("diff", { "diff.evil.textconv": "CANARY", "diff.evil.cachetextconv": "true" }, ["diff"]),
	"a diff of a kind of files": attributed("diff", { "diff.evil.command": "CANARY" }, ["diff"]),
	"a text conversion for everything": {
		lay(hostile) {
			attributed("diff", { "diff.evil.textconv": "CANARY" }).lay(hostile);
			writeFileSync(join(hostile.folder, ".git", "info", "attributes"), "* diff=evil\n");
		},
		falls: ["log", "-p"],
	},
	"a filter": attributed("filter", { "filter.evil.clean": "CANARY", "filter.evil.smudge": "CANARY", "filter.evil.required": "true" }, [
		"diff",
	]),
	"a filter that is asked in a protocol": attributed("filter", { "filter.evil.process": "CANARY" }, ["diff"]),
	"a filter of an odd name": attributed("filter=a=B.c", { "filter.a=B.c.clean": "CANARY", "filter.EVIL.clean": "CANARY" }, ["diff"]),
	"a filter in an included file": {
		lay(hostile) {
			attributed("filter", { "include.path": "../evil/settings" }).lay(hostile);
			hostile.put("evil/settings", `[filter "evil"]\n\tclean = ${hostile.canary("included")}\n`);
		},
		falls: ["diff"],
	},
	"a filter in the work tree's own configuration": {
		lay(hostile) {
			attributed("filter", { "core.repositoryFormatVersion": "1", "extensions.worktreeConfig": "true" }).lay(hostile);
			hostile.git("config", "--worktree", "filter.evil.clean", hostile.canary("worktree"));
		},
		falls: ["diff"],
	},
	"the filter that the person has for large files": {
		lay(hostile) {
			attributed("filter=lfs", { "lfs.extension.evil.clean": "CANARY" }).lay(hostile);
			const program = hostile.canary("lfs");
			const text = `[filter "lfs"]\n\tclean = ${program}\n\tprocess = ${program}\n\trequired = true\n`;
			writeFileSync(join(hostile.home, "person", ".gitconfig"), text);
		},
	},
	"a merge of a kind of files": attributed("merge", {
		"merge.evil.driver": "CANARY",
		"mergetool.evil.cmd": "CANARY",
		"merge.tool": "evil",
	}),
	"programs for signatures": {
		lay(hostile) {
			const keys = ["gpg.program", "gpg.openpgp.program", "gpg.ssh.program", "gpg.x509.program", "gpg.ssh.defaultKeyCommand"];
			configured(
				Object.fromEntries([...keys.map((key) => [key, "CANARY"]), ["log.showSignature", "true"], ["commit.gpgSign", "true"]]),
			).lay(hostile);
			const author = "a <a@b> 1700000000 +0000";
			const head = [
				`tree ${hostile.git("rev-parse", "HEAD^{tree}")}`,
				`parent ${hostile.git("rev-parse", "HEAD")}`,
				`author ${author}`,
				`committer ${author}`,
			];
			const commit = [...head, "gpgsig -----BEGIN PGP SIGNATURE-----", " x", " -----END PGP SIGNATURE-----", "", "signed", ""].join("\n");
			hostile.git("update-ref", "HEAD", hostile.git("hash-object", "-t", "commit", "-w", hostile.put("evil/commit", commit)));
		},
		falls: ["log", "-1"],
	},
	"helpers for credentials": configured({
		"credential.helper": "!CANARY",
		"credential.https://h.helper": "!CANARY",
		"core.askPass": "CANARY",
	}),
	"refs of alternates": {
		lay(hostile) {
			configured({ "core.alternateRefsCommand": "CANARY" }).lay(hostile);
			writeFileSync(
				join(hostile.folder, ".git", "objects", "info", "alternates"),
				`${join(hostile.folder, ".git", "objects")}\n/proc/self/cwd\n`,
			);
		},
	},
	"a lazy fetch by a command": lazy({ url: "ext::CANARY %S" }, { "protocol.ext.allow": "always" }),
	"a lazy fetch by a program of the remote": lazy({ url: "/nowhere", uploadpack: "CANARY" }),
	"a lazy fetch by a program beside git": lazy({ url: "evil://x", vcs: "evil" }),
	"a lazy fetch by ssh": lazy({ url: "ssh://127.0.0.1:1/x" }, { "core.sshCommand": "CANARY" }),
	"a lazy fetch through a proxy": lazy({ url: "git://127.0.0.1:1/x" }, { "core.gitProxy": "CANARY" }),
	"a lazy fetch from an address that is rewritten": lazy(
		{ url: "https://h/x" },
		{ "url.ext::CANARY .insteadOf": "https://h/", "protocol.ext.allow": "always" },
	),
	"a submodule with a configuration of its own": {
		lay({ folder, home, canary, git, put }) {
			const inner = join(home, "inner");
			mkdirSync(inner);
			const at = (where: string, ...words: string[]) => git("-C", where, ...words);
			at(inner, "init", "-q");
			writeFileSync(join(inner, "s.txt"), "sub\n");
			at(inner, "add", ".");
			at(inner, "commit", "-q", "-m", "s");
			git("submodule", "--quiet", "add", inner, "sub");
			git("commit", "-q", "-m", "sub");
			put("sub/s.txt", "Sub\n");
			put("sub/.gitattributes", "* filter=evil diff=evil\n");
			const program = canary("submodule");
			const own = join(folder, ".git", "modules", "sub", "config");
			for (const key of ["core.fsmonitor", "filter.evil.clean", "diff.evil.textconv", "diff.external"])
				git("config", "-f", own, key, program);
			for (const [key, value] of Object.entries({
				"diff.submodule": "diff",
				"submodule.recurse": "true",
				"status.submoduleSummary": "true",
				"diff.ignoreSubmodules": "none",
				"submodule.sub.ignore": "none",
				"submodule.sub.update": `!${program}`,
			}))
				git("config", key, value);
		},
		falls: ["status"],
	},
	"a submodule's folder that is no submodule": {
		lay({ folder, canary, git, put }) {
			put("nested/x.txt", "x\n");
			git("-C", join(folder, "nested"), "init", "-q");
			git("config", "-f", join(folder, "nested", ".git", "config"), "core.fsmonitor", canary("nested"));
			put(".gitmodules", '[submodule "nested"]\n\tpath = nested\n\turl = ext::sh\n\tupdate = !evil/nested\n\tignore = none\n');
		},
	},
	"a bare repository in place of one": {
		lay({ folder, canary, git }) {
			git("config", "core.fsmonitor", canary("bare"));
			git("config", "core.worktree", folder);
			for (const name of ["HEAD", "config", "objects", "refs", "index"]) renameSync(join(folder, ".git", name), join(folder, name));
			rmSync(join(folder, ".git"), { recursive: true });
			mkdirSync(join(folder, ".git"));
		},
		falls: ["status"],
	},
	"a .git that is a file": {
		lay({ folder, canary, config }) {
			config("core.fsmonitor", canary("file"));
			renameSync(join(folder, ".git"), join(folder, "evil", "gitdir"));
			writeFileSync(join(folder, ".git"), "gitdir: evil/gitdir\n");
		},
		falls: ["status"],
	},
	"a .git that is a link": {
		lay({ folder, canary, config }) {
			config("core.fsmonitor", canary("link"));
			renameSync(join(folder, ".git"), join(folder, "evil", "gitdir"));
			symlinkSync("evil/gitdir", join(folder, ".git"));
		},
		falls: ["status"],
	},
	"a .git that is a pipe": replaced(".git", (path) => execFileSync("mkfifo", [path])),
	"a .git that is half written": replaced(".git/config", (path) => writeFileSync(path, '[core]\n\tfsmonitor = "half')),
	"a HEAD that is a pipe": replaced(".git/HEAD", (path) => execFileSync("mkfifo", [path])),
	"an index that is a pipe": replaced(".git/index", (path) => execFileSync("mkfifo", [path])),
	"an include that is a pipe": {
		lay({ config, folder }) {
			execFileSync("mkfifo", [join(folder, "pipe")]);
			config("include.path", "../pipe");
		},
	},
	"another work tree": {
		lay({ home, config, canary }) {
			config("core.worktree", home);
			config("core.fsmonitor", canary("worktree"));
		},
		falls: ["status"],
	},
	"replaced commits": {
		lay({ git, canary, config }) {
			git("replace", "HEAD", "HEAD~1");
			config("core.fsmonitor", canary("replace"));
		},
		falls: ["status"],
	},
	"files by which ripgrep and shells are set up": {
		lay({ put, canary }) {
			const program = canary("setup");
			for (const name of [".ripgreprc", "ripgreprc", ".config/ripgrep/config"]) put(name, `--pre=${program}\n--pre-glob=*\n`);
			for (const name of [".rgignore", ".ignore"]) put(name, `!*\n!.git\n/../**\n[\n\\\n${"**/".repeat(60)}x\n`);
			for (const name of [".bashrc", ".bash_profile", ".profile", ".zshrc", ".envrc", ".inputrc"]) put(name, `${program}\n`);
			put(".npmrc", `script-shell=${program}\nnode-options=--require ${program}\n`);
			put(".git/info/exclude", "!*\n");
		},
	},
	"archives and names that a search might open by a program": {
		lay({ put, folder }) {
			for (const name of ["x.gz", "x.zst", "x.br", "-pre=evil", "--pre=evil", "a\nb.txt", "`touch x`.txt", "$(evil).txt"])
				put(name, "needle\n");
			execFileSync("mkfifo", [join(folder, "fifo.txt")]);
			symlinkSync("/proc/self/cwd", join(folder, "self"));
		},
	},
};

/** Values have CANARY in place of the program, which is named relative to the workspace: git starts it there. */
function configured(keys: Record<string, string>, falls?: readonly string[]): HostileRepository {
	return {
		lay({ canary, config }) {
			const program = canary("configured");
			for (const [key, value] of Object.entries(keys)) config(key.replaceAll("CANARY", program), value.replaceAll("CANARY", program));
		},
		...(falls && { falls }),
	};
}

function appended(text: string, falls: readonly string[]): HostileRepository {
	return {
		lay({ folder, canary }) {
			const program = canary("appended");
			writeFileSync(join(folder, ".git", "config"), text.replaceAll("CANARY", program), { flag: "a" });
		},
		falls,
	};
}

/** Every file has the attribute. */
function attributed(attribute: string, keys: Record<string, string>, falls?: readonly string[]): HostileRepository {
	return {
		lay(hostile) {
			hostile.put(".gitattributes", `* ${attribute.includes("=") ? attribute : `${attribute}=evil`}\n`);
			configured(keys).lay(hostile);
		},
		...(falls && { falls }),
	};
}

/** The commit that HEAD names, a tree and a file are missing and are promised by a remote. */
function lazy(remote: Record<string, string>, more: Record<string, string> = {}): HostileRepository {
	const promised = {
		"core.repositoryFormatVersion": "1",
		"extensions.partialClone": "o",
		"remote.o.promisor": "true",
		"remote.o.partialCloneFilter": "blob:none",
	};
	const named = Object.entries(remote).map(([key, value]) => [`remote.o.${key}`, value]);
	return {
		lay(hostile) {
			const missing = ["HEAD", "HEAD^{tree}", "HEAD:a.txt"].map((name) => hostile.git("rev-parse", name));
			configured({ ...promised, ...Object.fromEntries(named), ...more }).lay(hostile);
			chmodSync(join(hostile.folder, ".git", "objects"), 0o755);
			for (const id of missing) rmSync(join(hostile.folder, ".git", "objects", id.slice(0, 2), id.slice(2)), { force: true });
		},
		falls: ["rev-parse", "HEAD^{commit}"],
	};
}

function replaced(name: string, make: (path: string) => void): HostileRepository {
	return {
		lay({ folder }) {
			rmSync(join(folder, name), { recursive: true, force: true });
			make(join(folder, name));
		},
	};
}
