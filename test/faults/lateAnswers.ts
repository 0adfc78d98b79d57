// Answers what a killed window had asked the person, before and after the session is repaired.
import { pendingRequests } from "../../src/core/transcript/state.ts";
import type { Session } from "../../src/session/session.ts";
import type { Sessions } from "../../src/sessions/sessions.ts";
import type { DiskSessionStore } from "../../src/storage/sessions/sessionStore.ts";
import { acknowledge, chance } from "./workerParts.ts";

/** As a person does who still sees the cards that the window has left. Some questions stay open. */
export async function answerLeft(sessions: Sessions, store: DiskSessionStore): Promise<void> {
	for (const { sessionId } of [...(await store.list()), ...(await store.list("task"))]) {
		const pending = pendingRequests((await store.load(sessionId)).state);
		if (pending.length === 0) continue;
		const session = await sessions.get(sessionId);
		for (const { event } of pending) {
			if (event.type === "asked") await session.answer(event.request, { allow: true }, "person", event.hash).catch(() => undefined);
			else if (chance(0.5)) answerQuestion(session, event.request);
		}
	}
}

/** All questions that are open in the session; while a turn runs there, none can be answered. */
export function answerAll(session: Session): void {
	if (session.isRunning) return;
	for (const { event } of pendingRequests(session.state)) if (event.type === "question") answerQuestion(session, event.request);
}

const answering = new Set<string>();

/** Its turn may take as long as it likes. */
function answerQuestion(session: Session, request: string): void {
	if (answering.has(request)) return;
	answering.add(request);
	session.answer(request, { value: "The second." }, "person").catch((error: unknown) => {
		answering.delete(request);
		acknowledge({ refused: String(error) });
	});
}
