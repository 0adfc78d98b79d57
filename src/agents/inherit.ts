// Resolves an agent's inherited values.

// An absent field is inherited, a value or a list replaces the parent's, and null clears it. Standing approvals are
// never inherited, because they were given to one agent. A workspace definition that extends one of the user's own
// agents never has wider access than that agent: deny lists are combined, and an allow list can name only what the
// parent has.

import type { ScopeLists } from "../core/ports/gate.ts";
import { AGENT_SCOPE_LISTS, type AgentDefinition, type AgentScope } from "../core/role.ts";
import { t } from "../shared/l10n.ts";
import { AGENT_FIELD_NAMES, type AgentFieldName } from "./agentSchema.ts";
import { scopeListKind, truncateForDisplay, type UnresolvedDefinition } from "./definitions.ts";

export type DefinitionTrust = "builtin" | "own" | "workspace";

export interface InheritingDefinition {
	unresolved: UnresolvedDefinition;
	trust: DefinitionTrust;
	/** It is inactive until the user approves it. */
	awaitsApproval: boolean;
}

export interface ResolvedDefinition {
	definition: AgentDefinition;
	notes: readonly string[];
	/** Workspace definitions that extend it may not be wider. */
	limitsWorkspaceChildren: boolean;
}

export type ResolveResult = ResolvedDefinition | { problem: string };

/** Finds a parent by ID, or returns why there is none. */
export type FindParent<Some extends InheritingDefinition> = (agentId: string, child: Some) => Some | { problem: string };

export function createInheritanceResolver<Some extends InheritingDefinition>(
	find: FindParent<Some>,
	scopeLists: ScopeLists,
): (member: Some) => ResolveResult {
	const known = new Map<Some, ResolveResult>();
	const resolve = (member: Some): ResolveResult => {
		const done = known.get(member) ?? resolveNew(member);
		known.set(member, done);
		return done;
	};
	const resolveNew = (member: Some): ResolveResult => {
		const { definition, notes } = member.unresolved;
		if (definition.extends === undefined) return { definition, notes, limitsWorkspaceChildren: member.trust === "own" };
		const parent = find(definition.extends, member);
		if ("problem" in parent) return parent;
		if (member.trust !== "workspace" && parent.trust === "workspace") {
			return {
				problem: t("Can't extend the workspace agent “{0}”; your agents can only extend built-in agents and your own", definition.extends),
			};
		}
		const ring = ringOf(member, find);
		if (ring === "endless") return { problem: t("More than {0} levels of parent agents", MOST_PARENTS) };
		if (ring) return { problem: t("Circular inheritance: {0}", ring.join(" → ")) };
		const inner = resolve(parent);
		if ("problem" in inner) return { problem: t("The parent agent “{0}” can't be used: {1}", definition.extends, inner.problem) };
		return merged(member, parent.trust === "builtin" ? { ...inner, definition: nameless(inner.definition) } : inner, scopeLists);
	};
	return resolve;
}

/** A built-in agent's prompt contains its name, so a child's prompt is generated from its own. */
function nameless({ systemPrompt: _, ...rest }: AgentDefinition): AgentDefinition {
	return rest;
}

/** Returns the IDs in an inheritance cycle through the member; undefined if there is none. */
function ringOf<Some extends InheritingDefinition>(member: Some, find: FindParent<Some>): string[] | "endless" | undefined {
	const line = [member];
	while (line.length <= MOST_PARENTS + 1) {
		const last = line.at(-1) as Some;
		const parent = last.unresolved.definition.extends === undefined ? undefined : find(last.unresolved.definition.extends, last);
		if (!parent || "problem" in parent) return undefined;
		if (parent === member) return [...line, member].map(({ unresolved: own }) => own.definition.agentId);
		if (line.includes(parent)) return undefined;
		line.push(parent);
	}
	return "endless";
}

/** Maximum depth of inheritance, which also limits recursion. */
const MOST_PARENTS = 20;

