// The system prompt of a session: gathers what it is made of.
import type { AgentDefinition, Role } from "../core/permissions.ts";
import type { PromptParts } from "../core/prompt.ts";
import type { Conversation } from "./conversation.ts";
import { offeredTools } from "./who.ts";

export async function systemPromptOf(conversation: Conversation, agent: AgentDefinition, role: Role): Promise<string> {
	const { services, sessionId } = conversation;
	const { parts } = services;
	const [cliSkills, artifacts, instructions] = await Promise.all([
		parts.cliSkills(sessionId, agent),
		parts.artifacts(),
		parts.instructions(),
	]);
	const system = services.prompt({ ...plainParts(conversation, agent, role), cliSkills, artifacts, instructions, panels: parts.panels() });
	conversation.context.system = system;
	return system;
}

/** What is known without asking anybody. */
export function plainParts(conversation: Conversation, agent: AgentDefinition, role: Role): PromptParts {
	const { workspace } = conversation.services;
	return {
		agent,
		role,
		permissions: role.permissions,
		folders: workspace.folders().map(({ name }) => name),
		tools: offeredTools(conversation, role, agent).map(({ name, description }) => ({ name, description })),
		cliSkills: [],
		artifacts: [],
		messageContext: false,
		panels: [],
		peers: [],
		instructions: [],
	};
}
