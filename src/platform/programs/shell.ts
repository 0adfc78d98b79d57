// Finds the bash that runs commands: the configured one, Git for Windows, or the first on the PATH.

import { stat } from "node:fs/promises";
import { posix, win32 } from "node:path";
import type { MissingShellReason } from "../../core/ports/workspace.ts";
import { captureOutput, type ProgramLaunch, windowsSystemProgram } from "./startProgram.ts";

/** What is looked at; a test brings a machine of its own. */
export interface ShellEnvironment {
	platform: NodeJS.Platform;
	/** The setting `troupe.shell`; empty where it is to be found. */
	setting: string;
	getVariable(name: string): string | undefined;
	isFile(path: string): Promise<boolean>;
	/** The text of a value in the registry of Windows. */
	readRegistry(key: string, value: string): Promise<string | undefined>;
	/** The folder that `git --exec-path` prints. */
	findGitFolder(): Promise<string | undefined>;
	/** The first program of that name in these folders that is not the workspace's. */
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

/** An editor that was started from the dock may have a PATH without Homebrew. */
async function onPosix({ getVariable: variable, findOnPath: along }: ShellEnvironment): Promise<string | undefined> {
	return (await along("bash", variable("PATH") ?? "")) ?? along("bash", POSIX_FOLDERS.join(":"));
}

const POSIX_FOLDERS = ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/bin"];

/** Git for Windows first: another bash on the PATH may be of another system, or lack what developers expect beside it. */
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

/** The first sets up the PATH of Git's own programs. */
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

/** `C:/…/Git/mingw64/libexec/git-core` */
async function besideGit({ findGitFolder: gitFolder }: ShellEnvironment): Promise<string[]> {
	const core = await gitFolder();
	return core === undefined ? [] : [win32.join(core, "..", "..", "..")];
}

/** The bash there starts another system, with other files under other names. */
function belongsToWindows(path: string): boolean {
	return /[\\/](?:System32|SysWOW64|Sysnative|WindowsApps)(?:[\\/]|$)/i.test(path);
}

export const systemShellEnvironment: Pick<ShellEnvironment, "platform" | "getVariable" | "isFile" | "readRegistry"> = {
	platform: process.platform,
	getVariable: (name) => process.env[name],
	isFile: async (path) => (await stat(path).catch(() => undefined))?.isFile() ?? false,
	async readRegistry(key, value) {
		const said = await captureOutput(
			{ file: windowsSystemProgram("reg.exe"), args: ["query", key, "/v", value], cwd: windowsSystemProgram(""), env: {} },
			{ time: 5_000 },
		);
		return said?.code === 0 ? parseRegistryValue(Buffer.from(said.output).toString(), value) : undefined;
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
	/** Absolute. */
	bash: string;
	text: string;
	cwd: string;
	env: Record<string, string>;
	/** It goes ahead unasked because it only reads. */
	readOnly: boolean;
}

/** Milliseconds that what only reads may take, in the background, too. */
export const READ_ONLY_TIMEOUT = 600_000;

/**
 * Memory of a process that only reads, in KiB: what it may write to, since files that are mapped and addresses that are
 * only reserved cost nothing (git maps whole packs, and Node reserves more than this to say its version). macOS takes the
 * limit and does not keep it. A crash leaves no core file behind.
 */
const READING_LIMITS = `ulimit -c 0 2>/dev/null; ulimit -d ${2 * 1024 * 1024} 2>/dev/null; `;

/** A shell first joins both streams, so that they come in the order in which they were written. */
export function createCommandLaunch(line: CommandLine): ProgramLaunch {
	const { file, args, cwd, env } = createBareLaunch(line);
	const shell = process.platform === "win32" ? file : "/bin/sh";
	return { file: shell, args: ["-c", execScript(line.readOnly), file, ...args], cwd, env };
}

/** Without the shell before it, for what has one of its own there. */
export function createBareLaunch({ bash, text, cwd, env }: CommandLine): ProgramLaunch {
	return { file: bash, args: ["--noprofile", "--norc", "-c", text], cwd, env };
}

/** What a shell does before it becomes the program in its words: sets the limits, and makes one stream of two. */
export function execScript(reads: boolean): string {
	return `${reads ? READING_LIMITS : ""}exec "$0" "$@" 2>&1`;
}
