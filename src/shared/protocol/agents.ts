// Messages between the Manage Agents page and the extension host: intents in, updates out. No message has a reply.
import * as z from "zod";
import type { AgentDraft } from "../../core/agent.ts";
import { AGENT_OUTPUTS, type AgentScope, CHAT_PROVIDERS } from "../../core/role.ts";

const key = z.string().min(1).max(5_000);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const line = z.string().max(500);
const lines = z.array(line).max(500);
const list = lines.nullable().optional();

/** Validates only the structure; the registry validates the fields and reports problems by field. */
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
	optIn: lines.optional(),
	allowedTools: lines.optional(),
	extends: line.optional(),
	roles: lines.optional(),
	defaultRole: line.optional(),
	output: z.enum(AGENT_OUTPUTS).optional(),
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

/** `base`: the agent as JSON when editing began; "" for a new agent. */
const keptDraft = z.object({ draft, base: z.string().max(500_000) }).strict();

/** One message per user action. Approvals carry the page's one-time token. */
export const AgentsIntentSchema = z.discriminatedUnion("type", [
	/** The page has loaded and requests a snapshot. */
	z.object({ type: z.literal("ready") }).strict(),
	/** The page shows that entry and requests its details. */
	z.object({ type: z.literal("choose"), key }).strict(),
	/** Requests validation of a draft. The page ignores answers to an older `ask`. */
	z.object({ type: z.literal("check"), ask: z.int().min(0), key, draft }).strict(),
	/** All unsaved drafts, stored so that they survive closing the page. */
	z.object({ type: z.literal("keep"), drafts: z.record(key, keptDraft) }).strict(),
	z.object({ type: z.literal("save"), key, draft }).strict(),
	z.object({ type: z.literal("duplicate"), key }).strict(),
	z.object({ type: z.literal("remove"), key }).strict(),
	/** Opens the definition: its file or the settings. */
	z.object({ type: z.literal("open"), key }).strict(),
	z.object({ type: z.literal("approve"), key, hash, token: z.string().min(1).max(200) }).strict(),
	z.object({ type: z.literal("disapprove"), key }).strict(),
	/** A button that runs one of our commands, from this list. */
	z.object({ type: z.literal("command"), command: z.enum(["manageGrants", "mcpSettings", "selectModel"]) }).strict(),
]);

export type AgentsIntent = z.infer<typeof AgentsIntentSchema>;
export type AgentsCommand = Extract<AgentsIntent, { type: "command" }>["command"];
export type StoredDraft = z.infer<typeof keptDraft>;
export type StoredDrafts = Readonly<Record<string, StoredDraft>>;

export type AgentOrigin = "builtin" | "settings" | "own" | "workspace";

interface RowBase {
	/** Identifies the entry between page and host: `agent:<id>`, `task:<id>`, `broken:<where>`, `waiting:<id>:<path>`. */
	key: string;
	label: string;
	origin: AgentOrigin;
	/** Its file or settings entry, as displayed. */
	place?: string;
	/** A task type: no agent that one could choose or duplicate. */
	task?: true;
}

export interface AgentRow extends RowBase {
	kind: "agent";
	agentId: string;
	description?: string;
	icon?: string;
	color?: string;
	/** True if it is not offered in pickers. */
	hidden: boolean;
	/** True if it is defined in one of the user's own files. */
	editable: boolean;
	/** Ignored parts of its definition. */
	notes: readonly string[];
	/** Number of its standing approvals, in all workspaces. */
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
	/** Different content was approved before. */
	changed: boolean;
}

export type AgentListRow = AgentRow | BrokenRow | UnapprovedRow;

export interface RoleOption {
	id: string;
	label: string;
	icon?: string;
	/** Its permissions, in words. */
	may: string;
}

export interface ServerOption {
	id: string;
	name: string;
	description?: string;
	icon?: string;
	/** Reason why it cannot be used now. */
	problem?: string;
}

export interface ModelGroup {
	label: string;
	models: readonly { id: string; name: string }[];
	/** Reason why its models cannot be listed or used now. */
	problem?: string;
}

/** Everything that the page shows except the selected entry. */
export interface AgentsView {
	/** The default agent first, then sorted by origin. */
	rows: readonly AgentListRow[];
	roles: readonly RoleOption[];
	servers: readonly ServerOption[];
	/** The models; absent until they are listed. */
	models?: readonly ModelGroup[];
	/** The model used by an agent that names none. */
	auto?: string;
}

/** A plugin's tools: those offered, and those that a list excludes, by list. */
export interface ScopeGroup {
	plugin: string;
	/** Display name; the plugin's id if it has none. */
	label: string;
	offered: readonly string[];
	cut: readonly ScopeExclusionGroup[];
}

export interface ScopeExclusionGroup {
	/** `optIn`: it doesn't name the plugin. */
	list: keyof AgentScope | "optIn" | "plugins";
	/** The pattern of a deny list; absent for other lists. */
	pattern?: string;
	tools: readonly string[];
	/** The capabilities concerned, for capability lists. */
	capabilities: readonly string[];
}

/** The result of an agent's lists, computed by the gate's own code. */
export interface ScopeSummary {
	groups: readonly ScopeGroup[];
	offered: number;
	total: number;
	/** Number of these tools in each of its roles. */
	roles: readonly { id: string; label: string; tools: number }[];
	/** MCP servers of the agent whose tools its allow list excludes, with the pattern that would include them. */
	shut: readonly { name: string; pattern: string }[];
	/** MCP servers of the agent whose tools are unknown until they start. */
	unknown: readonly string[];
	/** Patterns in its tool lists that match no tool, usually misspelled. */
	idle: readonly string[];
}

export interface DraftProblem {
	/** Field of the draft; "" for the whole draft. */
	field: string;
	problem: string;
}

export type AgentDetail =
	| {
			kind: "agent";
			/** The editable content: its own file, or the whole definition if it cannot be changed here. */
			draft: AgentDraft;
			problems: readonly DraftProblem[];
			scope: ScopeSummary;
	  }
	| {
			kind: "waiting";
			/** Hash of the content to approve. */
			hash: string;
			text: string;
			/** Unified diff hunks against the previously approved content. */
			diff?: string;
			scope: ScopeSummary;
			/** Its possible roles, and their combined permissions. */
			roles: string;
			may: string;
			/** Names of the MCP servers that it would start. */
			servers: readonly string[];
			/** Ignored parts of its definition. */
			ignored: readonly string[];
	  };

export type AgentsUpdate =
	/** `drafts`: unsaved drafts from before the page was closed. */
	| { type: "snapshot"; view: AgentsView; drafts: StoredDrafts; token: string }
	| { type: "view"; view: AgentsView }
	| { type: "detail"; key: string; detail: AgentDetail }
	| { type: "checked"; ask: number; key: string; problems: readonly DraftProblem[]; scope: ScopeSummary }
	/** The entry is now stored under the key `as`. */
	| { type: "saved"; key: string; as: string; view: AgentsView }
	| { type: "refused"; key: string; problems: readonly DraftProblem[] }
	/** Selects an entry, or "new" for a new agent. */
	| { type: "select"; key: string }
	/** Valid for the next approval only. */
	| { type: "token"; token: string };
