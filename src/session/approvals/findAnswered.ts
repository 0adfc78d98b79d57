// Finds what a message of the user answers.
import { currentPlan, pendingQuestion, type Transcript } from "../../core/transcript/state.ts";
import type { OpeningMessage } from "../context.ts";

/** The pending question that a message of the user answers, and the call whose question or plan it is about. */
export function findAnswered(state: Transcript, knew: number): Pick<OpeningMessage, "answers" | "caller"> {
	const question = pendingQuestion(state);
	const request = question?.allow_custom && question.seq <= knew ? state.requests.get(question.request) : undefined;
	const plan = currentPlan(state);
	const source = request?.event.type === "question" ? request.event : plan?.state === "proposed" ? plan.event : undefined;
	return { ...(request && { answers: request.event.request }), ...(source?.caller && { caller: source.caller }) };
}
