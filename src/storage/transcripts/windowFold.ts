// Folds transcripts of any size in bounded memory: releases events and rereads them for rewinds.

import type { EventOf, TranscriptEvent } from "../../core/events.ts";
import { applyEvent, createTranscript, foldEvent } from "../../core/transcript/fold.ts";
import { unloadEvents } from "../../core/transcript/partialTranscript.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import type { EventBatch, ReadEventsOptions } from "./transcriptFile.ts";

/** A position between two lines, with the state for reading on from there. */
export interface ResumePosition {
	offset: number;
	/** Sequence number of the last event before it. */
	seq: number;
	at: string;
	recent: readonly string[];
	/** Number of unreadable lines before it. */
	damaged: number;
}

interface Base {
	position: ResumePosition;
	/** State without events. */
	state: Transcript;
}

/** The fold of what is visible before a position. */
interface Mark {
	position: ResumePosition;
	visible: Transcript;
}

/** The target of a later event that was already released when that event was folded. */
interface Found {
	/** Sequence number of the event. */
	seq: number;
	/** Sequence number of the target. */
	named: number;
	/** Transcript that is visible before the target, for a `rewound`. */
	visible?: Transcript;
}

/** A position to read from, even after a duplicate record. */
export type ReadPosition = Pick<ResumePosition, "offset" | "seq" | "at" | "recent">;

/** Number of preceding ids stored with a position. */
const STORED_IDS = 16;

type Run = [first: number, last: number];

/** The result of folding a beginning, for folding the rest. Immutable. */
export interface TranscriptPrefix {
	/** Positions from which folding can resume, up to the end of the beginning. */
	bases: readonly Base[];
	places: readonly ReadPosition[];
	marks: readonly Mark[];
	/** Sequence numbers of hidden events. */
	hidden: readonly Run[];
	/** Targets by the event's id, for events after the first base. */
	found: ReadonlyMap<string, Found>;
}

const BASES = 4;
const MARKS = 64;

/** Limits the number of marks: keeps all recent ones and thins out earlier ones by half, repeatedly. */
function thinOut(marks: readonly Mark[]): Mark[] {
	if (marks.length <= MARKS) return [...marks];
	const recent = marks.length - MARKS / 2;
	return marks.filter((_, place) => place >= recent || place % 2 === 0);
}

export interface WindowFold {
	readonly state: Transcript;
	readonly damaged: number;
	/** Folds the next batch. */
	foldBatch(batch: EventBatch): Promise<void>;
	/** Releases the events so far; the end of the last batch becomes a resume position. */
	releaseEvents(batch: EventBatch): void;
	prefix(): TranscriptPrefix;
}

type Read = (from: Pick<ReadEventsOptions, "from" | "seq" | "recent" | "at">) => AsyncIterable<EventBatch>;

