// Who a session is right now: its agent, its role, and the tools the gate offers them.
import type { AgentDefinition, Role } from "../core/permissions.ts";
import type { Tool } from "../core/tool.ts";
import type { Transcript } from "../core/transcript.ts";
import type { Services } from "./services.ts";

interface Session {
	services: Services;
	state: Transcript;
}

/** The default agent stands in for one that is gone. */
export function agentOf({ services, state }: Session): AgentDefinition {
	const agents = services.agents();
	return agents.find((candidate) => candidate.agentId === state.agent) ?? (agents[0] as AgentDefinition);
}

/** A role that is gone may do nothing. */
export function roleOf({ services, state }: Session, id = state.role): Role {
	const roles = services.roles();
	return roles.find((candidate) => candidate.id === id) ?? { ...(roles[0] as Role), id, label: id, permissions: [] };
}

export function offeredTools(session: Session): Tool[] {
	const { tools, gate, settings } = session.services;
	const [agent, role, off] = [agentOf(session), roleOf(session), settings().pluginsOff];
	return tools.filter((tool) => !off.includes(tool.plugin) && gate.offers({ agent, role, tool }));
}
