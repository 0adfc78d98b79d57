// Layer 2: the glob lists of an agent's definition. Deny counts after allow, and a pattern that cannot be read closes.
import type { GateRequest, ScopeCut, ToolDeclaration } from "../core/gate.ts";
import { compileGlob } from "../core/glob.ts";
import type { AgentDefinition, AgentScope } from "../core/permissions.ts";
import { t } from "../l10n.ts";
import { remembering } from "./cache.ts";

type List = readonly string[] | null | undefined;

const globOf = remembering((pattern) => compileGlob(pattern));

/** Why the agent's lists keep this tool from it; undefined when they do not. */
export function outOfScope(
	agent: AgentDefinition,
	{ tool, skill, peer }: Pick<GateRequest, "tool" | "skill" | "peer">,
): { reason: string; rule: string } | undefined {
	if (isExempt(tool)) return undefined;
	const cut = cutBy(agent, tool);
	if (cut) return { reason: t("The agent {0} is not set up to use {1}.", agent.displayName, tool.name), rule: cut.name };
	if (skill !== undefined && !inLists(agent.skillAllowlist, agent.skillDenylist, skill)) {
		return { reason: t("The agent {0} is not set up to use skills of {1}.", agent.displayName, skill), rule: skill };
	}
	if (peer !== undefined && !inLists(agent.agentAllowlist, agent.agentDenylist, peer)) {
		return { reason: t("The agent {0} is not set up to ask {1}.", agent.displayName, peer), rule: peer };
	}
	return undefined;
}

/** The list that keeps this tool from the agent; undefined where none does. */
export function cutBy(agent: AgentScope, tool: ToolDeclaration): ScopeCut | undefined {
	if (isExempt(tool)) return undefined;
	const cut = cutOf(agent, "toolAllowlist", "toolDenylist", tool.name);
	if (cut) return cut;
	for (const capability of tool.capabilities) {
		const barred = cutOf(agent, "capabilityAllowlist", "capabilityDenylist", capability);
		if (barred) return barred;
	}
	return undefined;
}

/** What comes from outside cannot name itself out of the lists. */
function isExempt(tool: ToolDeclaration): boolean {
	return !tool.external && (tool.name.startsWith("system_") || tool.plugin === "plan");
}

function cutOf(agent: AgentScope, allow: keyof AgentScope, deny: keyof AgentScope, name: string): ScopeCut | undefined {
	if (!inLists(agent[allow], undefined, name)) return { list: allow, name };
	const pattern = agent[deny]?.find((one) => matches(one, name, true));
	return pattern === undefined ? undefined : { list: deny, name, pattern };
}

/** Whether a pair of lists lets a name through: for tools and capabilities here, for skills and agents in their rooms. */
export function inLists(allow: List, deny: List, name: string): boolean {
	return (!allow || allow.some((pattern) => matches(pattern, name, false))) && !deny?.some((pattern) => matches(pattern, name, true));
}

function matches(pattern: string, name: string, whenInvalid: boolean): boolean {
	const glob = globOf(pattern);
	return "invalid" in glob ? whenInvalid : glob.matches(name);
}
