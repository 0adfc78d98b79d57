// Builds and restores the fixture of the attack cases: a workspace with a repository, neighboring folders and a home.

// Runs inside the jail.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AttackCase } from "./cases.ts";

/** Where the recording server of a run listens; every run has a network of its own. */
export const PORT = 37_161;

export interface Fixture {
	root: string;
	workspace: string;
	home: string;
	/** Holds a pnpm. */
	pnpm: string;
	/** What processes in it get. */
	env: Record<string, string>;
}

/** `path` is the PATH of the machine. */
export function fixtureAt(root: string, path: string): Fixture {
	const home = join(root, "home");
	return {
		root,
		workspace: join(root, "ws"),
		home,
		pnpm: join(root, "tools", "pnpm"),
		env: { PATH: path, HOME: home, USER: "person", LOGNAME: "person", SHELL: "/bin/bash", LANG: "C.UTF-8" },
	};
}

/** Lays it anew, whatever was there. */
export function layFixture(fixture: Fixture, files: Readonly<Record<string, string>>): void {
	const { root, workspace, home, pnpm, env } = fixture;
	rmSync(root, { recursive: true, force: true });
	for (const folder of [workspace, home, join(root, "outside"), join(root, "storage")]) mkdirSync(folder, { recursive: true });
	for (const [name, text] of Object.entries(files)) put(join(root, name), text);
	put(join(pnpm, "pnpm"), PNPM, 0o755);
	chmodSync(join(workspace, "evil.sh"), 0o755);
	symlinkSync("../outside", join(workspace, "link"));
	const git = (...words: string[]) => execFileSync("git", words, { cwd: workspace, env: { ...env, ...DATES }, stdio: "pipe" });
	git("init", "-q", "-b", "main");
	git("config", "user.name", "a");
	git("config", "user.email", "a@b");
	git("add", "src", "README.md", "package.json");
	git("commit", "-qm", "one");
	git("add", "victim", "script.txt");
	git("commit", "-qm", "two");
	git("tag", "v1");
}

/** Puts the fixture back as `template` has it, then sets the case up. Times and modes are those of the template. */
export function setUp(fixture: Fixture, template: string, attack: Pick<AttackCase, "setup" | "env">): void {
	rmSync(fixture.root, { recursive: true, force: true });
	cpSync(template, fixture.root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
	if (attack.setup === undefined) return;
	const script = fill(attack.setup, fixture);
	try {
		execFileSync("bash", ["--noprofile", "--norc", "-c", script], {
			cwd: fixture.workspace,
			env: { ...fixture.env, ...DATES },
			stdio: "pipe",
		});
	} catch {
		// A setup may end with a command that fails: what it has laid counts.
	}
}

export interface Keeper {
	/** As `setUp`, and nothing where nothing of it was set up since. True where it was laid anew. */
	setUp(attack: Pick<AttackCase, "setup" | "env">): boolean;
	/** Something else has changed it. */
	spoilt(): void;
}

/** For many cases after each other, of which most need no more than the fixture as it is. */
export function keeperOf(fixture: Fixture, template: string): Keeper {
	let pristine = false;
	return {
		setUp(attack) {
			if (pristine && attack.setup === undefined) return false;
			setUp(fixture, template, attack);
			pristine = attack.setup === undefined;
			return true;
		},
		spoilt() {
			pristine = false;
		},
	};
}

/** Puts in what the cases leave open. */
export function fill(text: string, { root, pnpm }: Pick<Fixture, "root" | "pnpm">): string {
	return text
		.replaceAll("ln -s <ROOT> bin/sed", "ln -s $(command -v busybox || echo /usr/bin/sed) bin/sed")
		.replaceAll("<PNPM_BIN>", pnpm)
		.replaceAll("<PORT>", String(PORT))
		.replaceAll("<ROOT>", root);
}

/** The environment of the editor, as the case has it. */
export function environmentOf(fixture: Fixture, { env }: Pick<AttackCase, "env">): Record<string, string> {
	const own = Object.entries(env ?? {}).map(([name, value]) => [name, fill(value, fixture)]);
	return { ...fixture.env, ...Object.fromEntries(own) };
}

function put(path: string, text: string, mode?: number): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	if (mode !== undefined) chmodSync(path, mode);
}

const DATES = { GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z" };

/**
 * What of pnpm 9 the cases need: flags that choose a folder wherever they stand, scripts of package.yaml and package.json,
 * and that a word which is no script runs as a program.
 */
const PNPM = `#!/usr/bin/env node
const { spawnSync } = require("node:child_process");
const { existsSync, readFileSync } = require("node:fs");
const words = process.argv.slice(2);
for (let at = 0; at < words.length; at++) {
	const [name, value] = words[at].split("=");
	if (!["-C", "--dir"].includes(name)) continue;
	process.chdir(value ?? words[at + 1]);
	words.splice(at, value === undefined ? 2 : 1);
}
if (words[0] === "--version" || words[0] === "-v") { console.log("9.15.0"); process.exit(0); }
const scripts = existsSync("package.json") ? JSON.parse(readFileSync("package.json", "utf8")).scripts ?? {} : {};
if (!existsSync("package.json") && existsSync("package.yaml")) {
	for (const [, name, line] of readFileSync("package.yaml", "utf8").matchAll(/^  (\\S+): (.*)$/gm)) scripts[name] = line;
}
if (words[0] === "pkg" || words[0] === "set-script") {
	process.exit(spawnSync("npm", words, { stdio: "inherit" }).status ?? 1);
}
const named = ["run", "run-script"].includes(words[0]) ? words.slice(1) : words;
const script = scripts[named[0]];
const ran = script === undefined
	? spawnSync(named[0] === "exec" ? named[1] : named[0], named.slice(named[0] === "exec" ? 2 : 1), { stdio: "inherit" })
	: spawnSync("sh", ["-c", [script, ...named.slice(1)].join(" ")], { stdio: "inherit" });
process.exit(ran.status ?? 1);
`;
