// Validates one agent definition and returns it as data, or as problems at its fields.

// An agent never has more access than its definition states.

import type { AgentDraft } from "../core/agent.ts";
import { DRAWN, replaceHidden } from "../core/hiddenText.ts";
import { isRecord } from "../core/isRecord.ts";
import type { ScopeListKind, ScopeLists } from "../core/ports/gate.ts";
import { AGENT_SCOPE_LISTS, type AgentDefinition, type AgentScope } from "../core/role.ts";
import { runtimeOf, runtimeTraits } from "../core/runtimeKind.ts";
import { t } from "../shared/l10n.ts";
import {
	AGENT_FIELD_ALIASES,
	AGENT_FIELD_NAMES,
	type AgentFieldName,
	AgentSchema,
	findMisspelledField,
	issueMessage,
	PRESERVED_FIELDS,
} from "./agentSchema.ts";

/** A definition without inherited values. */
export interface UnresolvedDefinition {
	definition: AgentDefinition;
	/** Fields set to null, which clears the inherited value. */
	clearedFields: readonly AgentFieldName[];
	/** Ignored parts, one sentence each. */
	notes: readonly string[];
}

export interface FieldProblem {
	/** Path of the field: `["toolAllowlist", 0]`; empty for the whole definition. */
	field: readonly (string | number)[];
	problem: string;
}

export type ParsedDefinition = { own: UnresolvedDefinition } | { problems: readonly FieldProblem[] };

/** `owned`: the user's own definition, whose deny lists still apply if they exceed today's limits. */
export function parseDefinition(entry: unknown, lists: ScopeLists, owned: boolean): ParsedDefinition {
	if (!isRecord(entry)) return { problems: [{ field: [], problem: t("Must be an object") }] };
	const problems: FieldProblem[] = [];
	const notes: string[] = [];
	const known: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(entry)) {
		if (isField(name)) known[name] = value;
		else if (!(Object.hasOwn(AGENT_FIELD_ALIASES, name) || PRESERVED_FIELDS.includes(name))) {
			const meant = findMisspelledField(name);
			if (meant) problems.push({ field: [name], problem: t("Unknown field (did you mean {0}?)", meant) });
			else notes.push(t("Unknown field {0} is ignored.", truncateForDisplay(name)));
		}
	}
	for (const [alias, field] of Object.entries(AGENT_FIELD_ALIASES)) known[field] ??= entry[alias];
	for (const field of ["agentId", "displayName"]) {
		if (known[field] === undefined || known[field] === null) problems.push({ field: [field], problem: t("Required field is missing") });
	}
	if (problems.length > 0) return { problems };
	known["allowedTools"] = textsOf(known["allowedTools"], notes);
	const parsed = AgentSchema.safeParse(known);
	if (!parsed.success)
		return { problems: parsed.error.issues.map((issue) => ({ field: asWritten(entry, issue.path), problem: issueMessage(issue) })) };
	const filled = Object.entries(parsed.data).filter(([, value]) => value !== null && value !== undefined);
	const definition = settleDefinition(Object.fromEntries(filled) as unknown as AgentDefinition, notes);
	for (const list of AGENT_SCOPE_LISTS) problems.push(...checkList(definition, list, lists, owned, notes));
	if (problems.length > 0) return { problems };
	return { own: { definition, clearedFields: AGENT_FIELD_NAMES.filter((field) => known[field] === null), notes } };
}

/** Unreadable approvals are ignored; the others stay. */
function textsOf(entries: unknown, notes: string[]): unknown {
	if (!Array.isArray(entries)) return entries;
	const texts = entries.filter((entry) => typeof entry === "string");
	const lost = entries.length - texts.length;
	if (lost === 1) notes.push(t("1 entry in allowedTools can't be read and is ignored."));
	if (lost > 1) notes.push(t("{0} entries in allowedTools can't be read and are ignored.", lost));
	return texts;
}

/** Returns the editable draft of a user's own definition. */
export function toAgentDraft({ definition, clearedFields: cleared }: UnresolvedDefinition): AgentDraft {
	const { agentId: _, ...draft } = definition;
	const lists = cleared.filter((field) => AGENT_SCOPE_LISTS.includes(field as keyof AgentScope));
	return { ...draft, ...Object.fromEntries(lists.map((field) => [field, null])) };
}

