// The engine's interface for the editor; the engine is built on first use.
import type { TroupeApi } from "../api.ts";
import type { ChatController } from "../chat/controller.ts";
import type { Artifacts, Memory } from "../core/ports/artifacts.ts";
import type { McpActions, McpServerManager } from "../core/ports/mcp.ts";
import type { ApiKeyProvider, ModelListing } from "../core/ports/model.ts";
import type { SkillLibrary } from "../core/ports/skills.ts";
import type { Delegation } from "../delegation/delegation.ts";
import type { ApprovalList } from "../sessions/approvalList.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { Intent, Update } from "../shared/protocol/chat.ts";
import type { LanguageModelTools } from "./adapters/languageModelTools.ts";
import type { McpSecrets } from "./adapters/mcpSecrets.ts";
import type { ReviewCommands } from "./review/commands.ts";
import type { TaskReview } from "./review/taskReview.ts";

export interface Engine {
	sessions: Sessions;
	delegation: Delegation;
	api: TroupeApi;
	createChat(post: (update: Update) => void, sessionId?: string): ChatController;
	/** The session shown last, if it still exists. */
	lastShownSession(): Promise<string | undefined>;
	setLastShownSession(sessionId: string): void;
	/** Returns undefined if the message is no Intent or exceeds `limit` characters as JSON. */
	parseIntent(message: unknown, limit: number): Intent | undefined;
	/** Every model available now, and why others aren't. */
	models(): Promise<ModelListing>;
	/** Providers that take an API key. */
	apiKeyProviders(): Promise<ApiKeyProvider[]>;
	/** An empty key removes the stored one. */
	setApiKey(provider: string, key: string): Promise<void>;
	/** Requests the provider's model list; rejects with ModelError. */
	testConnection(provider: string): Promise<boolean>;
	/** Manager of the MCP servers; absent if they can't run. */
	mcpServerManager?: McpServerManager;
	/** Notes, lists and views of this workspace. */
	artifacts: Artifacts;
	/** Files that agents keep for the user and for this workspace. */
	memory: Memory;
	approvals: ApprovalList;
	/** Keep and undo what was changed. */
	reviewCommands: ReviewCommands;
	/** Opens a terminal in which the user talks to the agent. */
	chatInTerminal(): void;
	/** Review of what tasks have changed in their copies. */
	taskReview: TaskReview;
	/** The user's actions on MCP servers. */
	mcpActions: McpActions;
	/** Secrets that server configurations reference by name. */
	secrets: McpSecrets;
	/** Tools of other VS Code extensions; absent if the editor has none. */
	editorTools?: LanguageModelTools;
	/** Input for a commit message, from our own git; undefined if git is unavailable. */
	commitChanges(folder: string): Promise<{ diff: string; commits: readonly string[] } | undefined>;
	/** Skills other than plugins', including unapproved ones. */
	skills: SkillLibrary;
	log(line: string): void;
	dispose(): Promise<void>;
}

/** Loads the engine once, on first use. */
export interface LazyEngine {
	load(): Promise<Engine>;
	/** The engine if already loaded. */
	current(): Engine | undefined;
}
