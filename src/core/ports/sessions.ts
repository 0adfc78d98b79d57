// Ports for stored sessions, blobs, and secrets.
import type { SessionSummary, TranscriptEvent, TranscriptKind } from "../events.ts";
import type { Transcript } from "../transcript/state.ts";

/** A session with words that were looked for, and where they stand. */
export interface SessionSearchMatch {
	sessionId: string;
	text: string;
}

/** What a session's id looks like, whoever chose it: it stands in addresses and is never taken for a path. */
const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;

export function isSessionId(id: string): boolean {
	return SESSION_ID.test(id);
}

export interface SessionStore {
	/** Those of one kind, from the index where it is fresh, else from disk. */
	list(kind?: TranscriptKind): Promise<SessionSummary[]>;
	/** Those of these sessions in whose messages the words stand, one place of each, in this order. */
	search(sessionIds: readonly string[], words: string, signal: AbortSignal): AsyncIterable<SessionSearchMatch>;
	/** Makes a transcript of the summary's kind. Rejects with StorageError `EEXIST` where the id is taken, by whichever kind. */
	create(summary: SessionSummary): Promise<void>;
	/** Events of a session, or of an archive of it, in order; lines that cannot be read are set aside and counted in `damaged`. */
	read(sessionId: string, archive?: string): Promise<{ events: TranscriptEvent[]; damaged: number }>;
	/** The same one after the other: a session may be larger than memory. */
	stream(sessionId: string, archive?: string): AsyncIterable<TranscriptEvent>;
	/**
	 * The fold of a session: of a long one its last events alone, and what is known of those before. `tell` hears how much of it,
	 * up to 1, is read where all of it must be for the first time.
	 */
	load(sessionId: string, tell?: (part: number) => void): Promise<{ state: Transcript; damaged: number }>;
	/** A part of the events before a number, oldest first; none where there are none. */
	page(sessionId: string, before: number): Promise<TranscriptEvent[]>;
	/** Written to the file when it resolves, and flushed to the disk where losing it would change what happened; rejects with StorageError. */
	append(sessionId: string, event: TranscriptEvent): Promise<void>;
	/** Changes what the list shows; written within a second, rebuilt from the transcript if lost. */
	update(sessionId: string, change: { [Field in keyof SessionSummary]?: SessionSummary[Field] | undefined }): Promise<void>;
	/**
	 * Who a session was when it began, from beside its transcript, for a reader whose first lines are damaged. One whose
	 * record is damaged, too, may do the least. Undefined when there is none: older transcripts had no record, and an actor's powers.
	 */
	identity(sessionId: string): Promise<{ agentId: string; role: string } | undefined>;
	/**
	 * Moves the current transcript aside and returns the archive's name. The session starts empty, or with what `begin` gives,
	 * which is told that name: then whoever looks, also after a crash, finds the old transcript or the new one, whole.
	 */
	archive(sessionId: string, begin?: (archive: string) => readonly TranscriptEvent[]): Promise<string>;
	/** Removes the history (current and archives); the session keeps its identity. */
	clear(sessionId: string): Promise<void>;
	delete(sessionId: string): Promise<void>;
	/** Keeps the words of an answer that still streams, beside the transcript; undefined removes them. */
	saveCheckpoint(sessionId: string, text: string | undefined): Promise<void>;
	/** The words a host that died had kept. */
	checkpoint(sessionId: string): Promise<string | undefined>;
	/** Takes the session for this host; false when another live host has it. With `ask` one that is at rest gives it up within seconds. */
	own(sessionId: string, how?: "ask"): Promise<boolean>;
	/** Another host asks for a session that this one has: whoever can do without it releases it. */
	onWanted(listener: (sessionId: string) => void): void;
	release(sessionId: string): Promise<void>;
}

/** What could not be written and why; the caller keeps the event in memory and says so. */
export class StorageError extends Error {
	override readonly name = "StorageError";
	readonly code: string;
	/** The message says what is kept. */
	readonly kept: boolean;
	constructor(message: string, code: string, cause?: unknown, kept = false) {
		super(message, { cause });
		this.code = code;
		this.kept = kept;
	}
}

export interface BlobStore {
	/** Returns the SHA-256; writing the same bytes twice keeps one. */
	put(bytes: Uint8Array): Promise<string>;
	get(hash: string): Promise<Uint8Array | undefined>;
}

/** The editor's key store. */
export interface SecretStore {
	get(name: string): Promise<string | undefined>;
	set(name: string, value: string): Promise<void>;
}

export function compareSessions(left: SessionSummary, right: SessionSummary): number {
	return (right.pinnedAt ?? "").localeCompare(left.pinnedAt ?? "") || right.updatedAt.localeCompare(left.updatedAt);
}
