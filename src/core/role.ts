// Types and constants for permissions, roles and agent definitions.

export const PERMISSIONS = [
	"ReadFiles",
	"WriteFiles",
	"CreateFiles",
	"DeleteFiles",
	"ExecuteCommands",
	"Network",
	"ExternalTools",
	"Delegate",
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** A named set of permissions with the words that tell the model about them. */
export interface Role {
	id: string;
	/** What the person reads. */
	label: string;
	/** What the model is told, where the label is in the language of the editor. */
	name?: string;
	permissions: readonly Permission[];
	/** What agents that this role asks may have at most; its own permissions when absent. */
	ceiling?: readonly Permission[];
	prompt: string;
	/** What models that may have no tool calls are told to write as JSON; plans and questions when absent. */
	formats?: readonly ("plan" | "question")[];
	/** A codicon's name. */
	icon?: string;
	/** `provider/model`, where neither the agent nor the person names one for this role. */
	model?: string;
	/** Where "Execute plan" and an offered switch lead from here; the role that acts has none. */
	acts?: string;
	/** Has a button of its own in the chat, and the status bar switches between these; the others are under "More roles". */
	primary?: true;
	/** Answers what the models of other extensions ask. */
	answersOthers?: true;
	/** Switches to this role, as a slash command (`/plan`) and behind `@troupe`. */
	command?: { name: string; description: string };
}

/** Glob lists; a list that is absent or null does not limit. Deny counts after allow. */
export interface AgentScope {
	toolAllowlist?: readonly string[] | null;
	toolDenylist?: readonly string[] | null;
	skillAllowlist?: readonly string[] | null;
	skillDenylist?: readonly string[] | null;
	capabilityAllowlist?: readonly string[] | null;
	capabilityDenylist?: readonly string[] | null;
	agentAllowlist?: readonly string[] | null;
	agentDenylist?: readonly string[] | null;
}

export const AGENT_SCOPE_LISTS: readonly (keyof AgentScope)[] = [
	"toolAllowlist",
	"toolDenylist",
	"skillAllowlist",
	"skillDenylist",
	"capabilityAllowlist",
	"capabilityDenylist",
	"agentAllowlist",
	"agentDenylist",
];

export interface AgentDefinition extends AgentScope {
	agentId: string;
	displayName: string;
	description?: string;
	systemPrompt?: string;
	/** What runs its turns; `chat` when absent. */
	type?: "chat" | "external";
	chat?: { provider?: ChatProvider } & Readonly<Record<string, unknown>>;
	external?: { inputUrl?: string; callbackBaseUrl?: string } & Readonly<Record<string, unknown>>;
	/** `provider/model`, or one for each role by id; the person's settings decide where none is named. */
	model?: string | Readonly<Record<string, string>>;
	/** Whether plugins' tools are offered as tools (default), from a shell, or, where their skills are allowed, from a shell. */
	toolExposure?: "tools" | "skills" | "mixed";
	/** Listed in pickers and in the tree; true when absent. */
	uiVisible?: boolean;
	apiExposed?: boolean;
	/** Ids of MCP servers. */
	mcpServers?: readonly string[];
	/** Standing approvals: `tool` or `tool(class)`. */
	allowedTools?: readonly string[];
	/** Id of the agent it inherits from. */
	extends?: string;
	/** Ids of roles it may have; every role when absent. */
	roles?: readonly string[];
	defaultRole?: string;
	/** A codicon's name. */
	icon?: string;
	/** A theme color's id: `charts.blue`. */
	color?: string;
}

export const CHAT_PROVIDERS = ["openai", "openai-compatible", "anthropic", "claude-cli", "codex-cli", "pi-cli"] as const;
export type ChatProvider = (typeof CHAT_PROVIDERS)[number];

export type ApprovalMode = "ask" | "plan" | "edits" | "auto";
