// Looks for a program by its name along a clean PATH, as a shell does.
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { relativePathWithin } from "../../core/paths.ts";
import type { ProgramFlavor, ResolvedProgram } from "../../core/ports/workspace.ts";
import type { CleanPath } from "./cleanPath.ts";
import type { WorkspaceBounds } from "./workspaceBounds.ts";

/** What a shell with that PATH would run; what only the workspace has, or what leads into it, is marked. */
export async function lookUpProgram(name: string, path: CleanPath, bounds: WorkspaceBounds): Promise<ResolvedProgram | undefined> {
	const [first] = await matches(name, path.entries);
	const found = first ?? (await matches(name, path.workspaceEntries))[0];
	if (found === undefined) return undefined;
	return describe(found, !first || bounds.contains(found) || bounds.contains(await realOf(found)));
}

/** The first that is not under the workspace's control. */
export async function lookUpOutsideWorkspace(name: string, path: CleanPath, bounds: WorkspaceBounds): Promise<string | undefined> {
	for (const found of await matches(name, path.entries)) {
		if (!bounds.contains(found) && !bounds.contains(await realOf(found))) return found;
	}
	return undefined;
}

/** In the order of the entries. A name that is a path is nobody's. */
async function matches(name: string, entries: readonly string[]): Promise<string[]> {
	if (name === "" || /[/\\\0]/.test(name) || name === "." || name === "..") return [];
	const files = entries.flatMap((entry) => endings(name).map((ending) => join(entry, name + ending)));
	const there = await Promise.all(files.map(isExecutable));
	return files.filter((_, index) => there[index]);
}

/** On Windows what PATHEXT lists, unless the name has one of those endings already. */
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

/** Undefined for what comes with Windows: it shares names with other tools and nothing else. */
async function flavorOf(path: string, real: string): Promise<ProgramFlavor | undefined> {
	if (process.platform === "win32") {
		const system = process.env["SystemRoot"] ?? "C:\\Windows";
		return relativePathWithin(system, real) === undefined ? "gnu" : undefined;
	}
	if (/^(busybox|toybox)\b/.test(basename(real))) return "busybox";
	if (BSD.has(process.platform) && SYSTEM.some((folder) => relativePathWithin(folder, path) !== undefined)) return "bsd";
	return process.platform === "linux" && (await isHardLinkOfBusybox(real)) ? "busybox" : "gnu";
}

const BSD = new Set(["darwin", "freebsd", "openbsd", "netbsd"]);
const SYSTEM = ["/bin", "/sbin", "/usr/bin", "/usr/sbin"];

async function isHardLinkOfBusybox(real: string): Promise<boolean> {
	const found = await stat(real).catch(() => undefined);
	if (!found || found.nlink < 2) return false;
	const boxes = [join(dirname(real), "busybox"), "/bin/busybox", "/bin/toybox"];
	const known = await Promise.all(boxes.map((box) => stat(box).catch(() => undefined)));
	return known.some((box) => box?.ino === found.ino && box.dev === found.dev);
}
