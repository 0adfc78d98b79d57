// A session's past in its folder: the archives beside the current transcript.
import { join } from "node:path";
import { StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { errorCode, isNotFound, type StorageFileSystem, syncFolder, writeAtomically } from "../fileSystem.ts";
import { CURRENT_TRANSCRIPT } from "./readIndexEntry.ts";

const ARCHIVE = /^\d{4}-\d{2}-\d{2}-\d{6}\.jsonl$/;

export function isArchiveName(name: string): boolean {
	return ARCHIVE.test(name);
}

/** Names of the archives, oldest first. */
export async function listArchives(files: StorageFileSystem, folder: string): Promise<string[]> {
	const names = await files.readdir(folder).catch((cause: unknown) => {
		if (isNotFound(cause)) return [] as string[];
		throw cause;
	});
	return names.filter(isArchiveName).sort();
}

/** Renames the current transcript to the time, or the next free second, and returns its new name. */
export async function archiveCurrent(files: StorageFileSystem, folder: string, now: Date): Promise<string> {
	const name = await freeName(files, folder, now);
	try {
		await files.rename(join(folder, CURRENT_TRANSCRIPT), join(folder, name));
	} catch (cause) {
		throw isNotFound(cause) ? nothingThere(cause) : cause;
	}
	await syncFolder(files, folder);
	return name;
}

/**
 * The same, with lines that the session goes on with. The old transcript has both names until the new one takes the place
 * of the first at one stroke, so a crash leaves one of them as the current transcript, whole.
 */
export async function replaceCurrent(
	files: StorageFileSystem,
	folder: string,
	now: Date,
	begin: (archive: string) => Promise<string>,
): Promise<string> {
	await dropTwins(files, folder);
	const name = await freeName(files, folder, now);
	const lines = await begin(name);
	const [current, archive] = [join(folder, CURRENT_TRANSCRIPT), join(folder, name)];
	const inode = async () => (await files.stat(current)).ino;
	await giveSecondName(files, current, archive);
	const before = await inode();
	try {
		await syncFolder(files, folder);
		await writeAtomically(files, current, lines);
	} catch (cause) {
		// What failed after the stroke takes nothing back.
		if ((await inode()) !== before) return name;
		await files.rm(archive, { force: true }).catch(() => undefined);
		throw cause;
	}
	return name;
}

async function giveSecondName(files: StorageFileSystem, current: string, archive: string): Promise<void> {
	try {
		await files.link(current, archive);
	} catch (cause) {
		if (isNotFound(cause)) throw nothingThere(cause);
		if (errorCode(cause) === "EEXIST") throw cause;
		// Some disks know no second names: a copy does as well, and takes longer.
		await writeAtomically(files, archive, await files.readFile(current));
	}
}

/** Archives that a crash left as second names of the transcript that is still the current one. */
async function dropTwins(files: StorageFileSystem, folder: string): Promise<void> {
	const current = await files.stat(join(folder, CURRENT_TRANSCRIPT)).catch(() => undefined);
	if (!current || current.nlink < 2 || current.ino === 0) return;
	for (const name of await listArchives(files, folder)) {
		const { ino } = await files.stat(join(folder, name));
		if (ino === current.ino) await files.rm(join(folder, name));
	}
}

async function freeName(files: StorageFileSystem, folder: string, now: Date): Promise<string> {
	const taken = new Set(await listArchives(files, folder));
	let time = now.getTime();
	while (taken.has(archiveName(time))) time += 1_000;
	return archiveName(time);
}

function nothingThere(cause: unknown): StorageError {
	return new StorageError(t("This session has no messages to archive. Nothing was changed. Send a message first."), "ENOENT", cause);
}

/** 2025-01-31-235959.jsonl, in UTC. */
function archiveName(time: number): string {
	const [date, clock] = new Date(time).toISOString().split("T") as [string, string];
	return `${date}-${clock.slice(0, 8).replaceAll(":", "")}.jsonl`;
}
