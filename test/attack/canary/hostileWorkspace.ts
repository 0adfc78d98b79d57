// A hostile workspace: a repository whose every way to run a program leads to a canary, which leaves a mark.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

export interface Hostile {
	/** Holds the workspace, the home folder and the marks. */
	home: string;
	/** The workspace folder, a repository with two commits and a change that is not committed. */
	folder: string;
	/** A program in the workspace that marks that it ran, whatever it is given. */
	canary(name: string): string;
	/** Git as the attacker has it, before anybody opens the folder. */
	git(...words: string[]): string;
	config(key: string, value: string): void;
	put(name: string, text: string): string;
	/** The names of canaries that ran. */
	ran(): string[];
	forget(): void;
	close(): void;
}

/** What a workspace puts before the system's own. */
const SHADOWED = [
	"git",
	"rg",
	"bash",
	"sh",
	"env",
	"locale",
	"ps",
	"node",
	"cat",
	"less",
	"ssh",
	"gpg",
	"git-lfs",
	"git-remote-evil",
	"bwrap",
];

export function hostile(): Hostile {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-canary-")));
	const [folder, marks] = [join(home, "workspace"), join(home, "marks")];
	for (const made of [folder, marks, join(home, "person")]) mkdirSync(made);
	const person = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"];
	const env = { ...process.env, HOME: join(home, "person"), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
	const git = (...words: string[]): string =>
		execFileSync("git", [...person, ...words], { cwd: folder, encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] }).trim();
	const put = (name: string, text: string): string => {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
		return join(folder, name);
	};
	const program = (path: string, name: string): string => {
		chmodSync(put(path, `#!/bin/sh\n: > '${join(marks, name)}'\n`), 0o755);
		return join(folder, path);
	};
	git("init", "-q");
	for (const name of ["a.txt", "b.txt", "src/c.txt"]) put(name, "needle\n");
	git("add", ".");
	git("commit", "-q", "-m", "first");
	put("b.txt", "needle again\n");
	git("commit", "-q", "-a", "-m", "second");
	// Of the same length: only its content tells that it differs.
	put("a.txt", "Needle\n");
	put("new.txt", "new\n");
	for (const name of SHADOWED) program(`bin/${name}`, `shadow-${name}`);
	program("evil/startup", "startup");
	mkdirSync(join(folder, "node_modules"), { recursive: true });
	symlinkSync("../bin", join(folder, "node_modules", ".bin"));
	mkdirSync(join(home, "tools"));
	symlinkSync(join(folder, "bin"), join(home, "tools", "linked"));
	return {
		home,
		folder,
		git,
		put,
		canary: (name) => program(`evil/${name}`, name),
		config: (key, value) => void git("config", key, value),
		ran: () => readdirSync(marks).sort(),
		forget() {
			for (const name of readdirSync(marks)) rmSync(join(marks, name));
		},
		close: () => rmSync(home, { recursive: true, force: true }),
	};
}

/** The editor's environment as a workspace would like it; what it was is put back by the returned function. */
export function hostileEnvironment({ home, folder, put }: Hostile): () => void {
	const before = { ...process.env };
	const startup = join(folder, "evil", "startup");
	const entries = [".", "", "bin", "./bin", join(folder, "bin"), join(folder, "node_modules", ".bin"), join(home, "tools", "linked")];
	Object.assign(process.env, {
		PATH: [...entries, process.env["PATH"]].join(delimiter),
		HOME: join(home, "person"),
		RIPGREP_CONFIG_PATH: put("evil/ripgreprc", `--pre=${startup}\n--hostname-bin=${startup}\n`),
	});
	for (const name of ["BASH_ENV", "ENV", "PAGER", "EDITOR", "SSH_ASKPASS", "LESSOPEN"]) process.env[name] = startup;
	for (const name of ["ASKPASS", "EDITOR", "EXTERNAL_DIFF", "PAGER", "PROXY_COMMAND", "SEQUENCE_EDITOR", "SSH", "SSH_COMMAND"])
		process.env[`GIT_${name}`] = startup;
	delete process.env["LC_ALL"];
	process.env["LANG"] = "de_DE.ISO-8859-1";
	return () => {
		for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
		Object.assign(process.env, before);
	};
}
