// Keeps what a start needs before the engine is loaded: the session list, and whether work was left.
import type { SessionSummary } from "../../core/events.ts";
import { compareSessions } from "../../core/ports/sessions.ts";
import { nodeFileSystem } from "../fileSystem.ts";
import { mayHavePendingTasks } from "./pendingTasks.ts";
import { readCachedList, type StateEntry } from "./sessionIndex.ts";
import { copiesFolder } from "./sessionPaths.ts";

/** Corresponds to VS Code's `Memento`. */
interface KeyValueState {
	get(key: string): unknown;
	update(key: string, value: unknown): PromiseLike<void>;
}

/** The key of the session index. */
export const SESSION_INDEX_KEY = "troupe.sessions";

/** The key that is set while there are changes to keep or undo. */
const UNREVIEWED_CHANGES_KEY = "troupe.unreviewed";

export function createStateIndex(state: KeyValueState): StateEntry {
	return { get: () => state.get(SESSION_INDEX_KEY), set: (value) => state.update(SESSION_INDEX_KEY, value) };
}

/** Pinned sessions first, then the newest; may be out of date. Reads no file. */
export function readIndexedSessions(state: Pick<KeyValueState, "get">): SessionSummary[] {
	return readCachedList(state.get(SESSION_INDEX_KEY)).sort(compareSessions);
}

export function recordUnreviewedChanges(state: KeyValueState, hasChanges: boolean): PromiseLike<void> {
	return state.update(UNREVIEWED_CHANGES_KEY, hasChanges || undefined);
}

/** Resolves to true if an earlier window left what only the engine goes on with, reports, counts, shows, or asks about. */
export async function hasWorkLeft(state: Pick<KeyValueState, "get">, { shared, root }: { shared: string; root: string }): Promise<boolean> {
	if (state.get(UNREVIEWED_CHANGES_KEY) === true) return true;
	if (readIndexedSessions(state).some(({ unsettled }) => unsettled)) return true;
	if (await mayHavePendingTasks(nodeFileSystem, root)) return true;
	const copies = await nodeFileSystem.readdir(copiesFolder(shared, root)).catch(() => []);
	return copies.length > 0;
}
