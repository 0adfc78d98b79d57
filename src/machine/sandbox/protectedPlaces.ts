// Protected places that a workspace folder has: those of the shallowest depth first, links not followed.
import type { Dirent } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Absolute paths, each with what tells that it is still the same on disk. */
export type ProtectedPlaces = ReadonlyMap<string, string>;

/** `isProtected` gets the path relative to its folder. Beyond the bounds nothing is found. */
export async function protectedPlaces(folders: readonly string[], isProtected: (inside: string) => boolean): Promise<ProtectedPlaces> {
	const found = new Map<string, string>();
	const until = performance.now() + TIME;
	let entries = 0;
	let level = folders.map((folder) => ({ folder, inside: "" }));
	while (level.length > 0) {
		const next: typeof level = [];
		for (const { folder, inside } of level) {
			for (const entry of await entriesOf(join(folder, inside))) {
				entries += 1;
				const name = inside === "" ? entry.name : `${inside}/${entry.name}`;
				if (isProtected(name)) found.set(join(folder, name), await mark(join(folder, name), found.size >= MOST_GUARDED));
				else if (entry.isDirectory() && entry.name !== DEPENDENCIES) next.push({ folder, inside: name });
			}
			if (entries > ENTRIES || performance.now() > until) return found;
		}
		level = next;
	}
	return found;
}

/** Of so many, the shallowest, each is covered by itself; of the others only changes are told. */
export const MOST_GUARDED = 200;

/** What lies in protected places now and did not, or is another thing. */
export function appeared(before: ProtectedPlaces, after: ProtectedPlaces): string[] {
	return [...after].filter(([path, now]) => !isSame(before.get(path), now)).map(([path]) => path);
}

/** One may say more than the other. */
function isSame(before: string | undefined, now: string): boolean {
	return before !== undefined && (`${before}:`.startsWith(`${now}:`) || `${now}:`.startsWith(`${before}:`));
}

const ENTRIES = 50_000;
/** Milliseconds. */
const TIME = 500;
const DEPENDENCIES = "node_modules";

async function entriesOf(folder: string): Promise<Dirent[]> {
	return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** `whole`: a change of its content counts, too. */
async function mark(path: string, whole: boolean): Promise<string> {
	const stats = await lstat(path).catch(() => undefined);
	if (!stats) return "";
	if (stats.isSymbolicLink()) {
		const target = await stat(path).catch(() => undefined);
		// What is made where a link has led to nothing is what the link stands for.
		return [stats.dev, stats.ino, "leads to", target?.dev ?? "nothing", target?.ino ?? "nothing"].join(":");
	}
	return [stats.dev, stats.ino, ...(whole && stats.isFile() ? [stats.size, stats.mtimeMs, stats.ctimeMs] : [])].join(":");
}
