// Finds session events that are only on disk, or complete only there, newest first.
import type { EventOf, TranscriptEvent } from "../../core/events.ts";
import { firstCompleteIndex, isEarlierEventHidden } from "../../core/transcript/partialTranscript.ts";
import type { SessionContext } from "../sessionContext.ts";

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

type ReadSession = Pick<SessionContext, "sessionId" | "services" | "state">;

/**
 * The events before summaries, as far back as the message that `begins` names, oldest first; those that are in the session again
 * are among them. Empty if no summary came after the message.
 */
export async function readArchives({ sessionId, services, state }: ReadSession, begins: (event: TranscriptEvent) => boolean) {
	const read: TranscriptEvent[][] = [];
	let events: readonly TranscriptEvent[] = state.events;
	for (;;) {
		const first = events.find(begins);
		const compacted = events.find((event) => event.type === "compacted");
		// A summary during the turn repeats its message, but not all that followed it.
		if (compacted?.type !== "compacted" || (first && first.at > compacted.at)) break;
		({ events } = await services.store.read(sessionId, compacted.archive));
		read.unshift([...events]);
	}
	// A summary repeats events that are still needed.
	return [...new Map(read.flat().map((event) => [event.id, event])).values()];
}

/** The events of a turn, also those that summaries have moved to archives, as far as these can be read. */
export async function readTurn(session: ReadSession, turn: string | undefined): Promise<TranscriptEvent[]> {
	const { state, services } = session;
	const isSummarized = state.events.some((event) => event.type === "compacted" && event.turn === turn);
	const archived = isSummarized
		? await readArchives(session, (event) => event.type === "user" && event.turn === turn).catch((error: unknown) => {
				services.log(`the events of a turn before its summary could not be read: ${String(error)}`);
				return [];
			})
		: [];
	const events = new Map([...archived, ...state.events].map((event) => [event.id, event]));
	return [...events.values()].filter((event) => event.turn === turn);
}

/** Returns true if some events exist, or are complete, only on disk. */
export function hasEarlierEvents({ before, lean }: SessionContext["state"]): boolean {
	return before !== undefined || lean !== undefined;
}

/** Returns true if the user has rewound past it. */
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
