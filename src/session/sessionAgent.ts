// The session's agent, role and offered tools.
import type { CallAccess } from "../core/ports/gate.ts";
import type { Tool } from "../core/ports/tool.ts";
import type { AgentDefinition, Role } from "../core/role.ts";
import type { Transcript } from "../core/transcript/state.ts";
import { formatList, t } from "../shared/l10n.ts";
import type { Services } from "./context.ts";
import type { Sender } from "./messageQueue.ts";

interface Session {
	sessionId: string;
	services: Services;
	state: Transcript;
	/** Who began the turn that runs. */
	sender?: Pick<Sender, "ceiling"> | undefined;
}

/** Whether the session's agent is still defined; without its definition nothing says what it may do. */
export function isAgentDefined({ services, state }: Session): boolean {
	return services.agents().some((agent) => agent.agentId === state.agent);
}

/** Throws where there is no agent of that id. */
export function requireAgent({ agents }: Pick<Services, "agents">, id: string): AgentDefinition {
	const found = agents().find(({ agentId }) => agentId === id);
	if (found) return found;
	throw new Error(t("The agent {0} doesn't exist. Available agents: {1}.", id, formatList(agents().map(({ agentId }) => agentId))));
}

/** Why nothing can be done with a session whose agent is gone; undefined where it is there. */
export function missingAgentReason(session: Session): string | undefined {
	if (isAgentDefined(session)) return undefined;
	const { events, agent } = session.state;
	return t(
		"The agent {0} is no longer defined, so its permissions are unknown. Switch agents, or restore the agent's definition.",
		events.findLast((event) => event.type === "agent")?.name ?? agent,
	);
}

/** For display: the default agent stands in for one that is gone. */
export function getAgent({ services, state }: Session, id = state.agent): AgentDefinition {
	const agents = services.agents();
	return agents.find((candidate) => candidate.agentId === id) ?? (agents[0] as AgentDefinition);
}

/** A role that is gone may do nothing. */
export function getRole({ services, state }: Session, id = state.role): Role {
	const roles = services.roles();
	return roles.find((candidate) => candidate.id === id) ?? { ...(roles[0] as Role), id, label: id, permissions: [] };
}

/** The role that is in force: a running turn keeps the one it began with. */
export function getTurnRole(session: Session): Role {
	return getRole(session, session.state.turn?.role ?? session.state.role);
}

/** What is offered right now: as tools, or from a shell. A turn that names its agent goes on with it, whatever has become of the definition. */
export function listOfferedTools(
	session: Session,
	role = getTurnRole(session),
	agent = isAgentDefined(session) ? turnAgent(session) : undefined,
	reach: "tool" | "shell" = "tool",
): Tool[] {
	if (!agent) return [];
	const { services } = session;
	const ceiling = session.sender?.ceiling;
	const access = readAccess(services);
	return listTools(session, agent).filter((tool) => {
		const way = reach === "shell" ? { ...access, shell: tool.plugin } : access;
		return services.gate.offers({ agent, role, tool, access: way, ...(ceiling && { ceiling }) });
	});
}

/** What is switched off now, for calls as for what is offered. */
export function readAccess({ settings, workspace }: Pick<Services, "settings" | "workspace">): CallAccess {
	const commandsUnavailable = workspace.commands?.();
	return { pluginsOff: settings().pluginsOff, ...(commandsUnavailable !== undefined && { commandsUnavailable }) };
}

/** What the model is told of: everything that is offered but for tools that have nothing to work on yet. */
export function listModelTools(
	session: Session,
	role = getTurnRole(session),
	agent = isAgentDefined(session) ? turnAgent(session) : undefined,
): Tool[] {
	return agent ? listOfferedTools(session, role, agent).filter((tool) => !tool.idle?.(agent)) : [];
}

/** Every tool there is for that agent, offered or not. Ours go first: a name is had by one alone, and nobody takes one of ours. */
export function listTools({ services, sessionId }: Pick<Session, "services" | "sessionId">, agent: AgentDefinition): Tool[] {
	const found = [...services.tools];
	const taken = new Set([...found.map(({ name }) => name), ...Object.keys(services.aliases)].map((name) => name.toLowerCase()));
	for (const source of services.sources) {
		for (const tool of source.tools(sessionId, agent)) {
			const name = tool.name.toLowerCase();
			if (taken.has(name) || !/^[a-z0-9_-]{1,128}$/.test(name) || namesItselfOut(tool)) continue;
			taken.add(name);
			found.push(tool);
		}
	}
	return found;
}

/** The names that no list keeps out are for what is built in. */
function namesItselfOut({ name, plugin, external }: Tool): boolean {
	return !external && (name.startsWith("system_") || plugin === "plan");
}

/** The tool that a call names, by its own name or by another that models use for it. */
export function findTool(session: Pick<Session, "services" | "sessionId">, agent: AgentDefinition, called: string): Tool | undefined {
	const { aliases } = session.services;
	const name = Object.hasOwn(aliases, called) ? aliases[called] : called;
	return listTools(session, agent).find((tool) => tool.name === name);
}

function turnAgent(session: Session): AgentDefinition {
	return getAgent(session, session.state.turn?.agent);
}

/** Whose model the last turn asked, where it failed. */
export function findFailedProvider({ outcome, events }: Transcript): string | undefined {
	const begun = outcome === "failed" ? events.findLast((event) => event.type === "started") : undefined;
	return begun?.model.split("/")[0];
}

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
	return able.find(({ id }) => id === from.acts) ?? most;
}

/** The role that a new session of this agent begins with. */
export function resolveInitialRole(services: Pick<Services, "roles" | "settings">, agent: AgentDefinition): string {
	const known = services.roles().some(({ id }) => id === agent.defaultRole);
	return resolveRoleForAgent(services, agent, (known ? agent.defaultRole : undefined) ?? services.settings().defaultRole);
}
