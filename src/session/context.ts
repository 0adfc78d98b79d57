// The services from the composition root, and the context types of sessions and turns.

// Depends on the ports, never on their implementations.
import type { AgentRegistry } from "../core/agent.ts";
import type { Caller, DelegationLimits, TokenBudget } from "../core/caller.ts";
import type { ToolView } from "../core/eventData/toolView.ts";
import type { Answer, Author, EventBody, EventOf, LiveEvent, Outcome, ToolCall, TranscriptEvent } from "../core/events.ts";
import type { AuditLog } from "../core/ports/audit.ts";
import type { WorkspaceCopies } from "../core/ports/copies.ts";
import type { Gate, PermissionRules, Verdict } from "../core/ports/gate.ts";
import type { ModelInfo, SelectedModel } from "../core/ports/model.ts";
import type { PromptSources } from "../core/ports/promptSources.ts";
import type { Runtime } from "../core/ports/runtime.ts";
import type { BlobStore, SessionStore } from "../core/ports/sessions.ts";
import type { SkillLibrary } from "../core/ports/skills.ts";
import type { Tool, ToolEvent, ToolSource } from "../core/ports/tool.ts";
import type { EditorFacts, UserTerminal, Workspace } from "../core/ports/workspace.ts";
import type { CliSkill, Persona, PromptParts } from "../core/prompt.ts";
import type { AgentDefinition, ApprovalMode, Permission, Role } from "../core/role.ts";
import type { TaskLimits, TaskTypes } from "../core/task.ts";
import type { Transcript } from "../core/transcript/state.ts";
import type { ApprovalResponse, Approvals, TypeableLine } from "./state/pendingApprovals.ts";
import type { Grants } from "./state/grants.ts";
import type { SessionApprovals } from "./state/sessionApprovals.ts";
import type { TokenCounter } from "./state/tokenCounter.ts";
import type { CallLimits } from "./state/turnLimits.ts";
import type { EventLog } from "./state/eventLog.ts";
import type { FileVersions } from "./state/fileVersions.ts";
import type { Message, Sender } from "./state/message.ts";
import type { PromptMemory } from "./state/promptMemory.ts";
import type { DiskCache } from "./state/diskCache.ts";
import type { LoopGuard } from "./state/loopGuard.ts";

/** Limits how many turns work at once, and how many tokens they use. */
export type TurnLimits = Pick<CallLimits, keyof CallLimits>;

/** The files that a session works on, and the gate that decides about every call on them. */
export interface SessionWorkspace {
	workspace: Workspace;
	gate: Gate;
	/** Called before each turn. Rejects with a sentence if the session can't work on its files. */
	prepare?(signal: AbortSignal): Promise<void>;
	/** Why the session's own files are gone, as a sentence; undefined if they are there, or new ones come and none is to be restored. */
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
	/** Everything about agents that `agents()` does not cover. */
	registry: AgentRegistry;
	/** Sources of the prompt's parts. */
	parts: PromptSources;
	/** Skills of the user and of the workspace; none if absent. */
	skills?: Pick<SkillLibrary, "now" | "look" | "read">;
	/** Limits the turns that agents begin by calling each other, or in a task those of all tasks. */
	calls: TurnLimits;
	/** How replies are written to each type of channel; none if absent. */
	channelStyles?(): PromptParts["channels"];
	/** Kinds of background tasks; none can be started if absent. */
	taskTypes?: TaskTypes;
	/** Tasks can't work in copies of the workspace if absent. */
	copies?: TaskCopies;
	/** Lets commands reach the session that runs them; absent if they can't. */
	door?: CliBridge;
	/** The user's own terminal; absent if there is none. */
	terminal?: UserTerminal;
	/** Other names that models use for our tools. */
	aliases: Readonly<Record<string, string>>;
	roles(): readonly Role[];
	/** All usable agents, the default one first. */
	agents(): readonly AgentDefinition[];
	settings(): Settings;
	/**
	 * The model that a session would use now. `known` makes no requests: a model that is not known yet has the id `auto`.
	 * Throws ModelError with a displayable message if there is none.
	 */
	model(agent: AgentDefinition, role: Role, only?: "known"): Promise<SelectedModel>;
	/** Runs an agent's turns and chooses the model. */
	runtime(agent: AgentDefinition): Promise<Runtime>;
	prompt(parts: PromptParts): string;
	/** Confines commands that run without approval; none if absent. */
	sandbox?: {
		/** Checked once. */
		works(): Promise<boolean>;
		/** For the list of approvals, once known: whether it works here, and if not, why. */
		why(): string;
	};
	/** The user's secrets, which are redacted from results. None if absent. Never rejects. */
	hidden?(): Promise<readonly string[]>;
	/** Records calls between agents; not recorded if absent. */
	audit?: AuditLog;
	/** Why no turn may start (Restricted Mode); undefined if it may. */
	restricted(): string | undefined;
	now(): Date;
	log(line: string): void;
}

