// Whoever comes into a session through another door than our own chat: what the person has running there is not theirs to stop.

import type { Author } from "../../core/events.ts";
import type { TurnEnd } from "../context.ts";
import type { Message } from "../messageQueue.ts";
import type { Session } from "../session.ts";

/** Sends a message. The signal stops the turn that it began, and takes it back where it waits for another one's. */
export async function sendExternalMessage(session: Session, message: Message, by: Author, signal: AbortSignal): Promise<TurnEnd> {
	if (signal.aborted) return { outcome: "cancelled", turn: "" };
	const withdraw = (): void => void session.withdraw(message);
	signal.addEventListener("abort", withdraw, { once: true });
	try {
		return await session.send(message, by);
	} finally {
		signal.removeEventListener("abort", withdraw);
	}
}
