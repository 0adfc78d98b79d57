// Parses the lines of a transcript into ordered events, whatever state the lines are in.

import type { TranscriptEvent } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { isTranscriptEvent, parseLegacyLine } from "./eventValidation.ts";
import { readLines } from "./lines.ts";
import { restoreSpilled } from "./spill.ts";

/** Number of ids remembered, to distinguish a duplicate record from two records with the same number. */
const REMEMBERED = 1_024;

export interface ReadEventsOptions {
	files: StorageFileSystem;
	blobs: BlobStore;
	/** Offset of a line's start; 0 if absent. */
	from?: number;
	/** The last sequence number before `from`. */
	seq?: number;
	/** Ids of the last events before `from`, oldest first. */
	recent?: readonly string[];
	/** Time for older lines without one. */
	at: string;
	/** Bytes read at a time. */
	chunkSize?: number;
	/** Returns true if long texts of a line stay shortened. */
	keepHeadsOnly?(line: Record<string, unknown>): boolean;
}

export interface EventBatch {
	events: TranscriptEvent[];
	/** Number of unreadable lines; they stay in the file. */
	damaged: number;
	/** Offset after the last complete line so far. */
	end: number;
	/** Options for resuming from there. */
	resumeOptions(): Pick<Required<ReadEventsOptions>, "seq" | "recent" | "at">;
}

/** The events of one chunk at a time. Text after the last newline is included if it is a complete event, but not in `end`. */
export async function* readEvents(path: string, options: ReadEventsOptions): AsyncGenerator<EventBatch> {
	const order = createOrder(options.seq ?? 0, options.recent);
	let at = options.at;
	const resume = () => ({ seq: order.last(), recent: order.recent(), at });
	for await (const { lines, end } of readLines(options.files, path, options.from, options.chunkSize)) {
		const batch: EventBatch = { events: [], damaged: 0, end, resumeOptions: resume };
		for (const bytes of lines) {
			if (bytes && isBlank(bytes)) continue;
			const line = bytes && parseJson(bytes.toString("utf8"));
			const events = isRecord(line) ? await eventsOf(line, order.last() + 1, at, options) : undefined;
			if (!events) batch.damaged += 1;
			for (const event of events ?? []) {
				at = event.at;
				const ordered = order.place(event);
				if (ordered) batch.events.push(ordered);
			}
		}
		yield batch;
	}
}

/** Returns true if the bytes are one complete event. */
export function isCompleteEvent(bytes: Buffer): boolean {
	const line = parseJson(bytes.toString("utf8"));
	return isTranscriptEvent(line) || (isRecord(line) && parseLegacyLine(line, 1, "") !== undefined);
}

async function eventsOf(
	line: Record<string, unknown>,
	seq: number,
	at: string,
	options: ReadEventsOptions,
): Promise<TranscriptEvent[] | undefined> {
	if ("spilled" in line) await restoreSpilled(line, options.blobs, options.keepHeadsOnly?.(line));
	return isTranscriptEvent(line) ? [line] : parseLegacyLine(line, seq, at);
}

interface Order {
	last(): number;
	recent(): string[];
	place(event: TranscriptEvent): TranscriptEvent | undefined;
}

/**
 * Ensures ascending numbers: a duplicate record counts once, and a record whose number is taken (by another writer) gets the
 * next one, so that neither is lost.
 */
function createOrder(start: number, known: readonly string[] = []): Order {
	let last = start;
	const recent = new Set(known);
	return {
		last: () => last,
		recent: () => [...recent],
		place(event) {
			if (recent.has(event.id)) return undefined;
			recent.add(event.id);
			if (recent.size > REMEMBERED) for (const oldest of recent.values()) if (recent.delete(oldest)) break;
			last = Math.max(event.seq, last + 1);
			if (event.seq !== last) event.seq = last;
			return event;
		},
	};
}

function isBlank(bytes: Buffer): boolean {
	return bytes.length === 0 || (bytes.length < 8 && bytes.toString("latin1").trim() === "");
}
