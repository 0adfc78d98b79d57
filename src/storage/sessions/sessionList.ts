// Lists sessions from the cache and rereads only those whose files have changed.
import type { SessionSummary, TranscriptKind } from "../../core/events.ts";
import type { StorageFileSystem } from "../fileSystem.ts";
import { type IndexEntry, readFileStamp, readIndexEntry, toSessionSummary } from "./readIndexEntry.ts";
import type { SessionIndex } from "./sessionIndex.ts";
import type { SessionPathResolver, SessionPaths } from "./sessionPaths.ts";

/** Number of folders read concurrently. */
const CONCURRENCY = 32;

export interface SessionList {
	/** All sessions of a kind, latest first. */
	all(kind: TranscriptKind): Promise<SessionSummary[]>;
	/** These sessions, latest first, without those that no longer exist. One that can't be read is as last seen. */
	summarize(places: readonly SessionPaths[]): Promise<SessionSummary[]>;
	/** The current state of a session on disk; undefined if it no longer exists. */
	look(place: SessionPaths): Promise<IndexEntry | undefined>;
	/** The cached state of a session; read from disk if it is not cached. */
	known(place: SessionPaths): Promise<IndexEntry | undefined>;
	/** Marks a session as changed. */
	mark(place: SessionPaths): void;
	/** Updates the marked sessions. */
	refresh(): Promise<void>;
}

export function createSessionList(options: {
	files: StorageFileSystem;
	places: SessionPathResolver;
	index(): SessionIndex;
	log(line: string): void;
}): SessionList {
	const { files, places, index, log } = options;
	const marked = new Map<string, SessionPaths>();

	async function look(place: SessionPaths): Promise<IndexEntry | undefined> {
		const { entry, changed } = await update(place);
		if (changed) index().scheduleSave();
		return entry;
	}

	async function summarize(found: readonly SessionPaths[]): Promise<SessionSummary[]> {
		const summaries: SessionSummary[] = [];
		await runConcurrently(found, async (place) => {
			const entry = await look(place).catch((cause: unknown) => {
				log(`the session ${place.sessionId} cannot be read: ${String(cause)}`);
				return lastSeen(place);
			});
			if (entry) summaries.push(toSessionSummary(place.sessionId, entry));
		});
		return summaries.sort(latestFirst);
	}

	async function lastSeen(place: SessionPaths): Promise<IndexEntry | undefined> {
		return (await index().entries()).get(place.sessionId);
	}

	async function update(place: SessionPaths): Promise<{ entry: IndexEntry | undefined; changed: boolean }> {
		const entries = await index().entries();
		const previous = entries.get(place.sessionId);
		const seen = await readFileStamp(files, place);
		if (previous && seen?.stamp.identity === previous.stamp.identity && seen.stamp.transcript === previous.stamp.transcript) {
			return { entry: previous, changed: false };
		}
		const entry = seen && (await readIndexEntry(files, place, previous));
		if (entry) entries.set(place.sessionId, entry);
		else entries.delete(place.sessionId);
		return { entry, changed: (entry ?? previous) !== undefined };
	}

	return {
		look,
		async known(place) {
			return (await lastSeen(place)) ?? readBorn(place);
		},
		async all(kind) {
			const found = await places.all(kind);
			const summaries = await summarize(found);
			await forgetAllBut(kind, new Set(found.map(({ sessionId }) => sessionId)));
			return summaries;
		},
		summarize,
		mark(place) {
			marked.set(place.sessionId, place);
			index().scheduleSave();
		},
		async refresh() {
			const written = [...marked.values()];
			marked.clear();
			await runConcurrently(written, update);
		},
	};

	/** A minimal entry with the time for older lines, without reading the transcript. */
	async function readBorn(place: SessionPaths): Promise<IndexEntry | undefined> {
		const seen = await readFileStamp(files, place);
		return seen && { stamp: seen.stamp, inode: 0, end: 0, folded: { seq: 0, messages: 0 }, born: seen.born };
	}

	async function forgetAllBut(kind: TranscriptKind, present: ReadonlySet<string>): Promise<void> {
		const entries = await index().entries();
		for (const [id, entry] of [...entries]) {
			if (present.has(id) || (entry.kind ?? "session") !== kind) continue;
			entries.delete(id);
			index().scheduleSave();
		}
	}
}

/** Runs `work` for all items, a few at a time. */
export async function runConcurrently<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
	const waiting = [...items];
	const workers = Array.from({ length: Math.min(CONCURRENCY, items.length) }, async () => {
		for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item);
	});
	await Promise.all(workers);
}

function latestFirst(a: SessionSummary, b: SessionSummary): number {
	if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
	return a.sessionId < b.sessionId ? -1 : 1;
}
