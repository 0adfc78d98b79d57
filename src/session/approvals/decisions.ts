// Handles the user's decisions in a session: answers to approvals and questions, and plans to execute.

import { randomUUID } from "node:crypto";
import type { AgentSwitchOffer, Answer, Author, EventOf, PlanRef, QuestionSubject } from "../../core/events.ts";
import { effectiveApprovalMode } from "../../core/grant.ts";
import { currentPlan, type PlanState, type Transcript } from "../../core/transcript/state.ts";
import { t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { SWITCH_ANSWER } from "../agent/roleSwitch.ts";
import { findActingRole, getAgent, getRole } from "../agent/sessionAgent.ts";
import { createDriftQuestion, findDriftedFiles, findDriftedPlan, requireExecutablePlan, toPlanRef } from "../plans/plans.ts";
import type { OpeningMessage, SessionContext, TurnEnd } from "../sessionContext.ts";
import {
	type AnswerEffect,
	type ApprovalAnswer,
	type ApprovalResponse,
	Approvals,
	getApprovalScope,
	judgeAnswer,
	judgeSwitchOffer,
	requireDecider,
} from "../state/pendingApprovals.ts";
import { SessionApprovals } from "../state/sessionApprovals.ts";
import { SessionBlockedError } from "../state/sessionBlocked.ts";
import type { ApprovalRequest, TurnContext } from "../turnContext.ts";
import { formatCoverage } from "./grantText.ts";
import { findRepeatedApprovalHint, listCountedNames } from "./repeatedApprovals.ts";

export class Decisions {
	readonly approvals = new Approvals();
	readonly approved = new SessionApprovals();
	private readonly session: SessionContext;
	private readonly settled = new Map<string, () => void>();
	/** Offered switches that are being carried out. */
	private readonly switching = new Set<string>();

	constructor(session: SessionContext) {
		this.session = session;
	}

	/** Approves the plan version with this hash and starts it. Ends `waiting` with a question if its files have changed. */
	async executePlan(ref: Partial<PlanRef>, by: Author = "person", force = false): Promise<TurnEnd> {
		requireDecider(by);
		await this.session.turnOver();
		this.session.refuseWhileRunning();
		await using slot = await this.session.begin(by);
		return await slot.run(await this.approve(requireExecutablePlan(this.session.state, ref), by, force));
	}

	/** Answers an approval or a question, or executes the current plan. Throws AnswerRefusedError if the answer does not apply. */
	async answer(request: string, answer: Answer, by: Author, hash?: string): Promise<TurnEnd | undefined> {
		const given = { answer, by, hash, at: this.session.services.now().getTime() };
		const judge = () => judgeAnswer(this.isCurrentPlan(request) ? "plan" : this.session.state.requests.get(request), given);
		// Before the lease, so that a refused answer takes no session from another window.
		judge();
		// Taking the lease also loads answers that were given in another window.
		await this.session.lease.take();
		if (judge().kind === "choice") await this.session.turnOver();
		const effect = judge();
		if (effect.kind === "plan") return this.executePlan({}, by);
		const record = async () => {
			const accepted = effect.kind === "approval" ? effect.answer : answer;
			await this.session.eventLog.emit({ type: "answered", request, ...(hash !== undefined && { hash }), answer: accepted }, by);
			this.settled.get(request)?.();
			this.settled.delete(request);
		};
		if (effect.kind === "choice") return this.continueWith(effect, by, record);
		if (effect.kind === "approval") await this.approvals.answer(request, effect.hash, effect.answer, record);
		else await record();
		return undefined;
	}

	/**
	 * The user takes an offered switch to another agent, once at a time. It stays pending unless `carryOut` calls `accept`, which
	 * records `value` as their answer. Throws AnswerRefusedError.
	 */
	async takeSwitchOffer(
		request: string,
		carryOut: (offer: AgentSwitchOffer, accept: (value: string) => Promise<void>) => Promise<void>,
	): Promise<void> {
		const at = this.session.services.now().getTime();
		const judge = () => judgeSwitchOffer(this.session.state.requests.get(request), at);
		judge();
		if (this.switching.has(request)) return;
		this.switching.add(request);
		try {
			await this.session.lease.take();
			await carryOut(judge(), async (value) => {
				judge();
				await this.session.eventLog.emit({ type: "answered", request, answer: { value } }, "person");
			});
		} finally {
			this.switching.delete(request);
		}
	}

	/** Resolves when a request is no longer pending. */
	taken(request: string): Promise<void> {
		if (this.session.state.requests.get(request)?.state !== "pending") return Promise.resolve();
		return new Promise((resolve) => {
			this.settled.set(request, resolve);
		});
	}

	private isCurrentPlan(request: string): boolean {
		const { state } = this.session;
		return state.run === undefined && currentPlan(state)?.event.planId === request;
	}

	private async approve(plan: PlanState, by: Author, force: boolean): Promise<OpeningMessage | undefined> {
		const changed = force ? [] : await findDriftedFiles(this.session.workspace, plan);
		if (changed.length > 0) {
			await this.session.eventLog.emit(createDriftQuestion(plan, changed), "host");
			return undefined;
		}
		await this.session.eventLog.emit({ type: "role", role: this.actingRole(), plan: toPlanRef(plan) }, by);
		return { text: t("Execute the plan.") };
	}

	private async continueWith(choice: Choice, by: Author, record: () => Promise<void>): Promise<TurnEnd> {
		const { say, executes, switches } = resolveChoice(this.session.state, choice);
		this.session.refuseWhileRunning();
		await using slot = await this.session.begin(by);
		await record();
		if (executes) return await slot.run(await this.approve(requireExecutablePlan(this.session.state, toPlanRef(executes)), by, true));
		if (switches) await this.session.eventLog.emit({ type: "role", role: this.actingRole() }, by);
		const { request, caller } = choice.event;
		return await slot.run({ text: say, answers: request, ...(caller && { caller }) });
	}

	/** Throws SessionBlockedError if the agent has no such role. */
	private actingRole(): string {
		const agent = getAgent(this.session);
		const role = findActingRole(this.session.policy, agent, getRole(this.session));
		if (!role)
			throw new SessionBlockedError(
				"no-acting-role",
				t("{0} has no role that can change files. Switch to an agent that has one.", agent.displayName),
			);
		return role.id;
	}
}

/** Undefined if `until` (by default the turn's signal) aborts before the user answers. */
export async function requestApproval(
	session: SessionContext,
	context: TurnContext,
	turn: string,
	approval: ApprovalRequest,
	until: AbortSignal = context.signal,
): Promise<ApprovalResponse | undefined> {
	const { eventLog, policy } = session;
	const request = randomUUID();
	const waiting = session.decisions.approvals.wait(request, approval, until);
	policy.limits.pause(turn);
	const answer = await eventLog
		.emit(asked(request, approval, context), "host", turn)
		.then(() => waiting)
		.finally(() => policy.limits.resume(turn));
	if (session.state.requests.get(request)?.state === "pending") await eventLog.emit({ type: "expired", request }, "host", turn);
	if (answer?.allow) await allowed(session, context, turn, approval, answer);
	await policy.limits.ready(turn, until);
	// What was allowed doesn't run if the turn was stopped while it waited for a place.
	return answer?.allow && !answer.ran && until.aborted ? undefined : answer;
}

function asked(request: string, approval: ApprovalRequest, { approved, services, policy, state }: TurnContext) {
	const { hash, call, made, summary, reason, more, view, always, line } = approval;
	const often = findRepeatedApprovalHint(approval, approved, effectiveApprovalMode(state, policy.settings()));
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
			session: always.map((grantable) => formatCoverage(grantable, "session")),
			always: always.map((grantable) => formatCoverage(grantable, "always")),
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
	// If the session has since switched to another agent, this agent gets no approvals in it.
	const current = () => session.state.agent === agent.agentId;
	if (current()) {
		approved.meet(approval.destinations ?? []);
		approved.count(listCountedNames(approval));
	}
	if (scope === "always") await keep(session, context, turn, approval.always);
	if (scope !== "session" || !current()) return;
	for (const grantable of approval.always) approved.give(agent, grantable, session.workspace.identity(), services.now().toISOString());
}

/** If saving fails, the call is still allowed this once. */
async function keep(
	{ eventLog, services, workspace: { identity } }: SessionContext,
	{ agent }: TurnContext,
	turn: string,
	always: ApprovalRequest["always"],
): Promise<void> {
	const at = services.now().toISOString();
	const workspace = identity();
	for (const grant of always) {
		try {
			await services.grants.add({ ...grant, agent: agent.agentId, workspace, at });
		} catch (error) {
			const text = t(
				"The approval couldn't be saved, so it applies to this call only. {0} The approval would have covered: {1}",
				reasonOf(error, services.log),
				formatCoverage(grant, "always"),
			);
			await eventLog.emit({ type: "status", level: "warning", text }, "host", turn);
		}
	}
}

type Choice = Extract<AnswerEffect, { kind: "choice" }>;

function resolveChoice(state: Transcript, { event, value, say }: Choice): { say: string; switches?: boolean; executes?: PlanState } {
	const about = event.about ?? readLegacySubject(event.request);
	const drifted = findDriftedPlan(state, about);
	if (drifted && value === "execute") return { say, executes: drifted };
	if (drifted) return { say: "Plan again: files have changed since the plan was made." };
	return { say, ...(about?.kind === "switch" && value === SWITCH_ANSWER && { switches: true }) };
}

/** In 0.1.0 the subject was part of the request's id: `drift_PLAN_VERSION_RANDOM` or `switch_RANDOM`. Only the host creates ids. */
function readLegacySubject(request: string): QuestionSubject | undefined {
	if (request.startsWith("switch_")) return { kind: "switch" };
	const [, planId, version] = /^drift_(.+)_(\d+)_[^_]+$/.exec(request) ?? [];
	return planId === undefined ? undefined : { kind: "drift", planId, version: Number(version) };
}