export interface Settings {
	/** For sessions without a mode of their own. */
	approval: ApprovalMode;
	/** The highest mode allowed by organization or machine settings. `auto` if absent. */
	approvalCeiling?: ApprovalMode;
	/** Whether read-only commands require approval. */
	readingCommands: "allow" | "ask";
	/** `off` if absent. */
	sandbox?: "auto" | "off" | "required";
	rules: PermissionRules;
	defaultRole: string;
	maxSteps: number;
	delegation: DelegationLimits;
	tasks: TaskLimits;
	/** Of the main agent. */
	persona: Persona;
	/** Ids of disabled plugins. */
	pluginsOff: readonly string[];
}

export interface TurnContext extends SessionWorkspace {
	sessionId: string;
	services: Services;
	state: Transcript;
	agent: AgentDefinition;
	role: Role;
	/** The call that the turn answers; absent for users. */
	caller?: Caller;
	/** What the turn shares with a tree of calls that it is part of. */
	budget?: TokenBudget;
	/** Permissions of whoever began the turn; absent for users. Limits the turn's tools, its prompt and the gate. */
	ceiling?: readonly Permission[];
	/** Limits the permissions of agents that it calls, where they may have others than `ceiling`. */
	passes?: readonly Permission[];
	signal: AbortSignal;
	/** Ends background commands: they may outlive the turn, but not the role that allowed them. */
	background: AbortSignal;
	/** Background commands that are still running, by call id. */
	ongoing: Map<string, string>;
	files: FileVersions;
	loopGuard: LoopGuard;
	/** Cached results of the gate's disk access. */
	disk: DiskCache;
	/** Approvals given in this session, in addition to the stored ones. */
	approved: SessionApprovals;
	/** Whether someone can answer. An unattended turn denies what would require approval. */
	canAsk: boolean;
	/** Requests approval from the user; undefined if the turn or `signal` ends before the answer. */
	ask(approval: ApprovalRequest, signal?: AbortSignal): Promise<ApprovalResponse | undefined>;
	/** Who calls an agent with that call of this turn; absent where the user makes the call. */
	asCaller?(call: string): Caller;
	/** Whether the turn still runs. */
	runs(): boolean;
	/** Records events that do not come from the model's own calls. */
	record(event: EventBody): Promise<unknown>;
	/** Id of the plugin whose program makes this call from a shell; absent for the model's own calls. */
	shell?: string;
	/** The person makes the call themselves; absent where a model does. */
	byPerson?: true;
	/** The person's own message or button began the turn, and no agent called it. */
	begunByPerson?: true;
	/** Name of the tool that is judged, where an agent runs its own; absent where we run ours. */
	foreign?: string;
	progress(call: string, text: string): void;
	/** Completes the events that a tool adds to the transcript. Throws ToolError if they do not apply. */
	prepareEvents(events: readonly ToolEvent[]): Promise<EventBody[]>;
}

export interface ApprovalRequest {
	call: ToolCall;
	/** The actual call, if `call` is the command that makes it. */
	made?: Pick<ToolCall, "name" | "input">;
	summary: string;
	reason: string;
	/** Further reasons, one sentence each. */
	more?: readonly string[];
	hash: string;
	/** What an approval for the session or for good would store; empty if neither is offered. */
	always: Verdict["grants"];
	/** Origins and definition hashes that an approval marks as known in this session. */
	meets?: readonly string[];
	/** The user's rule that requires approval. */
	rule?: string;
	view?: ToolView;
	/** The command line that the user can run in their own terminal instead. */
	line?: TypeableLine;
}

/** The part of a session or turn that its plugins need. */
export type BridgedSession = Pick<TurnContext, "sessionId" | "services" | "workspace" | "gate" | "state">;

