// Reads the session list from the editor's state, before the engine is loaded and without file access.
import type { SessionSummary } from "../../core/events.ts";
import { compareSessions } from "../../core/ports/sessions.ts";
import { readCachedList, type StateEntry } from "./sessionIndex.ts";

/** Corresponds to VS Code's `Memento`. */
interface KeyValueState {
	get(key: string): unknown;
	update(key: string, value: unknown): PromiseLike<void>;
}

/** The key of the session index. */
export const SESSION_INDEX_KEY = "troupe.sessions";

export function createStateIndex(state: KeyValueState): StateEntry {
	return { get: () => state.get(SESSION_INDEX_KEY), set: (value) => state.update(SESSION_INDEX_KEY, value) };
}

/** Pinned sessions first, then the newest; may be out of date. */
export function readIndexedSessions(state: Pick<KeyValueState, "get">): SessionSummary[] {
	return readCachedList(state.get(SESSION_INDEX_KEY)).sort(compareSessions);
}
