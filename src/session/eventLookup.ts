// Finds session events that are only on disk, or complete only there, newest first.
import type { EventOf, TranscriptEvent } from "../core/events.ts";
import { firstCompleteIndex, isEarlierEventHidden } from "../core/transcript/partialTranscript.ts";
import type { SessionContext } from "./context.ts";

/** What `pick` makes of the latest event it takes. */
export async function findEvent<T>(
	{ state, services, sessionId }: SessionContext,
	pick: (event: TranscriptEvent) => T | undefined,
): Promise<T | undefined> {
	const atHand = state.events.slice(firstCompleteIndex(state));
	const here = lastOf(atHand, pick);
	if (here !== undefined || !hasEarlierEvents(state)) return here;
	for (let before = atHand[0]?.seq ?? state.seq + 1; ; ) {
		const page = await services.store.page(sessionId, before);
		const found = lastOf(page, pick);
		if (found !== undefined || page.length === 0) return found;
		before = page[0]?.seq ?? 0;
	}
}

/** The whole result of a call. */
export function findResult(session: SessionContext, call: string): Promise<EventOf<"result"> | undefined> {
	return findEvent(session, (event) => (event.type === "result" && event.call === call ? event : undefined));
}

/** Whether there are events that are only on disk, or only there whole. */
export function hasEarlierEvents({ before, lean }: SessionContext["state"]): boolean {
	return before !== undefined || lean !== undefined;
}

/** Whether the person has gone back to before it. */
export function isEventHidden({ before, hidden }: SessionContext["state"], { id, seq }: TranscriptEvent): boolean {
	return hidden.has(id) || (before !== undefined && isEarlierEventHidden(before, seq));
}

function lastOf<T>(events: readonly TranscriptEvent[], pick: (event: TranscriptEvent) => T | undefined): T | undefined {
	for (let at = events.length - 1; at >= 0; at -= 1) {
		const found = pick(events[at] as TranscriptEvent);
		if (found !== undefined) return found;
	}
	return undefined;
}
