// Paths as people and models write them: relative to the workspace folder, its name first where there are several.
import { isAbsolute, join, relative, sep } from "node:path";
import type { WorkspaceFolder } from "../core/workspace.ts";

export type Folders = () => readonly WorkspaceFolder[];

/** What lies outside every folder stays absolute. */
export function shownPath(path: string, folders: readonly WorkspaceFolder[]): string {
	for (const folder of folders) {
		const inside = insideOf(folder.path, path);
		if (inside !== undefined) return (folders.length > 1 ? join(folder.name, inside) : inside || ".").split(sep).join("/");
	}
	return path;
}

/** The path relative to a folder that holds it, "" for the folder itself; undefined when it lies elsewhere. */
export function insideOf(folder: string, path: string): string | undefined {
	const inside = relative(folder, path);
	const leaves = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
	return leaves ? undefined : inside;
}
