// The services, the policy and the workspace that sessions get from the composition root.

// Depends on the ports, never on their implementations.
import type { AgentRegistry } from "../core/agent.ts";
import type { DelegationLimits } from "../core/caller.ts";
import type { ResultStatus } from "../core/events.ts";
import type { AuditLog } from "../core/ports/audit.ts";
import type { WorkspaceCopies } from "../core/ports/copies.ts";
import type { Gate, PermissionRules } from "../core/ports/gate.ts";
import type { SelectedModel } from "../core/ports/model.ts";
import type { PromptSources } from "../core/ports/promptSources.ts";
import type { Runtime } from "../core/ports/runtime.ts";
import type { BlobStore, SessionStore } from "../core/ports/sessions.ts";
import type { SkillLibrary } from "../core/ports/skills.ts";
import type { Tool, ToolSource } from "../core/ports/tool.ts";
import type { UserTerminal } from "../core/ports/workspace/commands.ts";
import type { EditorFacts } from "../core/ports/workspace/editor.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import type { CliSkill, Persona, PromptParts } from "../core/prompt.ts";
import type { AgentDefinition, ApprovalMode, Role } from "../core/role.ts";
import type { TaskLimits, TaskTypes } from "../core/task.ts";
import type { Transcript } from "../core/transcript/state.ts";
import type { Grants } from "./state/grants.ts";
import type { TurnLimits } from "./state/turnLimits.ts";

/** The files that a session works on, and the gate that decides about every call on them. */
export interface SessionWorkspace {
	workspace: Workspace;
	gate: Gate;
	/** Called before each turn. Rejects with a sentence if the session can't work on its files. */
	prepare?(signal: AbortSignal): Promise<void>;
	/**
	 * Returns why the session's own files are gone, as a sentence; undefined if they are there, or new ones come and none is to be restored.
	 */
	lost?(isRestoring: boolean): Promise<string | undefined>;
	/** Called when the session is closed. */
	dispose?(): Promise<void>;
}

/** Copies of the workspace in which tasks work, by the id of the task. */
export interface TaskCopies extends Omit<WorkspaceCopies, "create"> {
	/** Rejects with a sentence, and leaves nothing behind. `notes`: a sentence for each thing that was left out. */
	create(taskId: string, signal: AbortSignal): Promise<{ notes: readonly string[] }>;
	/** Undefined if the copy is gone. */
	open(taskId: string): Promise<(SessionWorkspace & { dispose(): Promise<void> }) | undefined>;
}

export interface Services {
	store: SessionStore;
	blobs: BlobStore;
	/** The workspace that is open in this window, which sessions work on unless they have their own. */
	window: SessionWorkspace;
	facts: EditorFacts;
	grants: Grants;
	tools: readonly Tool[];
	/** Tools from outside the product. */
	sources: readonly ToolSource[];
	/** Everything about agents that the policy does not cover. */
	registry: AgentRegistry;
	/** Sources of the prompt's parts. */
	parts: PromptSources;
	/** Skills of the user and of the workspace; none if absent. */
	skills?: Pick<SkillLibrary, "now" | "look" | "read">;
	/** Returns how replies are written to each type of channel; none if absent. */
	channelStyles?(): PromptParts["channels"];
	/** Kinds of background tasks; none can be started if absent. */
	taskTypes?: TaskTypes;
	/** Tasks can't work in copies of the workspace if absent. */
	copies?: TaskCopies;
	/** Lets commands reach the session that runs them; absent if they can't. */
	cliBridge?: CliBridge;
	/** The user's own terminal; absent if there is none. */
	terminal?: UserTerminal;
	/** Other names that models use for our tools. */
	aliases: Readonly<Record<string, string>>;
	/**
	 * The model that a session would use now. `known` makes no requests: a model that is not known yet has the id `auto`.
	 * Throws ModelError with a displayable message if there is none.
	 */
	model(agent: AgentDefinition, role: Role, only?: "known"): Promise<SelectedModel>;
	/** Runs an agent's turns and chooses the model. */
	runtime(agent: AgentDefinition): Promise<Runtime>;
	/** Confines commands that run without approval; none if absent. */
	sandbox?: {
		/** Resolves to true if it works here; checked once. */
		works(): Promise<boolean>;
		/** Returns whether it works here, and if not, why; for the list of approvals, once known. */
		why(): string;
	};
	/** The user's secrets, which are redacted from results. None if absent. Never rejects. */
	hidden?(): Promise<readonly string[]>;
	/** Records calls between agents; not recorded if absent. */
	audit?: AuditLog;
	/** Returns why no turn may start (Restricted Mode); undefined if it may. */
	restricted(): string | undefined;
	now(): Date;
	log(line: string): void;
}

