// Types for MCP servers: configuration, host callbacks, elicitation, status, user actions and dialogs.
import type { AgentDefinition } from "../role.ts";
import type { ServerPrompt, ToolSource } from "./tool.ts";

/** `id` is `[A-Za-z0-9_-]{1,64}` without `__`: it names the plugin and is part of every tool's name. */
export type McpServerConfig = {
	id: string;
	/** For the person. */
	name: string;
	description?: string;
	/** A codicon's name. */
	icon?: string;
	source: "catalogue" | "settings";
	/** Seconds that one of its calls may take; as usual when absent. */
	timeout?: number;
	/** What each of its tools declares for the capability lists of agents; none when absent. */
	capabilities?: readonly string[];
} & (McpStdioConfig | McpHttpConfig);

/** A program that speaks over its own input and output. */
export interface McpStdioConfig {
	/** A program's name, found on the PATH, or an absolute path; never a shell's line. */
	command: string;
	args?: readonly string[];
	/** `${secret:NAME}` stands for a secret of the person's. */
	env?: Readonly<Record<string, string>>;
	/** Absolute, once it is placed in a workspace; a folder of ours when absent. */
	cwd?: string;
	/** The workspace's folder, where what it runs depends on that: its approval is for this workspace alone. */
	workspace?: string;
}

export interface McpHttpConfig {
	/** http or https. */
	url: string;
	/** `${secret:NAME}` stands for a secret of the person's. */
	headers?: Readonly<Record<string, string>>;
	/**
	 * Where servers register no clients by themselves: what the person was given. A `clientId` that is an https address names
	 * the client's own description there. `${secret:NAME}` in `clientSecret` stands for a secret.
	 */
	signIn?: { clientId: string; clientSecret?: string };
}

/** What the person is asked about before a server starts for the first time, or starts as something else than approved. */
export interface McpServerSummary {
	id: string;
	name: string;
	source: McpServerConfig["source"];
	/** The whole command line or the whole address, made harmless for display. */
	runs: string;
	/** Where a program runs. */
	cwd?: string;
	/** Names of variables or headers it is given. */
	given: readonly string[];
	/** SHA-256 over command, arguments, names of variables, folder, address and names of headers. */
	hash: string;
	/** It was approved before as something else. */
	changed: boolean;
}

/** Tools that are not what they were when they were last allowed: they stay off until the person allows them again. */
export interface McpToolChanges {
	server: { id: string; name: string };
	/** The hash under which the server may start. */
	approved: string;
	tools: readonly {
		/** `mcp__server__tool` */
		name: string;
		/** As the server calls it. */
		tool: string;
		before: McpToolDefinition;
		after: McpToolDefinition;
	}[];
}

/** What a grant and a mark are bound to by hash. Text is cleaned for display; `hash` is of what the server sent. */
export interface McpToolDefinition {
	/** SHA-256 over name, description, input schema and annotations. */
	hash: string;
	description: string;
	/** JSON, indented. All texts are empty where only the hash was kept. */
	inputSchema: string;
	annotations: string;
}

/** By the server's name for them. */
export type McpToolDefinitions = ReadonlyMap<string, McpToolDefinition>;

/** What the room needs from the editor's side. Where a part is not there, whoever builds the room refuses. */
export interface McpHost {
	/** Those of the settings and the catalogue, as they are now. */
	servers(): readonly McpServerConfig[];
	/** They have changed. What runs as something else than is set up now is stopped. */
	onServers(listener: () => void): { dispose(): void };
	/** The hash under which that server was last approved, kept for all workspaces. */
	approvedAs(server: string): Promise<string | undefined>;
	/** Asks the person; keeps a yes under the hash. One question at a time is put for each server. */
	approveServer(summary: McpServerSummary): Promise<boolean>;
	/**
	 * What the person has accepted of these tools, by the server's name for them, kept for all sessions of a server that was
	 * approved under that hash. One that it has not shown before is accepted with this. Not in the answer: it cannot be kept, and
	 * is not accepted. Never rejects.
	 */
	knownTools(server: string, approved: string, shown: McpToolDefinitions): Promise<McpToolDefinitions>;
	/** Tells of changed tools with what differs, and asks whether they may be used again. A yes is kept. */
	approveTools(change: McpToolChanges): Promise<boolean>;
	/** The person has marked exactly this definition as one that only reads. */
	isReadOnly(server: string, tool: string, hash: string): boolean;
	secret(name: string): Promise<string | undefined>;
	/**
	 * Puts a server's question to the person, with the server's name and every value in full. Undefined: they refuse. Where this
	 * is absent servers are told that nobody can be asked. A field that they have emptied is there and undefined; one that is not
	 * there has its default.
	 */
	answer?(question: Elicitation, signal: AbortSignal): Promise<ElicitationContent | undefined>;
	/**
	 * Opens an address in the person's browser; https, or http on this computer, and checked by the room before, unless it is
	 * `unchecked`: only the person's proxy knows where it leads, and they are told. False: not opened.
	 */
	openUrl(url: string, unchecked?: boolean): Promise<boolean>;
	/** Asks whether this sign-in may reach an origin whose address only the proxy knows. Not kept; refused where absent. */
	reachUnchecked?(server: { id: string; name: string }, origin: string): Promise<boolean>;
	/** Where the person's browser finds an address of this computer, which is not theirs in a remote window; the same where absent. */
	reachedAt?(url: string): Promise<string>;
	/** What a sign-in left, as text; undefined removes it. In the editor's key store. */
	tokens: { get(server: string): Promise<string | undefined>; set(server: string, value: string | undefined): Promise<void> };
	log(line: string): void;
}

