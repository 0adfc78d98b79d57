// Finds protected paths below a folder that is moved, deleted, or read as a whole.
import type { ProtectedLocation } from "../core/ports/tool.ts";
import type { Disk } from "../core/ports/workspace/files.ts";
import { type HostProtection, protectedName } from "./hostProtection.ts";
import { nativePath } from "./resolveLinks.ts";

/** Maximum number of entries to check before giving up. */
const MAX_ENTRIES = 5_000;

interface Walk {
	purpose: "read" | "write";
	/** True if names that start with a dot are included. */
	hidden: boolean;
	host?: HostProtection;
}

/** Returns why a folder cannot be moved or deleted without approval. */
export async function protectedBelow(disk: Disk, folder: string, host?: HostProtection): Promise<ProtectedLocation | undefined> {
	const found = await firstProtectedDescendant(disk, folder, { purpose: "write", hidden: true, ...(host && { host }) });
	if (found === undefined) return undefined;
	return found === "unknown" ? { kind: "too many files" } : { kind: "above protected", name: nativePath.relative(folder, found) };
}

/** The first protected path below a folder; "unknown" if some of it could not be read. */
export async function firstProtectedDescendant(disk: Disk, folder: string, walk: Walk): Promise<string | undefined> {
	if (!disk.list) return "unknown";
	const queue = [folder];
	let visited = 0;
	for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
		const entries = await disk.list(next).catch(() => undefined);
		if (!entries) return "unknown";
		for (const { name, type, link } of entries) {
			if (!walk.hidden && name.startsWith(".")) continue;
			if (++visited > MAX_ENTRIES) return "unknown";
			const path = nativePath.join(next, name);
			// For names that are protected together with their parent folder, the last two segments are enough.
			if (protectedName(`${nativePath.basename(next)}/${name}`, walk.purpose) !== undefined) return path;
			if (walk.host?.(path, walk.purpose) !== undefined) return path;
			if (type === "directory" && !link) queue.push(path);
		}
	}
	return undefined;
}
