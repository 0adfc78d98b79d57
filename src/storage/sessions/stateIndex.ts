// The sessions as the workspace's small state has them, before the engine is loaded and without reading a file.
import type { Memento } from "vscode";
import type { SessionSummary } from "../../core/events.ts";
import { compareSessions } from "../../core/ports/sessions.ts";
import { readCachedList, type StateEntry } from "./sessionIndex.ts";

/** The key of the index of sessions. */
export const SESSION_INDEX_KEY = "troupe.sessions";

export function createMementoIndex(state: Memento): StateEntry {
	return { get: () => state.get(SESSION_INDEX_KEY), set: (value) => state.update(SESSION_INDEX_KEY, value) };
}

/** Pinned ones first, then the newest; perhaps out of date. */
export function readIndexedSessions(state: Memento): SessionSummary[] {
	return readCachedList(state.get(SESSION_INDEX_KEY)).sort(compareSessions);
}
