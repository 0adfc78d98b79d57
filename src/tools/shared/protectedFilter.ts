// What listings and searches leave out: protected places, except where the person let this very call look.
import type { ToolContext } from "../../core/ports/tool.ts";
import type { Workspace } from "../../core/ports/workspace.ts";

/** As many questions at a time as the disk answers well. */
const BATCH = 64;

/** The items whose paths may be shown. `root` is the place the call names. */
export async function filterVisible<T>(
	context: Pick<ToolContext, "visible"> & { workspace: Pick<Workspace, "folders"> },
	items: readonly T[],
	pathOf: (item: T) => string,
	root?: string,
): Promise<T[]> {
	if (root !== undefined && (await isAllowedRoot(context, root))) return [...items];
	const answers = new Map<string, boolean>();
	const paths = [...new Set(items.map(pathOf))];
	for (let start = 0; start < paths.length; start += BATCH) {
		const batch = paths.slice(start, start + BATCH);
		await Promise.all(batch.map(async (path) => answers.set(path, await context.visible(path))));
	}
	return items.filter((item) => answers.get(pathOf(item)));
}

/** A protected place that a call names was allowed by the person, or the call would not run; so is what it holds. */
export async function isAllowedRoot(
	{ visible, workspace }: Pick<ToolContext, "visible"> & { workspace: Pick<Workspace, "folders"> },
	root: string,
): Promise<boolean> {
	if (workspace.folders().some((folder) => folder.path === root)) return false;
	return !(await visible(root));
}

export function protectedNote(count: number, words: string): string[] {
	return count > 0 ? [`[${count} protected ${words}]`] : [];
}
