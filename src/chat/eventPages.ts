// Splits a session's events into pages for the webview, newest first, reduced to what is displayed.

import type { EventOf, EventType, TranscriptEvent } from "../core/events.ts";
import { openDelegations } from "../core/transcript/delegations.ts";
import { firstCompleteIndex } from "../core/transcript/partialTranscript.ts";
import { spokenBy } from "../core/transcript/spoken.ts";
import { pendingRequests, type Transcript } from "../core/transcript/state.ts";
import type { Session } from "../session/session.ts";
import { hasEarlierEvents, isEventHidden } from "../session/transcript/eventLookup.ts";
import { t } from "../shared/l10n.ts";
import type { DisplayEvent, IntentOf, Update } from "../shared/protocol/chat.ts";

/** Removes what the page never shows and truncates long output, which the page requests when it is expanded. */
export function toDisplayEvent(event: TranscriptEvent): DisplayEvent {
	if (event.type === "result" && event.output.length > LONG_OUTPUT) {
		const omitted = event.output.length - 2 * END;
		return { ...event, output: `${event.output.slice(0, END)}\n…\n${event.output.slice(-END)}`, left: omitted };
	}
	if (event.type === "assistant" && "opaque" in event) {
		const { opaque: _, ...rest } = event;
		return rest;
	}
	if (event.type !== "user" || (!event.attachments && !event.context)) return event;
	return {
		...event,
		...(event.context && { context: event.context.slice(0, END) }),
		...(event.attachments && {
			attachments: event.attachments.map((attachment) => ({ ...attachment, text: attachment.text.slice(0, END) })),
		}),
	};
}

/** Maximum characters of output sent without request, and characters sent of each end of a longer one. */
const LONG_OUTPUT = 16_384;
const END = 4_096;

/** A few screens of events, and the maximum searched for the beginning of a turn. */
const INITIAL_PAGE = { events: 120, size: 100_000 };
const PAGE_LIMITS = { events: 600, size: 400_000 };

/** The first index of the newest page: a user message, early enough to include everything still pending. */
export function findNewestPageStart(state: Transcript): number {
	const { events, run } = state;
	const open = [...pendingRequests(state), ...openDelegations(state), ...(run ? [run] : [])];
	const waiting = open.map(({ event }) => event.seq);
	const needed = Math.min(...waiting);
	let size = 0;
	for (let at = events.length - 1; at > 0; at -= 1) {
		const event = events[at] as TranscriptEvent;
		size += displaySize(event);
		const count = events.length - at;
		if (count >= PAGE_LIMITS.events || size >= PAGE_LIMITS.size) return at;
		if (event.type === "user" && event.seq <= needed && (count >= INITIAL_PAGE.events || size >= INITIAL_PAGE.size)) return at;
	}
	return 0;
}

/** Characters of earlier events per update. */
const BATCH_SIZE = 300_000;

/** The events before `end` in batches, oldest first. */
export function* splitIntoPages(events: readonly TranscriptEvent[], end: number): Generator<DisplayEvent[]> {
	let batch: DisplayEvent[] = [];
	let size = 0;
	for (const event of events.slice(0, end)) {
		batch.push(toDisplayEvent(event));
		size += displaySize(event);
		if (size < BATCH_SIZE) continue;
		yield batch;
		batch = [];
		size = 0;
	}
	if (batch.length > 0) yield batch;
}

/** Approximate size in characters; short events count as a constant. */
function displaySize(event: TranscriptEvent): number {
	if (event.type === "result") return Math.min(event.output.length, LONG_OUTPUT) + JSON.stringify(event.view ?? "").length + 200;
	if (event.type === "assistant") return event.text.length + JSON.stringify(event.calls ?? "").length + 200;
	return event.type === "user" ? event.text.length + 200 : 500;
}

/** Milliseconds between batches of earlier events. */
const BATCH_INTERVAL = 20;
/** Maximum characters of events loaded for one match; a page can't hold more. */
const MAX_CACHED_BYTES = 24_000_000;

interface PageContext {
	on(session: string): Promise<Session>;
	/** Returns true if the page shows this session. */
	shows(session: string): boolean;
	post(update: Update): void;
	notify(text: string): void;
}

export type NewestEvents = ReturnType<ReturnType<typeof createEarlierEventsLoader>["newest"]>;

