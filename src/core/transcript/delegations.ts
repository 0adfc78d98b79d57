// Folds calls of other agents: begun, answered by their result, or answered later by a message.

import type { AnsweredCall, Caller } from "../caller.ts";
import type { EventOf } from "../events.ts";
import { addTotals } from "../usage.ts";
import type { DelegationState, Transcript } from "./state.ts";

export function delegate(state: Transcript, event: EventOf<"delegated">): void {
	if (!state.delegations.has(event.call)) state.delegations.set(event.call, { event });
}

/** Unless the result says that the answer follows, it is the answer. */
export function endDelegation(state: Transcript, { call, view }: EventOf<"result">): void {
	const delegation = state.delegations.get(call);
	if (!delegation || delegation.ended !== undefined) return;
	const status = view?.kind === "agent" ? view.status : "unknown";
	if (status === "timeout" || status === "started") return;
	delegation.ended = status;
	if (view?.kind === "agent" && view.usage) addTotals(state.calledUsage, view.usage);
}

/** The first late answer counts. */
export function answerDelegation({ delegations, calledUsage }: Transcript, message: string, { call, status, usage }: AnsweredCall): void {
	const delegation = delegations.get(call);
	if (!delegation || delegation.answer !== undefined) return;
	delegation.answer = message;
	delegation.ended = status;
	if (usage) addTotals(calledUsage, usage);
}

export function deliverAnswer({ delegations }: Transcript, { call }: AnsweredCall): void {
	const delegation = delegations.get(call);
	if (delegation) delegation.delivered = true;
}

/** Calls whose answer is still to come. */
export function openDelegations({ delegations }: Pick<Transcript, "delegations">): DelegationState[] {
	return [...delegations.values()].filter(({ ended }) => ended === undefined);
}

/** Ids of the agents from the first caller to `agent`; empty if `agent` was not called. */
export function agentChain(caller: Pick<Caller, "chain"> | undefined, agent: string): string[] {
	return caller ? [...caller.chain, agent] : [];
}
