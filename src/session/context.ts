// The services from the composition root, and the context types of sessions and turns.

// Depends on the ports, never on their implementations.
import type { AgentRegistry } from "../core/agent.ts";
import type { Answer, Author, EventBody, EventOf, LiveEvent, Outcome, ToolCall, ToolView, TranscriptEvent } from "../core/events.ts";
import type { CommandFacts, Gate, PermissionRules, Verdict } from "../core/ports/gate.ts";
import type { ModelInfo, SelectedModel } from "../core/ports/model.ts";
import type { Runtime } from "../core/ports/runtime.ts";
import type { BlobStore, SessionStore } from "../core/ports/sessions.ts";
import type { SkillLibrary } from "../core/ports/skills.ts";
import type { PathFacts, Tool, ToolEvent, ToolSource } from "../core/ports/tool.ts";
import type { EditorFacts, UserTerminal, Workspace } from "../core/ports/workspace.ts";
import type { CliSkill, PromptParts, PromptSources } from "../core/prompt.ts";
import type { AgentDefinition, ApprovalMode, Permission, Role } from "../core/role.ts";
import type { Transcript } from "../core/transcript/state.ts";
import type { ApprovalResponse, Approvals, TypeableLine } from "./approvals/approvals.ts";
import type { Grants } from "./approvals/grants.ts";
import type { SessionApprovals } from "./approvals/sessionApprovals.ts";
import type { TokenCounter } from "./contextWindow/tokenCounter.ts";
import type { EventLog } from "./eventLog.ts";
import type { FileVersions } from "./fileVersions.ts";
import type { Message, Sender } from "./messageQueue.ts";
import type { PromptMemory } from "./prompt/promptMemory.ts";
import type { DiskCache } from "./turn/diskCache.ts";
import type { LoopGuard } from "./turn/loopGuard.ts";

export interface Services {
	store: SessionStore;
	blobs: BlobStore;
	workspace: Workspace;
	gate: Gate;
	facts: EditorFacts;
	grants: Grants;
	tools: readonly Tool[];
	/** Tools from outside. */
	sources: readonly ToolSource[];
	/** Whatever there is to say of agents beside `agents()`. */
	registry: AgentRegistry;
	/** Where prompts have their parts from. */
	parts: PromptSources;
	/** Skills of the person and of the workspace; none when absent. */
	skills?: Pick<SkillLibrary, "now" | "look" | "read">;
	/** What commands reach of the session that runs them; nothing when absent. */
	door?: CliBridge;
	/** The person's own terminal; absent where there is none. */
	terminal?: UserTerminal;
	/** Other names that models use for a tool of ours. */
	aliases: Readonly<Record<string, string>>;
	roles(): readonly Role[];
	/** All that can be used, the default one first. */
	agents(): readonly AgentDefinition[];
	settings(): Settings;
	/**
	 * The model a session would use now. With `known` nobody is asked for it: what cannot be known without has the id `auto`.
	 * Throws ModelError with a sentence when there is none.
	 */
	model(agent: AgentDefinition, role: Role, only?: "known"): Promise<SelectedModel>;
	/** What runs an agent's turns, and chooses what answers. */
	runtime(agent: AgentDefinition): Promise<Runtime>;
	prompt(parts: PromptParts): string;
	/** What keeps commands in that run unasked; none when absent. */
	sandbox?: {
		/** Found out once. */
		works(): Promise<boolean>;
		/** For the list of approvals, once it is known: whether it works here, and why not. */
		why(): string;
	};
	/** Secrets of the person: no result shows them. None when absent. Never rejects. */
	hidden?(): Promise<readonly string[]>;
	/** Why no turn may start (Restricted Mode); undefined when it may. */
	restricted(): string | undefined;
	now(): Date;
	log(line: string): void;
}

