// Records calls between agents in the audit log.

import type { Caller } from "../../core/caller.ts";
import type { EventOf } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { countTokens } from "../../core/usage.ts";
import { findPassedLimit, passedCeiling } from "../../session/agent/sessionAgent.ts";
import type { Services } from "../../session/services.ts";
import type { Session } from "../../session/session.ts";
import { statusOf } from "./callResult.ts";
import type { OpenCall } from "./openCalls.ts";

/** The tool whose calls are recorded. */
export const CALLING_TOOL = "agents_message";

type What = Pick<AuditEntry, "kind" | "decision"> & Partial<AuditEntry>;
type Auditing = Pick<Services, "audit" | "now">;

/** Resolves once the call is recorded: nothing is sent before. */
export function auditCall(services: Auditing, { caller, target }: Pick<OpenCall, "caller" | "target">, content: string): Promise<void> {
	return record(
		services,
		caller,
		{ agent: target.agentId, session: target.sessionId },
		{ kind: "call", decision: "allowed", summary: content },
	);
}

export async function auditRefusal(
	services: Auditing,
	caller: Caller,
	{ agentId, content }: { agentId: string; content: string },
	reason: string,
): Promise<void> {
	await record(services, caller, { agent: agentId }, { kind: "refusal", decision: "refused", summary: content, reason });
}

/** A call that the gate or the user denied. */
export async function auditDenial({ services, policy, sessionId, state, sender }: Session, event: EventOf<"result">): Promise<void> {
	const call = event.view?.kind === "denied" ? state.calls.get(event.call)?.call : undefined;
	if (call?.name !== CALLING_TOOL || !isRecord(call.input)) return;
	const { agentId, content } = call.input;
	const agent = typeof agentId === "string" ? agentId : "";
	const role = policy.roles().find(({ id }) => id === state.turn?.role);
	await services.audit?.record({
		at: services.now().toISOString(),
		kind: "refusal",
		decision: "refused",
		caller: { session: sessionId, agent: state.turn?.agent ?? state.agent, call: call.id, role: state.turn?.role ?? state.role },
		target: { agent },
		chain: [...(state.turn?.caller?.chain ?? []), state.turn?.agent ?? state.agent, agent],
		...(sender && role && { ceiling: passedCeiling(role, findPassedLimit(state, sender)) }),
		summary: typeof content === "string" ? content : "",
		reason: event.output,
	});
}

/** `summary`: what the user was asked to allow. */
export function auditApproval(services: Auditing, { caller, target }: OpenCall, { answer }: EventOf<"answered">, summary: string): void {
	const decision = "allow" in answer && answer.allow ? "allowed" : "refused";
	void record(services, caller, { agent: target.agentId, session: target.sessionId }, { kind: "approval", decision, summary });
}

export function auditAnswer(services: Auditing, { caller, target, followed }: OpenCall): void {
	const tokens = Math.round(countTokens(followed.usage));
	const end: What = { kind: "answer", decision: "allowed", status: statusOf(followed), tokens };
	void record(services, caller, { agent: target.agentId, session: target.sessionId }, end);
}

async function record({ audit, now }: Auditing, caller: Caller, target: AuditEntry["target"], what: What): Promise<void> {
	const { session, agent, call, role, chain, ceiling } = caller;
	await audit?.record({
		at: now().toISOString(),
		caller: { session, agent, call, role },
		target,
		chain: [...chain, target.agent],
		ceiling,
		summary: "",
		...what,
	});
}
