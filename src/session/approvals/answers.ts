// What follows from an answer to a question: words for the model, a plan that goes ahead after all, a switch of role.

import type { Answer, EventOf } from "../../core/events.ts";
import type { PlanState, RequestState, Transcript } from "../../core/transcript/state.ts";
import { t } from "../../shared/l10n.ts";
import { AnswerRefusedError, MIN_ANSWER_DELAY } from "./approvals.ts";
import { findDriftedPlan } from "./plans.ts";
import { isSwitchOffer, SWITCH_ANSWER } from "./roleSwitchOffer.ts";

export type AnswerEffect = { say: string; switches?: boolean; executes?: PlanState } | "dismissed";

/** Throws AnswerRefused where the answer does not fit the question. */
export function resolveAnswer(state: Transcript, { request, question }: EventOf<"question">, answer: Answer): AnswerEffect {
	if (!("value" in answer)) {
		if (answer.allow) throw new AnswerRefusedError(t("A question takes one of its options; allow: false dismisses it."));
		return "dismissed";
	}
	const option = question.options?.find((candidate) => candidate.value === answer.value);
	if (!option && !question.allow_custom) throw new AnswerRefusedError(t("This question takes one of its options."));
	const say = option?.label ?? answer.value;
	const drifted = findDriftedPlan(state, request);
	if (drifted && answer.value === "execute") return { say, executes: drifted };
	if (drifted) return { say: "Plan again: files have changed since the plan was made." };
	return { say, ...(isSwitchOffer(request) && answer.value === SWITCH_ANSWER && { switches: true }) };
}

/** Throws AnswerRefused unless the request waits, and has waited long enough to have been read. */
export function requirePending(entry: RequestState | undefined, now: Date): RequestState {
	if (entry?.state !== "pending") throw new AnswerRefusedError(t("This request has expired or was answered already."));
	if (now.getTime() - Date.parse(entry.event.at) < MIN_ANSWER_DELAY) {
		throw new AnswerRefusedError(t("This answer came too early: the request had only just appeared."));
	}
	return entry;
}
