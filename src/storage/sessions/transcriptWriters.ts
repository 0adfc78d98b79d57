// Manages the transcript writers, one per session, and limits the number of open files.
import { join } from "node:path";
import type { TranscriptEvent } from "../../core/events.ts";
import { readText, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import type { HealthReporter } from "../storageErrors.ts";
import { TranscriptWriter } from "../transcripts/transcriptWriter.ts";
import { CURRENT_TRANSCRIPT } from "./readIndexEntry.ts";
import type { SessionLock } from "./sessionLock.ts";
import type { SessionPaths } from "./sessionPaths.ts";

/** Maximum number of open files; the least recently used is closed first. */
const OPEN = 32;

export interface SessionLogs {
	of(place: SessionPaths): TranscriptWriter;
	/** Events of a session that are waiting to be written. */
	waiting(place: SessionPaths): readonly TranscriptEvent[];
	pending(sessionId: string): number;
	/** The JSON of every event that is waiting to be written. */
	unwritten(): string[];
	forget(place: SessionPaths): void;
	close(): Promise<void>;
}

export function createTranscriptWriters(options: {
	files: StorageFileSystem;
	ownership: SessionLock;
	health: HealthReporter;
	log(line: string): void;
	written(place: SessionPaths): void;
}): SessionLogs {
	const { files, ownership: lock, health } = options;
	/** Writers in order of use, latest last. */
	const logs = new Map<string, TranscriptWriter>();

	function start(place: SessionPaths): TranscriptWriter {
		return new TranscriptWriter(join(place.folder, CURRENT_TRANSCRIPT), {
			files,
			blobs: place.blobs,
			report: (problem) => health.report(place.sessionId, problem?.message),
			written: () => options.written(place),
			alone: (work) => alone(place.folder, work),
		});
	}

	async function alone(folder: string, work: () => Promise<void>): Promise<boolean> {
		const alreadyHeld = lock.isHeld(folder);
		if (!alreadyHeld && !(await lock.acquire(folder))) return false;
		try {
			await work();
			return true;
		} finally {
			if (!alreadyHeld) await lock.release(folder);
		}
	}

	function closeUnused(): void {
		const open = [...logs.values()].filter((log) => log.isOpen && log.pendingCount === 0);
		for (const log of open.slice(0, Math.max(0, open.length - OPEN))) void log.runExclusive(async () => undefined).catch(() => undefined);
	}

	return {
		of(place) {
			const log = logs.get(place.sessionId) ?? start(place);
			logs.delete(place.sessionId);
			logs.set(place.sessionId, log);
			closeUnused();
			return log;
		},
		waiting: (place) => logs.get(place.sessionId)?.pendingEvents ?? [],
		pending: (sessionId) => logs.get(sessionId)?.pendingCount ?? 0,
		unwritten: () => [...logs.values()].flatMap((log) => log.pendingEvents.map((event) => JSON.stringify(event))),
		forget: (place) => void logs.delete(place.sessionId),
		async close() {
			const closing = [...logs].map(async ([sessionId, log]) => {
				const lost = await log.close();
				if (lost > 0) options.log(`${lost} events of session ${sessionId} could not be written before this window closed`);
			});
			await Promise.all(closing);
			logs.clear();
		},
	};
}

const CHECKPOINT = "streaming.txt";

interface Checkpoints {
	/** Saves of one session are written in the order of the calls. */
	save(place: SessionPaths, text: string | undefined): Promise<void>;
	read(place: SessionPaths): Promise<string | undefined>;
}

export function createCheckpoints(files: StorageFileSystem): Checkpoints {
	const saving = new Map<string, Promise<void>>();

	async function write(path: string, text: string | undefined): Promise<void> {
		if (text === undefined) await files.rm(path, { force: true });
		// Written about once a second: atomic, but not worth flushing.
		else await writeAtomically(files, path, text, { flush: false });
	}

	return {
		save(place, text) {
			const path = join(place.folder, CHECKPOINT);
			const saved = (saving.get(path) ?? Promise.resolve()).then(() => write(path, text));
			const settled = saved
				.catch(() => undefined)
				.then(() => {
					if (saving.get(path) === settled) saving.delete(path);
				});
			saving.set(path, settled);
			return saved;
		},
		read: (place) => readText(files, join(place.folder, CHECKPOINT)),
	};
}
