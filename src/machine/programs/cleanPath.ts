// Cleans a PATH: absolute folders only, and none of the workspace's.
import { delimiter } from "node:path";
import { realOrNearest, type WorkspaceBounds } from "./workspaceBounds.ts";

export interface CleanPath {
	entries: readonly string[];
	/** Absolute ones that were left out because the workspace decides what lies there. */
	workspace: readonly string[];
}

/**
 * `tracked` gives those of the paths in which a repository of the home folder tracks something. An entry counts by its
 * name and by where it leads. One that is not there yet stays: the person may install something.
 */
export async function cleanPath(
	path: string,
	bounds: WorkspaceBounds,
	tracked: (paths: readonly string[]) => Promise<readonly string[]>,
): Promise<CleanPath> {
	const all = await Promise.all(absoluteEntries(path).map(async (entry) => ({ entry, real: await realOrNearest(entry) })));
	const doubtful = all.flatMap(({ entry, real }) => [entry, real].filter(bounds.spares));
	const found = doubtful.length === 0 ? [] : await tracked([...new Set(doubtful)]);
	const held = ({ entry, real }: (typeof all)[number]): boolean => [entry, real].some((one) => bounds.holds(one) || found.includes(one));
	return {
		entries: all.filter((one) => !held(one)).map(({ entry }) => entry),
		workspace: all.filter(held).map(({ entry }) => entry),
	};
}

/** Each once. On Windows an entry may stand in quotes, and one without a drive leads to whatever drive is the current one. */
export function absoluteEntries(path: string): string[] {
	const windows = process.platform === "win32";
	const entries = path.split(delimiter).map((entry) => (windows ? entry.replaceAll('"', "") : entry));
	return [...new Set(entries.filter((entry) => (windows ? /^([a-z]:[\\/]|\\\\)/i.test(entry) : entry.startsWith("/"))))];
}
