// Types for MCP servers: configuration, host callbacks, elicitation, status, user actions, and dialogs.
import type { AgentDefinition } from "../role.ts";
import type { ServerPrompt, ToolSource } from "./tool.ts";

/** `id` is `[A-Za-z0-9_-]{1,64}` without `__`: it names the plugin and is part of every tool's name. */
export type McpServerConfig = {
	id: string;
	/** Display name. */
	name: string;
	description?: string;
	/** Codicon name. */
	icon?: string;
	source: "catalog" | "settings";
	/** Timeout of a call in seconds; the default if absent. */
	timeout?: number;
	/** Capabilities that each of its tools declares for agents' capability lists; none if absent. */
	capabilities?: readonly string[];
} & (McpStdioConfig | McpHttpConfig);

/** A program that communicates over standard input and output. */
export interface McpStdioConfig {
	/** A program name, looked up on the PATH, or an absolute path; never a shell command line. */
	command: string;
	args?: readonly string[];
	/** `${secret:NAME}` stands for one of the user's secrets. */
	env?: Readonly<Record<string, string>>;
	/** Absolute once resolved for a workspace; one of our folders if absent. */
	cwd?: string;
	/** The workspace folder, if what it runs depends on the workspace: its approval is then for this workspace only. */
	workspace?: string;
}

export interface McpHttpConfig {
	/** http or https. */
	url: string;
	/** `${secret:NAME}` stands for one of the user's secrets. */
	headers?: Readonly<Record<string, string>>;
	/**
	 * Client credentials for servers without dynamic client registration. A `clientId` that is an https URL points to the client's
	 * metadata document. `${secret:NAME}` in `clientSecret` stands for a secret.
	 */
	signIn?: { clientId: string; clientSecret?: string };
}

/** Shown to the user before a server starts for the first time, or with a configuration that was not approved. */
export interface McpServerSummary {
	id: string;
	name: string;
	source: McpServerConfig["source"];
	/** The whole command line or URL, sanitized for display. */
	runs: string;
	/** Working directory of a program. */
	cwd?: string;
	/** Names of the variables or headers that it receives. */
	given: readonly string[];
	/** SHA-256 of command, arguments, variable names, folder, URL, and header names. */
	hash: string;
	/** It was approved before with a different configuration. */
	changed: boolean;
}

/** Tools that changed since they were last allowed. They stay disabled until the user allows them again. */
export interface McpToolChanges {
	server: { id: string; name: string };
	/** The hash under which the server may start. */
	approved: string;
	tools: readonly {
		/** `mcp__server__tool` */
		name: string;
		/** The server's name for it. */
		tool: string;
		before: McpToolDefinition;
		after: McpToolDefinition;
	}[];
}

/**
 * The definition that approvals and read-only marks are bound to by hash. Text is sanitized for display; `hash` covers what the
 * server sent.
 */
export interface McpToolDefinition {
	/** SHA-256 of name, description, input schema, and annotations. */
	hash: string;
	description: string;
	/** Indented JSON. All texts are empty if only the hash was stored. */
	inputSchema: string;
	annotations: string;
}

/** Tool definitions by the server's name for the tool. */
export type McpToolDefinitions = ReadonlyMap<string, McpToolDefinition>;

/** Functions of the editor that the server manager needs. If an optional member is absent, the request is refused. */
export interface McpHost {
	/** The servers in the settings and the catalog. */
	servers(): readonly McpServerConfig[];
	/** Fires when the servers change. A running server whose configuration changed is stopped. */
	onServers(listener: () => void): { dispose(): void };
	/** The hash under which that server was last approved, in all workspaces. */
	approvedAs(server: string): Promise<string | undefined>;
	/** Asks the user; stores an approval under the hash. At most one request per server is open at a time. */
	approveServer(summary: McpServerSummary): Promise<boolean>;
	/**
	 * The accepted definitions of these tools, by the server's name for them, for all sessions of a server approved under that
	 * hash. A tool shown for the first time is accepted by this call. A tool missing from the result could not be stored and is not
	 * accepted. Never rejects.
	 */
	knownTools(server: string, approved: string, shown: McpToolDefinitions): Promise<McpToolDefinitions>;
	/** Shows how the tools have changed and asks whether they may be used again. An approval is stored. */
	approveTools(change: McpToolChanges): Promise<boolean>;
	/** Returns true if the user has marked exactly this definition as read-only. */
	isReadOnly(server: string, tool: string, hash: string): boolean;
	secret(name: string): Promise<string | undefined>;
	/**
	 * Shows a server's request to the user with the server's name and every value in full. Returns undefined if they decline. If
	 * absent, servers are told that elicitation is not supported. A field that the user cleared is present and undefined; a field
	 * that is missing has its default.
	 */
	answer?(question: Elicitation, signal: AbortSignal): Promise<ElicitationContent | undefined>;
	/**
	 * Opens a URL in the user's browser: https, or http on this computer. The server manager has checked it, unless it is
	 * `unchecked`: then only the user's proxy can resolve it, and the user is told. False: not opened.
	 */
	openUrl(url: string, unchecked?: boolean): Promise<boolean>;
	/** Asks whether this sign-in may reach an origin that only the proxy can resolve. Not stored; refused if absent. */
	reachUnchecked?(server: { id: string; name: string }, origin: string): Promise<boolean>;
	/** Maps a local URL to one that the user's browser can reach, which differs in a remote window; unchanged if absent. */
	reachedAt?(url: string): Promise<string>;
	/** Sign-in tokens as text, in the editor's secret storage; undefined removes them. */
	tokens: { get(server: string): Promise<string | undefined>; set(server: string, value: string | undefined): Promise<void> };
	log(line: string): void;
}

