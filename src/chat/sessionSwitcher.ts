// Switches a session's role or agent and executes plans, asking first if work stops or permissions grow.
import type { PlanRef } from "../core/events.ts";
import { describeRunningWork, narrowsPermissions } from "../session/agent/roleSwitch.ts";
import { findActingRole, getAgent, getRole, resolveRoleForAgent } from "../session/agent/sessionAgent.ts";
import type { SessionPolicy } from "../session/services.ts";
import type { Session } from "../session/session.ts";
import { SessionBlockedError } from "../session/state/sessionBlocked.ts";
import { formatList, t } from "../shared/l10n.ts";
import { permissionLabels } from "../shared/permissionLabels.ts";
import type { ChatHost } from "./chatHost.ts";

/** Executes the plan; if the session's agent has no acting role, asks the user for another agent. */
export async function executePlan(session: Session, ref: Partial<PlanRef>, pickAgent: ChatHost["pickAgent"]): Promise<void> {
	const { policy, state } = session;
	const from = getRole(session);
	if (!findActingRole(policy, getAgent(session), from)) {
		const capable = policy.agents().filter((agent) => agent.uiVisible !== false && findActingRole(policy, agent, from));
		if (capable.length === 0)
			throw new SessionBlockedError(
				"no-acting-agent",
				t("No agent has a role that can change files. Create one with “Troupe: Manage Agents”."),
			);
		const agent = await pickAgent(state.agent, { title: t("Execute With"), agents: capable.map(({ agentId }) => agentId) });
		if (agent === undefined) return;
		await session.setAgent(agent);
	}
	await session.executePlan(ref);
}

/** Role and agent switches that ask first if work stops or permissions grow; false if the user declines. */
export function createSessionSwitcher({
	policy,
	host,
	refresh,
	open,
}: {
	policy: SessionPolicy;
	host: Pick<ChatHost, "confirm">;
	refresh(): Promise<void>;
	/** Shows the agent's own session instead. */
	open(agentId: string): Promise<void>;
}) {
	async function confirmed(question: string, lines: readonly string[], button: string): Promise<boolean> {
		const confirmation = await host.confirm(question, lines, button);
		if (!confirmation) await refresh();
		return confirmation;
	}
	return {
		async setRole(session: Session, role: string): Promise<boolean> {
			const next = policy.roles().find((candidate) => candidate.id === role);
			const stops = next && role !== session.state.role && narrowsPermissions(session, next) ? describeRunningWork(session) : undefined;
			if (next && stops !== undefined && !(await confirmed(t("Switch to {0}?", next.label), [stops], t("Stop and Switch")))) return false;
			await session.setRole(role, "person", { stop: true });
			return true;
		},
		async setAgent(session: Session, agentId: string): Promise<boolean> {
			const agent = getAgent(session, agentId);
			if (agentId !== session.state.agent && (agent.single || getAgent(session).single)) {
				await open(agentId);
				return false;
			}
			const [now, then] = [getRole(session), getRole(session, resolveRoleForAgent(policy, agent, session.state.role))];
			const gained = then.permissions.filter((permission) => !now.permissions.includes(permission));
			const may = formatList(gained.map((permission) => permissionLabels[permission]));
			const gains = t("{0} only works in the {1} role, which can also: {2}.", agent.displayName, then.label, may);
			const stops = session.state.run || narrowsPermissions(session, then) ? describeRunningWork(session) : undefined;
			const lines = [...(gained.length > 0 ? [gains] : []), ...(stops === undefined ? [] : [stops])];
			const button = stops === undefined ? t("Switch Agent") : t("Stop and Switch");
			const question = t("Switch to {0}?", agent.displayName);
			if (agentId !== session.state.agent && lines.length > 0 && !(await confirmed(question, lines, button))) return false;
			await session.setAgent(agentId, "person", { stop: true });
			return true;
		},
	};
}
