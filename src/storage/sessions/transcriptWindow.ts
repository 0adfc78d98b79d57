// Opens long transcripts at their end, with an index of their beginning, and reads earlier parts of them on demand.

import { join } from "node:path";
import type { TranscriptEvent } from "../../core/events.ts";
import { apply, emptyTranscript } from "../../core/transcript/fold.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import { type Files, isMissing } from "../files.ts";
import { type EventBatch, type ReadOptions, readEvents } from "../transcripts/transcriptFile.ts";
import { readIndex, type TranscriptIndex, writeIndex } from "../transcripts/transcriptIndex.ts";
import { firstPlace, windowFold } from "../transcripts/windowFold.ts";
import type { Place } from "./sessionPaths.ts";
import { CURRENT } from "./summary.ts";

/** Bytes: a shorter transcript is read whole, and of a longer one a place to go on from is kept about so often. */
export interface WindowSizes {
	whole: number;
	step: number;
	/** Read at a time. */
	chunk?: number;
}

export const WINDOW: WindowSizes = { whole: 8 * 1024 * 1024, step: 1024 * 1024 };
/** Milliseconds after a write until the index follows. */
const FOLLOWS = 2_000;

export interface Opened {
	state: Transcript;
	damaged: number;
}

/** Who a session was when it began, and the time of older lines that carry none. */
interface Begins {
	identity: { agentId: string; role: string } | undefined;
	at: string;
}

type Tell = (part: number) => void;

export interface TranscriptWindows {
	/** `waiting`: what the disk has not taken yet. `tell` hears how much is done while the index is built. */
	open(place: Place, begins: Begins, waiting: readonly TranscriptEvent[], tell?: Tell): Promise<Opened>;
	/** Events before a number, oldest first, as many bytes of them as the sizes' step. */
	page(place: Place, before: number, at: string): Promise<TranscriptEvent[]>;
	/** The transcript has grown: the index follows when there is time. */
	grew(place: Place): void;
	close(): void;
}

export function transcriptWindows(files: Files, log: (line: string) => void, sizes: WindowSizes = WINDOW): TranscriptWindows {
	/** By path: the index as it was used last, without what is only for folding. */
	const places = new Map<string, TranscriptIndex["beginning"]["places"]>();
	const begun = new Map<string, Begins>();
	const following = new Map<string, NodeJS.Timeout>();
	/** One builds an index at a time. */
	const building = new Map<string, Promise<TranscriptIndex>>();

	const readerOf =
		({ folder, blobs }: Place, options?: Pick<ReadOptions, "heads">) =>
		(from: Pick<ReadOptions, "from" | "seq" | "recent" | "at">) =>
			readEvents(join(folder, CURRENT), { files, blobs, ...(sizes.chunk && { chunk: sizes.chunk }), ...options, ...from });

	async function whole(place: Place, { identity, at }: Begins): Promise<Opened> {
		const state = emptyTranscript(identity);
		let damaged = 0;
		for await (const batch of readerOf(place)({ at })) {
			damaged += batch.damaged;
			batch.events.reduce(apply, state);
		}
		return { state, damaged };
	}

	/** The index, up to less than a step from the end of the file. */
	function indexOf(place: Place, begins: Begins, tell?: Tell): Promise<TranscriptIndex> {
		const path = join(place.folder, CURRENT);
		const running = building.get(path);
		if (running) return running;
		const built = advance(path, place, begins, tell).finally(() => building.delete(path));
		building.set(path, built);
		return built;
	}

	async function advance(path: string, place: Place, { identity, at }: Begins, tell?: Tell): Promise<TranscriptIndex> {
		const kept = await readIndex(files, path);
		const fits = kept?.begins?.agentId === identity?.agentId && kept?.begins?.role === identity?.role;
		const index = fits ? kept : undefined;
		const last = index?.beginning.bases.at(-1);
		const size = await sizeOf(path);
		if (index && last && size - last.position.offset < sizes.step) return index;
		const fold = windowFold(readerOf(place, { heads: hasNoUse }), emptyTranscript(identity), at, index?.beginning, last);
		let forgotten = last?.position.offset ?? 0;
		const from = last?.position ?? firstPlace(at);
		for await (const batch of readerOf(place, { heads: hasNoUse })({ ...from, from: from.offset })) {
			await fold.take(batch);
			if (batch.end - forgotten < sizes.step) continue;
			forgotten = batch.end;
			fold.forget(batch);
			tell?.(Math.min(1, batch.end / size));
		}
		const next: TranscriptIndex = { begins: identity, beginning: fold.beginning() };
		await writeIndex(files, path, next).catch((cause: unknown) => log(`the index of a transcript was not kept: ${String(cause)}`));
		return next;
	}

	async function sizeOf(path: string): Promise<number> {
		const stat = await files.stat(path).catch((cause: unknown) => {
			if (isMissing(cause)) return undefined;
			throw cause;
		});
		return stat?.size ?? 0;
	}

	async function follow(place: Place): Promise<void> {
		const path = join(place.folder, CURRENT);
		const begins = begun.get(path);
		if (!begins || (await sizeOf(path)) < sizes.whole) return;
		const { beginning } = await indexOf(place, begins);
		places.set(path, beginning.places);
	}

	return {
		async open(place, begins, waiting, tell) {
			const path = join(place.folder, CURRENT);
			begun.set(path, begins);
			const opened = (await sizeOf(path)) < sizes.whole ? await whole(place, begins) : await fromEnd(place, begins, tell);
			const known = new Set(waiting.length > 0 ? opened.state.events.map(({ id }) => id) : []);
			for (const event of waiting) if (!known.has(event.id)) apply(opened.state, event);
			return opened;
		},
		async page(place, before, at) {
			const path = join(place.folder, CURRENT);
			const starts = [firstPlace(at), ...(places.get(path) ?? (await readIndex(files, path))?.beginning.places ?? [])];
			for (const start of starts.filter(({ seq }) => seq + 1 < before).toReversed()) {
				const events = await eventsFrom(readerOf(place)({ ...start, from: start.offset }), before);
				if (events.length > 0) return events;
			}
			return [];
		},
		grew(place) {
			const path = join(place.folder, CURRENT);
			if (!begun.has(path) || following.has(path)) return;
			const timer = setTimeout(() => {
				following.delete(path);
				follow(place).catch((cause: unknown) => log(`the index of a transcript did not follow: ${String(cause)}`));
			}, FOLLOWS).unref();
			following.set(path, timer);
		},
		close() {
			for (const timer of following.values()) clearTimeout(timer);
			following.clear();
		},
	};

	async function fromEnd(place: Place, begins: Begins, tell?: Tell): Promise<Opened> {
		const { beginning } = await indexOf(place, begins, tell);
		places.set(join(place.folder, CURRENT), beginning.places);
		const [base] = beginning.bases;
		if (!base) return whole(place, begins);
		const fold = windowFold(readerOf(place), emptyTranscript(begins.identity), begins.at, beginning, base);
		for await (const batch of readerOf(place)({ ...base.position, from: base.position.offset })) await fold.take(batch);
		return { state: fold.state, damaged: fold.damaged };
	}
}

/** Long texts of these are not folded. */
function hasNoUse({ type, calls }: Record<string, unknown>): boolean {
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
