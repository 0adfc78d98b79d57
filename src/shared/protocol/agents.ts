// Messages between the Manage Agents page and the extension host: intents in, updates out. Nobody awaits a reply.
import * as z from "zod";
import type { AgentDraft } from "../../core/agent.ts";
import { type AgentScope, CHAT_PROVIDERS } from "../../core/role.ts";

const key = z.string().min(1).max(5_000);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const line = z.string().max(500);
const lines = z.array(line).max(500);
const list = lines.nullable().optional();

/** Only that it is a draft at all: what is right in it, the registry says, and at which field. */
const DraftSchema = z.strictObject({
	displayName: line,
	description: z.string().max(5_000).optional(),
	systemPrompt: z.string().max(200_000).optional(),
	type: z.enum(["chat", "external"]).optional(),
	chat: z.looseObject({ provider: z.enum(CHAT_PROVIDERS).optional() }).optional(),
	external: z.looseObject({ inputUrl: z.string().max(2_000).optional(), callbackBaseUrl: z.string().max(2_000).optional() }).optional(),
	model: z.union([line, z.record(line, line)]).optional(),
	toolExposure: z.enum(["tools", "skills", "mixed"]).optional(),
	uiVisible: z.boolean().optional(),
	apiExposed: z.boolean().optional(),
	mcpServers: lines.optional(),
	allowedTools: lines.optional(),
	extends: line.optional(),
	roles: lines.optional(),
	defaultRole: line.optional(),
	icon: line.optional(),
	color: line.optional(),
	toolAllowlist: list,
	toolDenylist: list,
	skillAllowlist: list,
	skillDenylist: list,
	capabilityAllowlist: list,
	capabilityDenylist: list,
	agentAllowlist: list,
	agentDenylist: list,
});
const draft = DraftSchema as unknown as z.ZodType<AgentDraft>;

/** `base`: the agent as it was when the person began, as JSON; "" of a new one. */
const keptDraft = z.object({ draft, base: z.string().max(500_000) }).strict();

/** One message per act of the person. Approving carries the one-time token of the page's script. */
export const AgentsIntentSchema = z.discriminatedUnion("type", [
	/** The page is there: it wants a snapshot. */
	z.object({ type: z.literal("ready") }).strict(),
	/** It shows that entry, and wants the whole of it. */
	z.object({ type: z.literal("choose"), key }).strict(),
	/** What a draft comes to. The answer to an older `ask` is of no use. */
	z.object({ type: z.literal("check"), ask: z.int().min(0), key, draft }).strict(),
	/** What is not saved yet, all of it: it outlives the page. */
	z.object({ type: z.literal("keep"), drafts: z.record(key, keptDraft) }).strict(),
	z.object({ type: z.literal("save"), key, draft }).strict(),
	z.object({ type: z.literal("duplicate"), key }).strict(),
	z.object({ type: z.literal("remove"), key }).strict(),
	/** Where it is defined: its file, or the settings. */
	z.object({ type: z.literal("open"), key }).strict(),
	z.object({ type: z.literal("approve"), key, hash, token: z.string().min(1).max(200) }).strict(),
	z.object({ type: z.literal("disapprove"), key }).strict(),
	/** A button that leads to one of our own commands; which, the host decides from a list. */
	z.object({ type: z.literal("command"), command: z.enum(["manageGrants", "mcpSettings", "selectModel"]) }).strict(),
]);

export type AgentsIntent = z.infer<typeof AgentsIntentSchema>;
export type AgentsCommand = Extract<AgentsIntent, { type: "command" }>["command"];
export type StoredDraft = z.infer<typeof keptDraft>;
export type StoredDrafts = Readonly<Record<string, StoredDraft>>;

export type AgentOrigin = "builtin" | "settings" | "own" | "workspace";

interface RowBase {
	/** Names the entry between page and host: `agent:<id>`, `broken:<where>`, `waiting:<id>:<path>`. */
	key: string;
	label: string;
	origin: AgentOrigin;
	/** Its file or its entry in the settings, as the person would look for it. */
	place?: string;
}

