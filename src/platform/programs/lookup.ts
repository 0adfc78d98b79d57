// Looks up a program by name along a clean PATH, as a shell does.
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { basename, delimiter, dirname, join, normalize } from "node:path";
import { relativePathWithin } from "../../core/paths.ts";
import type { ProgramFlavor, ResolvedProgram } from "../../core/ports/workspace/programs.ts";

/** Returns what a shell with that PATH would run; marked if only the workspace has it or if it leads into the workspace. */
export async function lookUpProgram(name: string, path: CleanPath, bounds: WorkspaceBounds): Promise<ResolvedProgram | undefined> {
	const [first] = await matches(name, path.entries);
	const found = first ?? (await matches(name, path.workspaceEntries))[0];
	if (found === undefined) return undefined;
	return describe(found, !first || bounds.contains(found) || bounds.contains(await realOf(found)));
}

/** Returns the first match that the workspace does not control. */
export async function lookUpOutsideWorkspace(name: string, path: CleanPath, bounds: WorkspaceBounds): Promise<string | undefined> {
	for (const found of await matches(name, path.entries)) {
		if (!bounds.contains(found) && !bounds.contains(await realOf(found))) return found;
	}
	return undefined;
}

/** Returns matches in the order of the entries. Names that are paths match nothing. */
async function matches(name: string, entries: readonly string[]): Promise<string[]> {
	if (name === "" || /[/\\\0]/.test(name) || name === "." || name === "..") return [];
	const files = entries.flatMap((entry) => endings(name).map((ending) => join(entry, name + ending)));
	const executable = await Promise.all(files.map(isExecutable));
	return files.filter((_, index) => executable[index]);
}

/** Returns the extensions in PATHEXT on Windows, unless the name already has one. */
function endings(name: string): readonly string[] {
	if (process.platform !== "win32") return [""];
	const known = (process.env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";").filter(Boolean);
	return known.some((ending) => name.toLowerCase().endsWith(ending.toLowerCase())) ? [""] : [...known, ""];
}

export async function isExecutable(file: string): Promise<boolean> {
	try {
		await access(file, constants.X_OK);
		return (await stat(file)).isFile();
	} catch {
		return false;
	}
}

async function realOf(file: string): Promise<string> {
	return realpath(file).catch(() => file);
}

async function describe(path: string, inWorkspace: boolean): Promise<ResolvedProgram | undefined> {
	const real = await realOf(path);
	const flavor = await flavorOf(path, real);
	return flavor && { path, real, flavor, ...(inWorkspace && { inWorkspace }) };
}

/** Returns undefined for programs that ship with Windows, which share only their names with other tools. */
async function flavorOf(path: string, real: string): Promise<ProgramFlavor | undefined> {
	if (process.platform === "win32") {
		const system = process.env["SystemRoot"] ?? "C:\\Windows";
		return relativePathWithin(system, real) === undefined ? "gnu" : undefined;
	}
	if (/^(busybox|toybox)\b/.test(basename(real))) return "busybox";
	if (BSD.has(process.platform) && BSD_FOLDERS.some((folder) => relativePathWithin(folder, path) !== undefined)) return "bsd";
	return process.platform === "linux" && (await isHardLinkOfBusybox(real)) ? "busybox" : "gnu";
}

const BSD = new Set(["darwin", "freebsd", "openbsd", "netbsd"]);
const BSD_FOLDERS = ["/bin", "/sbin", "/usr/bin", "/usr/sbin"];

async function isHardLinkOfBusybox(real: string): Promise<boolean> {
	const found = await stat(real).catch(() => undefined);
	if (!found || found.nlink < 2) return false;
	const boxes = [join(dirname(real), "busybox"), "/bin/busybox", "/bin/toybox"];
	const known = await Promise.all(boxes.map((box) => stat(box).catch(() => undefined)));
	return known.some((box) => box?.ino === found.ino && box.dev === found.dev);
}

export interface CleanPath {
	entries: readonly string[];
	/** Absolute entries that were removed because the workspace controls them. */
	workspaceEntries: readonly string[];
}

/**
 * `tracked` returns the paths in which the home folder's repository tracks something. An entry is judged by its path and by
 * its resolved path. A missing one stays because the user may install something there. If none remain, the system's own
 * folders are used.
 */
