// A session's past in its folder: the archives beside the current transcript, and the removal of either.
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { StorageError } from "../core/ports.ts";
import { CHECKPOINT } from "./checkpoints.ts";
import { type Files, isMissing, syncFolder } from "./files.ts";
import { CURRENT } from "./summary.ts";
import { sweepFolder } from "./sweep.ts";

const ARCHIVE = /^\d{4}-\d{2}-\d{2}-\d{6}\.jsonl$/;
const HISTORY = /\.jsonl(\.corrupt)?$/;
const REMOVED = ".removed-";

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

/** Removes the transcript, its archives and what was set aside of them. */
export async function removeHistory(files: Files, folder: string): Promise<void> {
	for (const name of await files.readdir(folder)) {
		if (HISTORY.test(name) || name === CHECKPOINT) await files.rm(join(folder, name), { force: true });
	}
	await syncFolder(files, folder);
}

/** Takes a session's folder away at one stroke, then removes it piece by piece. */
export async function removeFolder(files: Files, folder: string): Promise<void> {
	const removed = join(dirname(folder), `${REMOVED}${randomBytes(6).toString("hex")}`);
	try {
		await files.rename(folder, removed);
	} catch (cause) {
		if (isMissing(cause)) return;
		throw cause;
	}
	await files.rm(removed, { recursive: true, force: true });
}

/** Removes what interrupted changes left in a folder of sessions and in each of them. */
export async function sweepSessions(files: Files, sessions: string): Promise<void> {
	const names = await files.readdir(sessions).catch(() => [] as string[]);
	for (const name of names) {
		const path = join(sessions, name);
		if (name.startsWith(REMOVED)) await files.rm(path, { recursive: true, force: true }).catch(() => undefined);
		else await sweepFolder(files, path);
	}
}

/** 2025-01-31-235959.jsonl, in UTC. */
function archiveName(time: number): string {
	const [date, clock] = new Date(time).toISOString().split("T") as [string, string];
	return `${date}-${clock.slice(0, 8).replaceAll(":", "")}.jsonl`;
}
