// Who a session is right now: its agent, its role, and the tools the gate offers them.
import type { AgentDefinition, Role } from "../core/permissions.ts";
import type { Tool } from "../core/tool.ts";
import type { Transcript } from "../core/transcript.ts";
import { shownList, t } from "../l10n.ts";
import type { Services } from "./services.ts";

interface Session {
	sessionId: string;
	services: Services;
	state: Transcript;
}

/** Whether the session's agent is still defined; without its definition nothing says what it may do. */
export function hasAgent({ services, state }: Session): boolean {
	return services.agents().some((agent) => agent.agentId === state.agent);
}

/** Throws where there is no agent of that id. */
export function definitionOf({ agents }: Pick<Services, "agents">, id: string): AgentDefinition {
	const found = agents().find(({ agentId }) => agentId === id);
	if (found) return found;
	throw new Error(t("There is no agent {0}. There are: {1}.", id, shownList(agents().map(({ agentId }) => agentId))));
}

/** For display: the default agent stands in for one that is gone. */
export function agentOf({ services, state }: Session, id = state.agent): AgentDefinition {
	const agents = services.agents();
	return agents.find((candidate) => candidate.agentId === id) ?? (agents[0] as AgentDefinition);
}

/** A role that is gone may do nothing. */
export function roleOf({ services, state }: Session, id = state.role): Role {
	const roles = services.roles();
	return roles.find((candidate) => candidate.id === id) ?? { ...(roles[0] as Role), id, label: id, permissions: [] };
}

/** The role that is in force: a running turn keeps the one it began with. */
export function turnRole(session: Session): Role {
	return roleOf(session, session.state.turn?.role ?? session.state.role);
}

/** What the gate offers right now. */
export function offeredTools(session: Session, role = turnRole(session), agent = turnAgent(session)): Tool[] {
	const { gate, settings } = session.services;
	if (!hasAgent(session)) return [];
	const off = settings().pluginsOff;
	return toolsOf(session, agent).filter(
		(tool) => !off.includes(tool.plugin) && (tool.suits?.(role) ?? true) && gate.offers({ agent, role, tool }),
	);
}

/** Every tool there is for that agent, offered or not; ours go before those from outside. */
export function toolsOf({ services, sessionId }: Pick<Session, "services" | "sessionId">, agent: AgentDefinition): Tool[] {
	return [...services.tools, ...services.sources.flatMap((source) => source.tools(sessionId, agent))];
}

function turnAgent(session: Session): AgentDefinition {
	return agentOf(session, session.state.turn?.agent);
}
/** Whose model the last turn asked, where it failed. */
export function failedProvider({ outcome, events }: Transcript): string | undefined {
	const begun = outcome === "failed" ? events.findLast((event) => event.type === "started") : undefined;
	return begun?.model.split("/")[0];
}