export async function cleanPath(
	path: string,
	bounds: WorkspaceBounds,
	tracked: (paths: readonly string[]) => Promise<readonly string[]>,
): Promise<CleanPath> {
	const all = await Promise.all(parseAbsoluteEntries(path).map(async (entry) => ({ entry, real: await resolveNearestRealPath(entry) })));
	const doubtful = all.flatMap(({ entry, real }) => [entry, real].filter(bounds.isHomeException));
	const found = doubtful.length === 0 ? [] : await tracked([...new Set(doubtful)]);
	const isControlled = ({ entry, real }: (typeof all)[number]): boolean =>
		[entry, real].some((one) => bounds.contains(one) || found.includes(one));
	const entries = all.filter((one) => !isControlled(one)).map(({ entry }) => entry);
	return {
		entries: entries.length > 0 ? entries : systemPath().filter((entry) => !bounds.contains(entry)),
		workspaceEntries: all.filter(isControlled).map(({ entry }) => entry),
	};
}

function systemPath(): string[] {
	if (process.platform !== "win32") return ["/usr/bin", "/bin"];
	const windows = process.env["SystemRoot"];
	return windows ? [`${windows}\\System32`, windows] : [];
}

/**
 * Returns entries without duplicates. On Windows, entries may be quoted, and one without a drive depends on the current drive. Paths below
 * /proc and /dev resolve differently for each process, even to its current folder.
 */
export function parseAbsoluteEntries(path: string): string[] {
	const windows = process.platform === "win32";
	const entries = path.split(delimiter).map((entry) => (windows ? entry.replaceAll('"', "") : entry));
	const fixed = (entry: string): boolean =>
		windows ? /^([a-z]:[\\/]|\\\\)/i.test(entry) : entry.startsWith("/") && !/^\/(proc|dev)(\/|$)/.test(normalize(entry));
	return [...new Set(entries.filter(fixed))];
}

export interface WorkspaceBounds {
	/** Returns true if content at this absolute path comes from a repository or can be written by an agent without approval. */
	contains(path: string): boolean;
	/** Returns true if it is excepted only because the gate protects it in an open home folder; a repository there may still track it. */
	isHomeException(path: string): boolean;
}

/**
 * A workspace folder contains everything below it. One that is the home folder or above it also contains the user's own
 * programs: what the gate protects there (dot entries, `bin`, `Library`, `AppData`) and the system's own folders do not
 * count as the workspace's.
 */
export async function resolveWorkspaceBounds(folders: readonly string[], home: string): Promise<WorkspaceBounds> {
	const [real, homes] = await Promise.all([Promise.all(folders.map(resolveNearestRealPath)), bothOf(home)]);
	const all = [...new Set([...folders, ...real])].map((folder) => ({
		folder,
		wide: homes.some((one) => relativePathWithin(folder, one) !== undefined),
	}));
	const atHome = (path: string): boolean => homes.some((one) => PROTECTED_AT_HOME.test(relativePathWithin(one, path) ?? ""));
	const system = (path: string): boolean => SYSTEM_FOLDERS.some((one) => relativePathWithin(one, path) !== undefined);
	const inHome = (path: string): boolean => homes.some((one) => relativePathWithin(one, path) !== undefined);
	const excepted = (path: string): boolean => (inHome(path) ? atHome(path) : system(path));
	const enclosing = (path: string) => all.filter(({ folder }) => relativePathWithin(folder, path) !== undefined);
	return {
		contains: (path) => enclosing(path).some(({ wide }) => !(wide && excepted(path))),
		isHomeException: (path) => inHome(path) && enclosing(path).some(({ wide }) => wide && excepted(path)),
	};
}

/** The path with links resolved; for a missing path, resolves the nearest existing folder. */
export async function resolveNearestRealPath(path: string): Promise<string> {
	const real = await realpath(path).catch(() => undefined);
	if (real !== undefined || dirname(path) === path) return real ?? path;
	return join(await resolveNearestRealPath(dirname(path)), basename(path));
}

async function bothOf(path: string): Promise<string[]> {
	return [...new Set([path, await resolveNearestRealPath(path)])];
}

/** Matches paths relative to the home folder. */
const PROTECTED_AT_HOME = /^(\.[^/]+|bin|Library|AppData)(\/|$)/i;

const SYSTEM_FOLDERS =
	process.platform === "win32"
		? ["SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432", "ProgramData"].flatMap((name) => process.env[name] ?? [])
		: ["/bin", "/sbin", "/usr", "/opt", "/snap", "/nix", "/run/current-system", "/System", "/Library", "/Applications"];
