// Creates environments of child processes from a short allowlist, without the editor's keys and tokens.

import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { hardenedGitEnvironment } from "./hardenedGit.ts";

/**
 * `own`: our own calls of git, ripgrep and helpers. `reading`: read-only commands that run without approval.
 * `approved`: commands that the user, a rule or a mode allows. `server`: an MCP server.
 */
export type EnvironmentKind = "own" | "reading" | "approved" | "server";

/** `more`: names from the user's settings. `own`: variables for this process only. PATH and locale are passed unchanged. */
export function createChildEnvironment(
	kind: EnvironmentKind,
	more: readonly string[],
	own: Readonly<Record<string, string>> = {},
): Record<string, string> {
	const hardened = kind === "own" || kind === "reading";
	// These run without approval: a model would read what they print, and variables could control the programs.
	const named = hardened ? [] : more;
	const environment: Record<string, string> = {};
	for (const name of [...(process.platform === "win32" ? WINDOWS : POSIX), ...named]) {
		const value = process.env[name];
		if (value !== undefined) environment[name] = value;
	}
	const all = { ...environment, ...QUIET, ...own, ...(hardened && hardenedGitEnvironment()) };
	return process.platform === "win32" ? { ...withOnePath(all), ...NOT_FROM_HERE } : all;
}

/** On Windows, `Path` is the same name. The last one wins. */
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

/** Keeps Windows from searching the current folder first. */
const NOT_FROM_HERE = { NoDefaultCurrentDirectoryInExePath: "1" };

/** Variables for unattended processes: no colors, pager, editor, prompts or update notices. */
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
	/** Update checks use the network, which nobody requested. */
	NO_UPDATE_NOTIFIER: "1",
	npm_config_update_notifier: "false",
};

const UTF8 = /\.utf-?8(@|$)|^utf-?8$/i;

/** Sets LC_CTYPE to `utf8()` if the current locale is not UTF-8; LC_ALL becomes LANG, which it would override. */
export async function withUtf8Locale(
	environment: Readonly<Record<string, string>>,
	utf8: () => Promise<string>,
): Promise<Readonly<Record<string, string>>> {
	const { LC_ALL = "", LC_CTYPE = "", LANG = "" } = environment;
	if (UTF8.test(LC_ALL || LC_CTYPE || LANG)) return environment;
	const { LC_ALL: _, ...others } = environment;
	return { ...others, ...(LC_ALL !== "" && { LANG: LC_ALL }), LC_CTYPE: await utf8() };
}

/** Sorts names by code point, as the gate does when it expands a pattern. */
export function withCodePointCollation(environment: Readonly<Record<string, string>>): Record<string, string> {
	const { LC_ALL, ...others } = environment;
	return { ...others, ...(LC_ALL && { LANG: LC_ALL, LC_CTYPE: LC_ALL }), LC_COLLATE: "C" };
}

/** An installed UTF-8 locale below `root`, found by its files without running a program. `C` if none is found. */
export async function findUtf8Locale(root = "/"): Promise<string> {
	// Built into programs from Git for Windows and into musl.
	if (process.platform === "win32") return "C.UTF-8";
	const libraries = await readdir(join(root, "lib")).catch(() => []);
	if (libraries.some((name) => name.startsWith("ld-musl-"))) return "C.UTF-8";
	for (const [locale, folder] of PLACES) {
		const exists = await access(join(root, folder, "LC_CTYPE")).then(
			() => true,
			() => false,
		);
		if (exists) return locale;
	}
	return "C";
}

/** Locations used by glibc, then by the BSDs and macOS. */
const PLACES = [
	...["C.utf8", "C.UTF-8"].map((name) => ["C.UTF-8", `usr/lib/locale/${name}`] as const),
	...["en_US.utf8", "en_US.UTF-8"].map((name) => ["en_US.UTF-8", `usr/lib/locale/${name}`] as const),
	...["C.UTF-8", "en_US.UTF-8"].map((name) => [name, `usr/share/locale/${name}`] as const),
];
