// Tells whether git would find a repository, without starting it.

import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Returns true if the folder or one above it may have a `.git`. The path has no links, since git searches from where it really is. Our git
 * finds no other repository: its environment names none, and it takes no folder that only looks like a bare one.
 */
export async function mayBeInRepository(folder: string): Promise<boolean> {
	const isThere = await lstat(join(folder, ".git")).then(
		() => true,
		({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR",
	);
	if (isThere) return true;
	return dirname(folder) === folder ? false : mayBeInRepository(dirname(folder));
}