export interface CliBridge {
	/** Plugins that the agent reaches from a shell in the current role; none unless its exposure allows it. `all`: its tools, if listed. */
	cliSkills(session: BridgedSession, agent: AgentDefinition, all?: readonly Tool[]): Promise<readonly CliSkill[]>;
	/** Opens a connection for one command of this turn; undefined if its agent reaches nothing from a shell. */
	open(turn: TurnContext, call: string): Promise<BridgeConnection | undefined>;
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

export interface TurnEnd {
	outcome: Outcome;
	turn: string;
	/** No turn took the message. */
	withdrawn?: true;
}

/** The message that opens a turn. */
export interface OpeningMessage extends Omit<Message, "id"> {
	/** The request it answers. */
	answers?: string;
	/** Id of the queued message that it was. */
	message?: string;
	/** The call whose question or plan it answers, which limits its turn as well. */
	caller?: Caller;
}

export interface SessionListener {
	/** Something other than the events has changed (queue, running). */
	changed(sessionId: string): void;
	/** The transcript was read again. */
	reloaded(sessionId: string): void;
	/** This window has the session from now on. */
	taken(sessionId: string): void;
	/** A long transcript is being read: progress from 0 to 1, undefined at the end. */
	reading(sessionId: string, part: number | undefined): void;
	/** The user's messages that no turn took are returned to the sender. */
	returned(sessionId: string, message: Message): void;
}

/** A session as its parts see it: its state, and the operations they may call. */
export interface SessionContext extends Readonly<SessionWorkspace> {
	readonly sessionId: string;
	readonly services: Services;
	readonly state: Transcript;
	readonly eventLog: EventLog;
	readonly files: FileVersions;
	/** Token counts of the context window, the model they are for, and the last turn's system prompt. */
	readonly context: { ledger: TokenCounter; model?: ModelInfo | undefined; system?: string };
	readonly prompts: PromptMemory;
	/** Text of the running answer that listeners have received but that is not an event yet. */
	spoken: () => string;
	/** Running calls, with the end of their output. */
	readonly printed: Map<string, string>;
	/** Background commands end when this is aborted. */
	readonly background: AbortController;
	/** Background commands that are still running, by call id. */
	readonly ongoing: Map<string, string>;
	readonly queued: readonly string[];
	/** Whether messages are waiting to join the running turn. */
	readonly hasJoining: boolean;
	readonly isRunning: boolean;
	/** Who began the running turn. */
	readonly sender: Sender | undefined;
	readonly lease: { take(): Promise<void> };
	readonly decisions: {
		readonly approvals: Approvals;
		readonly approved: SessionApprovals;
		/** Resolves when a request is no longer pending. */
		taken(request: string): Promise<void>;
	};
	answer(request: string, answer: Answer, by: Author, hash?: string): Promise<TurnEnd | undefined>;
	/** Runs a turn from the message that `open` returns; without one, the session waits for the user. */
	begin(
		from: Author | Sender,
		open: (turn: string, signal: AbortSignal) => Promise<OpeningMessage | undefined>,
		turn?: string,
	): Promise<TurnEnd>;
	/** Adds a host status line about something the user did outside the conversation. */
	note(text: string, about?: Pick<EventOf<"status">, "changes" | "reviewed" | "redo" | "usage">): Promise<void>;
	/** Loads earlier events too, for callers that need the whole session. */
	whole(): Promise<void>;
	/** Restarts the transcript from a summary, or with events that another window added. */
	restarted(by?: "elsewhere"): void;
	/** Adds messages that were sent meanwhile to the running turn. */
	deliver(turn: string): Promise<void>;
	/** Stops the turn and any running plan; resolves when it has ended. */
	cancel(): Promise<void>;
	/** Ends the background commands that are running; later turns can start new ones. */
	endBackground(): void;
	/**
	 * Waits for the running turn if it only has to end; see `isTurnOver`. Throws SessionBlockedError if it is stopped meanwhile.
	 */
	turnOver(): Promise<void>;
	/** Throws SessionBlockedError. */
	refuseWhileRunning(): void;
}

export type ToolResultBody = Omit<Extract<EventBody, { type: "result" }>, "type" | "call">;

export interface SessionsListener {
	event?(sessionId: string, event: TranscriptEvent): void;
	live?(sessionId: string, event: LiveEvent): void;
	/** The list has changed, or something other than the events of one session. */
	changed?(sessionId: string | undefined): void;
	reloaded?(sessionId: string): void;
	deleted?(sessionId: string): void;
	/** A long session is being read: progress from 0 to 1, undefined at the end. */
	reading?(sessionId: string, part: number | undefined): void;
	/** That session has messages to take with `takeReturned`. */
	returned?(sessionId: string): void;
}

export const STOPPED_BY_USER = new DOMException("Stopped by the person", "AbortError");
export const WINDOW_CLOSED = new DOMException("The window closed", "AbortError");
