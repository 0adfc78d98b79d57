// Puts an approval to the person, and keeps what they allow for longer than this once.

import { randomUUID } from "node:crypto";
import type { EventOf } from "../../core/events.ts";
import { effectiveApprovalMode } from "../../core/grant.ts";
import { t } from "../../shared/l10n.ts";
import type { ApprovalRequest, SessionContext, TurnContext } from "../context.ts";
import { getApprovalScope } from "./approvalScope.ts";
import type { ApprovalAnswer, ApprovalResponse } from "./approvals.ts";
import { formatCoverage } from "./grantText.ts";
import { findRepeatedApprovalHint, listCountedNames } from "./oftenAllowed.ts";

/** Undefined when `until` ends, which is the turn if nothing is named, before they answer. */
export async function requestApproval(
	session: SessionContext,
	context: TurnContext,
	turn: string,
	approval: ApprovalRequest,
	until: AbortSignal = context.signal,
): Promise<ApprovalResponse | undefined> {
	const { eventLog: journal, services } = session;
	const request = randomUUID();
	const waiting = session.decisions.approvals.wait(request, approval, services.now().getTime(), until);
	await journal.emit(asked(request, approval, context), "host", turn);
	const answer = await waiting;
	if (session.state.requests.get(request)?.state === "pending") await journal.emit({ type: "expired", request }, "host", turn);
	if (answer?.allow) await allowed(session, context, turn, approval, answer);
	return answer;
}

function asked(request: string, approval: ApprovalRequest, { approved, services, state }: TurnContext) {
	const { hash, call, made, summary, reason, more, view, always, line } = approval;
	const often = findRepeatedApprovalHint(approval, approved, effectiveApprovalMode(state, services.settings()));
	return {
		type: "asked" as const,
		request,
		call: call.id,
		...(made && { made }),
		summary,
		hash,
		reason,
		...(more && { more: [...more] }),
		...(always.length > 0 && {
			session: always.map((one) => formatCoverage(one, "session")),
			always: always.map((one) => formatCoverage(one, "always")),
		}),
		...(often && { often }),
		...(line && services.terminal && { terminal: true as const }),
		...(view && { view }),
	} satisfies Partial<EventOf<"asked">>;
}

async function allowed(
	session: SessionContext,
	context: TurnContext,
	turn: string,
	approval: ApprovalRequest,
	answer: ApprovalAnswer,
): Promise<void> {
	const { approved, agent, services } = context;
	const scope = getApprovalScope(answer);
	// An agent that has been switched away from meanwhile keeps nothing in this session.
	const current = () => session.state.agent === agent.agentId;
	if (current()) {
		approved.meet(approval.meets ?? []);
		approved.count(listCountedNames(approval));
	}
	if (scope === "always") await keep(session, context, turn, approval.always);
	if (scope !== "session" || !current()) return;
	for (const one of approval.always) approved.give(agent, one, services.workspace.identity(), services.now().toISOString());
}

/** What cannot be kept was still allowed this once. */
async function keep(
	{ eventLog: journal, services }: SessionContext,
	{ agent }: TurnContext,
	turn: string,
	always: ApprovalRequest["always"],
): Promise<void> {
	const at = services.now().toISOString();
	const workspace = services.workspace.identity();
	for (const grant of always) {
		try {
			await services.grants.add({ ...grant, agent: agent.agentId, workspace, at });
		} catch (error) {
			const why = error instanceof Error ? error.message : String(error);
			const text = t(
				"The approval was not saved, so it applies to this call only. {0} It would have covered: {1}",
				why,
				formatCoverage(grant, "always"),
			);
			await journal.emit({ type: "status", level: "warning", text }, "host", turn);
		}
	}
}
