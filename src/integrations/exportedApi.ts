// Implements the API for other extensions: same sessions, same gate, answers recorded as theirs.

import type { PendingRequest, TroupeApi, TurnResult } from "../api.ts";
import { saidIn, withoutThought } from "../core/transcript/spoken.ts";
import { currentPlan, pendingRequests, type Transcript } from "../core/transcript/state.ts";
import { UserError } from "../core/userError.ts";
import { listOfferedTools } from "../session/agent/sessionAgent.ts";
import type { Session } from "../session/session.ts";
import type { TurnEnd } from "../session/sessionContext.ts";
import { readTurn } from "../session/transcript/eventLookup.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import { sanitizeForPrompt } from "../shared/safeText.ts";

export function createTroupeApi(sessions: Sessions): TroupeApi {
	const { services, policy } = sessions;
	return {
		apiVersion: 1,
		agents: async () =>
			policy
				.agents()
				.map(({ agentId, displayName, description }) => ({ agentId, displayName, ...(description !== undefined && { description }) })),
		sessions: () => sessions.list(),
		createSession: (options) => sessions.create(options),
		send: async (sessionId, text, { context } = {}) => {
			if (context !== undefined && (typeof context !== "string" || context.length > LONGEST_CONTEXT))
				throw new UserError(t("The context of a message must be a string of at most {0} characters.", LONGEST_CONTEXT));
			const session = await existing(sessions, sessionId);
			const message = { text: sanitizeForPrompt(text), ...(context && { context: sanitizeForPrompt(context) }) };
			return turnResult(session, await session.send(message, "api"));
		},
		executePlan: async (sessionId) => {
			const session = await existing(sessions, sessionId);
			return turnResult(session, await session.executePlan({}, "api"));
		},
		setRole: async (sessionId, role, options) => (await existing(sessions, sessionId)).setRole(role, "api", options),
		answer: async (sessionId, requestId, answer) => {
			const session = await existing(sessions, sessionId);
			const done = session.answer(requestId, answer, "api");
			// The answer to a question opens a turn, which `send` would wait for; `answer` resolves once it is accepted.
			await Promise.race([done, session.decisions.taken(requestId)]);
		},
		pending: async (sessionId) => pending((await existing(sessions, sessionId)).state),
		cancel: async (sessionId) => {
			await (await existing(sessions, sessionId)).cancel();
		},
		tools: async (sessionId) => {
			const session = await existing(sessions, sessionId);
			// Turns load skills when they begin; before the first one, none are loaded.
			await services.skills?.look();
			return listOfferedTools(session).map(({ name, plugin }) => ({ name, plugin }));
		},
		transcript: async (sessionId) => {
			await existing(sessions, sessionId);
			return (await services.store.read(sessionId)).events.map(withoutThought);
		},
		onEvent: (listener) =>
			sessions.listen({ event: (sessionId, event) => void listener({ sessionId, event: structuredClone(withoutThought(event)) }) }),
	};
}

/** Characters of the context that accompanies one message. */
const LONGEST_CONTEXT = 16_384;

async function existing(sessions: Sessions, sessionId: string) {
	const all = await sessions.list();
	if (!all.some((session) => session.sessionId === sessionId)) throw new UserError(t("The session {0} doesn't exist.", sessionId));
	return sessions.get(sessionId);
}

async function turnResult(session: Session, { outcome, turn }: TurnEnd): Promise<TurnResult> {
	const events = turn === "" ? [] : await readTurn(session, turn);
	const results = new Map(events.flatMap((event) => (event.type === "result" ? [[event.call, event.status] as const] : [])));
	const text = events
		.map((event) => saidIn(event, ({ type }) => type === "api"))
		.filter((said) => said !== "")
		.join("\n\n");
	const calls = events.flatMap((event) => (event.type === "assistant" ? (event.calls ?? []) : []));
	return {
		outcome,
		text,
		toolCalls: calls.map(({ id, name }) => ({ id, name, status: results.get(id) ?? "unknown" })),
	};
}

function pending(state: Transcript): PendingRequest[] {
	const requests = pendingRequests(state).map(({ event }) => ({
		requestId: event.request,
		kind: event.type === "question" ? ("question" as const) : ("approval" as const),
		summary: event.type === "question" ? event.question.question : event.summary,
	}));
	const plan = currentPlan(state);
	if (plan?.state !== "proposed") return requests;
	return [...requests, { requestId: plan.event.planId, kind: "plan", summary: plan.event.plan.goal }];
}
