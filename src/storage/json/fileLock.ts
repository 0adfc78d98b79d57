// A short lock between processes for changes that read a file and write it back.
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { errorCode, FILE_MODE, isProcessAlive, readText, type StorageFileSystem } from "../fileSystem.ts";

/** Milliseconds after which a lock counts as left by a dead process; well below the two seconds that a user may wait. */
const STALE = 1_500;
/** Milliseconds after which an empty lock counts as abandoned, because a process writes its id at once. */
const UNNAMED = 250;
const TIMEOUT = 6_000;
const PAUSE = 10;

/** Runs `work` while no other process holds the lock. Limit it to a few file operations. */
export async function withFileLock<T>(files: StorageFileSystem, lock: string, work: () => Promise<T>): Promise<T> {
	const deadline = Date.now() + TIMEOUT;
	while (!(await tryLock(files, lock))) {
		if (Date.now() > deadline) {
			throw new StorageError(t("Another window keeps changing the same file. Nothing was changed. Try again in a moment."), "EBUSY");
		}
		if (await isStaleLock(files, lock)) await removeStaleLock(files, lock);
		else await wait(PAUSE);
	}
	try {
		return await work();
	} finally {
		await files.rm(lock, { force: true }).catch(() => undefined);
	}
}

/** Resolves to true if a lock's owner has died: its process is gone, or the lock is older than any work takes. */
export async function isStaleLock(files: StorageFileSystem, lock: string): Promise<boolean> {
	const stat = await files.stat(lock).catch(() => undefined);
	if (!stat) return false;
	const age = Math.abs(Date.now() - stat.mtimeMs);
	if (age > STALE) return true;
	const text = (await readText(files, lock).catch(() => undefined)) ?? "";
	if (text === "") return age > UNNAMED;
	const [pid, host] = text.split("\n");
	return host === hostname() && !isProcessAlive(Number(pid));
}

async function tryLock(files: StorageFileSystem, lock: string): Promise<boolean> {
	const handle = await files.open(lock, "wx", FILE_MODE).catch((cause: unknown) => {
		// Windows returns EPERM while a deleted file's name is still in use.
		if (errorCode(cause) === "EEXIST" || (process.platform === "win32" && errorCode(cause) === "EPERM")) return undefined;
		throw cause;
	});
	if (!handle) return false;
	try {
		await handle.writeFile(`${process.pid}\n${hostname()}`);
		return true;
	} catch (cause) {
		await files.rm(lock, { force: true }).catch(() => undefined);
		throw cause;
	} finally {
		await handle.close();
	}
}

/** Removes a stale lock; puts back one that another process has created meanwhile. */
async function removeStaleLock(files: StorageFileSystem, lock: string): Promise<void> {
	const aside = `${lock}.${process.pid}-${randomBytes(6).toString("hex")}.lock`;
	try {
		await files.rename(lock, aside);
		if (await isStaleLock(files, aside)) await files.rm(aside, { force: true });
		else await files.rename(aside, lock);
	} catch (cause) {
		if (errorCode(cause) !== "ENOENT") throw cause;
	}
}
