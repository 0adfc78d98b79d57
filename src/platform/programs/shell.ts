// Finds the bash that runs commands: the configured one, Git for Windows, or the first on the PATH.

import { stat } from "node:fs/promises";
import { posix, win32 } from "node:path";
import type { MissingShellReason } from "../../core/ports/workspace/commands.ts";
import { captureOutput, type ProgramLaunch, windowsSystemProgram } from "./startProgram.ts";

/** The environment that is inspected; tests provide their own. */
export interface ShellEnvironment {
	platform: NodeJS.Platform;
	/** The setting `troupe.shell`; empty for automatic detection. */
	setting: string;
	getVariable(name: string): string | undefined;
	isFile(path: string): Promise<boolean>;
	/** Reads a string value from the Windows registry. */
	readRegistry(key: string, value: string): Promise<string | undefined>;
	/** The output of `git --exec-path`. */
	findGitFolder(): Promise<string | undefined>;
	/** The first program of that name on this path that the workspace does not control. */
	findOnPath(name: string, path: string): Promise<string | undefined>;
}

export type ShellLookup = { file: string } | { missing: MissingShellReason };

export async function findShell(facts: ShellEnvironment): Promise<ShellLookup> {
	const windows = facts.platform === "win32";
	if (facts.setting !== "") {
		const usable = (windows ? win32 : posix).isAbsolute(facts.setting) && !(windows && belongsToWindows(facts.setting));
		return usable && (await facts.isFile(facts.setting)) ? { file: facts.setting } : { missing: "setting" };
	}
	const file = await (windows ? onWindows(facts) : onPosix(facts));
	return file === undefined ? { missing: "none" } : { file };
}

/** An editor started from the dock may have a PATH without Homebrew. */
async function onPosix({ getVariable: variable, findOnPath: along }: ShellEnvironment): Promise<string | undefined> {
	return (await along("bash", variable("PATH") ?? "")) ?? along("bash", POSIX_FOLDERS.join(":"));
}

const POSIX_FOLDERS = ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/bin"];

/** Prefers Git for Windows: another bash on the PATH may belong to another system, or lack tools that developers expect. */
async function onWindows(facts: ShellEnvironment): Promise<string | undefined> {
	for (const find of [registered, inProgramFolders, besideGit]) {
		for (const folder of await find(facts)) {
			for (const bash of BASH_OF_GIT) {
				const file = win32.join(folder, bash);
				if (await facts.isFile(file)) return file;
			}
		}
	}
	const folders = (facts.getVariable("PATH") ?? "").split(win32.delimiter);
	return facts.findOnPath("bash", folders.filter((folder) => !belongsToWindows(folder)).join(win32.delimiter));
}

/** The first one also sets the PATH of Git's own programs. */
const BASH_OF_GIT = ["bin\\bash.exe", "usr\\bin\\bash.exe"];

async function registered({ readRegistry: registry }: ShellEnvironment): Promise<string[]> {
	const found: string[] = [];
	for (const hive of ["HKCU", "HKLM"]) {
		const folder = await registry(`${hive}\\SOFTWARE\\GitForWindows`, "InstallPath");
		if (folder !== undefined && win32.isAbsolute(folder)) found.push(folder);
	}
	return found;
}

async function inProgramFolders({ getVariable: variable }: ShellEnvironment): Promise<string[]> {
	const local = variable("LocalAppData");
	const folders = [variable("ProgramFiles"), variable("ProgramFiles(x86)"), local && win32.join(local, "Programs")];
	return folders.flatMap((folder) => (folder ? [win32.join(folder, "Git")] : []));
}

/** Uses the folder that git reports, such as `C:/…/Git/mingw64/libexec/git-core`. */
async function besideGit({ findGitFolder: gitFolder }: ShellEnvironment): Promise<string[]> {
	const core = await gitFolder();
	return core === undefined ? [] : [win32.join(core, "..", "..", "..")];
}

/** The bash in these folders starts another system with a different file system. */
function belongsToWindows(path: string): boolean {
	return /[\\/](?:System32|SysWOW64|Sysnative|WindowsApps)(?:[\\/]|$)/i.test(path);
}

export const systemShellEnvironment: Pick<ShellEnvironment, "platform" | "getVariable" | "isFile" | "readRegistry"> = {
	platform: process.platform,
	getVariable: (name) => process.env[name],
	isFile: async (path) => (await stat(path).catch(() => undefined))?.isFile() ?? false,
	async readRegistry(key, value) {
		const result = await captureOutput(
			{ file: windowsSystemProgram("reg.exe"), args: ["query", key, "/v", value], cwd: windowsSystemProgram(""), env: {} },
			{ time: 5_000 },
		);
		return result?.code === 0 ? parseRegistryValue(Buffer.from(result.output).toString(), value) : undefined;
	},
};

/** `reg query` prints the key, then "    InstallPath    REG_SZ    C:\\Program Files\\Git". */
export function parseRegistryValue(printed: string, value: string): string | undefined {
	for (const line of printed.split(/\r?\n/)) {
		const [, name, text] = /^\s{4}(.+?)\s{4}REG_(?:EXPAND_)?SZ\s{4}(.*)$/.exec(line) ?? [];
		if (name?.toLowerCase() === value.toLowerCase() && text) return text;
	}
	return undefined;
}

export interface CommandLine {
	/** Absolute path. */
	bash: string;
	text: string;
	cwd: string;
	env: Record<string, string>;
	/** Runs without approval because it only reads. */
	readOnly: boolean;
}

/** Time limit of read-only commands in milliseconds, including the background. */
export const READ_ONLY_TIMEOUT = 600_000;

/**
 * Memory limit of a read-only process in KiB. It covers writable memory only, because mapped files and reserved addresses cost
 * nothing (git maps whole packs, and Node reserves more than this just to print its version). macOS accepts the limit but does
 * not enforce it. Core files are disabled.
 */
const READING_LIMITS = `ulimit -c 0 2>/dev/null; ulimit -d ${2 * 1024 * 1024} 2>/dev/null; `;

/** Starts with a shell that merges both streams, so that output arrives in the order in which it was written. */
export function createCommandLaunch(line: CommandLine): ProgramLaunch {
	const { file, args, cwd, env } = createBareLaunch(line);
	const shell = process.platform === "win32" ? file : "/bin/sh";
	return { file: shell, args: ["-c", execScript(line.readOnly), file, ...args], cwd, env };
}

/** Omits the leading shell, for callers that provide their own. */
export function createBareLaunch({ bash, text, cwd, env }: CommandLine): ProgramLaunch {
	return { file: bash, args: ["--noprofile", "--norc", "-c", text], cwd, env };
}

/** The shell script that sets limits, merges the streams and then becomes the program in its arguments. */
export function execScript(reads: boolean): string {
	return `${reads ? READING_LIMITS : ""}exec "$0" "$@" 2>&1`;
}
