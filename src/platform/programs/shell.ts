// Finds the bash that commands run in: the one the person names, Git for Windows, or the first along the PATH.
import { posix, win32 } from "node:path";
import type { MissingShellReason } from "../../core/ports/workspace.ts";

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
