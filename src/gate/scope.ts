// Layer 2: the glob lists of an agent's definition. Deny counts after allow, and a pattern that cannot be read closes.
import type { GateRequest } from "../core/gate.ts";
import { compileGlob } from "../core/glob.ts";
import type { AgentDefinition } from "../core/permissions.ts";
import { t } from "../l10n.ts";
import { remembering } from "./cache.ts";

type List = readonly string[] | null | undefined;

const globOf = remembering((pattern) => compileGlob(pattern));

/** Why the agent's lists keep this tool from it; undefined when they do not. */
export function outOfScope(
	agent: AgentDefinition,
	{ tool, skill, peer }: Pick<GateRequest, "tool" | "skill" | "peer">,
): { reason: string; rule: string } | undefined {
	// What comes from outside cannot name itself out of the lists.
	if (!tool.external && (tool.name.startsWith("system_") || tool.plugin === "plan")) return undefined;
	const { toolAllowlist, toolDenylist, capabilityAllowlist, capabilityDenylist } = agent;
	const closed = (rule: string) => ({ reason: t("The agent {0} is not set up to use {1}.", agent.displayName, tool.name), rule });
	if (!inLists(toolAllowlist, toolDenylist, tool.name)) return closed(tool.name);
	const barred = tool.capabilities.find((capability) => !inLists(capabilityAllowlist, capabilityDenylist, capability));
	if (barred !== undefined) return closed(barred);
	if (skill !== undefined && !inLists(agent.skillAllowlist, agent.skillDenylist, skill)) {
		return { reason: t("The agent {0} is not set up to use skills of {1}.", agent.displayName, skill), rule: skill };
	}
	if (peer !== undefined && !inLists(agent.agentAllowlist, agent.agentDenylist, peer)) {
		return { reason: t("The agent {0} is not set up to ask {1}.", agent.displayName, peer), rule: peer };
	}
	return undefined;
}

/** Whether a pair of lists lets a name through: for tools and capabilities here, for skills and agents in their rooms. */
export function inLists(allow: List, deny: List, name: string): boolean {
	return (!allow || allow.some((pattern) => matches(pattern, name, false))) && !deny?.some((pattern) => matches(pattern, name, true));
}

function matches(pattern: string, name: string, whenInvalid: boolean): boolean {
	const glob = globOf(pattern);
	return "invalid" in glob ? whenInvalid : glob.matches(name);
}
