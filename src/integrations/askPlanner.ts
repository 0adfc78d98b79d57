// Answers another agent's question in a separate session, in the role for such questions.

import type { EventOf } from "../core/events.ts";
import { parseTrailingJson } from "../core/trailingJson.ts";
import { saidIn } from "../core/transcript/spoken.ts";
import type { Transcript } from "../core/transcript/state.ts";
import { ExplainedError } from "../core/userError.ts";
import type { Session } from "../session/session.ts";
import type { TurnEnd } from "../session/sessionContext.ts";
import { formatPlanAsMarkdown } from "../sessions/exportSession.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { sendExternalMessage } from "./externalChat.ts";

export interface PlannerAnswer {
	sessionId: string;
	/** Text for the model that asked. */
	text: string;
}

/** Sessions whose caller is waiting for an answer. */
const busy = new WeakSet<Session>();

/**
 * Resolves with the answer or, if approval is required, with a note that it is pending in Troupe's view. Throws with a
 * displayable message if the turn fails.
 */
export async function askPlanner(
	sessions: Sessions,
	{ question, sessionId, signal }: { question: string; sessionId?: string | undefined; signal: AbortSignal },
): Promise<PlannerAnswer> {
	const known = await reusable(sessions, sessionId);
	// Two questions in one turn would be stopped together.
	const session = known && !busy.has(known) ? known : await begin(sessions, question);
	busy.add(session);
	const approval = waitForApproval(sessions, session);
	try {
		signal.throwIfAborted();
		const first = await Promise.race([sendExternalMessage(session, { text: question }, "api", signal), approval.asked]);
		const text = "outcome" in first ? formatAnswer(session.state, first) : formatPendingNote(first.summary);
		return { sessionId: session.sessionId, text };
	} finally {
		approval.dispose();
		busy.delete(session);
	}
}

async function reusable(sessions: Sessions, sessionId: string | undefined): Promise<Session | undefined> {
	const known = (await sessions.list()).some((session) => session.sessionId === sessionId);
	const session = known && sessionId !== undefined ? await sessions.get(sessionId) : undefined;
	// If the user has switched the session to another role, it is theirs and a new one is created.
	return session?.state.role === answeringRole(sessions) ? session : undefined;
}

function answeringRole({ policy }: Sessions): string {
	const role = policy.roles().find(({ answersOthers }) => answersOthers);
	if (role) return role.id;
	throw new ExplainedError("Troupe has no role that answers questions of other extensions.");
}

async function begin(sessions: Sessions, question: string): Promise<Session> {
	const [line = ""] = question.trim().split("\n");
	const { sessionId } = await sessions.create({ role: answeringRole(sessions), name: [...line].slice(0, 60).join("") });
	return sessions.get(sessionId);
}

function waitForApproval(sessions: Sessions, { sessionId }: Session) {
	let dispose = (): void => undefined;
	const asked = new Promise<EventOf<"asked">>((resolve) => {
		const listening = sessions.listen({
			event(id, event) {
				if (id === sessionId && event.type === "asked") resolve(event);
			},
		});
		dispose = () => listening.dispose();
	});
	return { asked, dispose };
}

function formatPendingNote(summary: string): string {
	return `Troupe waits for the person's approval in its own view before it goes on: ${summary}. Tell the person. Once they have answered there, call this tool again to get the answer.`;
}

function formatAnswer(state: Transcript, { outcome, turn }: TurnEnd): string {
	const events = state.events.filter((event) => event.turn === turn);
	const failure = events.find((event) => event.type === "ended")?.error;
	if (outcome === "failed" || outcome === "interrupted") throw new ExplainedError(failure ?? "Troupe could not answer.");
	const texts = events.map((event) => saidIn(event, ({ type }) => type === "api")).filter((text) => text !== "");
	const shown = events.flatMap((event) => {
		if (event.type === "plan")
			return [`${formatPlanAsMarkdown(event.plan)}\n\nThis plan waits in Troupe's view: only the person can start it.`];
		if (event.type === "question") return [`Troupe asks the person in its view: ${event.question.question}`];
		return [];
	});
	const prose = shown.length > 0 ? texts.map((text) => parseTrailingJson(text)?.prose ?? text).filter((text) => text !== "") : texts;
	const stopped = { cancelled: ["The turn was stopped before it was done."], limit: [failure ?? "The turn reached its limit."] };
	const note = outcome in stopped ? stopped[outcome as keyof typeof stopped] : [];
	return [...prose, ...shown, ...note].join("\n\n") || "Troupe had nothing to say.";
}
