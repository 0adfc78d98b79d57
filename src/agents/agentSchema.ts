// Zod schema for agent definitions, with validation messages.

// scripts/schema.mjs generates the JSON schema from it.
import * as z from "zod";
import { isVisibleName } from "../core/hiddenText.ts";
import { AGENT_OUTPUTS, CHAT_PROVIDERS } from "../core/role.ts";
import { t } from "../shared/l10n.ts";

export const AGENT_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** Longer lists are unlikely to be reviewed. */
const MOST_PATTERNS = 500;

const id = z.string().regex(AGENT_ID_PATTERN, t("An ID must be 1 to 64 letters, digits, - or _"));
const line = (most: number) =>
	z
		.string()
		.min(1, t("Must not be empty"))
		.max(most, t("Must be {0} characters or fewer", most))
		.refine(isVisibleName, t("Contains invisible characters or line breaks"));
const address = z
	.string()
	.max(2_000, t("Must be {0} characters or fewer", 2_000))
	.refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), t("Must be an http or https address"))
	.nullish();
const list = (about: string) =>
	z.array(z.string()).max(MOST_PATTERNS, t("Must have {0} entries or fewer", MOST_PATTERNS)).nullish().describe(about);
const globs = (what: string, deny: boolean) =>
	list(
		deny
			? `Globs of ${what} it may not use; counts after the allow list. A pattern that cannot be read matches everything.`
			: `Globs of ${what} it may use; every one when absent. A pattern that cannot be read matches nothing.`,
	);

/** Absent and null are equivalent, except in an agent that extends another, where null clears an inherited value. */
export const agentFields = {
	agentId: id.describe("Names the agent: 1 to 64 letters, digits, - or _."),
	displayName: line(100).describe("What people read."),
	description: z.string().max(5_000, t("Must be {0} characters or fewer", 5_000)).nullish().describe("What it is for, in a sentence."),
	systemPrompt: z.string().nullish().describe("Instructions for the model. Made of name and description when empty."),
	type: z.enum(["chat", "external"]).nullish().describe("What runs its turns; `chat` when absent."),
	chat: z
		.looseObject({
			provider: z
				.enum(CHAT_PROVIDERS)
				.nullish()
				.describe("The wire format that answers, for agents of type `chat`: their model, or one of a provider that has it."),
		})
		.nullish()
		.describe("Settings of agents of type `chat`."),
	external: z
		.looseObject({
			inputUrl: address.describe("Where messages to the agent are sent: an address of its server."),
			callbackBaseUrl: address.describe("The address under which the agent reaches us with its answers."),
		})
		.nullish()
		.describe("Settings of agents of type `external`."),
	model: z
		.union([z.string(), z.record(z.string(), z.string())])
		.nullish()
		.describe("`provider/model`, or an object with one for each role; your settings decide where none is named."),
	toolAllowlist: globs("tools", false),
	toolDenylist: globs("tools", true),
	skillAllowlist: globs("skills, by the plugin's id,", false),
	skillDenylist: globs("skills, by the plugin's id,", true),
	capabilityAllowlist: globs("the capabilities of tools", false),
	capabilityDenylist: globs("the capabilities of tools", true),
	agentAllowlist: globs("the agents", false),
	agentDenylist: globs("the agents", true),
	toolExposure: z
		.enum(["tools", "skills", "mixed"])
		.nullish()
		.describe("Whether tools of plugins are offered as tools, from a shell, or, where their skills are allowed, from a shell."),
	uiVisible: z.boolean().nullish().describe("Listed in pickers and in the tree; true when absent."),
	apiExposed: z.boolean().nullish().describe("Reserved for the local API; nothing acts on it."),
	mcpServers: list("Ids of the MCP servers it uses."),
	optIn: list("Ids of plugins whose tools it has only if they are named here, for example `tasks`. Its lists apply to them as well."),
	// Compared literally, so wildcards and the number of entries have no cost.
	allowedTools: z
		.array(z.string())
		.nullish()
		.describe("Saved approvals: `tool` or `tool(class)`. Ignored in workspace files, and not inherited."),
	extends: id.nullish().describe("Id of the agent that it inherits from. A list replaces the inherited one; null takes it back."),
	roles: list("Ids of the roles it may have; every role when absent."),
	defaultRole: z.string().nullish().describe("The role its sessions begin with."),
	output: z
		.enum(AGENT_OUTPUTS)
		.nullish()
		.describe(
			"`reply`: its text is thought that nobody reads, and it speaks with the tool `reply` alone. Its text is its answer when absent.",
		),
	icon: z.string().nullish().describe("A codicon's name, for example `book`."),
	color: z.string().nullish().describe("A theme color's id, for example `charts.blue`."),
};

