// Display paths: relative to the workspace folder, prefixed with its name if there are several folders.

import type { FileChange } from "./events.ts";
import type { WorkspaceFolder } from "./ports/workspace/files.ts";
import type { Workspace } from "./ports/workspace.ts";

/** A path outside every folder is returned unchanged. Of nested folders, the innermost is used. */
export function formatDisplayPath(path: string, folders: readonly WorkspaceFolder[]): string {
	let home: { name: string; inside: string } | undefined;
	for (const { name, path: folder } of folders) {
		const inside = relativePathWithin(folder, path);
		if (inside !== undefined && (!home || inside.length < home.inside.length)) home = { name, inside };
	}
	if (!home) return path;
	return folders.length > 1 ? [home.name, home.inside].filter(Boolean).join("/") : home.inside || ".";
}

/**
 * Returns an absolute path relative to a folder that contains it, with slashes; "" for the folder itself, undefined if it is
 * elsewhere. Windows paths are recognized by their prefix and compared case-insensitively.
 */
export function relativePathWithin(folder: string, path: string): string | undefined {
	const windows = isWindowsPath(folder);
	if (windows !== isWindowsPath(path)) return undefined;
	const [outer, inner] = [segmentsOf(folder, windows), segmentsOf(path, windows)];
	const fold = (segment: string | undefined) => (windows ? segment?.toLowerCase() : segment);
	return outer.every((segment, place) => fold(segment) === fold(inner[place])) ? inner.slice(outer.length).join("/") : undefined;
}

/** Returns true if the path starts like an absolute Windows path. */
export function isWindowsPath(path: string): boolean {
	return /^([a-z]:|\\\\)/i.test(path);
}

function segmentsOf(path: string, windows: boolean): string[] {
	const segments: string[] = [];
	for (const segment of path.split(windows ? /[\\/]/ : "/")) {
		if (segment === "..") segments.pop();
		else if (segment !== "" && segment !== ".") segments.push(segment);
	}
	return segments;
}

/** The folders that paths are displayed within. */
type Folders = Pick<Workspace, "folders" | "keptFolders">;

/** Paths outside every folder stay absolute, as does one in a folder that looks like one of Troupe's own files. */
export function toDisplayPath(workspace: Folders, path: string): string {
	const kept = workspace.keptFolders?.() ?? [];
	for (const { name, path: folder } of kept) {
		const inside = relativePathWithin(folder, path);
		if (inside) return `${name}/${inside}`;
	}
	const shown = formatDisplayPath(path, workspace.folders());
	return kept.some(({ name }) => shown.startsWith(`${name}/`)) ? path : shown;
}

export function toAbsolutePath(workspace: Folders, shown: string): string {
	const folders = workspace.folders();
	if (shown.startsWith("/") || (isWindowsPath(shown) && folders.every(({ path }) => isWindowsPath(path)))) return shown;
	const kept = workspace.keptFolders?.().find(({ name }) => shown.startsWith(`${name}/`));
	if (kept) return joinPath(kept.path, shown.slice(kept.name.length + 1));
	const [first = "", ...rest] = shown.split("/");
	const named = folders.length > 1 ? folders.find((folder) => folder.name === first) : undefined;
	return named ? joinPath(named.path, rest.join("/")) : joinPath(folders[0]?.path ?? "", shown);
}

/** Joins the paths with the folder's own kind of separators. */
function joinPath(folder: string, inside: string): string {
	if (folder === "") return inside;
	const windows = isWindowsPath(folder);
	const separator = windows ? "\\" : "/";
	const root = windows ? (/^\\\\/.exec(folder)?.[0] ?? "") : "/";
	const path = `${root}${segmentsOf(`${folder}/${inside}`, windows).join(separator)}`;
	return inside.endsWith("/") || /^[a-z]:$/i.test(path) ? `${path}${separator}` : path;
}

export function toDisplayChange(workspace: Folders, change: FileChange): FileChange {
	return mapPaths(change, (path) => toDisplayPath(workspace, path));
}

export function toAbsoluteChange(workspace: Folders, change: FileChange): FileChange {
	return mapPaths(change, (path) => toAbsolutePath(workspace, path));
}

function mapPaths(change: FileChange, map: (path: string) => string): FileChange {
	return { ...change, path: map(change.path), ...(change.from !== undefined && { from: map(change.from) }) };
}
