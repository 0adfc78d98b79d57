// Decides if an agent gets a plugin's tools as tools, or from a shell through the plugin's program.

import type { Gate } from "../../core/ports/gate.ts";
import type { Tool } from "../../core/ports/tool.ts";
import type { AgentDefinition } from "../../core/role.ts";

/** What acting at all rests on stays a tool whatever the exposure. */
const ALWAYS_TOOLS = ["files", "terminal", "plan", "skills", "agents"];

/**
 * `skills`: plugins whose skill the agent's lists allow from a shell, the other ones not at all. `mixed`: these from a shell, the
 * other ones as tools. What comes from outside cannot name itself into the plugins that always are tools.
 */
export function getToolExposure(gate: Pick<Gate, "allowsSkill">, agent: AgentDefinition, tool: Tool): "tool" | "shell" | "none" {
	const { toolExposure = "tools" } = agent;
	if (toolExposure === "tools") return "tool";
	if (!tool.external && (ALWAYS_TOOLS.includes(tool.plugin) || tool.name.startsWith("system_"))) return "tool";
	if (gate.allowsSkill(agent, tool.plugin)) return "shell";
	return toolExposure === "mixed" ? "tool" : "none";
}
