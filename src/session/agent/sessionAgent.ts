// The session's agent, role and offered tools.
import type { CallAccess } from "../../core/ports/gate.ts";
import type { Tool } from "../../core/ports/tool.ts";
import { type AgentDefinition, intersectPermissions, type Permission, type Role } from "../../core/role.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import { UserError } from "../../core/userError.ts";
import { formatList, t } from "../../shared/l10n.ts";
import type { SessionPolicy, SessionSetup, SessionWorkspace } from "../services.ts";
import type { Sender } from "../state/message.ts";

interface Session extends SessionSetup {
	sessionId: string;
	state: Transcript;
	/** The sender that began the running turn. */
	sender?: Pick<Sender, "ceiling" | "caller"> | undefined;
}

type OfferingSession = Session & SessionWorkspace;

/** Returns true if the session's agent is still defined; without a definition, its permissions are unknown. */
export function isAgentDefined({ policy, state }: Session): boolean {
	return policy.agents().some((agent) => agent.agentId === state.agent);
}

/** Throws if there is no agent with that id. */
export function requireAgent({ agents }: Pick<SessionPolicy, "agents">, id: string): AgentDefinition {
	const found = agents().find(({ agentId }) => agentId === id);
	if (found) return found;
	throw new UserError(t("The agent {0} doesn't exist. Available agents: {1}.", id, formatList(agents().map(({ agentId }) => agentId))));
}

/** The id of the session of an agent that has one alone; undefined for others. */
export function findOnlySessionId({ agents }: Pick<SessionPolicy, "agents">, id: string | undefined): string | undefined {
	return agents().find(({ agentId, single }) => single && agentId === id)?.agentId;
}

/** Returns why a session cannot run without its agent; undefined if the agent is defined. */
export function missingAgentReason(session: Session): string | undefined {
	if (isAgentDefined(session)) return undefined;
	const { events, agent } = session.state;
	return t(
		"The agent {0} is no longer defined, so its permissions are unknown. Switch agents, or restore the agent's definition.",
		events.findLast((event) => event.type === "agent")?.name ?? agent,
	);
}

/** Returns the agent for display: falls back to the default agent if the agent no longer exists. */
export function getAgent({ policy, state }: Session, id = state.agent): AgentDefinition {
	const agents = policy.agents();
	return agents.find((candidate) => candidate.agentId === id) ?? (agents[0] as AgentDefinition);
}

/** A role that no longer exists has no permissions. */
export function getRole({ policy, state }: Session, id = state.role): Role {
	const roles = policy.roles();
	return roles.find((candidate) => candidate.id === id) ?? { ...(roles[0] as Role), id, label: id, permissions: [] };
}

/** The role of a turn that begins now: the session's, or for a call the caller's if the agent may have it. */
export function getNextRole(session: Session): Role {
	const { policy, sender } = session;
	if (!sender?.caller) return getRole(session);
	const agent = getAgent(session);
	const known = policy.roles().some(({ id }) => id === sender.caller?.role);
	return getRole(session, known && isRoleAllowed(agent, sender.caller.role) ? sender.caller.role : resolveInitialRole(policy, agent));
}

/** The current role; a running turn keeps the one it began with. */
export function getTurnRole(session: Session): Role {
	return session.state.turn ? getRole(session, session.state.turn.role) : getNextRole(session);
}

interface OfferedTo {
	/** The role; by default, the running turn's, or that of a turn that begins now. */
	role?: Role;
	/** The agent; by default, the session's. A running turn keeps its agent even if the definition changes or is removed. */
	agent?: AgentDefinition;
	/** The tools to choose from; by default, all of the agent. */
	all?: readonly Tool[];
	/** The way in which the model calls them: as tools, which is the default, or from a shell. */
	reach?: "tool" | "shell";
}

/** The tools offered now; none without an agent. */
export function listOfferedTools(session: OfferingSession, options: OfferedTo = {}): Tool[] {
	const { agent = isAgentDefined(session) ? turnAgent(session) : undefined, role = getTurnRole(session), reach = "tool" } = options;
	if (!agent) return [];
	const { all = listTools(session, agent) } = options;
	const ceiling = session.sender?.ceiling;
	const access = readAccess(session);
	return all.filter((tool) => {
		const callAccess = reach === "shell" ? { ...access, shell: tool.plugin } : access;
		return session.gate.offers({ agent, role, tool, access: callAccess, ...(ceiling && { ceiling }) });
	});
}

/** Returns what is currently disabled, for calls and for offers. */
export function readAccess({ policy, workspace }: Pick<OfferingSession, "policy" | "workspace">): CallAccess {
	const commandsUnavailable = workspace.commands?.();
	return { pluginsOff: policy.settings().pluginsOff, ...(commandsUnavailable !== undefined && { commandsUnavailable }) };
}

