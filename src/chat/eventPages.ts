// What the page gets of a session's events: the newest part at once, earlier ones behind it, and of each what it shows.

import type { TranscriptEvent } from "../core/events.ts";
import { pendingRequests } from "../core/transcript/fold.ts";
import type { Transcript } from "../core/transcript/state.ts";
import type { DisplayEvent } from "../shared/protocol/chat.ts";

/** An event without what the page never draws, and with long output cut: that crosses the glass when it is opened. */
export function toDisplayEvent(event: TranscriptEvent): DisplayEvent {
	if (event.type === "result" && event.output.length > LONG_OUTPUT) {
		const left = event.output.length - 2 * END;
		return { ...event, output: `${event.output.slice(0, END)}\n…\n${event.output.slice(-END)}`, left };
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

/** Characters of an output that the page gets unasked, and of either end of a longer one. */
const LONG_OUTPUT = 16_384;
const END = 4_096;

/** Some screens full, and the most that is looked through for the beginning of a turn. */
const SCREENS = { events: 120, size: 100_000 };
const MOST = { events: 600, size: 400_000 };

/** Where the newest part begins: with a message of the person, and with whatever still waits for an answer in it. */
export function findNewestPageStart(state: Transcript): number {
	const { events, run } = state;
	const waiting = [...pendingRequests(state).map(({ event }) => event.seq), ...(run ? [run.event.seq] : [])];
	const needed = Math.min(...waiting);
	let size = 0;
	for (let at = events.length - 1; at > 0; at -= 1) {
		const event = events[at] as TranscriptEvent;
		size += sizeOf(event);
		const count = events.length - at;
		if (count >= MOST.events || size >= MOST.size) return at;
		if (event.type === "user" && event.seq <= needed && (count >= SCREENS.events || size >= SCREENS.size)) return at;
	}
	return 0;
}

/** Characters of earlier events in one message. */
const BUNCH = 300_000;

/** The events before `end` in bunches, oldest first. */
export function* splitIntoPages(events: readonly TranscriptEvent[], end: number): Generator<DisplayEvent[]> {
	let bunch: DisplayEvent[] = [];
	let size = 0;
	for (const event of events.slice(0, end)) {
		bunch.push(toDisplayEvent(event));
		size += sizeOf(event);
		if (size < BUNCH) continue;
		yield bunch;
		bunch = [];
		size = 0;
	}
	if (bunch.length > 0) yield bunch;
}

/** About as many characters as it takes; what is short by nature counts as one number. */
function sizeOf(event: TranscriptEvent): number {
	if (event.type === "result") return Math.min(event.output.length, LONG_OUTPUT) + JSON.stringify(event.view ?? "").length + 200;
	if (event.type === "assistant") return event.text.length + JSON.stringify(event.calls ?? "").length + 200;
	return event.type === "user" ? event.text.length + 200 : 500;
}
