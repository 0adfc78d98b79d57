// Finds session events that are only on disk, or complete only there, newest first.
import type { EventOf, TranscriptEvent } from "../core/events.ts";
import { firstCompleteIndex, isEarlierEventHidden } from "../core/transcript/partialTranscript.ts";
import type { SessionContext } from "./context.ts";

/** The first result of `pick` other than undefined, from the newest event to the oldest. */
export async function findEvent<T>(
	{ state, services, sessionId }: SessionContext,
	pick: (event: TranscriptEvent) => T | undefined,
): Promise<T | undefined> {
	const inMemory = state.events.slice(firstCompleteIndex(state));
	const match = lastOf(inMemory, pick);
	if (match !== undefined || !hasEarlierEvents(state)) return match;
	for (let before = inMemory[0]?.seq ?? state.seq + 1; ; ) {
		const page = await services.store.page(sessionId, before);
		const found = lastOf(page, pick);
		if (found !== undefined || page.length === 0) return found;
		before = page[0]?.seq ?? 0;
	}
}

/** The complete result of a call. */
export function findResult(session: SessionContext, call: string): Promise<EventOf<"result"> | undefined> {
	return findEvent(session, (event) => (event.type === "result" && event.call === call ? event : undefined));
}

/** Whether some events exist, or are complete, only on disk. */
export function hasEarlierEvents({ before, lean }: SessionContext["state"]): boolean {
	return before !== undefined || lean !== undefined;
}

/** Whether the user has rewound past it. */
export function isEventHidden({ before, hidden }: SessionContext["state"], { id, seq }: TranscriptEvent): boolean {
	return hidden.has(id) || (before !== undefined && isEarlierEventHidden(before, seq));
}

function lastOf<T>(events: readonly TranscriptEvent[], pick: (event: TranscriptEvent) => T | undefined): T | undefined {
	for (let index = events.length - 1; index >= 0; index -= 1) {
		const found = pick(events[index] as TranscriptEvent);
		if (found !== undefined) return found;
	}
	return undefined;
}
