// Refuses calls of tools that are unknown, disabled, or called in a way that the agent does not allow.

import type { CallAccess, CallAttempt, ToolDeclaration, ToolExposure, Verdict } from "../core/ports/gate.ts";
import type { AgentDefinition } from "../core/role.ts";
import { isAllowedByLists } from "./scope.ts";

type AccessDenial = Pick<Verdict, "layer" | "reason" | "rule">;

/** The denial, for the model. Undefined if the tool can be called this way, subject to the layers. */
export function accessDenial(attempt: Pick<CallAttempt, "agent" | "role" | "called" | "tool" | "access">): AccessDenial | undefined {
	const { agent, called, tool, access } = attempt;
	if (!tool) return { layer: "unknown", reason: unknownReason(called, access), rule: called };
	const reason = unavailableReason(tool, attempt) ?? exposureReason(agent, tool, access);
	return reason === undefined ? undefined : { layer: "scope", reason, rule: tool.plugin };
}

/** For a tool that is not offered, the model is not told which arguments fit. */
export function unfitDenial({ called, access }: Pick<CallAttempt, "called" | "access">, tool: string): AccessDenial {
	if (access.foreign === undefined) return { layer: "scope", reason: notOffered(tool), rule: tool };
	return { layer: "input", reason: `The arguments of ${access.foreign} cannot be judged as those of ${tool}.`, rule: called };
}

function unknownReason(called: string, { foreign }: CallAccess): string {
	if (foreign !== undefined) return `Nothing here has the effect of ${foreign}, so it cannot be judged.`;
	return `There is no tool ${called}. Use one of those offered.`;
}

function notOffered(tool: string): string {
	return `${tool} is not offered here. Use one of the tools that are.`;
}

function unavailableReason(
	tool: ToolDeclaration,
	{ agent, role, access }: Pick<CallAttempt, "agent" | "role" | "access">,
): string | undefined {
	// What the person names in a message they send themselves, whatever tools their agents have.
	const own = access.byPerson && tool.permissions.every((permission) => permission === "ReadFiles");
	if (access.pluginsOff.includes(tool.plugin) && !own) return `The plugin ${tool.plugin} is switched off. Do without ${tool.name}.`;
	if (tool.plugin === "terminal" && access.commandsUnavailable !== undefined) return access.commandsUnavailable;
	return tool.suits && !tool.suits(role, agent) ? notOffered(tool.name) : undefined;
}

function exposureReason(agent: AgentDefinition, tool: ToolDeclaration, access: CallAccess): string | undefined {
	if (access.foreign !== undefined) return undefined;
	const exposure = toolExposure(agent, tool);
	if (access.shell !== undefined) {
		return exposure === "shell" && tool.plugin === access.shell ? undefined : `${tool.name} is not reached by this program. Nothing ran.`;
	}
	if (exposure === "tool") return undefined;
	if (exposure === "none") return `This agent does not use the plugin ${tool.plugin}. Do without ${tool.name}.`;
	const way = access.program === undefined ? "which your role has no use of now" : `by ${access.program} with execute_command`;
	return `${tool.name} is not called as a tool here: this agent uses the plugin ${tool.plugin} from a shell, ${way}.`;
}

/** Plugins that stay tools in every exposure, because agents cannot work without them. */
const ALWAYS_TOOLS = ["files", "terminal", "plan", "skills", "agents", "tasks", "task", "channels", "archive", "memory"];

/**
 * `skills`: plugins whose skill the agent's lists allow are used from a shell, all others not at all. `mixed`: these from a shell,
 * the others as tools. External tools cannot claim a plugin that always stays a tool.
 */
export function toolExposure(agent: AgentDefinition, tool: Pick<ToolDeclaration, "name" | "plugin" | "external">): ToolExposure {
	const { toolExposure: exposure = "tools", skillAllowlist, skillDenylist } = agent;
	if (exposure === "tools") return "tool";
	if (!tool.external && (ALWAYS_TOOLS.includes(tool.plugin) || tool.name.startsWith("system_"))) return "tool";
	if (isAllowedByLists(skillAllowlist, skillDenylist, tool.plugin)) return "shell";
	return exposure === "mixed" ? "tool" : "none";
}