export type ElicitationContent = Readonly<Record<string, string | number | boolean | undefined>>;

/** A server asks the person for something while a call runs. Texts are cleaned; nothing is answered for the person. */
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
	/** What is answered where the person leaves it as it is. */
	default?: string | number | boolean;
	/** Values to choose from, with their names. */
	choices?: readonly { value: string; title: string }[];
}

export type McpServerState =
	| "stopped"
	/** The person is being asked whether it may start. */
	| "approval"
	/** The browser is open for the person to sign in. */
	| "signIn"
	| "starting"
	| "ready"
	| "failed";

/** One server over all sessions: the state is that of the session where most happened last. */
export interface McpServerStatus {
	config: McpServerConfig;
	state: McpServerState;
	/** A sentence: why it failed, or what it waits for. */
	why?: string;
	/** Sessions it runs in now. */
	sessions: number;
	/** As last listed; kept when it has stopped. */
	tools: readonly McpToolStatus[];
	/** Tools that are not offered, and why: a name that is not allowed, a schema that is too big. */
	refused: readonly { name: string; why: string }[];
}

export interface McpToolStatus {
	/** `mcp__server__tool` */
	name: string;
	/** As the server calls it. */
	tool: string;
	description: string;
	hash: string;
	/** The person's mark. */
	readOnly: boolean;
	/** What the server says of it: never a reason to ask less. */
	claims: readonly string[];
	/** Changed since it was allowed, and off somewhere until the person allows it. */
	changed: boolean;
}

export interface McpServerManager extends ToolSource {
	/** All that are set up, in the order of the settings and the catalogue. */
	servers(): readonly McpServerStatus[];
	/** At most some times a second, whatever servers do. */
	onChange(listener: () => void): { dispose(): void };
	/** What a server wrote and said lately, cleaned; the newest last. */
	output(server: string): readonly string[];
	/** Starts it on its own, to see whether it works and what it offers, and stops it. Resolves with its state after that. */
	try(server: string, signal: AbortSignal): Promise<McpServerStatus>;
	/** Ends it in every session; the next turn that needs it starts it again, also one that crashed too often. */
	stop(server: string): Promise<void>;
	/** Forgets what a sign-in left, and stops it. */
	signOut(server: string): Promise<void>;
	/** Prompts of the servers that run in that session. */
	prompts(session: string): readonly ServerPrompt[];
	/** The words of a prompt, as the message it stands for; rejects with a sentence. `values` by the argument's name. */
	prompt(session: string, name: string, values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>;
	/** Starts what the agent lists without a turn, for prompts: as `prepare`. */
	prepare(session: string, agent: AgentDefinition, signal: AbortSignal): Promise<readonly string[]>;
	/** Ends every server. */
	dispose(): Promise<void>;
}

export type McpStartDecision = "start" | "never" | "later";

/** A server that is about to start, as the person is asked about it. */
export interface McpLaunch {
	config: McpServerConfig;
	/** Lines of what was approved before. */
	approvedLines?: readonly string[] | undefined;
	/** Names of secrets it is given. */
	secretNames: readonly string[];
	/** Where a program runs that names no folder. */
	defaultFolder: string;
	/** Files of the workspace decide what it runs. */
	runsWorkspaceFiles?: boolean;
}

/** What servers need the person for. */
export interface McpDialogs {
	confirmStart(launch: McpLaunch): Promise<McpStartDecision>;
	/** What decides what a server is, a piece a line, as `confirmStart` shows it: kept to tell what has changed since. */
	launchLines(config: McpServerConfig): string[];
	confirmChangedTools(change: McpToolChanges): Promise<boolean>;
	/** As `McpHost.answer`. */
	answer(question: Elicitation, signal: AbortSignal): Promise<ElicitationContent | undefined>;
	/** Opens the address in a browser where the person agrees. */
	openSignIn(address: string, unchecked?: boolean): Promise<boolean>;
	/** Whether a sign-in may reach an origin whose address nobody here can check; for this once. */
	confirmUncheckedOrigin(server: string, origin: string): Promise<boolean>;
	/** Where the person's browser finds an address of this computer. */
	reachedAt(url: string): Promise<string>;
	notifyMissingSecret(name: string): void;
}

/** What the person may do with servers: look at them, start and stop them, take approvals back, and say which tools only read. */
export interface McpActions extends Pick<McpServerManager, "onChange" | "output" | "try" | "stop" | "signOut"> {
	list(): readonly McpServerStatus[];
	/** Why nothing starts now (Restricted Mode); undefined when it may. */
	restrictedReason(): string | undefined;
	/** What was said to its start as it is set up now. */
	startDecision(server: string): Promise<"approved" | "never" | undefined>;
	/** Takes back what was said to its start, and its marks; stops it. */
	resetApprovals(server: string): Promise<void>;
	/** Hash of the definition that was marked as one that only reads, current or not. */
	readOnlyMarkHash(server: string, tool: string): string | undefined;
	/** Marks exactly these of its tools, by the server's name for them, as they are defined now. */
	markReadOnlyTools(server: string, readOnly: readonly string[]): Promise<void>;
	/** Names of secrets that the set-up servers use. */
	requiredSecrets(): string[];
}
