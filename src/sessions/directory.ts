// The sessions of a window, as calls between agents need them.

import type { LiveEvent, SessionSummary, TranscriptEvent } from "../core/events.ts";
import type { SessionSetup } from "../session/services.ts";
import type { Session } from "../session/session.ts";
import type { Message, Sender } from "../session/state/message.ts";

export interface SessionDirectory extends SessionSetup {
	list(): Promise<SessionSummary[]>;
	get(sessionId: string): Promise<Session>;
	/** Sessions that this window has opened. */
	opened(): Promise<Session[]>;
	/** Resolves once the message is on disk, in the session's queue or, if another window has it, in its inbox. */
	deliverMessage(sessionId: string, message: Message, sender: Sender): Promise<void>;
	create(options: { agentId: string; sessionId?: string }): Promise<SessionSummary>;
	/** Tasks of all sessions, newest first. */
	tasks(): Promise<SessionSummary[]>;
	/** The record of a session has changed, or something else that its events don't tell. */
	changed(sessionId: string): void;
	listen(listener: SessionsListener): { dispose(): void };
}

export interface SessionsListener {
	event?(sessionId: string, event: TranscriptEvent): void;
	live?(sessionId: string, event: LiveEvent): void;
	/** The list has changed, or something other than the events of one session. */
	changed?(sessionId: string | undefined): void;
	reloaded?(sessionId: string): void;
	deleted?(sessionId: string): void;
	/** A long session is being read: progress from 0 to 1, undefined at the end. */
	reading?(sessionId: string, part: number | undefined): void;
	/** The session has messages to take with `takeReturned`. */
	returned?(sessionId: string): void;
}
