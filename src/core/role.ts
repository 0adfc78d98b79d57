// Types and constants for permissions, roles, and agent definitions.

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

/** The permissions that both have, all of the first if the second is absent. */
export function intersectPermissions(
	permissions: readonly Permission[],
	other: readonly Permission[] = permissions,
): readonly Permission[] {
	return permissions.filter((permission) => other.includes(permission));
}

/** A named set of permissions and the prompt that describes it to the model. */
export interface Role {
	id: string;
	/** Label for the user. */
	label: string;
	/** Name for the model, if the label is in the editor's language. */
	name?: string;
	permissions: readonly Permission[];
	/** Id of the role that agents called from this role work in; this role if absent. */
	peerRole?: string;
	/** Maximum permissions of agents that this role calls; its own permissions if absent. */
	ceiling?: readonly Permission[];
	prompt: string;
	/** JSON formats described to models that may be unable to call tools; plans and questions if absent. */
	formats?: readonly ("plan" | "question")[];
	/** Codicon name. */
	icon?: string;
	/** `provider/model`, used if neither the agent nor the user names a model for this role. */
	model?: string;
	/** The role that "Execute plan" and a proposed role switch lead to; absent for a role that acts itself. */
	acts?: string;
	/** Shown as its own button in the chat and included in the status bar switch; the other roles are under "More roles". */
	primary?: true;
	/** Answers requests from the models of other extensions. */
	answersOthers?: true;
	/** Command that switches to this role: a slash command (`/plan`), also after `@troupe`. */
	command?: { name: string; description: string };
}

/** Glob lists; an absent or null list does not restrict. Deny takes precedence over allow. */
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
	/** The kind of runtime that runs its turns; `chat` if absent. */
	type?: "chat" | "external";
	chat?: { provider?: ChatProvider } & Readonly<Record<string, unknown>>;
	external?: { inputUrl?: string; callbackBaseUrl?: string } & Readonly<Record<string, unknown>>;
	/** `provider/model`, or one for each role by id; if absent, the user's settings decide. */
	model?: string | Readonly<Record<string, string>>;
	/** Exposure of plugins: as tools (default), from a shell, or from a shell if their skills are allowed. */
	toolExposure?: "tools" | "skills" | "mixed";
	/** Listed in pickers and in the tree; true if absent. */
	uiVisible?: boolean;
	apiExposed?: boolean;
	/** Ids of MCP servers. */
	mcpServers?: readonly string[];
	/** Ids of opt-in plugins that it takes part in; their tools are then subject to its lists. */
	optIn?: readonly string[];
	/** Standing approvals: `tool` or `tool(class)`. */
	allowedTools?: readonly string[];
	/** Id of the agent that it inherits from. */
	extends?: string;
	/** Ids of the roles it may have; every role if absent. */
	roles?: readonly string[];
	defaultRole?: string;
	/** `reply`: its text is thought, and it speaks with the tool `reply` alone. */
	output?: AgentOutput;
	/** Globs of tools that limit `toolAllowlist` further. Set for tasks; a definition can't have it. */
	toolLimit?: readonly string[];
	/** Its tasks have neither its lists nor its servers. For built-in agents; a definition can't have it. */
	freshTasks?: true;
	/** The only plugins whose tools it may have beside questions, whatever its lists say. For built-in agents; a definition can't have it. */
	plugins?: readonly string[];
	/** It has one session in a workspace, which only the user opens: no agent calls it. For built-in agents; a definition can't have it. */
	single?: true;
	/** Codicon name. */
	icon?: string;
	/** Id of a theme color: `charts.blue`. */
	color?: string;
}

/** Returns true if other agents may find and call it, as far as its definition says. */
export function isCallable({ uiVisible, single }: AgentDefinition): boolean {
	return uiVisible !== false && !single;
}

/** Id of the built-in agent that talks with the user in its one session. */
export const MAIN_AGENT = "main";

export const AGENT_OUTPUTS = ["reply"] as const;
export type AgentOutput = (typeof AGENT_OUTPUTS)[number];

export const CHAT_PROVIDERS = ["openai", "openai-compatible", "anthropic", "claude-cli", "codex-cli", "pi-cli"] as const;
export type ChatProvider = (typeof CHAT_PROVIDERS)[number];

/** Approval modes, the strictest first. */
export const APPROVAL_MODES = ["ask", "plan", "edits", "auto"] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];
