// Which sessions wait for the person: a mark that outlives a reload, so that no list has to open every session.
import { currentPlan, pendingRequests, type Transcript } from "../core/transcript.ts";

/** An approval or a question is open, or a plan was shown and nothing was said to it yet. */
export function waitsForPerson(state: Transcript): boolean {
	if (pendingRequests(state).length > 0) return true;
	return state.outcome === "waiting" && currentPlan(state)?.state === "proposed";
}

export interface Memory {
	get(key: string): unknown;
	update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = "troupe.waiting";

export interface Waiting {
	has(sessionId: string): boolean;
	/** True when that was news. */
	mark(sessionId: string, waits: boolean): boolean;
	/** Forgets sessions that are gone. */
	keep(sessionIds: readonly string[]): void;
}

export function waitingSessions(memory: Memory): Waiting {
	const kept = memory.get(KEY);
	const marked = new Set(Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : []);
	const save = (): void => void memory.update(KEY, [...marked]);
	return {
		has: (sessionId) => marked.has(sessionId),
		mark(sessionId, waits) {
			if (marked.has(sessionId) === waits) return false;
			if (waits) marked.add(sessionId);
			else marked.delete(sessionId);
			save();
			return true;
		},
		keep(sessionIds) {
			const gone = [...marked].filter((id) => !sessionIds.includes(id));
			for (const id of gone) marked.delete(id);
			if (gone.length > 0) save();
		},
	};
}