export type ElicitationContent = Readonly<Record<string, string | number | boolean | undefined>>;

/** Input that a server requests from the user during a call. Texts are sanitized; nothing is answered automatically. */
export interface Elicitation {
	session: string;
	server: { id: string; name: string };
	message: string;
	fields: readonly ElicitationField[];
}

export interface ElicitationField {
	name: string;
	title: string;
	description: string;
	type: "string" | "number" | "integer" | "boolean";
	required: boolean;
	/** The answer if the user leaves the field unchanged. */
	default?: string | number | boolean;
	/** Values to choose from, with their titles. */
	choices?: readonly { value: string; title: string }[];
}

export type McpServerState =
	| "stopped"
	/** The user is being asked whether it may start. */
	| "approval"
	/** The browser is open for the user to sign in. */
	| "signIn"
	| "starting"
	| "ready"
	| "failed";

/** One server across all sessions; the state is that of the session with the most recent activity. */
export interface McpServerStatus {
	config: McpServerConfig;
	state: McpServerState;
	/** A sentence: why it failed, or what it waits for. */
	why?: string;
	/** The reason alone if starting failed, as shown beside the server's name. */
	cause?: string;
	/** Number of sessions it runs in now. */
	sessions: number;
	/** Tools as last listed; kept after it stops. */
	tools: readonly McpToolStatus[];
	/** Tools that are not offered, and why: an invalid name, a schema that is too large. */
	refused: readonly { name: string; why: string }[];
}

export interface McpToolStatus {
	/** `mcp__server__tool` */
	name: string;
	/** The server's name for it. */
	tool: string;
	description: string;
	hash: string;
	/** Marked read-only by the user. */
	readOnly: boolean;
	/** The server's own annotations; they never reduce what requires approval. */
	claims: readonly string[];
	/** Changed since it was allowed, and disabled in at least one session until the user allows it. */
	changed: boolean;
}

export interface McpServerManager extends ToolSource {
	/** All configured servers, in the order of the settings and the catalog. */
	servers(): readonly McpServerStatus[];
	/** Fires at most a few times a second. */
	onChange(listener: () => void): { dispose(): void };
	/** Recent sanitized output and log messages of a server, newest last. */
	output(server: string): readonly string[];
	/** Starts it separately to test it and list its tools, then stops it. Resolves with the resulting state. */
	try(server: string, signal: AbortSignal): Promise<McpServerStatus>;
	/** Stops it in every session. The next turn that needs it restarts it, even if it had crashed too often. */
	stop(server: string): Promise<void>;
	/** Deletes its sign-in tokens and stops it. */
	signOut(server: string): Promise<void>;
	/** Prompts of the servers running in that session. */
	prompts(session: string): readonly ServerPrompt[];
	/** Expands a prompt to the message it stands for; rejects with a sentence. `values` by argument name. */
	prompt(session: string, name: string, values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>;
	/** Starts the agent's servers without a turn, for prompts, like `prepare`. */
	prepare(session: string, agent: AgentDefinition, signal: AbortSignal): Promise<readonly string[]>;
	/** Stops every server. */
	dispose(): Promise<void>;
}

export type McpStartDecision = "start" | "never" | "later";

/** A server that is about to start, as shown to the user. */
export interface McpLaunch {
	config: McpServerConfig;
	/** Lines of the previously approved configuration. */
	approvedLines?: readonly string[] | undefined;
	/** Names of the secrets that it receives. */
	secretNames: readonly string[];
	/** Working directory of a program that sets none. */
	defaultFolder: string;
	/** Workspace files decide what it runs. */
	runsWorkspaceFiles?: boolean;
}

/** Dialogs that servers need. */
export interface McpDialogs {
	confirmStart(launch: McpLaunch): Promise<McpStartDecision>;
	/** The configuration as lines, as `confirmStart` shows it; stored to show later what has changed. */
	launchLines(config: McpServerConfig): string[];
	confirmChangedTools(change: McpToolChanges): Promise<boolean>;
	/** Does the same as `McpHost.answer`. */
	answer(question: Elicitation, signal: AbortSignal): Promise<ElicitationContent | undefined>;
	/** Opens the URL in a browser if the user agrees. */
	openSignIn(address: string, unchecked?: boolean): Promise<boolean>;
	/** Asks whether a sign-in may reach an origin that cannot be checked here; the answer counts for this time only. */
	confirmUncheckedOrigin(server: string, origin: string): Promise<boolean>;
	/** Maps a local URL to one that the user's browser can reach. */
	reachedAt(url: string): Promise<string>;
	notifyMissingSecret(name: string): void;
}

/** User actions on servers: inspect, start, stop, reset approvals, and mark tools as read-only. */
export interface McpActions extends Pick<McpServerManager, "onChange" | "output" | "try" | "stop" | "signOut"> {
	list(): readonly McpServerStatus[];
	/** Returns why nothing can start now (Restricted Mode); undefined if servers may start. */
	restrictedReason(): string | undefined;
	/** The user's decision on starting it with its current configuration. */
	startDecision(server: string): Promise<"approved" | "never" | undefined>;
	/** Resets its start decision and its read-only marks, and stops it. */
	resetApprovals(server: string): Promise<void>;
	/** Hash of the definition that was marked read-only, current or not. */
	readOnlyMarkHash(server: string, tool: string): string | undefined;
	/** Marks exactly these tools, by the server's name for them, with their current definitions. */
	markReadOnlyTools(server: string, readOnly: readonly string[]): Promise<void>;
	/** Names of the secrets that the configured servers use. */
	requiredSecrets(): string[];
}