export interface AgentRow extends RowBase {
	kind: "agent";
	agentId: string;
	description?: string;
	icon?: string;
	color?: string;
	/** Not offered in pickers. */
	hidden: boolean;
	/** In a file of the person's own. */
	editable: boolean;
	/** What of its definition does not count. */
	notes: readonly string[];
	/** How many times "Always allow" was pressed for it here and elsewhere. */
	grants: number;
}

export interface BrokenRow extends RowBase {
	kind: "broken";
	problem: string;
}

export interface UnapprovedRow extends RowBase {
	kind: "waiting";
	icon?: string;
	color?: string;
	/** Another content of it was approved before. */
	changed: boolean;
}

export type AgentListRow = AgentRow | BrokenRow | UnapprovedRow;

export interface RoleOption {
	id: string;
	label: string;
	icon?: string;
	/** What it may do, in words. */
	may: string;
}

export interface ServerOption {
	id: string;
	name: string;
	description?: string;
	icon?: string;
	/** Why it cannot be used now. */
	problem?: string;
}

export interface ModelGroup {
	label: string;
	models: readonly { id: string; name: string }[];
	/** Why its models cannot be listed or used now. */
	problem?: string;
}

/** What the page shows beside the entry that is chosen. */
export interface AgentsView {
	/** The default agent first, then by where they come from. */
	rows: readonly AgentListRow[];
	roles: readonly RoleOption[];
	servers: readonly ServerOption[];
	/** Absent until they are listed. */
	models?: readonly ModelGroup[];
	/** What stands now for an agent that names none. */
	auto?: string;
}

/** Tools of one plugin: those that result, and those that a list cuts, by that list. */
export interface ScopeGroup {
	plugin: string;
	/** For the person; the plugin's id where it has no name. */
	label: string;
	offered: readonly string[];
	cut: readonly ScopeExclusionGroup[];
}

export interface ScopeExclusionGroup {
	list: keyof AgentScope;
	/** Of a deny list. */
	pattern?: string;
	tools: readonly string[];
	/** Where the list is about capabilities: those it names. */
	capabilities: readonly string[];
}

/** What an agent's lists come to, by the gate's own code. */
export interface ScopeSummary {
	groups: readonly ScopeGroup[];
	offered: number;
	total: number;
	/** How many of them each of its roles has. */
	roles: readonly { id: string; label: string; tools: number }[];
	/** MCP servers it lists whose tools its allow list leaves out, with the pattern that lets them in. */
	shut: readonly { name: string; pattern: string }[];
	/** MCP servers it lists whose tools are not known before they start. */
	unknown: readonly string[];
	/** Patterns of its lists of tools that match none: most are misspelt. */
	idle: readonly string[];
}

export interface DraftProblem {
	/** Of the draft; "" for the whole. */
	field: string;
	problem: string;
}

export type AgentDetail =
	| {
			kind: "agent";
			/** What is edited: its own file, or the whole definition where it cannot be changed here. */
			draft: AgentDraft;
			problems: readonly DraftProblem[];
			scope: ScopeSummary;
	  }
	| {
			kind: "waiting";
			/** What an approval is of. */
			hash: string;
			text: string;
			/** Against what was approved before: unified hunks. */
			diff?: string;
			scope: ScopeSummary;
			/** Roles it may have, and what they may do together. */
			roles: string;
			may: string;
			/** Names of MCP servers it would start. */
			servers: readonly string[];
			/** What of it does not count. */
			ignored: readonly string[];
	  };

export type AgentsUpdate =
	/** `drafts`: what the page had kept when it was closed. */
	| { type: "snapshot"; view: AgentsView; drafts: StoredDrafts; token: string }
	| { type: "view"; view: AgentsView }
	| { type: "detail"; key: string; detail: AgentDetail }
	| { type: "checked"; ask: number; key: string; problems: readonly DraftProblem[]; scope: ScopeSummary }
	/** The entry is kept under that key now. */
	| { type: "saved"; key: string; as: string; view: AgentsView }
	| { type: "refused"; key: string; problems: readonly DraftProblem[] }
	/** A command leads to an entry, or to a new agent: "new". */
	| { type: "select"; key: string }
	/** Valid for the next approval only. */
	| { type: "token"; token: string };
