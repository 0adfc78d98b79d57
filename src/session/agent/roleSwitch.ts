// Changes a session's role or agent, and describes the running work that this stops.

import { randomUUID } from "node:crypto";
import type { Author, EventBody } from "../../core/events.ts";
import type { Role } from "../../core/role.ts";
import { withQuestionVersion } from "../../core/structured.ts";
import { pendingQuestion, pendingRequests } from "../../core/transcript/state.ts";
import { UserError } from "../../core/userError.ts";
import { formatList, t } from "../../shared/l10n.ts";
import type { SessionContext } from "../sessionContext.ts";
import {
	getAgent,
	getRole,
	getTurnRole,
	isRoleAllowed,
	listAllowedRoles,
	passedCeiling,
	requireAgent,
	resolveRoleForAgent,
} from "./sessionAgent.ts";

export interface ChangeOptions {
	/** Running work may be stopped. */
	stop?: boolean | undefined;
}

/** More permissions apply from the next turn. Fewer stop running work: throws SessionRunning unless `stop` is set. */
export async function changeRole(session: SessionContext, role: string, by: Author, options: ChangeOptions): Promise<void> {
	const { policy, state, eventLog, lease } = session;
	const next = policy.roles().find((candidate) => candidate.id === role);
	if (!next)
		throw new UserError(t("The role {0} doesn't exist. Available roles: {1}.", role, formatList(policy.roles().map(({ id }) => id))));
	if (role === state.role) return;
	const agent = getAgent(session);
	if (!isRoleAllowed(agent, role)) {
		const able = listAllowedRoles(policy, agent).map(({ label }) => label);
		throw new UserError(t("{0} can't work as {1}. Available roles: {2}.", agent.displayName, next.label, formatList(able)));
	}
	if (narrowsPermissions(session, next)) await stopUnderway(session, options);
	await lease.take();
	await eventLog.emit({ type: "role", role }, by);
}

/** Applies from the next turn, with a role that the agent allows. Stops work as `changeRole` does; also ends a running plan. */
export async function changeAgent(session: SessionContext, agent: string, by: Author, options: ChangeOptions): Promise<void> {
	const { policy, state, eventLog, lease, decisions } = session;
	if (agent === state.agent) return;
	const next = requireAgent(policy, agent);
	const bound = [getAgent(session), next].find(({ single }) => single);
	if (bound) throw new UserError(t("{0} has its own session, which no other agent can have. Nothing was changed.", bound.displayName));
	const role = resolveRoleForAgent(policy, next, state.role);
	if (state.run || narrowsPermissions(session, getRole(session, role))) await stopUnderway(session, options);
	await lease.take();
	await eventLog.emit({ type: "agent", agent, name: next.displayName }, by);
	decisions.approved.end();
	await changeRole(session, role, by, options);
}

/** Returns true if the session, or those that it calls, have permissions now that they lack with the next role. */
export function narrowsPermissions(session: SessionContext, next: Role): boolean {
	const now = getTurnRole(session);
	const lacks = (given: Role["permissions"], permissions: Role["permissions"]) =>
		permissions.some((permission) => !given.includes(permission));
	return lacks(next.permissions, now.permissions) || lacks(passedCeiling(next, undefined), passedCeiling(now, undefined));
}

async function stopUnderway(session: SessionContext, { stop = false }: ChangeOptions): Promise<void> {
	const warning = describeRunningWork(session);
	if (warning !== undefined && !stop)
		throw new SessionRunningError(t("The switch was canceled because it would stop running work. {0}", warning));
	await session.cancel();
	session.endBackground();
	const question = warning === undefined ? undefined : pendingQuestion(session.state);
	if (question) await session.eventLog.emit({ type: "expired", request: question.request }, "host");
}

/** Running work would be stopped without consent. Its code is part of the exported API. */
class SessionRunningError extends UserError {
	override readonly name = "SessionRunning";
	readonly code = "running";
}

/** Describes running work in sentences; undefined if nothing is running. A question outside a plan can be answered in any role. */
export function describeRunningWork({ state, isRunning }: SessionContext): string | undefined {
	const { run } = state;
	if (!run && !isRunning) return undefined;
	const requests = pendingRequests(state);
	const approvals = requests.filter(({ kind }) => kind === "approval").length;
	return [
		run ? formatPlanStop(run.event.plan.goal, run.step, run.event.plan.steps.length) : t("The current turn stops."),
		...(approvals > 0 ? [t("Actions that need your approval don't run.")] : []),
		...(requests.length > approvals ? [t("The pending question is dismissed.")] : []),
		t("Completed work isn't undone."),
	].join(" ");
}

function formatPlanStop(goal: string, step: number | undefined, steps: number): string {
	return step === undefined ? t("The plan “{0}” stops.", goal) : t("The plan “{0}” stops at step {1} of {2}.", goal, step, steps);
}

export const SWITCH_ANSWER = "switch";

export function createSwitchOffer(from: Role, to: Role, reason: string): Extract<EventBody, { type: "question" }> {
	return {
		type: "question",
		request: randomUUID(),
		about: { kind: "switch" },
		question: withQuestionVersion({
			question: t("Switch to {0}?", to.label),
			context: reason,
			severity: "minor",
			options: [
				{
					label: t("Switch to {0}", to.label),
					value: SWITCH_ANSWER,
					description: t("This role can change files. Commands and actions that your rules list still require approval"),
				},
				{ label: t("Stay in {0}", from.label), value: "stay", description: t("Nothing changes") },
			],
			default: "stay",
			allow_custom: false,
		}),
	};
}
