// Removes what processes that died left half-written.
import { join } from "node:path";
import { isProcessAlive, type StorageFileSystem } from "../files.ts";
import { isStaleLock } from "../json/fileLock.ts";

/** A temporary file of a process that lives is left alone for this long, in milliseconds. */
const TEMPORARY = 60_000;
/** As writeAtomically names them. */
const TEMPORARY_NAME = /^\..+\.(\d+)-[0-9a-f]+\.tmp$/;
const LOCK_NAME = /\.lock$/;

export async function sweepFolder(files: StorageFileSystem, folder: string): Promise<void> {
	const names = await files.readdir(folder).catch(() => [] as string[]);
	for (const name of names) {
		const path = join(folder, name);
		if (await isLeftover(files, path, name)) await files.rm(path, { force: true }).catch(() => undefined);
	}
}

/** Sweeps every folder of a folder. */
export async function sweepFolders(files: StorageFileSystem, folder: string): Promise<void> {
	const names = await files.readdir(folder).catch(() => [] as string[]);
	for (const name of names) await sweepFolder(files, join(folder, name));
}

async function isLeftover(files: StorageFileSystem, path: string, name: string): Promise<boolean> {
	if (LOCK_NAME.test(name)) return isStaleLock(files, path);
	const pid = TEMPORARY_NAME.exec(name)?.[1];
	if (pid === undefined) return false;
	const stat = await files.stat(path).catch(() => undefined);
	return stat !== undefined && (!isProcessAlive(Number(pid)) || Date.now() - stat.mtimeMs > TEMPORARY);
}