export const AgentSchema = z.object(agentFields);

export type AgentFieldName = keyof typeof agentFields;
export const AGENT_FIELD_NAMES = Object.keys(agentFields) as readonly AgentFieldName[];

/** Aliases of fields. */
export const AGENT_FIELD_ALIASES = { id: "agentId", name: "displayName" } as const;

/** Fields that other programs write: preserved in the file, but not part of the definition. */
export const PRESERVED_FIELDS = ["createdAt", "updatedAt", "isDefault", "$schema"];

/** Converts a zod issue to a message for users. */
export function issueMessage(issue: z.core.$ZodIssue): string {
	if (issue.code === "invalid_type") {
		if (issue.expected === "string") return t("Must be text");
		if (issue.expected === "array") return t("Must be a list");
		if (issue.expected === "boolean") return t("Must be true or false");
		if (issue.expected === "number" || issue.expected === "int") return issue.message;
		return t("Must be an object");
	}
	if (issue.code === "invalid_value") return t("Must be one of {0}", issue.values.join(", "));
	if (issue.code === "invalid_union") return t("Must be text, or an object with text for each role");
	return issue.message;
}

/** Returns the field that a misspelled name probably means, if ignoring the name would remove a restriction. */
export function findMisspelledField(name: string): AgentFieldName | undefined {
	const plain = bare(name);
	const meant = NARROWING.find((field) => distance(plain, bare(field)) <= (field.length > 10 ? 3 : field.length > 8 ? 2 : 1));
	if (meant) return meant;
	const [, kind = "tool", deny] =
		/^(?:(tool|skill|capabilit|agent)\w*?)?(allow|include|white|deny|denied|disallow|exclude|black|block)/.exec(plain) ?? [];
	const about = /^(tool|skill|capabilit|agent)(s|y|ies)?$/.exec(plain)?.[1] ?? (deny === undefined ? undefined : kind);
	if (about === undefined) return undefined;
	const ending = deny !== undefined && !["allow", "include", "white"].includes(deny) ? "Denylist" : "Allowlist";
	return `${about === "capabilit" ? "capability" : about}${ending}` as AgentFieldName;
}

const NARROWING: readonly AgentFieldName[] = [
	...AGENT_FIELD_NAMES.filter((field) => /list$/.test(field)),
	"roles",
	"extends",
	"mcpServers",
	"uiVisible",
	"toolExposure",
];

function bare(name: string): string {
	return name.slice(0, 64).toLowerCase().replaceAll(/[-_ ]/g, "");
}

/** Levenshtein distance. */
function distance(one: string, other: string): number {
	let row = Array.from({ length: other.length + 1 }, (_, index) => index);
	for (const [index, letter] of [...one].entries()) {
		const next = [index + 1];
		for (let at = 1; at <= other.length; at++) {
			const same = (row[at - 1] as number) + (letter === other[at - 1] ? 0 : 1);
			next.push(Math.min(same, (row[at] as number) + 1, (next[at - 1] as number) + 1));
		}
		row = next;
	}
	return row[other.length] as number;
}
