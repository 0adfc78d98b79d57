// Refuses calls of tools that are unknown, switched off, or not reached in the way the call came.

import type { CallAccess, CallAttempt, ToolDeclaration, ToolExposure, Verdict } from "../core/ports/gate.ts";
import type { AgentDefinition, Role } from "../core/role.ts";
import { isAllowedByLists } from "./scope.ts";

type AccessDenial = Pick<Verdict, "layer" | "reason" | "rule">;

/** For the model. Undefined where the tool can be called in this way, as far as the layers let it. */
export function accessDenial(attempt: Pick<CallAttempt, "agent" | "role" | "called" | "tool" | "access">): AccessDenial | undefined {
	const { agent, role, called, tool, access } = attempt;
	if (!tool) return { layer: "unknown", reason: unknownReason(called, access), rule: called };
	const reason = unavailableReason(tool, role, access) ?? exposureReason(agent, tool, access);
	return reason === undefined ? undefined : { layer: "scope", reason, rule: tool.plugin };
}

/** Of a tool that is not offered, the model is not told what arguments fit. */
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

function unavailableReason(tool: ToolDeclaration, role: Role, access: CallAccess): string | undefined {
	if (access.pluginsOff.includes(tool.plugin)) return `The plugin ${tool.plugin} is switched off. Do without ${tool.name}.`;
	if (tool.plugin === "terminal" && access.commandsUnavailable !== undefined) return access.commandsUnavailable;
	return tool.suits && !tool.suits(role) ? notOffered(tool.name) : undefined;
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

/** What acting at all rests on stays a tool whatever the exposure. */
const ALWAYS_TOOLS = ["files", "terminal", "plan", "skills", "agents"];

/**
 * `skills`: plugins whose skill the agent's lists allow from a shell, the other ones not at all. `mixed`: these from a shell, the
 * other ones as tools. What comes from outside cannot name itself into the plugins that always are tools.
 */
export function toolExposure(agent: AgentDefinition, tool: Pick<ToolDeclaration, "name" | "plugin" | "external">): ToolExposure {
	const { toolExposure: exposure = "tools", skillAllowlist, skillDenylist } = agent;
	if (exposure === "tools") return "tool";
	if (!tool.external && (ALWAYS_TOOLS.includes(tool.plugin) || tool.name.startsWith("system_"))) return "tool";
	if (isAllowedByLists(skillAllowlist, skillDenylist, tool.plugin)) return "shell";
	return exposure === "mixed" ? "tool" : "none";
}
