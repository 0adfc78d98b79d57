// Cleans a PATH: absolute folders only, and none of the workspace's.
import { delimiter, normalize } from "node:path";
import { resolveNearestRealPath, type WorkspaceBounds } from "./workspaceBounds.ts";

export interface CleanPath {
	entries: readonly string[];
	/** Absolute ones that were left out because the workspace decides what lies there. */
	workspaceEntries: readonly string[];
}

/**
 * `tracked` gives those of the paths in which a repository of the home folder tracks something. An entry counts by its
 * name and by where it leads. One that is not there yet stays: the person may install something. Where nothing is left,
 * the system's own folders are the PATH.
 */
export async function cleanPath(
	path: string,
	bounds: WorkspaceBounds,
	tracked: (paths: readonly string[]) => Promise<readonly string[]>,
): Promise<CleanPath> {
	const all = await Promise.all(parseAbsoluteEntries(path).map(async (entry) => ({ entry, real: await resolveNearestRealPath(entry) })));
	const doubtful = all.flatMap(({ entry, real }) => [entry, real].filter(bounds.isHomeException));
	const found = doubtful.length === 0 ? [] : await tracked([...new Set(doubtful)]);
	const held = ({ entry, real }: (typeof all)[number]): boolean => [entry, real].some((one) => bounds.contains(one) || found.includes(one));
	const entries = all.filter((one) => !held(one)).map(({ entry }) => entry);
	return {
		entries: entries.length > 0 ? entries : systemPath().filter((entry) => !bounds.contains(entry)),
		workspaceEntries: all.filter(held).map(({ entry }) => entry),
	};
}

function systemPath(): string[] {
	if (process.platform !== "win32") return ["/usr/bin", "/bin"];
	const windows = process.env["SystemRoot"];
	return windows ? [`${windows}\\System32`, windows] : [];
}

/**
 * Each once. On Windows an entry may stand in quotes, and one without a drive leads to whatever drive is the current one.
 * Below /proc and /dev a name leads elsewhere for each process, into its current folder, too.
 */
export function parseAbsoluteEntries(path: string): string[] {
	const windows = process.platform === "win32";
	const entries = path.split(delimiter).map((entry) => (windows ? entry.replaceAll('"', "") : entry));
	const fixed = (entry: string): boolean =>
		windows ? /^([a-z]:[\\/]|\\\\)/i.test(entry) : entry.startsWith("/") && !/^\/(proc|dev)(\/|$)/.test(normalize(entry));
	return [...new Set(entries.filter(fixed))];
}