export interface Settings {
	/** For sessions that have no mode of their own. */
	approval: ApprovalMode;
	/** No session goes above it: settings of an organization or of the machine say so. `auto` when absent. */
	approvalCeiling?: ApprovalMode;
	/** Whether commands that only read ask. */
	readingCommands: "allow" | "ask";
	/** `off` when absent. */
	sandbox?: "auto" | "off" | "required";
	rules: PermissionRules;
	defaultRole: string;
	maxSteps: number;
	/** Ids of plugins that are switched off. */
	pluginsOff: readonly string[];
}

export interface TurnContext {
	sessionId: string;
	services: Services;
	state: Transcript;
	agent: AgentDefinition;
	role: Role;
	/** Permissions of whoever began the turn; absent for a person. Its tools, its prompt and the gate go by it. */
	ceiling?: readonly Permission[];
	signal: AbortSignal;
	/** Ends commands in the background: they may outlive the turn, not the role that allowed them. */
	background: AbortSignal;
	/** Commands that went on in the background and have not ended, by call. */
	ongoing: Map<string, string>;
	files: FileVersions;
	loopGuard: LoopGuard;
	/** What the gate learned of the disk. */
	disk: DiskCache;
	/** What the person has allowed in this session, beside what lasts longer. */
	approved: SessionApprovals;
	/** Somebody can answer. A turn that nobody attends denies what it would ask. */
	canAsk: boolean;
	/** Puts an approval to the person; undefined when the turn, or `signal`, ends before they answer. */
	ask(approval: ApprovalRequest, signal?: AbortSignal): Promise<ApprovalResponse | undefined>;
	/** Whether the turn still runs. */
	runs(): boolean;
	/** Writes down what happens beside the model's own calls. */
	record(event: EventBody): Promise<unknown>;
	/** The plugin whose program makes this call from a shell; absent for the model's own calls. */
	shell?: string;
	/** Name of the tool that is judged, where an agent runs its own; absent where we run ours. */
	foreign?: string;
	progress(call: string, text: string): void;
	/** Makes whole what a tool wants to tell the transcript. Throws ToolError where it does not apply. */
	prepareEvents(events: readonly ToolEvent[]): Promise<EventBody[]>;
}

export interface ApprovalRequest {
	call: ToolCall;
	/** The call itself, where `call` is the command that makes it. */
	made?: Pick<ToolCall, "name" | "input">;
	summary: string;
	reason: string;
	/** Why it asks beside that, a sentence each. */
	more?: readonly string[];
	hash: string;
	/** What an approval for the session or for good would keep; empty where neither is offered. */
	always: Verdict["grants"];
	/** Origins and definition hashes that an approval makes known in this session. */
	meets?: readonly string[];
	/** The rule of the person's that makes it ask. */
	rule?: string;
	view?: ToolView;
	/** What of it the person may run in their own terminal instead. */
	line?: TypeableLine;
}

export interface CallFacts {
	paths: PathFacts[];
	command?: CommandFacts;
	url?: string;
	unchecked?: true;
	skill?: string;
	peer?: string;
}

/** A session, or a turn of it, as far as its plugins go. */
export type BridgedSession = Pick<TurnContext, "sessionId" | "services" | "state">;

export interface CliBridge {
	/** Plugins that the agent reaches from a shell in the role that is in force; none unless its exposure says so. */
	cliSkills(session: BridgedSession, agent: AgentDefinition): Promise<readonly CliSkill[]>;
	/** A way in for one command that this turn runs; undefined where its agent reaches nothing from a shell. */
	open(turn: TurnContext, call: string): Promise<BridgeConnection | undefined>;
}

/** Counts while the command lives and for nobody else. */
export interface BridgeConnection {
	/** Variables of that command alone. */
	env: Readonly<Record<string, string>>;
	/** What of them must not be seen in its output. */
	secrets: readonly string[];
	/** Milliseconds it has waited for the person. */
	waited(): number;
	close(): void;
}

export interface TurnEnd {
	outcome: Outcome;
	turn: string;
}

