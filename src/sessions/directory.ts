// The sessions of a window, as calls between agents need them.

import type { SessionSummary } from "../core/events.ts";
import type { Services, SessionsListener } from "../session/context.ts";
import type { Message, Sender } from "../session/state/message.ts";
import type { Session } from "../session/session.ts";

export interface SessionDirectory {
	readonly services: Services;
	list(): Promise<SessionSummary[]>;
	get(sessionId: string): Promise<Session>;
	/** Sessions that this window has opened. */
	opened(): Promise<Session[]>;
	/** Resolves once the message is on disk, in the session's queue or, if another window has it, in its inbox. */
	deliverMessage(sessionId: string, message: Message, sender: Sender): Promise<void>;
	create(options: { agentId: string; sessionId?: string }): Promise<SessionSummary>;
	listen(listener: SessionsListener): { dispose(): void };
}
