// Tells which paths are under the workspace's control, so that no program is taken from there by its name alone.
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { relativePathWithin } from "../../core/paths.ts";

export interface WorkspaceBounds {
	/** Whether what lies at this absolute path is what a repository brought, or an agent may write unasked. */
	contains(path: string): boolean;
	/** Whether it is left to the person only because the gate protects it in a home folder that is open; a repository there may track it. */
	isHomeException(path: string): boolean;
}

/**
 * A folder of the workspace holds everything below it. One that is the home folder or above it holds the person's own
 * programs, too: what the gate protects there (dot entries, `bin`, `Library`, `AppData`) and the system's own folders
 * are not the workspace's.
 */
export async function resolveWorkspaceBounds(folders: readonly string[], home: string): Promise<WorkspaceBounds> {
	const [real, homes] = await Promise.all([Promise.all(folders.map(resolveNearestRealPath)), bothOf(home)]);
	const all = [...new Set([...folders, ...real])].map((folder) => ({
		folder,
		wide: homes.some((one) => relativePathWithin(folder, one) !== undefined),
	}));
	const atHome = (path: string): boolean => homes.some((one) => PROTECTED_AT_HOME.test(relativePathWithin(one, path) ?? ""));
	const system = (path: string): boolean => SYSTEM.some((one) => relativePathWithin(one, path) !== undefined);
	const inHome = (path: string): boolean => homes.some((one) => relativePathWithin(one, path) !== undefined);
	const spared = (path: string): boolean => (inHome(path) ? atHome(path) : system(path));
	const around = (path: string) => all.filter(({ folder }) => relativePathWithin(folder, path) !== undefined);
	return {
		contains: (path) => around(path).some(({ wide }) => !(wide && spared(path))),
		isHomeException: (path) => inHome(path) && around(path).some(({ wide }) => wide && spared(path)),
	};
}

/** As the path is, links followed; of what is not there the nearest folder that is. */
export async function resolveNearestRealPath(path: string): Promise<string> {
	const real = await realpath(path).catch(() => undefined);
	if (real !== undefined || dirname(path) === path) return real ?? path;
	return join(await resolveNearestRealPath(dirname(path)), basename(path));
}

async function bothOf(path: string): Promise<string[]> {
	return [...new Set([path, await resolveNearestRealPath(path)])];
}

/** Relative to the home folder. */
const PROTECTED_AT_HOME = /^(\.[^/]+|bin|Library|AppData)(\/|$)/i;

const SYSTEM =
	process.platform === "win32"
		? ["SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432", "ProgramData"].flatMap((name) => process.env[name] ?? [])
		: ["/bin", "/sbin", "/usr", "/opt", "/snap", "/nix", "/run/current-system", "/System", "/Library", "/Applications"];