export function createEarlierEventsLoader({ on, shows, post, notify }: PageContext) {
	/** Timer that sends the next batch. */
	let batchTimer: NodeJS.Timeout | undefined;
	let searchAbort = new AbortController();

	/** Sends one batch at a time, so that the page can render the end of the conversation first. */
	function send(session: string, before: number, [events, ...rest]: DisplayEvent[][], more: boolean): void {
		batchTimer = setTimeout(() => {
			if (!shows(session) || !events) return;
			const last = rest.length === 0;
			post({ type: "earlier", session, before, events, last, ...(last && more && { more }) });
			send(session, before, rest, more);
		}, BATCH_INTERVAL);
	}

	return {
		/** The snapshot's events; `follow` sends the earlier ones. */
		newest(session: Session) {
			const { state, sessionId } = session;
			const full = firstCompleteIndex(state);
			const from = Math.max(full, findNewestPageStart(state));
			const events = state.events.slice(from).map(toDisplayEvent);
			const more = hasEarlierEvents(state);
			clearTimeout(batchTimer);
			const earlier = state.events.slice(full, from);
			const first = state.events[from]?.seq ?? state.seq + 1;
			return {
				events,
				...(earlier.length > 0 && { earlier: true }),
				...(earlier.length === 0 && more && { more }),
				follow: () => {
					if (earlier.length > 0) send(sessionId, first, [...splitIntoPages(earlier, earlier.length)], more);
				},
			};
		},
		acts: {
			async earlier({ session, before, to = before - 1 }: IntentOf<"earlier">) {
				const { services } = await on(session);
				let events: TranscriptEvent[] = [];
				let more = true;
				let size = 0;
				for (let first = before; more && first > to; first = events[0]?.seq ?? 0) {
					const page = await services.store.page(session, first);
					more = page.length > 0;
					events = [...page, ...events];
					size += page.reduce((sum, event) => sum + cachedSize(event), 0);
					if (size > MAX_CACHED_BYTES) {
						notify(t("The match is too far back to show here. Scroll up to the match, or export the session."));
						break;
					}
				}
				more &&= (await services.store.page(session, events[0]?.seq ?? 0)).length > 0;
				if (!shows(session)) return;
				const all = [...splitIntoPages(events, events.length)];
				for (const [at, batch] of (all.length > 0 ? all : [[]]).entries()) {
					const last = at >= all.length - 1;
					post({ type: "earlier", session, before, events: batch, last, ...(last && more && { more }) });
				}
			},
			async findEarlier({ session, words, before }: IntentOf<"findEarlier">) {
				searchAbort.abort();
				searchAbort = new AbortController();
				const { signal } = searchAbort;
				const { services, state } = await on(session);
				const query = words.toLowerCase();
				let [count, seq] = [0, 0];
				for await (const event of services.store.stream(session)) {
					if (signal.aborted) return;
					if (event.seq >= before) break;
					if (isEventHidden(state, event) || !textsOf(event).some((text) => text.toLowerCase().includes(query))) continue;
					count += 1;
					seq = event.seq;
				}
				post({ type: "foundEarlier", session, words, before, count, ...(count > 0 && { seq }) });
			},
		},
		dispose() {
			clearTimeout(batchTimer);
			searchAbort.abort();
		},
	};
}

function cachedSize(event: TranscriptEvent): number {
	return JSON.stringify(toDisplayEvent(event)).length;
}

/** The searchable text of an event, including collapsed parts. */
function textsOf(event: TranscriptEvent): string[] {
	const list = texts[event.type] as ((event: TranscriptEvent) => string[]) | undefined;
	return list?.(event) ?? [];
}

const texts: { [T in EventType]: ((event: EventOf<T>) => string[]) | undefined } = {
	user: ({ text }) => [text],
	assistant: ({ calls = [], ...event }) => [...Object.values(spokenBy(event)), ...calls.map(({ input }) => JSON.stringify(input) ?? "")],
	reply: ({ text }) => [text],
	result: ({ output }) => [output],
	plan: ({ plan }) => [plan.goal, ...plan.steps.map(({ action }) => action)],
	question: ({ question }) => [question.question],
	started: undefined,
	step: undefined,
	asked: undefined,
	answered: undefined,
	expired: undefined,
	role: undefined,
	agent: undefined,
	rewound: undefined,
	queued: undefined,
	unqueued: undefined,
	delegated: undefined,
	task: undefined,
	status: undefined,
	compacted: undefined,
	ended: undefined,
};
