// Gate layer 2: the opt-in plugins and the allow and deny lists of an agent's definition.

// Deny takes precedence over allow, and an invalid pattern blocks access.

import type { GateRequest, ScopeExclusion, ToolDeclaration, ToolScope } from "../core/ports/gate.ts";
import type { AgentDefinition, AgentScope } from "../core/role.ts";
import { t } from "../shared/l10n.ts";
import { findEntry } from "./scopeList.ts";

type List = readonly string[] | null | undefined;

/** Returns why the agent's definition excludes this call; undefined if it does not. */
export function scopeDenial(
	agent: AgentDefinition,
	{ tool, skill, peer }: Pick<GateRequest, "tool" | "skill" | "peer">,
): { reason: string; rule: string } | undefined {
	const cut = excludedBy(agent, tool);
	if (cut?.list === "plugins") {
		return { reason: t("The agent {0} can't have {1}. It leaves such work to others.", agent.displayName, tool.name), rule: cut.name };
	}
	if (cut?.list === "optIn") {
		const reason = t(
			"The agent {0} isn't configured to use {1}. The plugin {2} isn't in its optIn list.",
			agent.displayName,
			tool.name,
			cut.name,
		);
		return { reason, rule: cut.name };
	}
	if (isExempt(tool)) return undefined;
	if (cut) return { reason: t("The agent {0} isn't configured to use {1}.", agent.displayName, tool.name), rule: cut.name };
	if (skill !== undefined && !isAllowedByLists(agent.skillAllowlist, agent.skillDenylist, skill)) {
		return { reason: t("The agent {0} isn't configured to use skills from {1}.", agent.displayName, skill), rule: skill };
	}
	if (peer !== undefined && !isAllowedByLists(agent.agentAllowlist, agent.agentDenylist, peer)) {
		return { reason: t("The agent {0} isn't configured to delegate to {1}.", agent.displayName, peer), rule: peer };
	}
	return undefined;
}

/** The list that excludes this tool from the agent; undefined if there is none. */
export function excludedBy(agent: ToolScope, tool: ToolDeclaration): ScopeExclusion | undefined {
	if (agent.plugins && !isOneOf(agent.plugins, tool)) return { list: "plugins", name: tool.plugin };
	if (tool.optIn && !agent.optIn?.includes(tool.plugin)) return { list: "optIn", name: tool.plugin };
	if (isExempt(tool)) return undefined;
	const cut = exclusionOf(agent, "toolAllowlist", "toolDenylist", tool.name);
	if (cut) return cut;
	if (!isAllowedByLists(agent.toolLimit, undefined, tool.name)) return { list: "toolAllowlist", name: tool.name };
	for (const capability of tool.capabilities) {
		const exclusion = exclusionOf(agent, "capabilityAllowlist", "capabilityDenylist", capability);
		if (exclusion) return exclusion;
	}
	return undefined;
}

/** Whatever an agent does, it may ask the person. An external tool is of no plugin of ours, whatever it claims. */
function isOneOf(plugins: readonly string[], { name, plugin, external }: ToolDeclaration): boolean {
	return !external && (plugins.includes(plugin) || name === ASKING);
}

const ASKING = "ask_question";

/** Plugins without which an agent could not answer: plans and questions, replies, and a task's messages to the session that started it. */
const EXEMPT = ["plan", "channels", "task"];

/** External tools cannot exempt themselves by their name. */
function isExempt(tool: ToolDeclaration): boolean {
	return !tool.external && (tool.name.startsWith("system_") || EXEMPT.includes(tool.plugin));
}

function exclusionOf(agent: AgentScope, allow: keyof AgentScope, deny: keyof AgentScope, name: string): ScopeExclusion | undefined {
	if (!isAllowedByLists(agent[allow], undefined, name)) return { list: allow, name };
	const pattern = denyingEntry(agent[deny], name);
	return pattern === undefined ? undefined : { list: deny, name, pattern };
}

/** Returns true if a pair of lists allows a name. Used for tools and capabilities here, and for skills and agents elsewhere. */
export function isAllowedByLists(allow: List, deny: List, name: string): boolean {
	return (!allow || findEntry(allow, "allow", name) !== undefined) && denyingEntry(deny, name) === undefined;
}

function denyingEntry(deny: List, name: string): string | undefined {
	return deny ? findEntry(deny, "deny", name) : undefined;
}
