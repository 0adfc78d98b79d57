// Ports for stored sessions, blobs, and secrets.
import type { Attachment, BlobRef, SessionSummary, TranscriptEvent, TranscriptKind } from "../events.ts";
import type { Transcript } from "../transcript/state.ts";
import { UserError } from "../userError.ts";

/** A session that contains the search text, with one matching passage. */
export interface SessionSearchMatch {
	sessionId: string;
	text: string;
}

/** A message that waits outside of a session's transcript until the session's owner has recorded it. */
export interface InboxMessage {
	/** Unique; the same in every copy of the message. */
	id: string;
	/** ISO time of sending. */
	at: string;
	message: { text: string; images?: BlobRef[]; attachments?: Attachment[] };
	/** The sender, as JSON that storage does not interpret. It comes from disk: validate it. */
	from: Record<string, unknown>;
	/** The subject that the message answers or reports, as JSON that storage does not interpret. It comes from disk: validate it. */
	about?: Record<string, unknown>;
}

/** The format of a session id. It is used in URLs and never as a path. */
const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;

export function isSessionId(id: string): boolean {
	return SESSION_ID.test(id);
}

export interface SessionStore {
	/** The sessions of one kind, from the index if it is fresh, otherwise from disk. */
	list(kind?: TranscriptKind): Promise<SessionSummary[]>;
	/** A session or a task; undefined if there is none with this id. */
	find(sessionId: string): Promise<SessionSummary | undefined>;
	/** The tasks that are not over, latest first. Reads only those, unless the list of them was lost. */
	pendingTasks(): Promise<SessionSummary[]>;
	/** Searches the messages of these sessions and yields the first match of each, in this order. */
	search(sessionIds: readonly string[], words: string, signal: AbortSignal): AsyncIterable<SessionSearchMatch>;
	/**
	 * Creates a transcript of the summary's kind; a task needs its record. Rejects with StorageError `EEXIST` if the id is taken by a
	 * transcript of any kind.
	 */
	create(summary: SessionSummary): Promise<void>;
	/**
	 * Events of a session or of one of its archives, in order; unreadable lines are set aside and counted in `damaged`. Rejects with
	 * StorageError `EINVAL` for an archive that is a link.
	 */
	read(sessionId: string, archive?: string): Promise<{ events: TranscriptEvent[]; damaged: number }>;
	/** Streams the same as `read`, one event at a time: a session may be larger than memory. */
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
	/**
	 * Changes the metadata, and with them what the session list shows. On disk when it resolves; the other fields keep what other
	 * windows have written. A task's record is replaced as a whole.
	 */
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
	/** Names of the session's archives, oldest first. */
	archives(sessionId: string): Promise<string[]>;
	/** Deletes the history (current and archives); the session keeps its identity. */
	clear(sessionId: string): Promise<void>;
	/**
	 * Deletes these tasks, in this order, and then the session: a crash leaves the session with the tasks that are left. Rejects with
	 * StorageError `EBUSY`, with nothing deleted, if another window has one of them.
	 */
	delete(sessionId: string, tasks?: readonly string[]): Promise<void>;
	/** Stores the text of a streaming answer beside the transcript; undefined removes it. */
	saveCheckpoint(sessionId: string, text: string | undefined): Promise<void>;
	/** The text stored by a host that has died. */
	checkpoint(sessionId: string): Promise<string | undefined>;
	/** Acquires the session for this host; false if another live host has it. With `ask`, an idle owner releases it within seconds. */
	own(sessionId: string, how?: "ask"): Promise<boolean>;
	/** Resolves to true if another live host has the session. */
	isHeldElsewhere(sessionId: string): Promise<boolean>;
	/** Fires when another host requests a session that this host has; an idle owner should release it. */
	onWanted(listener: (sessionId: string) => void): void;
	release(sessionId: string): Promise<void>;
	/**
	 * Leaves a message for the owner of a session, in whichever window that is. Resolves once it is flushed to disk; posting an id
	 * that still waits changes nothing. Rejects with StorageError: `ENOENT` if the session does not exist, `INBOX_FULL` if 100
	 * messages wait, `E2BIG` if the message's JSON exceeds 64 KB, or the file system's code. Clearing or deleting the session
	 * removes the message; archiving keeps it.
	 */
	post(sessionId: string, message: InboxMessage): Promise<void>;
	/**
	 * The messages that wait, in the order of arrival. Invalid files are set aside and logged. After a crash between recording a
	 * message and `takeFromInbox`, the message is still here: recognize it by its id.
	 */
	inbox(sessionId: string): Promise<InboxMessage[]>;
	/** Removes a message. Call it only once the message is recorded, or it could be lost. Succeeds if there is none. */
	takeFromInbox(sessionId: string, id: string): Promise<void>;
	/** Fires when messages have arrived for a session that this host owns, and when it acquires a session for which some wait. */
	onInbox(listener: (sessionId: string) => void): void;
}

/** A write that failed, and why. The caller keeps the event in memory and tells the user. */
export class StorageError extends UserError {
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
