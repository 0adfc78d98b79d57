// Which roles an agent may have, and how a session changes its role or its agent with the person's consent.
import type { AgentDefinition, Role } from "../core/permissions.ts";
import { t } from "../l10n.ts";
import { permissionWords } from "../permissionWords.ts";
import type { ChatHost } from "./chatHost.ts";
import type { Conversation } from "./conversation.ts";
import type { Services } from "./services.ts";
import { agentOf, roleOf } from "./who.ts";

/** The roles that an agent may have. */
export function rolesFor({ roles }: Pick<Services, "roles">, { roles: named }: AgentDefinition): Role[] {
	return roles().filter(({ id }) => named?.includes(id) ?? true);
}

export function mayHave({ roles }: AgentDefinition, role: string): boolean {
	return roles?.includes(role) ?? true;
}

/** The role of a session that gets this agent: the one it has, or would begin with, where the agent may have it. */
export function roleUnder(services: Pick<Services, "roles">, agent: AgentDefinition, current: string): string {
	if (mayHave(agent, current)) return current;
	const able = rolesFor(services, agent);
	return (able.find(({ id }) => id === agent.defaultRole) ?? able[0])?.id ?? agent.roles?.[0] ?? current;
}

/** The role that a new session of this agent begins with. */
export function firstRole(services: Pick<Services, "roles" | "settings">, agent: AgentDefinition): string {
	const known = services.roles().some(({ id }) => id === agent.defaultRole);
	return roleUnder(services, agent, (known ? agent.defaultRole : undefined) ?? services.settings().defaultRole);
}

/** Changes that ask the person first where something is lost or gained by them; false when they would rather not. */
export function createSwitching({
	services,
	host,
	refresh,
}: {
	services: Services;
	host: Pick<ChatHost, "confirm">;
	refresh(): Promise<void>;
}) {
	async function confirmed(text: string, button: string): Promise<boolean> {
		const go = await host.confirm(text, button);
		if (!go) await refresh();
		return go;
	}
	return {
		async setRole(conversation: Conversation, role: string): Promise<boolean> {
			const next = services.roles().find((candidate) => candidate.id === role);
			if (next && conversation.isRunning && conversation.narrows(next)) {
				const text = t("Switching to {0} stops what is running. What it has done so far stays.", next.label);
				if (!(await confirmed(text, t("Stop and switch")))) return false;
			}
			await conversation.setRole(role);
			return true;
		},
		async setAgent(conversation: Conversation, agentId: string): Promise<boolean> {
			const agent = agentOf(conversation, agentId);
			const [now, then] = [roleOf(conversation), roleOf(conversation, roleUnder(services, agent, conversation.state.role))];
			const gained = then.permissions.filter((permission) => !now.permissions.includes(permission));
			if (gained.length > 0) {
				const may = gained.map((permission) => permissionWords[permission]).join(", ");
				const text = t("{0} works in the {1} role only, which also may: {2}.", agent.displayName, then.label, may);
				if (!(await confirmed(text, t("Switch Agent")))) return false;
			} else if (conversation.isRunning && conversation.narrows(then)) {
				const text = t("Switching to {0} stops what is running. What it has done so far stays.", agent.displayName);
				if (!(await confirmed(text, t("Stop and switch")))) return false;
			}
			await conversation.setAgent(agentId);
			return true;
		},
	};
}
