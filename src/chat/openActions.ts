// Finds the paths in a text that are workspace files; only those become links.
import { hasHidden } from "../core/hiddenText.ts";
import { relativePathWithin } from "../core/paths.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import { toAbsolutePath } from "../session/displayPaths.ts";

/** The absolute path of a workspace file; undefined if there is none, or if the path could leave the workspace. */
export async function findWorkspaceFile(workspace: Workspace, path: string): Promise<string | undefined> {
	const odd = path === "" || /\\|:\/\/|^[~/]|(?:^|\/)\.{1,2}(?:\/|$)/.test(path) || hasHidden(path, "selectors");
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
