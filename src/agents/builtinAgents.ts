// The agents that ship with Troupe. They live in code and cannot be deleted.
import type { AgentDefinition } from "../core/permissions.ts";

export const defaultAgent: AgentDefinition = {
	agentId: "default",
	displayName: "General Assistant",
	description: "A general-purpose coding assistant",
	icon: "hubot",
};

export const builtinAgents: readonly AgentDefinition[] = [defaultAgent];
