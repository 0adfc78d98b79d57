// Steps in the life of a window's sessions at which what is built over them does its part.

import type { SessionSummary } from "../core/events.ts";
import type { SessionPolicy, SessionWorkspace } from "../session/services.ts";
import type { Session } from "../session/session.ts";

/** Each step is awaited, one part after the other in the order in which they were added. */
export interface SessionLifecycle {
	/**
	 * Returns the parts that a session gets in place of the window's own policy and files; undefined if it gets those. The first one that
	 * answers counts.
	 */
	opening?(summary: SessionSummary): Promise<OwnParts | undefined>;
	/** Work of an earlier window is about to go on. */
	recovering?(): Promise<void>;
	/** This window has opened the session, or has taken it from another one. */
	taken?(session: Session): Promise<void>;
	/** The session is about to lose its history. */
	losing?(sessionId: string, loss: "cleared" | "deleted"): Promise<void>;
	/** The sessions are gone from the disk. */
	deleted?(sessionIds: readonly string[]): Promise<void>;
	/** The window closes: nothing may begin any more. */
	closing?(): Promise<void>;
	/** The open sessions were closed. Resolves once what they still recorded is on disk, which may have opened others. */
	closed?(): Promise<void>;
}

export interface OwnParts {
	policy: SessionPolicy;
	workspace: SessionWorkspace;
}
