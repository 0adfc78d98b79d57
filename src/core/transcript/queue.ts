// Folds queued messages: each waits until a turn takes it or it is withdrawn.

import type { EventOf } from "../events.ts";
import { answerDelegation, deliverAnswer } from "./delegations.ts";
import type { Transcript } from "./state.ts";
import { hearTaskNews, takeTaskNews } from "./tasks.ts";

export function enqueue(state: Transcript, event: EventOf<"queued">): void {
	state.queue.set(event.message, event);
	if (event.about?.kind === "answer") answerDelegation(state, event.message, event.about);
	if (event.about?.kind === "task") hearTaskNews(state, event.about);
}

export function leaveQueue(state: Transcript, { message }: EventOf<"unqueued">): void {
	state.queue.delete(message);
}

export function takeFromQueue(state: Transcript, { message }: EventOf<"user">): void {
	const taken = message === undefined ? undefined : state.queue.get(message);
	if (!taken) return;
	state.queue.delete(taken.message);
	if (taken.about?.kind === "answer") deliverAnswer(state, taken.about);
	if (taken.about?.kind === "task") takeTaskNews(state, taken.about);
}

/** Returns true if the message was recorded before: it waits, or one of the loaded events names it. */
export function isRecorded({ queue, events }: Pick<Transcript, "queue" | "events">, message: string): boolean {
	if (queue.has(message)) return true;
	return events.some((event) => (event.type === "queued" || event.type === "user") && event.message === message);
}
