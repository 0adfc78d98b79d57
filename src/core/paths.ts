// Paths as people and models see them: relative to the workspace folder, with its name first where there are several.
import type { WorkspaceFolder } from "./ports/workspace.ts";

/** What lies outside every folder stays as it is. Of folders within each other the innermost counts. */
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
 * An absolute path relative to a folder that holds it, with slashes; "" for the folder itself, undefined when it lies
 * elsewhere. Paths of Windows are told by their beginning, and compared as its disks do.
 */
export function relativePathWithin(folder: string, path: string): string | undefined {
	const windows = isWindowsPath(folder);
	if (windows !== isWindowsPath(path)) return undefined;
	const [outer, inner] = [segmentsOf(folder, windows), segmentsOf(path, windows)];
	const fold = (segment: string | undefined) => (windows ? segment?.toLowerCase() : segment);
	return outer.every((segment, place) => fold(segment) === fold(inner[place])) ? inner.slice(outer.length).join("/") : undefined;
}

/** Whether it begins as absolute paths of Windows do. */
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
