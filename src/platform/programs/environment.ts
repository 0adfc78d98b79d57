// Creates the environments of child processes from a short allowlist, without the editor's keys and tokens.

import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { hardenedGitEnvironment } from "./hardenedGit.ts";

/**
 * `own`: git, ripgrep and helpers that we ask ourselves. `reading`: what goes ahead unasked because it only reads.
 * `approved`: what a person, a rule or a mode lets run. `server`: an MCP server.
 */
export type EnvironmentKind = "own" | "reading" | "approved" | "server";

/** `more`: names from the person's settings. `own`: variables of this start alone. The PATH comes as it is, the locale too. */
export function createChildEnvironment(
	kind: EnvironmentKind,
	more: readonly string[],
	own: Readonly<Record<string, string>> = {},
): Record<string, string> {
	const hardened = kind === "own" || kind === "reading";
	// Nobody is asked about these: what they would print, a model would read; what steers a program would steer it.
	const named = hardened ? [] : more;
	const environment: Record<string, string> = {};
	for (const name of [...(process.platform === "win32" ? WINDOWS : POSIX), ...named]) {
		const value = process.env[name];
		if (value !== undefined) environment[name] = value;
	}
	const all = { ...environment, ...QUIET, ...own, ...(hardened && hardenedGitEnvironment()) };
	return process.platform === "win32" ? { ...withOnePath(all), ...NOT_FROM_HERE } : all;
}

/** To Windows `Path` is the same name. The last one counts. */
function withOnePath(environment: Record<string, string>): Record<string, string> {
	const [paths, others] = [/^path$/i, /^(?!path$)/i].map((name) => Object.entries(environment).filter(([key]) => name.test(key)));
	return { ...Object.fromEntries(others ?? []), PATH: paths?.at(-1)?.[1] ?? "" };
}

const POSIX = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SHELL"];

const WINDOWS = [
	...["PATH", "PATHEXT", "SystemRoot", "SystemDrive", "windir", "ComSpec", "TEMP", "TMP", "USERNAME", "USERPROFILE"],
	...["HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles", "ProgramFiles(x86)"],
	...["NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "LANG"],
];

/** Windows looks for a program in the current folder first unless this is set. */
const NOT_FROM_HERE = { NoDefaultCurrentDirectoryInExePath: "1" };

/** Nobody sits at these processes: no colours, no pager, no editor, no question, no news of updates. */
const QUIET = {
	TERM: "dumb",
	PAGER: "cat",
	MANPAGER: "cat",
	GIT_PAGER: "cat",
	EDITOR: "true",
	VISUAL: "true",
	GIT_EDITOR: "true",
	GIT_TERMINAL_PROMPT: "0",
	DEBIAN_FRONTEND: "noninteractive",
	/** Looking for newer versions of themselves goes over the network, which nobody asked for. */
	NO_UPDATE_NOTIFIER: "1",
	npm_config_update_notifier: "false",
};

const UTF8 = /\.utf-?8(@|$)|^utf-?8$/i;

/** LC_CTYPE becomes `utf8()` where the locale in force is of another set; LC_ALL goes on as LANG, which it would outrank. */
export async function withUtf8Locale(
	environment: Readonly<Record<string, string>>,
	utf8: () => Promise<string>,
): Promise<Readonly<Record<string, string>>> {
	const { LC_ALL = "", LC_CTYPE = "", LANG = "" } = environment;
	if (UTF8.test(LC_ALL || LC_CTYPE || LANG)) return environment;
	const { LC_ALL: _, ...others } = environment;
	return { ...others, ...(LC_ALL !== "" && { LANG: LC_ALL }), LC_CTYPE: await utf8() };
}

/** Names in the order of their characters, as the gate has them when it expands a pattern. */
export function withCodePointCollation(environment: Readonly<Record<string, string>>): Record<string, string> {
	const { LC_ALL, ...others } = environment;
	return { ...others, ...(LC_ALL && { LANG: LC_ALL, LC_CTYPE: LC_ALL }), LC_COLLATE: "C" };
}

/** A locale in UTF-8 that is installed below `root`, by its files: no program is asked. `C` where none is known to be. */
export async function findUtf8Locale(root = "/"): Promise<string> {
	// Programs from Git for Windows have it built in, and so has musl.
	if (process.platform === "win32") return "C.UTF-8";
	const libraries = await readdir(join(root, "lib")).catch(() => []);
	if (libraries.some((name) => name.startsWith("ld-musl-"))) return "C.UTF-8";
	for (const [locale, folder] of PLACES) {
		const there = await access(join(root, folder, "LC_CTYPE")).then(
			() => true,
			() => false,
		);
		if (there) return locale;
	}
	return "C";
}

/** Where glibc keeps them, then the BSDs and macOS. */
const PLACES = [
	...["C.utf8", "C.UTF-8"].map((name) => ["C.UTF-8", `usr/lib/locale/${name}`] as const),
	...["en_US.utf8", "en_US.UTF-8"].map((name) => ["en_US.UTF-8", `usr/lib/locale/${name}`] as const),
	...["C.UTF-8", "en_US.UTF-8"].map((name) => [name, `usr/share/locale/${name}`] as const),
];
