// Opens long transcripts at their end, with an index of their beginning, and loads earlier parts on demand.

import { join } from "node:path";
import type { TranscriptEvent } from "../../core/events.ts";
import { applyEvent, createTranscript } from "../../core/transcript/fold.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import { isNotFound, type StorageFileSystem } from "../fileSystem.ts";
import { type EventBatch, type ReadEventsOptions, readEvents } from "../transcripts/transcriptFile.ts";
import { readTranscriptIndex, type TranscriptIndex, writeTranscriptIndex } from "../transcripts/transcriptIndex.ts";
import { createWindowFold, startPosition } from "../transcripts/windowFold.ts";
import { CURRENT_TRANSCRIPT } from "./readIndexEntry.ts";
import type { SessionPaths } from "./sessionPaths.ts";

/** Sizes in bytes: shorter transcripts are read completely; in longer ones, a resume position is stored for every page. */
export interface WindowSizes {
	fullReadLimit: number;
	pageSize: number;
	/** Bytes read at a time. */
	chunkSize?: number;
}

export const DEFAULT_WINDOW_SIZES: WindowSizes = { fullReadLimit: 8 * 1024 * 1024, pageSize: 1024 * 1024 };
/** Milliseconds after a write until the index is updated. */
const INDEX_DELAY = 2_000;

export interface OpenedTranscript {
	state: Transcript;
	damaged: number;
}

/** Initial agent and role of a session, and the time for older lines without one. */
interface Begins {
	identity: { agentId: string; role: string } | undefined;
	at: string;
}

type Tell = (part: number) => void;

export interface TranscriptWindows {
	/** `waiting`: events not on disk yet. `tell` reports the progress while the index is built. */
	open(place: SessionPaths, begins: Begins, waiting: readonly TranscriptEvent[], tell?: Tell): Promise<OpenedTranscript>;
	/** Events before a sequence number, oldest first; about one page. */
	page(place: SessionPaths, before: number, at: string): Promise<TranscriptEvent[]>;
	/** Updates the index some time after the transcript has grown. */
	scheduleIndex(place: SessionPaths): void;
	close(): void;
}

