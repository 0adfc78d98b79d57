// The editor's interface to the engine, which is built on first use.
import type { TroupeApi } from "../api.ts";
import type { ChatController } from "../chat/controller.ts";
import type { Artifacts } from "../core/ports/artifacts.ts";
import type { McpActions, McpServerManager } from "../core/ports/mcp.ts";
import type { ApiKeyProvider, ModelListing } from "../core/ports/model.ts";
import type { SkillLibrary } from "../core/ports/skills.ts";
import type { ApprovalList } from "../session/approvals/approvalList.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Intent, Update } from "../shared/protocol/chat.ts";
import type { LanguageModelTools } from "./integrations/languageModelTools.ts";
import type { McpSecrets } from "./mcp/mcpSecrets.ts";
import type { ReviewCommands } from "./review/commands.ts";

export interface Engine {
	sessions: Sessions;
	api: TroupeApi;
	createChat(post: (update: Update) => void, sessionId?: string): ChatController;
	/** The session that was shown last, if it is still there. */
	lastShownSession(): Promise<string | undefined>;
	/** The person now looks at this session. */
	setLastShownSession(sessionId: string): void;
	/** Undefined where the message is no Intent or larger than `limit` characters as JSON. */
	parseIntent(message: unknown, limit: number): Intent | undefined;
	/** Every model that can be chosen now, and what keeps the others from it. */
	models(): Promise<ModelListing>;
	/** Providers that take a key. */
	apiKeyProviders(): Promise<ApiKeyProvider[]>;
	/** An empty key removes it. */
	setApiKey(provider: string, key: string): Promise<void>;
	/** Asks the provider for its models; resolves with how many, rejects with ModelError. */
	testConnection(provider: string): Promise<boolean>;
	/** Absent where no MCP server can run. */
	mcpServerManager?: McpServerManager;
	/** Notes, lists and views of this workspace. */
	artifacts: Artifacts;
	approvals: ApprovalList;
	/** Keep and undo what was changed. */
	reviewCommands: ReviewCommands;
	/** What the person may do with MCP servers. */
	mcpActions: McpActions;
	/** Secrets that servers are given by name. */
	secrets: McpSecrets;
	/** Tools of VS Code's extensions; absent where the editor has none. */
	editorTools?: LanguageModelTools;
	/** What a commit message is written from, as our own git tells it; undefined where git cannot be asked. */
	commitChanges(folder: string): Promise<{ diff: string; commits: readonly string[] } | undefined>;
	/** Skills that are not a plugin's, those that wait for the person too. */
	skills: SkillLibrary;
	log(line: string): void;
	dispose(): Promise<void>;
}

/** Loads the engine once, on first use. */
export interface LazyEngine {
	load(): Promise<Engine>;
	/** The engine, if it was loaded already. */
	current(): Engine | undefined;
}
