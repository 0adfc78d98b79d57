// A session's past in its folder: the archives beside the current transcript.
import { join } from "node:path";
import { StorageError } from "../core/ports.ts";
import { type Files, isMissing, syncFolder } from "./files.ts";
import { CURRENT } from "./summary.ts";

const ARCHIVE = /^\d{4}-\d{2}-\d{2}-\d{6}\.jsonl$/;

export function isArchive(name: string): boolean {
	return ARCHIVE.test(name);
}

/** Names of the archives, oldest first. */
export async function archivesIn(files: Files, folder: string): Promise<string[]> {
	const names = await files.readdir(folder).catch((cause: unknown) => {
		if (isMissing(cause)) return [] as string[];
		throw cause;
	});
	return names.filter(isArchive).sort();
}

/** Renames the current transcript to the time, or the next free second, and returns its new name. */
export async function archiveCurrent(files: Files, folder: string, now: Date): Promise<string> {
	const taken = new Set(await archivesIn(files, folder));
	let time = now.getTime();
	while (taken.has(archiveName(time))) time += 1_000;
	try {
		await files.rename(join(folder, CURRENT), join(folder, archiveName(time)));
	} catch (cause) {
		if (!isMissing(cause)) throw cause;
		throw new StorageError("This session has no messages to archive. Nothing was changed; write something first.", "ENOENT", cause);
	}
	await syncFolder(files, folder);
	return archiveName(time);
}

/** 2025-01-31-235959.jsonl, in UTC. */
function archiveName(time: number): string {
	const [date, clock] = new Date(time).toISOString().split("T") as [string, string];
	return `${date}-${clock.slice(0, 8).replaceAll(":", "")}.jsonl`;
}