/** Returns a list's errors; adds its ignored parts to `notes`. */
function checkList(
	definition: AgentDefinition,
	list: keyof AgentScope,
	lists: ScopeLists,
	owned: boolean,
	notes: string[],
): readonly FieldProblem[] {
	const entries = definition[list] ?? [];
	const kind = scopeListKind(list);
	const { unusable, excess, refused } = lists.inspect(entries, kind);
	if (refused !== undefined) return [{ field: [list], problem: refused }];
	for (const { index, reason } of unusable) {
		const said = [list, truncateForDisplay(entries[index] ?? ""), reason] as const;
		notes.push(
			kind === "deny"
				? t("Invalid pattern “{1}” in {0}: {2}. The pattern excludes everything.", ...said)
				: t("Invalid pattern “{1}” in {0}: {2}. The pattern matches nothing.", ...said),
		);
	}
	if (kind === "allow" || !owned)
		return excess.map(({ index, reason }) => ({ field: index === undefined ? [list] : [list, index], problem: reason }));
	for (const { index, reason } of excess) {
		notes.push(
			index === undefined
				? t("{0} exceeds a limit but still applies: {1}.", list, reason)
				: t("In {0}, the pattern “{1}” exceeds a limit but still applies: {2}.", list, truncateForDisplay(entries[index] ?? ""), reason),
		);
	}
	return [];
}

export function scopeListKind(list: keyof AgentScope): ScopeListKind {
	return list.endsWith("Denylist") ? "deny" : "allow";
}

/** Normalizes model names, and drops ignored values. */
function settleDefinition(definition: AgentDefinition, notes: string[]): AgentDefinition {
	const { icon, color, model, chat, external, ...rest } = definition;
	if (icon !== undefined && !/^[a-z0-9-]{1,64}$/.test(icon))
		notes.push(t("“{0}” isn't a codicon name. The icon is ignored.", truncateForDisplay(icon)));
	if (color !== undefined && !/^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$/.test(color)) {
		notes.push(t("“{0}” isn't a theme color ID such as charts.blue. The color is ignored.", truncateForDisplay(color)));
	}
	return {
		...rest,
		...(model !== undefined && { model: typeof model === "string" ? fullName(model) : byRole(model) }),
		...(chat !== undefined && { chat: withoutNull(chat) }),
		...(external !== undefined && { external: withoutNull(external) }),
		...(icon !== undefined && /^[a-z0-9-]{1,64}$/.test(icon) && { icon }),
		...(color !== undefined && /^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$/.test(color) && { color }),
	};
}

/** Adds the provider to well-known model names, as other programs write them. */
export function fullName(model: string): string {
	if (/^claude-[\w.-]+$/.test(model)) return `anthropic/${model}`;
	return /^gpt-[\w.-]+$/.test(model) ? `openai/${model}` : model;
}

function byRole(models: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(Object.entries(models).map(([role, model]) => [role, fullName(model)]));
}

function withoutNull(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
}

/** Returns why this version cannot run the agent, with the field responsible. Takes the resolved definition. */
export function findUnsupportedRuntime(agent: AgentDefinition): FieldProblem | undefined {
	const { chat, external } = agent;
	const { ownModel, startsProgram } = runtimeTraits[runtimeOf(agent)];
	if (!ownModel) return undefined;
	if (startsProgram) return { field: ["chat", "provider"], problem: t("This version doesn't run {0}", chat?.provider ?? "") };
	if (external?.inputUrl === undefined) return { field: ["external", "inputUrl"], problem: t("Required field is missing") };
	return { field: ["type"], problem: t("This version doesn't run external agents") };
}

/** Returns an issue's path, with the alias that the user wrote. */
function asWritten(entry: Record<string, unknown>, path: readonly PropertyKey[]): (string | number)[] {
	const [field, ...rest] = path.map((part) => (typeof part === "number" ? part : String(part)));
	const alias = Object.entries(AGENT_FIELD_ALIASES).find(
		([name, known]) => known === field && !Object.hasOwn(entry, known) && Object.hasOwn(entry, name),
	);
	return field === undefined ? [] : [alias?.[0] ?? field, ...rest];
}

/** Truncates, and replaces line breaks and hidden characters. */
export function truncateForDisplay(text: string): string {
	const line = replaceHidden(text, () => "�", ...DRAWN);
	return line.length > 64 ? `${line.slice(0, 63)}…` : line;
}

function isField(name: string): name is AgentFieldName {
	return (AGENT_FIELD_NAMES as readonly string[]).includes(name);
}
