// Agents and roles that a person defines, checked and put beside the built-in ones. What is not valid, or asks for what
// cannot be given yet, is named and left out: nothing ever runs with more than its definition says.

import * as z from "zod";
import { type AgentDefinition, PERMISSIONS, type Role } from "../core/permissions.ts";
import { t } from "../l10n.ts";
import { builtinAgents } from "./builtinAgents.ts";
import { builtinRoles, withWayOut } from "./roles.ts";

export interface Checked<T> {
	/** Built-in ones first, then those of the person in their order. */
	all: T[];
	/** One sentence for each definition that was left out. */
	problems: string[];
}

/** Agents as `troupe.agents` lists them. */
export function checkAgents(entries: readonly unknown[]): Checked<AgentDefinition> {
	return check(entries, builtinAgents, (agent) => agent.agentId, parseAgent);
}

/** Roles as `troupe.roles` lists them. */
export function checkRoles(entries: readonly unknown[]): Checked<Role> {
	return check(entries, builtinRoles, (role) => role.id, parseRole);
}

const Id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, t("an id is 1 to 64 letters, digits, - or _"));
const Globs = z.array(z.string()).optional();

const AgentSchema = z.strictObject({
	agentId: Id,
	displayName: z.string().min(1),
	description: z.string().optional(),
	systemPrompt: z.string().optional(),
	model: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
	icon: z.string().optional(),
	color: z.string().optional(),
	toolAllowlist: Globs,
	toolDenylist: Globs,
	skillAllowlist: Globs,
	skillDenylist: Globs,
	capabilityAllowlist: Globs,
	capabilityDenylist: Globs,
	agentAllowlist: Globs,
	agentDenylist: Globs,
});

const RoleSchema = z.strictObject({
	id: Id,
	label: z.string().min(1),
	permissions: z.array(z.enum(PERMISSIONS)),
	ceiling: z.array(z.enum(PERMISSIONS)).optional(),
	prompt: z.string(),
	icon: z.string().optional(),
	model: z.string().optional(),
});

/** Fields of a definition that nothing acts on yet, and whether a value of theirs asks for something. */
const NOT_YET: Record<string, (value: unknown) => boolean> = {
	type: (value) => value !== "chat",
	chat: () => true,
	external: () => true,
	mcpServers: isFilled,
	allowedTools: isFilled,
	extends: () => true,
	roles: () => true,
	defaultRole: () => true,
	toolExposure: (value) => value !== "tools",
	uiVisible: (value) => value !== true,
};

/** What was found, or why there is none. */
type Parsed<T> = { found: T } | { problem: string };

function parseAgent(entry: Record<string, unknown>): Parsed<AgentDefinition> {
	const { id, name, ...rest } = entry;
	const asked = Object.keys(rest).filter((field) => NOT_YET[field]?.(rest[field]));
	if (asked.length > 0) return { problem: t("{0} cannot be used yet", asked.join(", ")) };
	const plain = Object.fromEntries(Object.entries(rest).filter(([field]) => !(field in NOT_YET)));
	return parse<AgentDefinition>(AgentSchema as z.ZodType<AgentDefinition>, {
		...(id !== undefined && { agentId: id }),
		...(name !== undefined && { displayName: name }),
		...plain,
	});
}

function parseRole(entry: Record<string, unknown>): Parsed<Role> {
	const parsed = parse<Role>(RoleSchema as z.ZodType<Role>, entry);
	return "found" in parsed ? { found: withWayOut(parsed.found) } : parsed;
}

function parse<T>(schema: z.ZodType<T>, value: unknown): Parsed<T> {
	const parsed = schema.safeParse(value);
	if (parsed.success) return { found: parsed.data };
	const [issue] = parsed.error.issues;
	const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
	return { problem: `${where}${issue?.message ?? t("it is not valid")}` };
}

function check<T>(
	entries: readonly unknown[],
	builtin: readonly T[],
	idOf: (definition: T) => string,
	parseOne: (entry: Record<string, unknown>) => Parsed<T>,
): Checked<T> {
	const all = [...builtin];
	const reserved = new Set(builtin.map(idOf));
	const taken = new Set(reserved);
	const problems: string[] = [];
	for (const [index, entry] of entries.entries()) {
		const parsed: Parsed<T> = isRecord(entry) ? parseOne(withoutNull(entry)) : { problem: t("it is not an object") };
		const clash = "found" in parsed && taken.has(idOf(parsed.found)) ? idOf(parsed.found) : undefined;
		if ("found" in parsed && clash === undefined) {
			all.push(parsed.found);
			taken.add(idOf(parsed.found));
			continue;
		}
		const why =
			"problem" in parsed ? parsed.problem : reserved.has(clash ?? "") ? t("a built-in one has this id") : t("an earlier one has this id");
		problems.push(t("{0} is left out: {1}.", nameOf(entry, index), why));
	}
	return { all, problems };
}

/** As the person would look for it in their settings. */
function nameOf(entry: unknown, index: number): string {
	const id = isRecord(entry) ? (entry["agentId"] ?? entry["id"]) : undefined;
	return typeof id === "string" && id !== "" ? t("“{0}” (entry {1})", id.slice(0, 64), index + 1) : t("Entry {0}", index + 1);
}

function isFilled(value: unknown): boolean {
	return typeof value !== "object" || value === null || Object.keys(value).length > 0;
}

function withoutNull(value: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null && part !== undefined));
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
