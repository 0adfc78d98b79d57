// What the person decides in a session: answers to approvals and questions, and plans to carry out.

import type { Answer, Author, EventOf, PlanRef, TranscriptEvent } from "../../core/events.ts";
import { currentPlan } from "../../core/transcript/fold.ts";
import type { PlanState } from "../../core/transcript/state.ts";
import { t } from "../../shared/l10n.ts";
import { findActingRole } from "../agentRoles.ts";
import type { OpeningMessage, SessionContext, TurnEnd } from "../context.ts";
import { SessionBlockedError } from "../lease.ts";
import { getAgent, getRole } from "../sessionAgent.ts";
import { requirePending, resolveAnswer } from "./answers.ts";
import { limitToOffer } from "./approvalScope.ts";
import { AnswerRefusedError, Approvals } from "./approvals.ts";
import { createDriftQuestion, findDriftedFiles, requireExecutablePlan, toPlanRef } from "./plans.ts";
import { SessionApprovals } from "./sessionApprovals.ts";

export class Decisions {
	readonly approvals = new Approvals();
	readonly approved = new SessionApprovals();
	private readonly conversation: SessionContext;
	private readonly settled = new Map<string, () => void>();

	constructor(session: SessionContext) {
		this.conversation = session;
	}

	/** Approves this version of the plan, by its hash, and starts it. Ends `waiting` with a question when its files have changed. */
	async executePlan(ref: Partial<PlanRef>, by: Author = "person", force = false): Promise<TurnEnd> {
		this.conversation.refuseWhileRunning();
		return this.conversation.begin(by, async () => this.approve(requireExecutablePlan(this.conversation.state, ref), by, force));
	}

	/** Answers an approval or a question. Throws AnswerRefused when it does not apply. */
	async answer(request: string, answer: Answer, by: Author, hash?: string): Promise<TurnEnd | undefined> {
		// What counts is when it came, not when the session was there to take it.
		const now = this.conversation.services.now();
		const waiting = () => requirePending(this.conversation.state.requests.get(request), now);
		if (!this.isCurrentPlan(request)) waiting();
		// With it comes what another window may have answered.
		await this.conversation.lease.take();
		if (this.isCurrentPlan(request)) return this.answerPlan(answer, by);
		const entry = waiting();
		const { event: about } = entry;
		const said = about.type === "asked" && "allow" in answer ? limitToOffer(about, answer) : answer;
		const record = async () => {
			const event = await this.conversation.eventLog.emit(
				{ type: "answered", request, ...(hash !== undefined && { hash }), answer: said },
				by,
			);
			this.settled.get(request)?.();
			this.settled.delete(request);
			return event;
		};
		if (entry.kind === "approval") {
			if (!("allow" in said)) throw new AnswerRefusedError(t("An approval is answered with allow or deny."));
			if (by === "person" && hash === undefined) throw new AnswerRefusedError(t("An approval names what it approves."));
			await this.approvals.answer(request, hash, said, now.getTime(), record);
			return undefined;
		}
		return entry.event.type === "question" ? this.answerQuestion(entry.event, answer, by, record) : undefined;
	}

	/** Resolves when a request is no longer pending. */
	taken(request: string): Promise<void> {
		if (this.conversation.state.requests.get(request)?.state !== "pending") return Promise.resolve();
		return new Promise((resolve) => {
			this.settled.set(request, resolve);
		});
	}

	private isCurrentPlan(request: string): boolean {
		const { state } = this.conversation;
		return state.run === undefined && currentPlan(state)?.event.planId === request;
	}

	private async approve(plan: PlanState, by: Author, force: boolean): Promise<OpeningMessage | undefined> {
		const changed = force ? [] : await findDriftedFiles(this.conversation.services.workspace, plan);
		if (changed.length > 0) {
			await this.conversation.eventLog.emit(createDriftQuestion(plan, changed), "host");
			return undefined;
		}
		await this.conversation.eventLog.emit({ type: "role", role: this.actingRole(), plan: toPlanRef(plan) }, by);
		return { text: t("Execute the plan.") };
	}

	private async answerQuestion(
		event: EventOf<"question">,
		answer: Answer,
		by: Author,
		record: () => Promise<TranscriptEvent>,
	): Promise<TurnEnd | undefined> {
		const consequence = resolveAnswer(this.conversation.state, event, answer);
		if (consequence === "dismissed") {
			await record();
			return undefined;
		}
		this.conversation.refuseWhileRunning();
		return this.conversation.begin(by, async () => {
			await record();
			const { say, executes, switches } = consequence;
			if (executes) return this.approve(requireExecutablePlan(this.conversation.state, toPlanRef(executes)), by, true);
			if (switches) await this.conversation.eventLog.emit({ type: "role", role: this.actingRole() }, by);
			return { text: say, answers: event.request };
		});
	}

	private answerPlan(answer: Answer, by: Author): Promise<TurnEnd> {
		if ("allow" in answer && answer.allow) return this.executePlan({}, by);
		throw new AnswerRefusedError(t("A plan is executed with allow: true, or left as it is. Say in a message what should change."));
	}

	/** Throws ConversationBlocked where the agent has none. */
	private actingRole(): string {
		const agent = getAgent(this.conversation);
		const role = findActingRole(this.conversation.services, agent, getRole(this.conversation));
		if (!role) throw new SessionBlockedError(t("{0} has no role that changes files. Switch to an agent that has one.", agent.displayName));
		return role.id;
	}
}
