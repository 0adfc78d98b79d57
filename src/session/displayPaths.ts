// Converts between absolute paths and display paths: relative, prefixed with the folder's name in multi-root workspaces.

import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FileChange } from "../core/events.ts";
import { relativePathWithin, formatDisplayPath as shownIn } from "../core/paths.ts";
import type { Workspace } from "../core/ports/workspace.ts";

/** Paths outside every folder stay absolute, as does one in a folder that looks like one of Troupe's own files. */
export function toDisplayPath(workspace: Workspace, path: string): string {
	const kept = workspace.keptFolders?.() ?? [];
	for (const { name, path: folder } of kept) {
		const inside = relativePathWithin(folder, path);
		if (inside) return `${name}/${inside}`;
	}
	const shown = shownIn(path, workspace.folders());
	return kept.some(({ name }) => shown.startsWith(`${name}/`)) ? path : shown;
}

export function toAbsolutePath(workspace: Workspace, shown: string): string {
	if (isAbsolute(shown)) return shown;
	const kept = workspace.keptFolders?.().find(({ name }) => shown.startsWith(`${name}/`));
	if (kept) return join(kept.path, shown.slice(kept.name.length + 1));
	const folders = workspace.folders();
	const [first = "", ...rest] = shown.split("/");
	const named = folders.length > 1 ? folders.find((folder) => folder.name === first) : undefined;
	if (named) return join(named.path, ...rest);
	return join(folders[0]?.path ?? "", shown);
}

export function toDisplayChange(workspace: Workspace, change: FileChange): FileChange {
	return mapPaths(change, (path) => toDisplayPath(workspace, path));
}

export function toAbsoluteChange(workspace: Workspace, change: FileChange): FileChange {
	return mapPaths(change, (path) => toAbsolutePath(workspace, path));
}

function mapPaths(change: FileChange, map: (path: string) => string): FileChange {
	return { ...change, path: map(change.path), ...(change.from !== undefined && { from: map(change.from) }) };
}

/** The path of a file URI of this window, including remote ones: the extension runs where the files are. */
export function pathFromUri(uri: string): string | undefined {
	if (!URL.canParse(uri)) return undefined;
	const url = new URL(uri);
	if (url.protocol === "file:") return fileURLToPath(url);
	return url.protocol === "vscode-remote:" ? decodeURIComponent(url.pathname) : undefined;
}
