// Layer 2: the glob lists of an agent's definition. Deny counts after allow, and a pattern that cannot be read closes.

import { compileListEntry, type Glob, isSingleSegment } from "../core/glob/glob.ts";
import { compileTokenMatcher, type GlobToken } from "../core/glob/globWords.ts";
import type { GateRequest, ScopeExclusion, ToolDeclaration } from "../core/ports/gate.ts";
import type { AgentDefinition, AgentScope } from "../core/role.ts";
import { t } from "../shared/l10n.ts";

type List = readonly string[] | null | undefined;

/** Why the agent's lists keep this tool from it; undefined when they do not. */
export function scopeDenial(
	agent: AgentDefinition,
	{ tool, skill, peer }: Pick<GateRequest, "tool" | "skill" | "peer">,
): { reason: string; rule: string } | undefined {
	if (isExempt(tool)) return undefined;
	const cut = excludedBy(agent, tool);
	if (cut) return { reason: t("The agent {0} is not set up to use {1}.", agent.displayName, tool.name), rule: cut.name };
	if (skill !== undefined && !isAllowedByLists(agent.skillAllowlist, agent.skillDenylist, skill)) {
		return { reason: t("The agent {0} is not set up to use skills of {1}.", agent.displayName, skill), rule: skill };
	}
	if (peer !== undefined && !isAllowedByLists(agent.agentAllowlist, agent.agentDenylist, peer)) {
		return { reason: t("The agent {0} is not set up to ask {1}.", agent.displayName, peer), rule: peer };
	}
	return undefined;
}

/** The list that keeps this tool from the agent; undefined where none does. */
export function excludedBy(agent: AgentScope, tool: ToolDeclaration): ScopeExclusion | undefined {
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

function cutOf(agent: AgentScope, allow: keyof AgentScope, deny: keyof AgentScope, name: string): ScopeExclusion | undefined {
	if (!isAllowedByLists(agent[allow], undefined, name)) return { list: allow, name };
	const pattern = matching(agent[deny], name, true);
	return pattern === undefined ? undefined : { list: deny, name, pattern };
}

/** Whether a pair of lists lets a name through: for tools and capabilities here, for skills and agents in their rooms. */
export function isAllowedByLists(allow: List, deny: List, name: string): boolean {
	return (!allow || matching(allow, name, false) !== undefined) && matching(deny, name, true) === undefined;
}

interface Compiled {
	/** Patterns that are a name and nothing else: a long list of them costs no more than one. */
	names: Set<string>;
	/** The others, in their order; without a glob those that cannot be read. */
	globs: { pattern: string; glob?: Glob; words: number[] }[];
	/** All words of all globs, held against a name at one go. */
	match: ReturnType<typeof compileTokenMatcher>;
	/** What was found for a name, null for nothing: the same tools are gone through for each request. */
	allows: Map<string, string | null>;
	denies: Map<string, string | null>;
}

/** Names that a list remembers. */
const REMEMBERED = 5_000;

/** Compiled once for each list, and gone with its definition: no number of agents pushes another's out. */
const compiled = new WeakMap<readonly string[], Compiled>();

/** The pattern of a list that takes in the name; one that cannot be read does where `whenInvalid` says so. */
function matching(list: List, name: string, whenInvalid: boolean): string | undefined {
	if (!list) return undefined;
	let known = compiled.get(list);
	if (!known) {
		known = compile(list);
		compiled.set(list, known);
	}
	if (known.names.has(name)) return name;
	const found = whenInvalid ? known.denies : known.allows;
	let pattern = found.get(name);
	if (pattern === undefined) {
		pattern = firstGlob(known, name, whenInvalid) ?? null;
		if (found.size >= REMEMBERED) found.clear();
		found.set(name, pattern);
	}
	return pattern ?? undefined;
}

function firstGlob({ globs, match }: Compiled, name: string, whenInvalid: boolean): string | undefined {
	if (!isSingleSegment(name)) return globs.find(({ glob }) => glob?.matches(name) ?? whenInvalid)?.pattern;
	const is = match(name);
	return globs.find(({ glob, words }) => (glob ? words.some(is) !== glob.negated : whenInvalid))?.pattern;
}

function compile(list: readonly string[]): Compiled {
	const names = new Set<string>();
	const globs: Compiled["globs"] = [];
	const words: (readonly GlobToken[])[] = [];
	for (const pattern of list) {
		if (/^[\w.-]{1,64}$/.test(pattern)) names.add(pattern);
		else {
			const glob = compileListEntry(pattern);
			globs.push("invalid" in glob ? { pattern, words: [] } : { pattern, glob, words: glob.words().map((word) => words.push(word) - 1) });
		}
	}
	return { names, globs, match: compileTokenMatcher(words), allows: new Map(), denies: new Map() };
}
