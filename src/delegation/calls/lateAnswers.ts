// Tells a calling session the answer of a call that it no longer waits for.

import type { AnsweredCall } from "../../core/caller.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";
import { deliverReport } from "../report.ts";
import { formatLateAnswer, outcomeOf, statusOf } from "./callResult.ts";
import type { OpenCall } from "./openCalls.ts";

type EndedCall = Pick<OpenCall, "caller" | "target" | "followed">;

/** Does nothing if the calling session has an answer, or no longer knows the call. */
export async function deliverLateAnswer(sessions: SessionDirectory, { caller, target, followed }: EndedCall): Promise<void> {
	const known = await sessions.services.store.find(caller.session);
	const recorded = known && (await sessions.get(caller.session)).state.delegations.get(caller.call);
	// The calling session was deleted, cleared or rewound, or has an answer already.
	if (!recorded || recorded.ended !== undefined) return;
	const { event } = recorded;
	const { text, intro } = formatLateAnswer(target, followed);
	const status = statusOf(followed);
	const about: AnsweredCall = {
		kind: "answer",
		call: caller.call,
		turn: caller.turn,
		agent: target.agentId,
		session: target.sessionId,
		status,
		...(status === "error" && { outcome: outcomeOf(followed) }),
		usage: { ...followed.usage },
		...(event.budget && { budget: event.budget }),
		intro,
	};
	await deliverReport(sessions, { session: caller.session, recorded: event }, { id: `answer-${target.responseId}`, text, about });
}
