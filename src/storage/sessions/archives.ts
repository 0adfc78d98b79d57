// Archives earlier transcripts of a session next to its current transcript.
import { join } from "node:path";
import { StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { errorCode, isNotFound, type StorageFileSystem, syncFolder, writeAtomically } from "../fileSystem.ts";
import { CURRENT_TRANSCRIPT } from "./readIndexEntry.ts";

const ARCHIVE = /^\d{4}-\d{2}-\d{2}-\d{6}\.jsonl$/;

export function isArchiveName(name: string): boolean {
	return ARCHIVE.test(name);
}

/** Rejects with StorageError for a name that no archive can have, and for a link, which may lead to another session's file. */
export async function requireArchive(files: StorageFileSystem, folder: string, name: string): Promise<void> {
	if (!isArchiveName(name)) throw new StorageError(t("No archive has this name. Choose an archive from the list."), "EINVAL");
	const entries = await files.readdir(folder, { withFileTypes: true }).catch(() => []);
	const found = entries.find((entry) => entry.name === name);
	if (found && (!found.isFile() || (await files.stat(join(folder, name))).nlink > 1))
		throw new StorageError(t("The archive {0} is a link, so it was not read. Nothing was changed.", name), "EINVAL");
}

/** Names of the archives, oldest first. */
export async function listArchives(files: StorageFileSystem, folder: string): Promise<string[]> {
	const names = await files.readdir(folder).catch((cause: unknown) => {
		if (isNotFound(cause)) return [] as string[];
		throw cause;
	});
	return names.filter(isArchiveName).sort();
}

/** Renames the current transcript to the current time, or the next free second, and returns its new name. */
export async function archiveCurrent(files: StorageFileSystem, folder: string, now: Date): Promise<string> {
	const name = await freeName(files, folder, now);
	try {
		await files.rename(join(folder, CURRENT_TRANSCRIPT), join(folder, name));
	} catch (cause) {
		throw isNotFound(cause) ? createNothingToArchiveError(cause) : cause;
	}
	await syncFolder(files, folder);
	return name;
}

/**
 * Archives the transcript and continues with new lines. The old transcript has both names until the new one atomically replaces
 * the current name, so a crash leaves one complete current transcript.
 */
export async function replaceCurrent(
	files: StorageFileSystem,
	folder: string,
	now: Date,
	begin: (archive: string) => Promise<string>,
): Promise<string> {
	await removeDuplicateLinks(files, folder);
	const name = await freeName(files, folder, now);
	const lines = await begin(name);
	const [current, archive] = [join(folder, CURRENT_TRANSCRIPT), join(folder, name)];
	const inode = async () => (await files.stat(current)).ino;
	await linkOrCopy(files, current, archive);
	const before = await inode();
	try {
		await syncFolder(files, folder);
		await writeAtomically(files, current, lines);
	} catch (cause) {
		// A failure after the replacement undoes nothing.
		if ((await inode()) !== before) return name;
		await files.rm(archive, { force: true }).catch(() => undefined);
		throw cause;
	}
	return name;
}

async function linkOrCopy(files: StorageFileSystem, current: string, archive: string): Promise<void> {
	try {
		await files.link(current, archive);
	} catch (cause) {
		if (isNotFound(cause)) throw createNothingToArchiveError(cause);
		if (errorCode(cause) === "EEXIST") throw cause;
		// Some file systems have no hard links; a copy works too, but takes longer.
		await writeAtomically(files, archive, await files.readFile(current));
	}
}

/** Removes archives that a crash has left as second names of the current transcript. */
async function removeDuplicateLinks(files: StorageFileSystem, folder: string): Promise<void> {
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

function createNothingToArchiveError(cause: unknown): StorageError {
	return new StorageError(t("This session has no messages to archive. Nothing was changed. Send a message first."), "ENOENT", cause);
}

/** 2025-01-31-235959.jsonl, in UTC. */
function archiveName(time: number): string {
	const [date, clock] = new Date(time).toISOString().split("T") as [string, string];
	return `${date}-${clock.slice(0, 8).replaceAll(":", "")}.jsonl`;
}