export function createTranscriptWindows(
	files: StorageFileSystem,
	log: (line: string) => void,
	sizes: WindowSizes = DEFAULT_WINDOW_SIZES,
): TranscriptWindows {
	/** Places of the last used index, by path. */
	const places = new Map<string, TranscriptIndex["beginning"]["places"]>();
	const beginnings = new Map<string, Begins>();
	const timers = new Map<string, NodeJS.Timeout>();
	/** Ensures that each index is built only once at a time. */
	const building = new Map<string, Promise<TranscriptIndex>>();

	const readerOf =
		({ folder, blobs }: SessionPaths, options?: Pick<ReadEventsOptions, "keepHeadsOnly">) =>
		(from: Pick<ReadEventsOptions, "from" | "seq" | "recent" | "at">) =>
			readEvents(join(folder, CURRENT_TRANSCRIPT), {
				files,
				blobs,
				...(sizes.chunkSize && { chunkSize: sizes.chunkSize }),
				...options,
				...from,
			});

	async function whole(place: SessionPaths, { identity, at }: Begins): Promise<OpenedTranscript> {
		const state = createTranscript(identity);
		let damaged = 0;
		for await (const batch of readerOf(place)({ at })) {
			damaged += batch.damaged;
			batch.events.reduce(applyEvent, state);
		}
		return { state, damaged };
	}

	/** The index, up to less than a page from the end of the file. */
	function indexOf(place: SessionPaths, begins: Begins, tell?: Tell): Promise<TranscriptIndex> {
		const path = join(place.folder, CURRENT_TRANSCRIPT);
		const running = building.get(path);
		if (running) return running;
		const built = advance(path, place, begins, tell).finally(() => building.delete(path));
		building.set(path, built);
		return built;
	}

	async function advance(path: string, place: SessionPaths, { identity, at }: Begins, tell?: Tell): Promise<TranscriptIndex> {
		const stored = await readTranscriptIndex(files, path);
		const fits = stored?.begins?.agentId === identity?.agentId && stored?.begins?.role === identity?.role;
		const index = fits ? stored : undefined;
		const last = index?.beginning.bases.at(-1);
		const size = await sizeOf(path);
		if (index && last && size - last.position.offset < sizes.pageSize) return index;
		const fold = createWindowFold(readerOf(place, { keepHeadsOnly: isTextUnused }), createTranscript(identity), at, index?.beginning, last);
		let forgotten = last?.position.offset ?? 0;
		const from = last?.position ?? startPosition(at);
		for await (const batch of readerOf(place, { keepHeadsOnly: isTextUnused })({ ...from, from: from.offset })) {
			await fold.foldBatch(batch);
			if (batch.end - forgotten < sizes.pageSize) continue;
			forgotten = batch.end;
			fold.releaseEvents(batch);
			tell?.(Math.min(1, batch.end / size));
		}
		const next: TranscriptIndex = { begins: identity, beginning: fold.prefix() };
		await writeTranscriptIndex(files, path, next).catch((cause: unknown) =>
			log(`the index of a transcript was not kept: ${String(cause)}`),
		);
		return next;
	}

	async function sizeOf(path: string): Promise<number> {
		const stat = await files.stat(path).catch((cause: unknown) => {
			if (isNotFound(cause)) return undefined;
			throw cause;
		});
		return stat?.size ?? 0;
	}

	async function updateIndex(place: SessionPaths): Promise<void> {
		const path = join(place.folder, CURRENT_TRANSCRIPT);
		const begins = beginnings.get(path);
		if (!begins || (await sizeOf(path)) < sizes.fullReadLimit) return;
		const { beginning } = await indexOf(place, begins);
		places.set(path, beginning.places);
	}

	return {
		async open(place, begins, waiting, tell) {
			const path = join(place.folder, CURRENT_TRANSCRIPT);
			beginnings.set(path, begins);
			const opened = (await sizeOf(path)) < sizes.fullReadLimit ? await whole(place, begins) : await fromEnd(place, begins, tell);
			const known = new Set(waiting.length > 0 ? opened.state.events.map(({ id }) => id) : []);
			for (const event of waiting) if (!known.has(event.id)) applyEvent(opened.state, event);
			return opened;
		},
		async page(place, before, at) {
			const path = join(place.folder, CURRENT_TRANSCRIPT);
			const starts = [startPosition(at), ...(places.get(path) ?? (await readTranscriptIndex(files, path))?.beginning.places ?? [])];
			for (const start of starts.filter(({ seq }) => seq + 1 < before).toReversed()) {
				const events = await eventsFrom(readerOf(place)({ ...start, from: start.offset }), before);
				if (events.length > 0) return events;
			}
			return [];
		},
		scheduleIndex(place) {
			const path = join(place.folder, CURRENT_TRANSCRIPT);
			if (!beginnings.has(path) || timers.has(path)) return;
			const timer = setTimeout(() => {
				timers.delete(path);
				updateIndex(place).catch((cause: unknown) => log(`the index of a transcript did not follow: ${String(cause)}`));
			}, INDEX_DELAY).unref();
			timers.set(path, timer);
		},
		close() {
			for (const timer of timers.values()) clearTimeout(timer);
			timers.clear();
		},
	};

	async function fromEnd(place: SessionPaths, begins: Begins, tell?: Tell): Promise<OpenedTranscript> {
		const { beginning } = await indexOf(place, begins, tell);
		places.set(join(place.folder, CURRENT_TRANSCRIPT), beginning.places);
		const [base] = beginning.bases;
		if (!base) return whole(place, begins);
		const fold = createWindowFold(readerOf(place), createTranscript(begins.identity), begins.at, beginning, base);
		for await (const batch of readerOf(place)({ ...base.position, from: base.position.offset })) await fold.foldBatch(batch);
		return { state: fold.state, damaged: fold.damaged };
	}
}

/** Events whose long texts are not folded. */
function isTextUnused({ type, calls }: Record<string, unknown>): boolean {
	return type === "user" || type === "result" || (type === "assistant" && calls === undefined);
}

async function eventsFrom(batches: AsyncIterable<EventBatch>, before: number): Promise<TranscriptEvent[]> {
	const events: TranscriptEvent[] = [];
	for await (const batch of batches) {
		for (const event of batch.events) {
			if (event.seq >= before) return events;
			events.push(event);
		}
	}
	return events;
}