/** Leaves out tools that have nothing to work on yet. */
export function describeTools(tools: readonly Tool[], agent: AgentDefinition, state: Transcript): Tool[] {
	return tools.filter((tool) => !tool.isIdle?.(agent, state));
}

/** All tools of that agent, offered or not. Built-in tools come first: names are unique, and none of ours can be taken over. */
export function listTools({ services, sessionId }: Pick<Session, "services" | "sessionId">, agent: AgentDefinition): Tool[] {
	const found = [...services.tools];
	const taken = new Set([...found.map(({ name }) => name), ...Object.keys(services.aliases)].map((name) => name.toLowerCase()));
	for (const source of services.sources) {
		for (const tool of source.tools(sessionId, agent)) {
			const name = tool.name.toLowerCase();
			if (taken.has(name) || !/^[a-z0-9_-]{1,128}$/.test(name) || usesReservedName(tool)) continue;
			taken.add(name);
			found.push(tool);
		}
	}
	return found;
}

/** Names and plugins that no list can exclude are reserved for built-in tools. */
function usesReservedName({ name, plugin, external }: Tool): boolean {
	return !external && (name.startsWith("system_") || ["plan", "channels", "task"].includes(plugin));
}

/**
 * The tool that a call names, by its own name or by an alias. External tools are asked for at each call: a server may have changed
 * or stopped since the turn began.
 */
export function findTool(session: Pick<Session, "services" | "sessionId">, agent: AgentDefinition, called: string): Tool | undefined {
	const { aliases, tools } = session.services;
	const name = Object.hasOwn(aliases, called) ? aliases[called] : called;
	return tools.find((tool) => tool.name === name) ?? listTools(session, agent).find((tool) => tool.name === name);
}

function turnAgent(session: Session): AgentDefinition {
	return getAgent(session, session.state.turn?.agent);
}

/** The provider that the last turn used, if it failed. */
export function findFailedProvider({ outcome, events }: Transcript): string | undefined {
	const started = outcome === "failed" ? events.findLast((event) => event.type === "started") : undefined;
	return started?.model.split("/")[0];
}

/** The roles that an agent may have. */
export function listAllowedRoles({ roles }: Pick<SessionPolicy, "roles">, { roles: named }: AgentDefinition): Role[] {
	return roles().filter(({ id }) => named?.includes(id) ?? true);
}

export function isRoleAllowed({ roles }: AgentDefinition, role: string): boolean {
	return roles?.includes(role) ?? true;
}

/** The role for a session that gets this agent: its current one if the agent allows it. */
export function resolveRoleForAgent(policy: Pick<SessionPolicy, "roles">, agent: AgentDefinition, current: string): string {
	if (isRoleAllowed(agent, current)) return current;
	const allowed = listAllowedRoles(policy, agent);
	return (allowed.find(({ id }) => id === agent.defaultRole) ?? allowed[0])?.id ?? agent.roles?.[0] ?? current;
}

/** The role in which this agent executes a plan made in `from`: the one that `from` names, else the agent's most capable one. */
export function findActingRole(policy: Pick<SessionPolicy, "roles">, agent: AgentDefinition, from: Pick<Role, "acts">): Role | undefined {
	const allowed = listAllowedRoles(policy, agent).filter(({ permissions }) => permissions.includes("WriteFiles"));
	const widest = allowed.toSorted((left, right) => right.permissions.length - left.permissions.length)[0];
	return allowed.find(({ id }) => id === from.acts) ?? widest;
}

/** The role that a new session of this agent begins with. */
export function resolveInitialRole(policy: Pick<SessionPolicy, "roles" | "settings">, agent: AgentDefinition): string {
	const known = policy.roles().some(({ id }) => id === agent.defaultRole);
	return resolveRoleForAgent(policy, agent, (known ? agent.defaultRole : undefined) ?? policy.settings().defaultRole);
}

/** Maximum permissions of an agent that is called in that role; `limit`: what the calling turn may pass on, if that is limited. */
export function passedCeiling({ ceiling, permissions }: Role, limit: readonly Permission[] | undefined): readonly Permission[] {
	return intersectPermissions(ceiling ?? permissions, limit);
}

/** Returns what the sender's turn may pass on: as much as the turn whose call it hears of, else its own ceiling; undefined if unlimited. */
export function findPassedLimit(
	{ delegations }: Pick<Transcript, "delegations">,
	{ about, caller, ceiling }: Pick<Sender, "about" | "caller" | "ceiling">,
): readonly Permission[] | undefined {
	const passes = about && delegations.get(about.call)?.event.passes;
	return passes ? intersectPermissions(passes, caller?.ceiling) : ceiling;
}
