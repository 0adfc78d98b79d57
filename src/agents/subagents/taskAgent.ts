// Creates the agent that runs a task, from the task's type and the agent that starts it.
import { AGENT_SCOPE_LISTS, type AgentDefinition } from "../../core/role.ts";
import { type TaskType, taskAgentId } from "../../core/task.ts";

/** The plugin of the tools by which a task reaches its caller. */
const OPT_IN = ["task"];

/** Capabilities that no task has: it calls no agents, starts no tasks, and leaves nothing in memory. */
const DENIED = ["agents.*", "tasks.*", "memory.*"];

/** The agent is at most as wide as its caller, which has no standing approvals to give away. */
export function createTaskAgent(type: TaskType, caller: Omit<AgentDefinition, "agentId" | "displayName">): AgentDefinition {
	return {
		...(!caller.freshTasks && inherited(caller)),
		...(type.model === undefined ? modelOf(caller) : { model: type.model }),
		agentId: taskAgentId(type.name),
		displayName: type.name,
		description: type.description,
		systemPrompt: type.prompt,
		uiVisible: false,
		roles: [type.role],
		defaultRole: type.role,
		optIn: OPT_IN,
		capabilityDenylist: [...new Set([...((!caller.freshTasks && caller.capabilityDenylist) || []), ...DENIED])],
		...(type.tools && { toolLimit: type.tools }),
	};
}

/** Includes the exposure: a plugin that the skill lists keep from a shell would otherwise be offered as tools. */
const INHERITED = [...AGENT_SCOPE_LISTS, "mcpServers", "toolExposure", "toolLimit"] as const;

function inherited(caller: Omit<AgentDefinition, "agentId" | "displayName">): Partial<AgentDefinition> {
	return Object.fromEntries(INHERITED.flatMap((field) => (caller[field] === undefined ? [] : [[field, caller[field]]])));
}

/** Returns the caller's model with the wire format that the caller's definition chooses for it. */
function modelOf({ model, chat }: Omit<AgentDefinition, "agentId" | "displayName">): Partial<AgentDefinition> {
	return { ...(model !== undefined && { model }), ...(chat && { chat }) };
}