const OWN: readonly AgentFieldName[] = ["agentId", "displayName", "extends", "allowedTools"];

function merged({ unresolved: own, trust }: InheritingDefinition, parent: ResolvedDefinition, scopeLists: ScopeLists): ResolveResult {
	const result: Record<string, unknown> = { ...own.definition };
	for (const field of AGENT_FIELD_NAMES) {
		if (OWN.includes(field) || own.definition[field] !== undefined || own.clearedFields.includes(field)) continue;
		if (parent.definition[field] !== undefined) result[field] = parent.definition[field];
	}
	const definition = result as unknown as AgentDefinition;
	if (trust !== "workspace") return { definition, notes: own.notes, limitsWorkspaceChildren: true };
	if (!parent.limitsWorkspaceChildren) return { definition, notes: own.notes, limitsWorkspaceChildren: false };
	const notes = [...own.notes];
	const narrow = narrowed(definition, parent.definition, notes, scopeLists);
	const problem = tooLongTogether(narrow, parent.definition, scopeLists);
	return problem === undefined ? { definition: narrow, notes, limitsWorkspaceChildren: true } : { problem };
}

/** Limits lists that grow through inheritance. */
function tooLongTogether(child: AgentDefinition, parent: AgentDefinition, scopeLists: ScopeLists): string | undefined {
	for (const list of AGENT_SCOPE_LISTS) {
		const entries = child[list] ?? [];
		if (scopeListKind(list) === "allow" || entries.length === (parent[list] ?? []).length) continue;
		const { refused, excess } = scopeLists.inspect(entries, "deny");
		const reason = refused ?? excess[0]?.reason;
		if (reason !== undefined) return t("{0} is too long together with inherited entries: {1}", list, reason);
	}
	return undefined;
}

function narrowed(child: AgentDefinition, parent: AgentDefinition, notes: string[], scopeLists: ScopeLists): AgentDefinition {
	const lists: Record<string, readonly string[]> = {};
	for (const list of AGENT_SCOPE_LISTS) {
		const [mine, theirs] = [child[list], parent[list]];
		if (!theirs) continue;
		if (list.endsWith("Denylist")) {
			lists[list] = [...new Set([...theirs, ...(mine ?? [])])];
			continue;
		}
		lists[list] = mine
			? within(list, mine, (entry) => theirs.includes(entry) || (isPlainName(entry) && scopeLists.allows(theirs, entry)), notes)
			: theirs;
	}
	const { mcpServers, optIn, roles, ...rest } = child;
	const servers = mcpServers && within("mcpServers", mcpServers, (server) => parent.mcpServers?.includes(server) ?? false, notes);
	const plugins = optIn && within("optIn", optIn, (plugin) => parent.optIn?.includes(plugin) ?? false, notes);
	const allowed = parent.roles ? within("roles", roles ?? parent.roles, (role) => parent.roles?.includes(role) ?? false, notes) : roles;
	// With any other exposure, plugins that the skill lists exclude would be offered as tools.
	const exposure = parent.toolExposure === "skills" ? { toolExposure: parent.toolExposure } : {};
	return {
		...rest,
		...lists,
		...exposure,
		...(servers && { mcpServers: servers }),
		...(plugins && { optIn: plugins }),
		...(allowed && { roles: allowed }),
	};
}

function within(
	list: keyof AgentScope | "mcpServers" | "optIn" | "roles",
	entries: readonly string[],
	fits: (entry: string) => boolean,
	notes: string[],
): string[] {
	const out = entries.filter((entry) => !fits(entry));
	if (out.length > 0)
		notes.push(t("Entries in {0} that the parent agent doesn't allow are ignored: {1}.", list, out.map(truncateForDisplay).join(", ")));
	return entries.filter(fits);
}

/** Returns true for a plain name; only for these can it be determined whether a list includes an entry. */
function isPlainName(entry: string): boolean {
	return /^[\w.-]+$/.test(entry);
}
