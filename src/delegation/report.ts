// Brings the end of work in another session to the session that called for it, once.

import type { AnsweredCall } from "../core/caller.ts";
import type { EventOf } from "../core/events.ts";
import type { TaskNews } from "../core/task.ts";
import type { SessionDirectory } from "../sessions/directory.ts";

export interface Report {
	/** The same for the same end in every window, so that it is delivered once. */
	id: string;
	text: string;
	about: AnsweredCall | TaskNews;
}

/** Sends the calling session a message with the limits of the turn that made the call. Rejects if its inbox or the disk is full. */
export async function deliverReport(
	sessions: SessionDirectory,
	{ session, recorded }: { session: string; recorded: EventOf<"delegated"> },
	{ id, text, about }: Report,
): Promise<void> {
	const { ceiling = [], caller: above } = recorded;
	const sender = { by: `agent:${about.agent}` as const, session: about.session, about, ceiling, ...(above && { caller: above }) };
	await sessions.deliverMessage(session, { id, text }, sender);
}

/** Milliseconds. */
const FIRST_PAUSE = 1_000;
const LAST_PAUSE = 30_000;

/** Repeats what a full inbox or disk has refused, each time after a longer pause. */
export class Retry {
	private pause = FIRST_PAUSE;

	later(act: () => void): void {
		setTimeout(act, this.pause).unref();
		this.pause = Math.min(this.pause * 2, LAST_PAUSE);
	}

	/** The next pause is the first again. */
	succeeded(): void {
		this.pause = FIRST_PAUSE;
	}
}
