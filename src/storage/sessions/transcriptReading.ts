// Reads transcripts: as a whole, as a stream, or from their end, page by page.
import { join } from "node:path";
import type { TranscriptEvent } from "../../core/events.ts";
import type { SessionStore } from "../../core/ports/sessions.ts";
import type { StorageFileSystem } from "../fileSystem.ts";
import { throwReadError } from "../storageErrors.ts";
import { type EventBatch, readEvents } from "../transcripts/transcriptFile.ts";
import { requireArchive } from "./archives.ts";
import { CURRENT_TRANSCRIPT } from "./readIndexEntry.ts";
import type { SessionList } from "./sessionList.ts";
import type { SessionPathResolver, SessionPaths } from "./sessionPaths.ts";
import type { TranscriptWindows } from "./transcriptWindow.ts";
import type { SessionLogs } from "./transcriptWriters.ts";

interface ReadingParts {
	files: StorageFileSystem;
	places: SessionPathResolver;
	list: SessionList;
	windows: TranscriptWindows;
	/** Events that are not on disk yet are read from here. */
	logs: SessionLogs;
	identity: SessionStore["identity"];
	now(): Date;
}

export function createTranscriptReading(parts: ReadingParts): Pick<SessionStore, "read" | "stream" | "load" | "page"> {
	const { files, places, list, windows, logs, identity, now } = parts;

	/** Start time, for older lines without a time. */
	async function startTimeOf(place: SessionPaths): Promise<string> {
		const entry = await list.known(place);
		return entry?.identity?.createdAt ?? entry?.born ?? now().toISOString();
	}

	async function* batches(place: SessionPaths, archive?: string): AsyncGenerator<Pick<EventBatch, "events" | "damaged">> {
		if (archive !== undefined) await requireArchive(files, place.folder, archive);
		const at = await startTimeOf(place);
		const current = archive === undefined;
		const waiting = current ? logs.waiting(place) : [];
		const seen = new Set<string>();
		try {
			for await (const batch of readEvents(join(place.folder, archive ?? CURRENT_TRANSCRIPT), { files, blobs: place.blobs, at })) {
				if (waiting.length > 0) for (const event of batch.events) seen.add(event.id);
				yield batch;
			}
		} catch (cause) {
			throwReadError(cause);
		}
		yield { events: waiting.filter((event) => !seen.has(event.id)), damaged: 0 };
	}

	return {
		async read(sessionId, archive) {
			const place = await places.resolve(sessionId);
			const events: TranscriptEvent[] = [];
			let damaged = 0;
			for await (const batch of batches(place, archive)) {
				for (const event of batch.events) events.push(event);
				damaged += batch.damaged;
			}
			return { events, damaged };
		},
		async *stream(sessionId, archive) {
			const place = await places.resolve(sessionId);
			for await (const batch of batches(place, archive)) yield* batch.events;
		},
		async load(sessionId, tell) {
			const place = await places.resolve(sessionId);
			const [known, at] = await Promise.all([identity(sessionId), startTimeOf(place)]);
			return windows.open(place, { identity: known, at }, logs.waiting(place), tell).catch(throwReadError);
		},
		async page(sessionId, before) {
			const place = await places.resolve(sessionId);
			return windows.page(place, before, await startTimeOf(place)).catch(throwReadError);
		},
	};
}
