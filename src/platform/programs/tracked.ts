// Asks which folders hold what a repository of the home folder tracks.
import { lstat } from "node:fs/promises";
import { delimiter, dirname, join, relative } from "node:path";
import { relativePathWithin } from "../../core/paths.ts";
import { captureOutput } from "./ask.ts";
import { parseAbsoluteEntries } from "./cleanPath.ts";
import { createChildEnvironment } from "./environment.ts";
import { canBeHardened } from "./gitVersion.ts";
import { lookUpOutsideWorkspace } from "./lookup.ts";
import { resolveNearestRealPath, type WorkspaceBounds } from "./workspaceBounds.ts";

/** All of `paths` where it cannot be known. Git itself is taken from the system's folders only: the rest is in question. */
export async function findTrackedInHome(
	home: string,
	path: string,
	bounds: WorkspaceBounds,
	paths: readonly string[],
): Promise<readonly string[]> {
	if (!(await hasRepository(home))) return [];
	const entries = parseAbsoluteEntries(path).filter((entry) => !bounds.contains(entry) && !bounds.isHomeException(entry));
	const file = await lookUpOutsideWorkspace("git", { entries, workspaceEntries: [] }, bounds);
	if (file === undefined || bounds.isHomeException(await resolveNearestRealPath(file))) return paths;
	const env = { ...createChildEnvironment("own", []), PATH: entries.join(delimiter) };
	const about = (args: string[]) => captureOutput({ file, args, cwd: home, env }, { time: TIME });
	const version = await about(["--version"]);
	if (!version || !canBeHardened(Buffer.from(version.output).toString())) return paths;
	const listed = await about(["ls-files", "-z"]);
	if (listed?.code !== 0) return paths;
	const tracked = Buffer.from(listed.output).toString().split("\0").filter(Boolean);
	const real = await resolveNearestRealPath(home);
	/** A tracked link on the way to it decides what it is, as a tracked file in it does. */
	const isTracked = (name: string): boolean =>
		tracked.some((one) => relativePathWithin(one, name) !== undefined || relativePathWithin(name, one) !== undefined);
	const found = await Promise.all(
		paths.map(async (one) => {
			const names = [relative(home, one), relative(real, one), relative(real, await resolveNearestRealPath(one))];
			return names.some((name) => !name.startsWith("..") && isTracked(name)) ? [one] : [];
		}),
	);
	return found.flat();
}

/** Milliseconds. */
const TIME = 1_000;

async function hasRepository(folder: string): Promise<boolean> {
	const found = await lstat(join(folder, ".git")).catch(() => undefined);
	if (found) return true;
	return dirname(folder) === folder ? false : hasRepository(dirname(folder));
}
