// A short lock between processes, for changes that read a file and write it back.
import { setTimeout as wait } from "node:timers/promises";
import { StorageError } from "../core/ports.ts";
import { codeOf, FILE_MODE, type Files } from "./files.ts";

/** A lock file older than this was left by a process that died holding it. Milliseconds; well below the two seconds a person may wait. */
const STALE = 1_500;
const PATIENCE = 6_000;
const PAUSE = 10;

/** Runs `work` while no other process is inside the same lock. Keep it to a few file operations. */
export async function exclusively<T>(files: Files, lock: string, work: () => Promise<T>): Promise<T> {
	const deadline = Date.now() + PATIENCE;
	while (!(await taken(files, lock))) {
		if (Date.now() > deadline) {
			throw new StorageError("Another window keeps changing the same file. Nothing was changed; try again in a moment.", "EBUSY");
		}
		await wait(PAUSE);
	}
	try {
		return await work();
	} finally {
		await files.rm(lock, { force: true }).catch(() => undefined);
	}
}

async function taken(files: Files, lock: string): Promise<boolean> {
	try {
		const handle = await files.open(lock, "wx", FILE_MODE);
		await handle.close();
		return true;
	} catch (cause) {
		// Windows answers EPERM while a deleted file's name is still in use.
		if (!["EEXIST", "EPERM"].includes(codeOf(cause))) throw cause;
	}
	const stat = await files.stat(lock).catch(() => undefined);
	if (stat && Math.abs(Date.now() - stat.mtimeMs) > STALE) await files.rm(lock, { force: true });
	return false;
}
