// Finds the paths in a text that are workspace files; only those become links.
import { relativePathWithin } from "../core/paths.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import { toAbsolutePath } from "../session/displayPaths.ts";

/** The absolute path of a file of the workspace; undefined where there is none, and for whatever could lead out of it. */
export async function findWorkspaceFile(workspace: Workspace, path: string): Promise<string | undefined> {
	const odd = path === "" || /[\p{C}\\]|:\/\/|^[~/]|(?:^|\/)\.{1,2}(?:\/|$)/u.test(path);
	if (odd) return undefined;
	const absolute = toAbsolutePath(workspace, path);
	if (!workspace.folders().some((folder) => relativePathWithin(folder.path, absolute) !== undefined)) return undefined;
	const stat = await workspace.stat(absolute).catch(() => undefined);
	return stat?.type === "file" ? absolute : undefined;
}

export async function filterWorkspaceFiles(workspace: Workspace, paths: readonly string[]): Promise<string[]> {
	const found = await Promise.all(paths.map(async (path) => ((await findWorkspaceFile(workspace, path)) === undefined ? [] : [path])));
	return found.flat();
}
