// Lists the ids of background tasks that are not over, so that a start reads only those.

// A cache of what the tasks' metadata record. An id is added before its task is written and removed after, under one lock: a
// crash leaves at most an id too many, which the next reading removes.

import { dirname, join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import { isSessionId } from "../../core/ports/sessions.ts";
import { isTaskOver } from "../../core/task.ts";
import { Serial } from "../../shared/node/serial.ts";
import { isNotFound, parseJson, readText, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { withFileLock } from "../json/fileLock.ts";
import { runConcurrently } from "./sessionList.ts";
import { readSessionMetadata } from "./sessionMetadata.ts";
import { FOLDER_BY_KIND, type SessionPathResolver, type SessionPaths } from "./sessionPaths.ts";

const PENDING_FILE = "pending.json";
const VERSION = 1;

interface PendingTasks {
	/** Ids of tasks of all storages that are not over, and perhaps some that are. Rebuilds a list that is missing or damaged. */
	ids(): Promise<string[]>;
	/** Adds a task, then runs `write`, which creates the task or makes it one that is not over. */
	add<T>(place: SessionPaths, write: () => Promise<T>): Promise<T>;
	/** Removes those of these tasks that no longer exist or are over on disk. Never rejects: what stays is removed later. */
	settle(places: readonly SessionPaths[]): Promise<void>;
	/** Rebuilds every list from the tasks. Never rejects. */
	rebuild(): Promise<void>;
	/** Forgets that this window keeps the task in the list. Call it when the window no longer owns the task. */
	forget(sessionId: string): void;
}

/** `isOwned`: whether this window owns the task, so that no other one changes its state. */
export function createPendingTasks(options: {
	files: StorageFileSystem;
	places: SessionPathResolver;
	isOwned(sessionId: string): boolean;
	log(line: string): void;
}): PendingTasks {
	const { files, places, isOwned, log } = options;
	const folders = () => places.roots().map((root) => join(root, FOLDER_BY_KIND.task));
	/** Own tasks that are in the list until they are settled. */
	const listed = new Set<string>();
	const changes = new Serial();

	/** Runs work in order, so that the tasks of this window don't wait for each other's lock file. */
	function locked<T>(folder: string, work: () => Promise<T>): Promise<T> {
		return changes.run(() => withFileLock(files, join(folder, `${PENDING_FILE}.lock`), work));
	}

	const read = (folder: string) => readList(files, folder);

	async function write(folder: string, tasks: readonly string[]): Promise<void> {
		await writeAtomically(files, join(folder, PENDING_FILE), `${JSON.stringify({ version: VERSION, tasks })}\n`);
	}

	/** Reads the metadata only; transcripts may be long. */
	async function scan(folder: string): Promise<string[]> {
		const found = (await places.all("task")).filter((place) => dirname(place.folder) === folder);
		const pending = new Set<string>();
		await runConcurrently(found, async (place) => {
			if (await isPending(place)) pending.add(place.sessionId);
		});
		return found.map(({ sessionId }) => sessionId).filter((id) => pending.has(id));
	}

	/** A task that can't be read now may be pending. */
	async function isPending(place: SessionPaths): Promise<boolean> {
		if (place.kind !== "task") return false;
		const metadata = await readSessionMetadata(files, place).catch((cause: unknown) => (isNotFound(cause) ? undefined : "unknown"));
		if (metadata === "unknown") return true;
		return metadata?.task !== undefined && !isTaskOver(metadata.task.state);
	}

	async function rebuildOne(folder: string): Promise<string[]> {
		return locked(folder, async () => {
			const [before, tasks] = [await read(folder), await scan(folder)];
			if (before?.toSorted().join() !== tasks.toSorted().join())
				await write(folder, tasks).catch((cause: unknown) => log(`the list of pending tasks was not kept: ${String(cause)}`));
			return tasks;
		});
	}

	/** Works without the lock if there can be none: no task was ever created, or the disk is read-only. */
	async function rebuilt(folder: string): Promise<string[]> {
		return rebuildOne(folder).catch((cause: unknown) => {
			if (!isNotFound(cause)) log(`the list of pending tasks was not rebuilt: ${String(cause)}`);
			return scan(folder);
		});
	}

	return {
		async ids() {
			const all = await Promise.all(folders().map(async (folder) => (await read(folder)) ?? rebuilt(folder)));
			return [...new Set(all.flat())];
		},
		async add(place, work) {
			const { sessionId, folder } = place;
			if (listed.has(sessionId)) return work();
			const tasks = dirname(folder);
			return locked(tasks, async () => {
				const before = (await read(tasks)) ?? (await scan(tasks));
				if (!before.includes(sessionId)) await write(tasks, [...before, sessionId]);
				const done = await work();
				if (isOwned(sessionId)) listed.add(sessionId);
				return done;
			});
		},
		async settle(given) {
			for (const { sessionId } of given) listed.delete(sessionId);
			for (const folder of folders()) {
				const ids = new Set(given.map(({ sessionId }) => sessionId));
				if (!(await read(folder))?.some((id) => ids.has(id))) continue;
				await locked(folder, async () => {
					const before = (await read(folder)) ?? (await scan(folder));
					const over = new Set<string>();
					for (const place of given) if (dirname(place.folder) !== folder || !(await isPending(place))) over.add(place.sessionId);
					const left = before.filter((id) => !over.has(id));
					if (left.length < before.length) await write(folder, left);
				}).catch((cause: unknown) => log(`the list of pending tasks was not shortened: ${String(cause)}`));
			}
		},
		async rebuild() {
			for (const folder of folders()) if (await files.stat(folder).catch(() => undefined)) await rebuilt(folder);
		},
		forget: (sessionId) => void listed.delete(sessionId),
	};
}

/** Resolves to true if tasks of this storage may be pending, from the list alone; one that is missing or damaged is to be rebuilt. */
export async function mayHavePendingTasks(files: StorageFileSystem, root: string): Promise<boolean> {
	const folder = join(root, FOLDER_BY_KIND.task);
	const listed = (await readList(files, folder)) ?? (await files.readdir(folder).catch(() => []));
	return listed.length > 0;
}

/** Returns undefined if the list is missing or damaged. */
async function readList(files: StorageFileSystem, folder: string): Promise<string[] | undefined> {
	const text = await readText(files, join(folder, PENDING_FILE)).catch(() => undefined);
	const value = text === undefined ? undefined : parseJson(text);
	if (!isRecord(value) || value["version"] !== VERSION || !Array.isArray(value["tasks"])) return undefined;
	const tasks: unknown[] = value["tasks"];
	return tasks.every((id): id is string => typeof id === "string" && isSessionId(id)) ? tasks : undefined;
}
