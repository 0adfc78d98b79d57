// How long an answer to an approval counts: no longer than was offered.
import type { ApprovalScope, EventOf } from "../../core/events.ts";
import type { ApprovalAnswer } from "./approvals.ts";

type Offer = Pick<EventOf<"asked">, "session" | "always">;

/** What the person said, as far as it was offered; `always` beside it is for whoever reads transcripts of before. */
export function limitToOffer(offer: Offer, answer: ApprovalAnswer): ApprovalAnswer {
	const { scope: _, always: __, ...rest } = answer;
	const scope = answer.allow ? getApprovalScope(answer) : "once";
	if (scope === "once" || !offer[scope]?.length) return rest;
	return { ...rest, scope, ...(scope === "always" && { always: true }) };
}

/** Answers of before say `always` alone; what nobody knows is once. */
export function getApprovalScope({ scope, always }: ApprovalAnswer): ApprovalScope {
	if (scope === undefined) return always === true ? "always" : "once";
	return scope === "session" || scope === "always" ? scope : "once";
}