/** The policy that a session works under: the window's own, unless the session is a task. */
export interface SessionPolicy {
	roles(): readonly Role[];
	/** All usable agents, the default one first. */
	agents(): readonly AgentDefinition[];
	settings(): Settings;
	/** Limits the turns that agents begin by calling each other, or in a task those of all tasks. */
	limits: TurnLimits;
	prompt(parts: PromptParts): string;
}

/** Services and policy of a session, or of the window for all of its sessions. */
export interface SessionSetup {
	readonly services: Services;
	readonly policy: SessionPolicy;
}

export interface Settings {
	/** Approval mode of sessions without a mode of their own. */
	approval: ApprovalMode;
	/** The highest mode allowed by organization or machine settings. `auto` if absent. */
	approvalCeiling?: ApprovalMode;
	/** Setting that decides whether read-only commands require approval. */
	readingCommands: "allow" | "ask";
	/** `off` if absent. */
	sandbox?: "auto" | "off" | "required";
	rules: PermissionRules;
	defaultRole: string;
	maxSteps: number;
	delegation: DelegationLimits;
	tasks: TaskLimits;
	/** Persona of the main agent. */
	persona: Persona;
	/** Ids of disabled plugins. */
	pluginsOff: readonly string[];
}

/** The part of a session or turn that its plugins need. */
export interface BridgedSession extends SessionSetup, Pick<SessionWorkspace, "workspace" | "gate"> {
	sessionId: string;
	state: Transcript;
}

/** A turn whose commands may call tools. */
export interface BridgedTurn extends BridgedSession {
	agent: AgentDefinition;
	/** Runs a call of one of its commands like any other call of the turn. `disconnected`: the program is gone. */
	callFromShell(command: CallingCommand, call: ShellCall, disconnected: AbortSignal): Promise<ShellCallResult>;
}

/** A running command whose programs call tools. */
export interface CallingCommand {
	/** Id of the command's own tool call. */
	call: string;
	/** Number of calls made so far. */
	made: number;
	/** Called with true when the user is asked, and with false when they answered or no longer can. */
	waits(waiting: boolean): void;
}

export interface ShellCall {
	plugin: string;
	tool: string;
	input: unknown;
}

export interface ShellCallResult {
	status: ResultStatus;
	output: string;
}

export interface CliBridge {
	/** Plugins that the agent reaches from a shell in the current role; none unless its exposure allows it. `all`: its tools, if listed. */
	cliSkills(session: BridgedSession, agent: AgentDefinition, all?: readonly Tool[]): Promise<readonly CliSkill[]>;
	/** Opens a connection for one command of this turn; undefined if its agent reaches nothing from a shell. */
	open(turn: BridgedTurn, call: string): Promise<BridgeConnection | undefined>;
}

/** Valid only for its command, while that runs. */
export interface BridgeConnection {
	/** Environment variables for that command only. */
	env: Readonly<Record<string, string>>;
	/** Values in `env` that must not appear in its output. */
	secrets: readonly string[];
	/** Milliseconds spent waiting for the user. */
	waited(): number;
	close(): void;
}
