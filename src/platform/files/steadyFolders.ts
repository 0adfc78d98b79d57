// Leaves out workspace folders whose way passes a link that lies in the workspace: whoever writes there says where they lead.
import type { WorkspaceFolder } from "../../core/ports/workspace.ts";
import { findRedirectedPaths } from "../sandbox/visible.ts";

/** Looked at again after a moment only: folders are asked for with every path. `dropped` is told of each once. */
export function excludeRedirectedFolders(
	folders: () => readonly WorkspaceFolder[],
	dropped: (path: string) => void,
): () => WorkspaceFolder[] {
	const told = new Set<string>();
	let kept: { key: string; at: number; folders: WorkspaceFolder[] } | undefined;
	return () => {
		const all = folders();
		// A folder alone lies in no other.
		if (all.length < 2) return [...all];
		const key = JSON.stringify(all);
		if (kept?.key === key && performance.now() - kept.at < LASTS) return kept.folders;
		const paths = all.map(({ path }) => path);
		const led = new Set(findRedirectedPaths(paths, paths));
		for (const path of led) if (!told.has(path)) dropped(path);
		for (const path of led) told.add(path);
		kept = { key, at: performance.now(), folders: all.filter(({ path }) => !led.has(path)) };
		return kept.folders;
	};
}

/** Milliseconds. */
const LASTS = 1_000;
