// A short lock between processes, for changes that read a file and write it back.
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { codeOf, FILE_MODE, type Files, isAlive, readText } from "../files.ts";

/** A lock file older than this was left by a process that died holding it. Milliseconds; well below the two seconds a person may wait. */
const STALE = 1_500;
/** A process writes its name into its lock at once; an empty one this old was left by one that died in between. */
const UNNAMED = 250;
const PATIENCE = 6_000;
const PAUSE = 10;

/** Runs `work` while no other process is inside the same lock. Keep it to a few file operations. */
export async function exclusively<T>(files: Files, lock: string, work: () => Promise<T>): Promise<T> {
	const deadline = Date.now() + PATIENCE;
	while (!(await taken(files, lock))) {
		if (Date.now() > deadline) {
			throw new StorageError(t("Another window keeps changing the same file. Nothing was changed; try again in a moment."), "EBUSY");
		}
		if (await isStale(files, lock)) await breakOpen(files, lock);
		else await wait(PAUSE);
	}
	try {
		return await work();
	} finally {
		await files.rm(lock, { force: true }).catch(() => undefined);
	}
}

/** Whether a lock's holder has died: its process is gone, or it has held it for longer than any work takes. */
export async function isStale(files: Files, lock: string): Promise<boolean> {
	const stat = await files.stat(lock).catch(() => undefined);
	if (!stat) return false;
	const age = Math.abs(Date.now() - stat.mtimeMs);
	if (age > STALE) return true;
	const text = (await readText(files, lock).catch(() => undefined)) ?? "";
	if (text === "") return age > UNNAMED;
	const [pid, host] = text.split("\n");
	return host === hostname() && !isAlive(Number(pid));
}

async function taken(files: Files, lock: string): Promise<boolean> {
	const handle = await files.open(lock, "wx", FILE_MODE).catch((cause: unknown) => {
		// Windows answers EPERM while a deleted file's name is still in use.
		if (codeOf(cause) === "EEXIST" || (process.platform === "win32" && codeOf(cause) === "EPERM")) return undefined;
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

/** Moves a dead lock away; one that another process made meanwhile is put back. */
async function breakOpen(files: Files, lock: string): Promise<void> {
	const aside = `${lock}.${process.pid}-${randomBytes(6).toString("hex")}.lock`;
	try {
		await files.rename(lock, aside);
		if (await isStale(files, aside)) await files.rm(aside, { force: true });
		else await files.rename(aside, lock);
	} catch (cause) {
		if (codeOf(cause) !== "ENOENT") throw cause;
	}
}
