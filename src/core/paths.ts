// Display paths: relative to the workspace folder, prefixed with its name if there are several folders.
import type { WorkspaceFolder } from "./ports/workspace.ts";

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

/** Whether the path starts like an absolute Windows path. */
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