/** The message that opens a turn. */
export interface OpeningMessage extends Message {
	/** The request it answers. */
	answers?: string;
}

export interface SessionListener {
	/** Something beside the events has changed (queue, running). */
	changed(sessionId: string): void;
	/** The transcript was read anew. */
	reloaded(sessionId: string): void;
	/** Much of the transcript is being read: how much of that is done, up to 1, and undefined at the end. */
	reading(sessionId: string, part: number | undefined): void;
	/** Messages of the person that no turn took go back to where they came from. */
	returned(sessionId: string, message: Message): void;
}

/** A session as its parts see it: what it is, what it holds, and what they may have it do. */
export interface SessionContext {
	readonly sessionId: string;
	readonly services: Services;
	readonly state: Transcript;
	readonly eventLog: EventLog;
	readonly files: FileVersions;
	/** How full the window is, and of which model; the system prompt of the last turn. */
	readonly context: { ledger: TokenCounter; model?: ModelInfo | undefined; system?: string };
	readonly prompts: PromptMemory;
	/** Words of the running answer that listeners have seen and that are not an event yet. */
	spoken: () => string;
	/** Calls that are known to run, with the end of what they have printed. */
	readonly printed: Map<string, string>;
	/** Commands in the background live and end with this. */
	readonly background: AbortController;
	/** Those that have not ended, by call. */
	readonly ongoing: Map<string, string>;
	readonly queued: readonly string[];
	/** Whether messages wait that the running turn takes. */
	readonly hasJoining: boolean;
	readonly isRunning: boolean;
	/** Who began the turn that runs. */
	readonly sender: Sender | undefined;
	readonly lease: { take(): Promise<void> };
	readonly decisions: {
		readonly approvals: Approvals;
		readonly approved: SessionApprovals;
		/** Resolves when a request is no longer pending. */
		taken(request: string): Promise<void>;
	};
	answer(request: string, answer: Answer, by: Author, hash?: string): Promise<TurnEnd | undefined>;
	/** Runs a turn from the message that `open` gives; where it gives none, the session waits for the person. */
	begin(from: Author | Sender, open: (turn: string, signal: AbortSignal) => Promise<OpeningMessage | undefined>): Promise<TurnEnd>;
	/** A line of the host's about something the person did beside the conversation. */
	note(text: string, about?: Pick<EventOf<"status">, "changes" | "reviewed" | "redo">): Promise<void>;
	/** Has all that came before, too: for whoever builds on the whole session. */
	whole(): Promise<void>;
	/** The transcript begins anew, with a summary of what was, or with what another window has added. */
	restarted(by?: "elsewhere"): void;
	/** Messages typed meanwhile become part of the running turn. */
	deliver(turn: string): Promise<void>;
	/** Stops the turn, and the plan that runs; resolves when it has ended. */
	cancel(): Promise<void>;
	/** Ends commands that run in the background; those of later turns are not touched. */
	endBackground(): void;
	/** Throws SessionBlockedError. */
	refuseWhileRunning(): void;
}

export type ToolResultBody = Omit<Extract<EventBody, { type: "result" }>, "type" | "call">;

export interface SessionsListener {
	event?(sessionId: string, event: TranscriptEvent): void;
	live?(sessionId: string, event: LiveEvent): void;
	/** The list, or something beside the events of one session, has changed. */
	changed?(sessionId: string | undefined): void;
	reloaded?(sessionId: string): void;
	deleted?(sessionId: string): void;
	/** A long session is being read: how much of that is done, up to 1, and undefined at the end. */
	reading?(sessionId: string, part: number | undefined): void;
	/** Messages of that session wait to be taken with `takeReturned`. */
	returned?(sessionId: string): void;
}

export const STOPPED_BY_USER = new DOMException("Stopped by the person", "AbortError");
export const WINDOW_CLOSED = new DOMException("The window closed", "AbortError");
