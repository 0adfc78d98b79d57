// Builds the conversation's items incrementally.

// An event rebuilds its own segment and those still open; all others are reused.

import type { Caller } from "../../src/core/caller.ts";
import type { EventOf, TranscriptEvent } from "../../src/core/events.ts";
import { changesInView } from "../../src/core/transcript/changes.ts";
import type { Transcript } from "../../src/core/transcript/state.ts";
import { addEventItems, type SegmentBuilder } from "./eventItems.ts";
import { answerKey, type Item, type Labels } from "./items.ts";

interface Segment {
	events: TranscriptEvent[];
	items: Item[];
	/** Later events may still change its items. */
	open: boolean;
	hasPlan: boolean;
	hasChanges: boolean;
	before: Carried;
	after: Carried;
}

interface Carried {
	agent: string;
	answerAnchor: string;
	hasEarlierItems: boolean;
	turnWithChangeCard: string | undefined;
	caller: Caller | undefined;
}

/** Events in a segment after which the next answer starts a new one. */
const MAX_EVENTS = 200;

export class ItemCache {
	private transcript: Transcript | undefined;
	private labels: Labels | undefined;
	private taken = 0;
	private segments: Segment[] = [];
	private answeredBy = new Map<string, string>();
	private queued = new Map<string, EventOf<"queued">>();
	/** Segment of each question and approval, by request. */
	private asked = new Map<string, Segment>();
	/** Segment of each background task's card, by task. */
	private started = new Map<string, Segment>();
	private all: Item[] = [];

	/** All items. Cost is proportional to the changes since the last call. */
	update(transcript: Transcript, labels: Labels): Item[] {
		const events = transcript.events.slice(this.taken);
		const rebuild = transcript !== this.transcript || labels !== this.labels || events.some(({ type }) => type === "rewound");
		if (rebuild) this.forget(transcript, labels);
		else if (events.length === 0) return this.all;
		const dirty = new Set(this.segments.filter(({ open }) => open));
		for (const event of rebuild ? transcript.events : events) {
			this.taken += 1;
			if (!transcript.hidden.has(event.id)) this.take(event, dirty);
		}
		for (const [at, segment] of this.segments.entries()) if (dirty.has(segment)) this.build(segment, at);
		this.all = this.segments.flatMap(({ items }) => items);
		return this.all;
	}

	/** Key of the streaming answer. */
	get nextAnswerKey(): string {
		return answerKey(this.segments.at(-1)?.after.answerAnchor ?? "");
	}

	private forget(transcript: Transcript, labels: Labels): void {
		this.transcript = transcript;
		this.labels = labels;
		this.taken = 0;
		this.segments = [];
		this.answeredBy = new Map();
		this.queued = new Map();
		this.asked = new Map();
		this.started = new Map();
	}

	private take(event: TranscriptEvent, dirty: Set<Segment>): void {
		const segment = this.segmentFor(event);
		segment.events.push(event);
		dirty.add(segment);
		if (event.type === "queued") this.queued.set(event.message, event);
		if (event.type === "question" || event.type === "asked") this.asked.set(event.request, segment);
		const request = event.type === "answered" ? event.request : event.type === "user" ? event.answers : undefined;
		if (request !== undefined) {
			if (!this.answeredBy.has(request)) this.answeredBy.set(request, event.by);
			const holder = this.asked.get(request);
			if (holder) dirty.add(holder);
		}
		if (event.type === "delegated" && event.task !== undefined && !this.started.has(event.task)) this.started.set(event.task, segment);
		const task = event.type === "task" ? event.task : event.type === "queued" && event.about?.kind === "task" ? event.about.session : "";
		const card = this.started.get(task);
		if (card) dirty.add(card);
		if (event.type === "result" && changesInView(event.view).length > 0) segment.hasChanges = true;
		if (event.type === "ended" && event.turn !== undefined && this.transcript?.changedIn.has(event.turn)) segment.hasChanges = true;
		const settles = event.type === "status" && (event.changes ?? event.reviewed) !== undefined;
		if (settles) for (const each of this.segments) if (each.hasChanges) dirty.add(each);
		if (event.type === "plan") segment.hasPlan = true;
		if (event.type === "plan" || event.type === "role") for (const each of this.segments) if (each.hasPlan) dirty.add(each);
	}

	private segmentFor(event: TranscriptEvent): Segment {
		const last = this.segments.at(-1);
		if (last && !begins(event, last)) return last;
		const before = last?.after ?? {
			agent: this.transcript?.agent ?? "",
			answerAnchor: "",
			hasEarlierItems: false,
			turnWithChangeCard: undefined,
			caller: undefined,
		};
		const segment = { events: [], items: [], open: false, hasPlan: false, hasChanges: false, before, after: before };
		this.segments.push(segment);
		return segment;
	}

	private build(segment: Segment, at: number): void {
		const { transcript, labels, answeredBy, queued, segments } = this;
		if (!transcript || !labels) return;
		segment.before = segments[at - 1]?.after ?? segment.before;
		const builder: SegmentBuilder = {
			...segment.before,
			transcript,
			labels,
			answeredBy,
			queued,
			items: [],
			isLast: at === segments.length - 1,
			mayChange: false,
		};
		for (const event of segment.events) addEventItems(builder, event);
		segment.items = builder.items;
		segment.open = builder.mayChange;
		segment.after = {
			agent: builder.agent,
			answerAnchor: builder.answerAnchor,
			hasEarlierItems: builder.hasEarlierItems || builder.items.length > 0,
			turnWithChangeCard: builder.turnWithChangeCard,
			caller: builder.caller,
		};
	}
}

/** All items of a transcript. */
export function buildItems(transcript: Transcript, labels: Labels): Item[] {
	return new ItemCache().update(transcript, labels);
}

function begins(event: TranscriptEvent, { events }: Segment): boolean {
	if (event.type === "user") return true;
	if (event.type === "started") return events.at(-1)?.type !== "user";
	return event.type === "assistant" && events.length >= MAX_EVENTS;
}
