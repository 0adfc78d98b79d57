// Ports for stored sessions, blobs, and secrets.
import type { SessionSummary, TranscriptEvent, TranscriptKind } from "../events.ts";
import type { Transcript } from "../transcript/state.ts";

/** A session that contains the search text, with one matching passage. */
export interface SessionSearchMatch {
	sessionId: string;
	text: string;
}

/** The format of a session id. It is used in URLs and never as a path. */
const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;

export function isSessionId(id: string): boolean {
	return SESSION_ID.test(id);
}

export interface SessionStore {
	/** The sessions of one kind, from the index if it is fresh, otherwise from disk. */
	list(kind?: TranscriptKind): Promise<SessionSummary[]>;
	/** Searches the messages of these sessions and yields the first match of each, in this order. */
	search(sessionIds: readonly string[], words: string, signal: AbortSignal): AsyncIterable<SessionSearchMatch>;
	/** Creates a transcript of the summary's kind. Rejects with StorageError `EEXIST` if the id is taken by a transcript of any kind. */
	create(summary: SessionSummary): Promise<void>;
	/** Events of a session or of one of its archives, in order; unreadable lines are set aside and counted in `damaged`. */
	read(sessionId: string, archive?: string): Promise<{ events: TranscriptEvent[]; damaged: number }>;
	/** Same as `read`, one event at a time: a session may be larger than memory. */
	stream(sessionId: string, archive?: string): AsyncIterable<TranscriptEvent>;
	/**
	 * Folds a session. For a long one, `state` has only the last events and a summary of the earlier ones. `tell` receives progress
	 * up to 1 if the whole session must be read for the first time.
	 */
	load(sessionId: string, tell?: (part: number) => void): Promise<{ state: Transcript; damaged: number }>;
	/** Some of the events before a sequence number, oldest first; empty if there are none. */
	page(sessionId: string, before: number): Promise<TranscriptEvent[]>;
	/** Resolves once written to the file, and flushed to disk if its loss would misrepresent what happened; rejects with StorageError. */
	append(sessionId: string, event: TranscriptEvent): Promise<void>;
	/** Changes what the session list shows. Written within a second; rebuilt from the transcript if lost. */
	update(sessionId: string, change: { [Field in keyof SessionSummary]?: SessionSummary[Field] | undefined }): Promise<void>;
	/**
	 * The session's initial agent and role, stored beside its transcript for readers whose first lines are damaged. If this record
	 * is damaged too, the least privileged role is returned. Undefined if there is none: older transcripts had no record and ran as
	 * the actor.
	 */
	identity(sessionId: string): Promise<{ agentId: string; role: string } | undefined>;
	/**
	 * Moves the current transcript aside and returns the archive's name. The session starts empty or with the events that `begin`
	 * returns, which receives that name. Readers always find either the complete old transcript or the complete new one, even after
	 * a crash.
	 */
	archive(sessionId: string, begin?: (archive: string) => readonly TranscriptEvent[]): Promise<string>;
	/** Deletes the history (current and archives); the session keeps its identity. */
	clear(sessionId: string): Promise<void>;
	delete(sessionId: string): Promise<void>;
	/** Stores the text of a streaming answer beside the transcript; undefined removes it. */
	saveCheckpoint(sessionId: string, text: string | undefined): Promise<void>;
	/** The text stored by a host that has died. */
	checkpoint(sessionId: string): Promise<string | undefined>;
	/** Acquires the session for this host; false if another live host has it. With `ask`, an idle owner releases it within seconds. */
	own(sessionId: string, how?: "ask"): Promise<boolean>;
	/** Fires when another host requests a session that this host has; an idle owner should release it. */
	onWanted(listener: (sessionId: string) => void): void;
	release(sessionId: string): Promise<void>;
}

/** A write that failed, and why. The caller keeps the event in memory and tells the user. */
export class StorageError extends Error {
	override readonly name = "StorageError";
	readonly code: string;
	/** The message already says what was kept. */
	readonly kept: boolean;
	constructor(message: string, code: string, cause?: unknown, kept = false) {
		super(message, { cause });
		this.code = code;
		this.kept = kept;
	}
}

export interface BlobStore {
	/** Returns the SHA-256; the same bytes are stored only once. */
	put(bytes: Uint8Array): Promise<string>;
	get(hash: string): Promise<Uint8Array | undefined>;
}

/** The editor's secret storage. */
export interface SecretStore {
	get(name: string): Promise<string | undefined>;
	set(name: string, value: string): Promise<void>;
}

export function compareSessions(left: SessionSummary, right: SessionSummary): number {
	return (right.pinnedAt ?? "").localeCompare(left.pinnedAt ?? "") || right.updatedAt.localeCompare(left.updatedAt);
}