/** Continues after `base`, which must be one of the beginning's bases. */
export function createWindowFold(read: Read, begins: Transcript, at: string, beginning?: TranscriptPrefix, base?: Base): WindowFold {
	const state = base ? structuredClone(base.state) : begins;
	const places = [...(beginning?.places ?? [])];
	const found = new Map(beginning?.found);
	/** Up to this number, hidden runs, marks and `found` are already complete. */
	const known = beginning?.bases.at(-1)?.position.seq ?? 0;
	let bases = [...(beginning?.bases ?? [])];
	let marks = [...(beginning?.marks ?? [])];
	const hidden = (beginning?.hidden ?? []).map(([first, last]): Run => [first, last]);
	let damaged = base?.position.damaged ?? 0;

	async function prepare(event: TranscriptEvent): Promise<void> {
		const { before } = state;
		if (!before || (event.type !== "rewound" && event.type !== "status")) return;
		const known = found.get(event.id) ?? (await look(event));
		if (!known || known.named > before.seq) return;
		if (event.type === "rewound") before.returns.set(event.id, known.visible ?? createTranscript());
		else before.numbers.set(event.trimmed ?? "", known.named);
	}

	async function look(event: EventOf<"rewound"> | EventOf<"status">): Promise<Found | undefined> {
		const { before } = state;
		const id = event.type === "rewound" ? event.to : event.trimmed;
		if (event.seq <= known || !before || id === undefined) return undefined;
		const given = event.type === "rewound" ? event.toSeq : undefined;
		if (given === undefined && state.events.some((candidate) => candidate.id === id)) return undefined;
		const named = given ?? (await numberOf(id));
		if (named === undefined || named > before.seq) return undefined;
		const entry: Found = { seq: event.seq, named, ...(event.type === "rewound" && { visible: await visibleBefore(named) }) };
		found.set(event.id, entry);
		return entry;
	}

	/** Searches the file backwards, because targets are usually recent. */
	async function numberOf(id: string): Promise<number | undefined> {
		for (const place of [...places, startPosition(at)].sort((one, other) => other.offset - one.offset)) {
			const end = places.find((next) => next.offset > place.offset)?.offset ?? Number.POSITIVE_INFINITY;
			for await (const batch of read({ ...place, from: place.offset })) {
				const event = batch.events.findLast((candidate) => candidate.id === id);
				if (event) return event.seq;
				if (batch.end >= end) break;
			}
		}
		return undefined;
	}

	async function visibleBefore(named: number): Promise<Transcript> {
		const first = hidden.find(([from, to]) => from <= named && named <= to)?.[0] ?? named;
		const mark = marks.findLast(({ position }) => position.seq < first);
		const visible = mark ? structuredClone(mark.visible) : createTranscript();
		const from = mark?.position ?? startPosition(at);
		for await (const batch of read({ ...from, from: from.offset })) {
			for (const event of batch.events) if (event.seq < first && !isHidden(event.seq)) foldEvent(visible, event);
			if ((batch.events.at(-1)?.seq ?? 0) >= first) break;
		}
		return visible;
	}

	function isHidden(seq: number): boolean {
		return hidden.some(([first, last]) => first <= seq && seq <= last);
	}

	/** Records that this event, the last one, has hidden earlier events. */
	function recordRewind(event: EventOf<"rewound">): void {
		if (event.seq <= known) return;
		const named = found.get(event.id)?.named ?? event.toSeq ?? state.events.find(({ id }) => id === event.to)?.seq;
		if (named === undefined || named >= event.seq) return;
		const overlap = hidden.find(([first, last]) => first <= named && named <= last);
		const first = Math.min(named, overlap?.[0] ?? named);
		while ((hidden.at(-1)?.[0] ?? -1) >= first) hidden.pop();
		hidden.push([first, event.seq - 1]);
		// Marks in the hidden part are no longer valid.
		marks = marks.filter(({ position }) => position.seq < first);
	}

	return {
		state,
		get damaged() {
			return damaged;
		},
		async foldBatch(batch) {
			damaged += batch.damaged;
			for (const event of batch.events) {
				await prepare(event);
				applyEvent(state, event);
				if (event.type === "rewound") recordRewind(event);
			}
			const { before } = state;
			if (before) before.hidden = hidden.filter(([first]) => first <= before.seq);
		},
		releaseEvents(batch) {
			const position: ResumePosition = { ...batch.resumeOptions(), offset: batch.end, damaged };
			unloadEvents(state);
			bases = [...bases, { position, state: structuredClone(state) }].slice(-BASES);
			if (state.before) marks = thinOut([...marks, { position, visible: state.before.visible }]);
			places.push({ offset: position.offset, seq: position.seq, at: position.at, recent: position.recent.slice(-STORED_IDS) });
		},
		prefix() {
			const earliest = bases[0]?.position.seq ?? 0;
			return { bases, places, marks, hidden, found: new Map([...found].filter(([, { seq }]) => seq > earliest)) };
		},
	};
}

export function startPosition(at: string): ReadPosition {
	return { offset: 0, seq: 0, at, recent: [] };
}
