// Tells when the updates that an intent of the chat page caused are posted.
import type { TranscriptEvent } from "../core/events.ts";
import type { Intent } from "../shared/protocol/chat.ts";
import type { UpdateTracker } from "../shared/updateTracker.ts";

/** Intents that may begin a turn. Handling them lasts as long as the turn, which the page doesn't wait for. */
const BEGIN_TURNS: ReadonlySet<Intent["type"]> = new Set([
	...(["send", "resend", "retry", "continue", "answer", "execute", "switchAgent"] as const),
]);

export interface Acknowledgments {
	/** Call for each event, once it is posted. */
	notice(session: string, event: TranscriptEvent): void;
	/**
	 * Resolves when the intent is handled, or, for one that begins a turn, when a turn of its session has begun or a message waits for
	 * one; and when the updates until then are posted. Never rejects.
	 */
	waitUntilHandled(intent: Intent, handled: Promise<void>): Promise<void>;
}

/** `shown`: the session on the page, which an intent may have changed. */
export function createAcknowledgments(updates: UpdateTracker, shown: () => string | undefined): Acknowledgments {
	const waiting = new Set<(session: string) => void>();

	async function waitForTurn(asked: string, ended: Promise<void>): Promise<void> {
		let check = (_: string): void => undefined;
		const began = new Promise<void>((resolve) => {
			check = (session) => {
				if (session === asked || session === shown()) resolve();
			};
		});
		waiting.add(check);
		await Promise.race([began, ended]);
		waiting.delete(check);
	}

	return {
		notice(session, { type }) {
			if (type === "started" || type === "queued") for (const check of waiting) check(session);
		},
		async waitUntilHandled(intent, handling) {
			const handled = handling.catch(() => undefined);
			await (BEGIN_TURNS.has(intent.type) && "session" in intent ? waitForTurn(intent.session, handled) : handled);
			await updates.waitUntilPosted();
		},
	};
}
