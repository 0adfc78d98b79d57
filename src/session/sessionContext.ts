// A session as its parts see it, and what it tells its window.

import type { Caller } from "../core/caller.ts";
import type { Answer, Author, EventOf, Outcome } from "../core/events.ts";
import type { ModelInfo } from "../core/ports/model.ts";
import type { Transcript } from "../core/transcript/state.ts";
import type { SessionSetup, SessionWorkspace } from "./services.ts";
import type { EventLog } from "./state/eventLog.ts";
import type { FileVersions } from "./state/fileVersions.ts";
import type { Message, Sender } from "./state/message.ts";
import type { Approvals } from "./state/pendingApprovals.ts";
import type { PromptMemory } from "./state/promptMemory.ts";
import type { SessionApprovals } from "./state/sessionApprovals.ts";
import type { TokenCounter } from "./state/tokenCounter.ts";

export interface TurnEnd {
	outcome: Outcome;
	turn: string;
	/** No turn took the message. */
	withdrawn?: true;
}

/** A turn that has begun and has no message yet. Disposing of it gives it back unless it was run. */
export interface TurnSlot extends AsyncDisposable {
	readonly turn: string;
	readonly signal: AbortSignal;
	/** Runs the turn of this message; without one, the session waits for the user. */
	run(opening: OpeningMessage | undefined): Promise<TurnEnd>;
}

/** The message that opens a turn. */
export interface OpeningMessage extends Omit<Message, "id"> {
	/** The request it answers. */
	answers?: string;
	/** Id of the queued message that it was. */
	message?: string;
	/** The call whose question or plan it answers, which limits its turn as well. */
	caller?: Caller;
}

export interface SessionListener {
	/** Something other than the events has changed (queue, running). */
	changed(sessionId: string): void;
	/** The transcript was read again. */
	reloaded(sessionId: string): void;
	/** This window has the session from now on. */
	taken(sessionId: string): void;
	/** A long transcript is being read: progress from 0 to 1, undefined at the end. */
	reading(sessionId: string, part: number | undefined): void;
	/** The user's messages that no turn took are returned to the sender. */
	returned(sessionId: string, message: Message): void;
}

/** A session as its parts see it: its state, and the operations they may call. */
export interface SessionContext extends Readonly<SessionWorkspace>, SessionSetup {
	readonly sessionId: string;
	readonly state: Transcript;
	readonly eventLog: EventLog;
	readonly files: FileVersions;
	/** Token counts of the context window, the model they are for, and the last turn's system prompt. */
	readonly context: { ledger: TokenCounter; model?: ModelInfo | undefined; system?: string };
	readonly prompts: PromptMemory;
	/** Text of the running answer that listeners have received but that is not an event yet. */
	spoken: () => string;
	/** Running calls, with the end of their output. */
	readonly printed: Map<string, string>;
	/** Background commands end when this is aborted. */
	readonly background: AbortController;
	/** Background commands that are still running, by call id. */
	readonly ongoing: Map<string, string>;
	readonly queued: readonly string[];
	/** True if messages are waiting to join the running turn. */
	readonly hasJoining: boolean;
	readonly isRunning: boolean;
	/** The sender that began the running turn. */
	readonly sender: Sender | undefined;
	readonly lease: { take(): Promise<void> };
	readonly decisions: {
		readonly approvals: Approvals;
		readonly approved: SessionApprovals;
		/** Resolves when a request is no longer pending. */
		taken(request: string): Promise<void>;
	};
	answer(request: string, answer: Answer, by: Author, hash?: string): Promise<TurnEnd | undefined>;
	/** Begins a turn: the session is this window's, and its transcript is whole. Nothing else may run in it meanwhile. */
	begin(from: Author | Sender, turn?: string): Promise<TurnSlot>;
	/** Adds a host status line about something the user did outside the session. */
	note(text: string, about?: Pick<EventOf<"status">, "changes" | "reviewed" | "redo" | "usage">): Promise<void>;
	/** Loads earlier events too, for callers that need the whole session. */
	whole(): Promise<void>;
	/** Restarts the transcript from a summary, or with events that another window added. */
	restarted(by?: "elsewhere"): void;
	/** Adds messages that were sent meanwhile to the running turn. */
	deliver(turn: string): Promise<void>;
	/** Stops the turn and any running plan; resolves when it has ended. */
	cancel(): Promise<void>;
	/** Ends the background commands that are running; later turns can start new ones. */
	endBackground(): void;
	/**
	 * Waits for the running turn if it only has to end; see `isTurnOver`. Throws SessionBlockedError if it is stopped meanwhile.
	 */
	turnOver(): Promise<void>;
	/** Something other than the events has changed. */
	changed(): void;
	/** Throws SessionBlockedError. */
	refuseWhileRunning(): void;
}

export const STOPPED_BY_USER = new DOMException("Stopped by the person", "AbortError");
export const WINDOW_CLOSED = new DOMException("The window closed", "AbortError");
