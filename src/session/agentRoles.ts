// Which roles an agent may have, which one it begins with, and in which one it acts.
import type { AgentDefinition, Role } from "../core/role.ts";
import type { Services } from "./context.ts";

/** The roles that an agent may have. */
export function listAllowedRoles({ roles }: Pick<Services, "roles">, { roles: named }: AgentDefinition): Role[] {
	return roles().filter(({ id }) => named?.includes(id) ?? true);
}

export function isRoleAllowed({ roles }: AgentDefinition, role: string): boolean {
	return roles?.includes(role) ?? true;
}

/** The role of a session that gets this agent: the one it has, or would begin with, where the agent may have it. */
export function resolveRoleForAgent(services: Pick<Services, "roles">, agent: AgentDefinition, current: string): string {
	if (isRoleAllowed(agent, current)) return current;
	const able = listAllowedRoles(services, agent);
	return (able.find(({ id }) => id === agent.defaultRole) ?? able[0])?.id ?? agent.roles?.[0] ?? current;
}

/** The role in which this agent carries out a plan made in `from`: where that role leads, or its own that may do most. */
export function findActingRole(services: Pick<Services, "roles">, agent: AgentDefinition, from: Pick<Role, "acts">): Role | undefined {
	const able = listAllowedRoles(services, agent).filter(({ permissions }) => permissions.includes("WriteFiles"));
	const most = able.toSorted((one, other) => other.permissions.length - one.permissions.length)[0];
	return able.find(({ id }) => id === (from.acts ?? ACTING_ROLE)) ?? most;
}

/** Where "Execute plan" leads from a role that does not say. */
const ACTING_ROLE = "actor";

/** The role that a new session of this agent begins with. */
export function resolveInitialRole(services: Pick<Services, "roles" | "settings">, agent: AgentDefinition): string {
	const known = services.roles().some(({ id }) => id === agent.defaultRole);
	return resolveRoleForAgent(services, agent, (known ? agent.defaultRole : undefined) ?? services.settings().defaultRole);
}
