// Puts an approval to the person, and keeps what they allow for good.
import { randomUUID } from "node:crypto";
import { t } from "../l10n.ts";
import type { ApprovalAnswer } from "./approvals.ts";
import type { Conversation } from "./conversation.ts";
import { coverWords } from "./grantWords.ts";
import type { Approval, TurnContext } from "./turnContext.ts";

/** Undefined when `until` ends, which is the turn if nothing is named, before they answer. */
export async function askPerson(
	conversation: Conversation,
	context: TurnContext,
	turn: string,
	approval: Approval,
	until: AbortSignal = context.signal,
): Promise<ApprovalAnswer | undefined> {
	const { journal, services } = conversation;
	const request = randomUUID();
	const { hash, call, made, summary, reason, view, always } = approval;
	const covers = always.map(coverWords);
	const body = {
		type: "asked" as const,
		request,
		call: call.id,
		...(made && { made }),
		summary,
		hash,
		reason,
		...(covers.length > 0 && { always: covers }),
		...(view && { view }),
	};
	const waiting = conversation.decisions.approvals.wait(request, hash, services.now().getTime(), until);
	await journal.emit(body, "host", turn);
	const answer = await waiting;
	if (!answer) await journal.emit({ type: "expired", request }, "host", turn);
	if (answer?.allow && answer.always) await keep(conversation, context, turn, always);
	return answer;
}

/** What cannot be kept was still allowed this once. */
async function keep({ journal, services }: Conversation, { agent }: TurnContext, turn: string, always: Approval["always"]): Promise<void> {
	const at = services.now().toISOString();
	const workspace = services.workspace.identity();
	for (const grant of always) {
		try {
			await services.grants.add({ ...grant, agent: agent.agentId, workspace, at });
		} catch (error) {
			const why = error instanceof Error ? error.message : String(error);
			const text = t("{0} is allowed this once, and will ask again: {1}", coverWords(grant), why);
			await journal.emit({ type: "status", level: "warning", text }, "host", turn);
		}
	}
}
