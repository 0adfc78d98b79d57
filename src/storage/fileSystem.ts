// File operations for storage: an injectable file system, atomic writes and durable folders.

// The file system is an object so that tests can make any operation fail.
import { randomBytes } from "node:crypto";
import * as node from "node:fs/promises";
import { basename, dirname, join } from "node:path";

export type StorageFileSystem = Pick<typeof node, "open" | "mkdir" | "rename" | "link" | "rm" | "readdir" | "stat" | "readFile" | "utimes">;

export const nodeFileSystem: StorageFileSystem = node;

/** Only the user may read Troupe's data. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/**
 * Replaces a file atomically: readers, even after a power failure, see either the old or the new bytes. Without `flush`, this
 * holds for readers only.
 */
export async function writeAtomically(
	files: StorageFileSystem,
	path: string,
	bytes: string | Uint8Array,
	{ flush = true }: { flush?: boolean } = {},
): Promise<void> {
	const temp = join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
	try {
		const handle = await files.open(temp, "wx", FILE_MODE);
		try {
			await handle.writeFile(bytes);
			if (flush) await handle.sync();
		} finally {
			await handle.close();
		}
		await files.rename(temp, path);
	} catch (cause) {
		await files.rm(temp, { force: true }).catch(() => undefined);
		throw cause;
	}
	if (flush) await syncFolder(files, dirname(path));
}

/** Makes a folder's entries survive a power failure if the platform supports it. */
export async function syncFolder(files: StorageFileSystem, folder: string): Promise<void> {
	if (process.platform === "win32") return;
	const handle = await files.open(folder, "r");
	try {
		await handle.sync();
	} catch (cause) {
		if (!["EINVAL", "ENOTSUP", "EISDIR"].includes(errorCode(cause))) throw cause;
	} finally {
		await handle.close();
	}
}

/** Creates a folder and its parents, with entries that survive a power failure. */
export async function makeFolder(files: StorageFileSystem, folder: string): Promise<void> {
	const first = await files.mkdir(folder, { recursive: true, mode: FOLDER_MODE });
	if (first === undefined) return;
	for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(files, dirname(made));
}

/** Returns true if a process with this id is running on this machine, for any user. */
export function isProcessAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (cause) {
		return errorCode(cause) === "EPERM";
	}
}

/** The text of a small file; undefined if it does not exist. */
export async function readText(files: StorageFileSystem, path: string): Promise<string | undefined> {
	try {
		return await files.readFile(path, "utf8");
	} catch (cause) {
		if (isNotFound(cause)) return undefined;
		throw cause;
	}
}

export function isNotFound(cause: unknown): boolean {
	return ["ENOENT", "ENOTDIR"].includes(errorCode(cause));
}

export function errorCode(cause: unknown): string {
	const code = (cause as { code?: unknown } | undefined)?.code;
	return typeof code === "string" ? code : "UNKNOWN";
}

/** The parsed JSON; undefined if the text is not valid JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
