// Continues a denied task in a wider role of its caller, as the user wants it.
import { currentPlan, pendingRequests } from "../../core/transcript/state.ts";
import { UserError } from "../../core/userError.ts";
import { getAgent } from "../../session/agent/sessionAgent.ts";
import type { Session } from "../../session/session.ts";
import { SessionBlockedError } from "../../session/state/sessionBlocked.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";
import { t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { toShownRefusal } from "./taskRefusal.ts";
import type { Tasks } from "./tasks.ts";
import { findWiderRole, type WiderRole } from "./widerRole.ts";

interface Wanted {
	task: string;
	/** Id of the role that the user was offered. */
	role: string;
	/** Switches the caller's role as the user does; false if the user declines, for it would stop running work. */
	switchRole(caller: Session, role: string): Promise<boolean>;
}

/**
 * Sets the caller's role, then continues the task with its permissions, as far as its type has them. What can't be done is
 * refused before anything changes; if the task can't begin after all, the role stays. Throws an Error to display.
 */
export async function continueAs(sessions: SessionDirectory, tasks: Tasks, { task, role, switchRole }: Wanted): Promise<void> {
	const { services } = sessions;
	const restricted = services.restricted();
	if (restricted !== undefined) throw new SessionBlockedError("restricted", restricted);
	const { session, record } = await toShownRefusal("continue", tasks.requireIdle(task));
	if (isWaitingForPerson(session)) throw new UserError(t("The task waits for your answer. Nothing was changed. Answer it first."));
	if (record.copied && !(await services.copies?.find(task)))
		throw new UserError(t("The task's copy of the workspace is gone, so the task can't go on. Start a new task."));
	if (!(await services.store.find(record.caller.session)))
		throw new UserError(t("The session that started this task no longer exists. Nothing was changed. Start a new task."));
	const caller = await sessions.get(record.caller.session);
	// Another window may have it, or may have changed its role.
	await caller.lease.take();
	const wider = findWiderRole(caller, record);
	if (wider?.role.id !== role)
		throw new UserError(t("The role no longer allows what the task was denied. Nothing was changed. Look at the task again."));
	if (!(await switchRole(caller, role))) return;
	await audit(caller, task, wider);
	await toShownRefusal("continue", tasks.continue(task, wider)).catch((error: unknown) => {
		const reason = reasonOf(error, sessions.services.log);
		throw new UserError(t("{0} now works as {1}. {2}", getAgent(caller).displayName, wider.role.label, reason));
	});
}

/** Returns true if the task waits for something other than information. It may do without information once it has more permissions. */
function isWaitingForPerson({ state }: Session): boolean {
	const isOther = pendingRequests(state).some(({ event }) => event.type !== "question" || event.about?.kind !== "information");
	return isOther || currentPlan(state)?.state === "proposed";
}

/** Resolves once it is recorded: nothing is widened before. */
async function audit({ sessionId, services, state }: Session, task: string, { role, ceiling }: WiderRole): Promise<void> {
	const target = await services.store.find(task);
	await services.audit?.record({
		at: services.now().toISOString(),
		kind: "widening",
		caller: { session: sessionId, agent: state.agent, role: role.id },
		target: { agent: target?.agentId ?? "", session: task },
		ceiling,
		summary: target?.name ?? "",
		decision: "allowed",
	});
}
