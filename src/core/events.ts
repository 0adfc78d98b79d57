// Types of all session events, as stored on disk, sent to the model and shown in the UI.

// Types only: the fold and the webview import this file and must not pull in a schema library.

import type { AnsweredCall, Caller, CallMode, Carry, TokenBudget } from "./caller.ts";
import type { Channel } from "./channel.ts";
import type { CompactionCarryover } from "./eventData/compaction.ts";
import type { BlobRef, ChangedFile, FileChange, ReviewMark } from "./eventData/fileChange.ts";
import type { ToolView } from "./eventData/toolView.ts";
import type { ApprovalMode, Permission } from "./role.ts";
import type { TaskFigures, TaskNews, TaskRecord, TaskState } from "./task.ts";
import type { Usage, UsageTotals } from "./usage.ts";

export type { BlobRef, ChangedFile, FileChange, ReviewMark, Usage, UsageTotals };

/** The author of an event. Only `person` carries the user's authority. */
export type Author = "person" | "model" | "host" | "api" | `agent:${string}` | `channel:${string}`;

export type Outcome = "done" | "waiting" | "cancelled" | "failed" | "limit" | "interrupted";

export type ResultStatus = "ok" | "error" | "denied" | "cancelled" | "unknown";

export type HelpCommand = "setApiKey" | "selectModel" | "switchAgent" | "openSettings";

export type StepStatus = "running" | "done" | "failed" | "skipped";

export interface ToolCall {
	id: string;
	name: string;
	/** The parsed JSON arguments, or the raw string if it was not valid JSON (such a call never runs). */
	input: unknown;
}

/** A tool called through its plugin's command-line program. `input` (JSON) and `output` are truncated for display. */
export interface ShellToolCall {
	/** Id of the command's tool call. */
	call: string;
	tool: string;
	input: string;
	status: ResultStatus;
	output: string;
}

/** Content that came with a message, as it was when the message was sent: of a mention, or of another session (`conversation`). */
export interface Attachment {
	kind: "file" | "folder" | "symbol" | "selection" | "problems" | "terminal" | "changes" | "url" | "conversation";
	/** The mention's text without the @: "src/cart.ts", "problems". Of another session: its agent and title. */
	label: string;
	/** Text for the model. */
	text: string;
	/** A workspace path or URL to open. */
	path?: string;
	/** First and last line, from 1. */
	lines?: [number, number];
}

export interface PlanStep {
	step_number: number;
	action: string;
	reason?: string | undefined;
	tools_needed?: string[] | undefined;
	estimated_time?: string | undefined;
	/** Globs of the files this step may write; a write elsewhere is a deviation. */
	files?: string[] | undefined;
}

export interface Plan {
	type?: "plan" | undefined;
	format_version?: string | undefined;
	goal: string;
	steps: PlanStep[];
	estimated_total_time?: string | undefined;
	risks?: string[] | undefined;
	prerequisites?: string[] | undefined;
}

export interface QuestionOption {
	label: string;
	value: string;
	description?: string | undefined;
}

export interface Question {
	type?: "question" | undefined;
	format_version?: string | undefined;
	question: string;
	context?: string | undefined;
	severity?: "critical" | "major" | "minor" | undefined;
	options?: QuestionOption[] | undefined;
	default?: string | undefined;
	allow_custom?: boolean | undefined;
}

/** The action that the answer triggers. `information`: a question of a task, which whoever started the task may answer, too. */
export type QuestionSubject = { kind: "drift"; planId: string; version: number } | { kind: "switch" | "information" } | AgentSwitchOffer;

/** Set only by the tool for it. The user edits the message; nothing is sent before they take the offer. */
export interface AgentSwitchOffer {
	kind: "switchAgent";
	/** Id of the agent to switch to. */
	agent: string;
	message: string;
	carry: Carry;
}

/** Duration of an approval: for this call, for the session (in memory), or always in this workspace. */
export type ApprovalScope = "once" | "session" | "always";

/** The answer to an approval request or a question. `allow: false` dismisses a question. `always` means scope `always`. */
export type Answer =
	| { allow: boolean; scope?: ApprovalScope | undefined; always?: boolean | undefined; reason?: string | undefined }
	| { value: string };

/** A file as it was when a plan was made. `hash` is the SHA-256 of its bytes, or "" if it did not exist. */
export interface FileHash {
	path: string;
	hash: string;
}

/** A file that a call accessed. `hash` is absent if the call only listed the file. */
export type AccessedFile = Pick<FileHash, "path"> & Partial<FileHash>;

export interface EventBase {
	id: string;
	/** Position in the transcript, from 1, without gaps. */
	seq: number;
	/** ISO 8601 time. */
	at: string;
	/** The turn that the event belongs to; absent between turns. */
	turn?: string;
	by: Author;
	/** The event was imported from a file: nothing in it was said, done, or approved here. */
	imported?: true;
}

/** A setting, without the `troupe.` prefix, that controls when approval is required. */
export type ApprovalSetting = "approval" | "permissions";

export type EventBody =
	| {
			type: "user";
			text: string;
			/** Sent to the model only, with what the user was viewing. */
			context?: string;
			/** Changes since the prompt was built. */
			told?: PromptChanges;
			images?: BlobRef[];
			attachments?: Attachment[];
			/** The question that it answers, by request id. */
			answers?: string;
			/** Id of the queued message that it was. */
			message?: string;
			/** The call whose question or plan it answers. */
			caller?: Caller;
			channel?: Channel;
	  }
	/** `caller`: the call that the turn answers. `ceiling`: the sender's permissions; absent for the user. */
	| {
			type: "started";
			agent: string;
			definitionHash: string;
			role: string;
			model: string;
			caller?: Caller;
			ceiling?: readonly Permission[];
	  }
	| ({ type: "queued" } & WaitingMessage)
	| { type: "unqueued"; message: string; why: "takenBack" | "refused" | "cleared" }
	/** `unspoken`: the text is the agent's thought; it speaks in `reply` events alone. */
	| { type: "assistant"; text: string; thinking?: string; calls?: ToolCall[]; usage?: Usage; opaque?: unknown; unspoken?: true }
	/** Text that an agent says if the text of its answers is thought. `call`: the tool call that says it. */
	| { type: "reply"; call: string; text: string; channel: Channel }
	/** `seen`: files that the call read, with their hash, or only listed. */
	| { type: "result"; call: string; status: ResultStatus; output: string; images?: BlobRef[]; view?: ToolView; seen?: AccessedFile[] }
	| {
			type: "plan";
			plan: Plan;
			planId: string;
			version: number;
			/** SHA-256 of the plan's canonical JSON. */
			hash: string;
			basis: { commit?: string; files: FileHash[] };
			/** The call whose turn presented it. */
			caller?: Caller;
	  }
	| { type: "step"; step_number: number; status: StepStatus }
	| { type: "question"; request: string; question: Question; about?: QuestionSubject; caller?: Caller }
	| {
			type: "asked";
			request: string;
			call: string;
			/** The call being approved, if a command makes it from a shell; `call` is then the command's id. */
			made?: { name: string; input: unknown };
			summary: string;
			/** Binds the answer to the exact bytes of the call and of the change it would make. */
			hash: string;
			reason: string;
			/** Further reasons for asking, one sentence each. */
			more?: string[];
			/** Descriptions of what approving for this session would cover, one sentence each; absent if not offered. */
			session?: string[];
			/** Descriptions of what always approving in this workspace would cover, one sentence each; absent if not offered. */
			always?: string[];
			/** Set if it was allowed at least twice in this session. `ends` is the answer or setting that would end the question. */
			often?: { text: string; ends: "always" | ApprovalSetting };
			/** The user may run it in their own terminal instead. */
			terminal?: true;
			/** Preview of the change. */
			view?: ToolView;
	  }
	| { type: "answered"; request: string; hash?: string; answer: Answer }
	| { type: "expired"; request: string }
	| { type: "role"; role: string; plan?: PlanRef }
	/** `name`: the agent's name at that time. */
	| { type: "agent"; agent: string; name?: string }
	| {
			type: "rewound";
			/** The first event that it hides. */
			to: string;
			/** The position of `to`, for readers that have only part of the session, and the number of remaining messages. */
			toSeq?: number;
			messages?: number;
	  }
	| {
			type: "delegated";
			call: string;
			session?: string;
			task?: string;
			/** Id of the called agent. */
			agent?: string;
			mode?: CallMode;
			/** Number of calls from the first caller, from 1. */
			depth?: number;
			/** Id of the called turn, and of the message that begins it. */
			responseId?: string;
			/** Limits of the turn that made the call, which a late answer's turn has as well. */
			ceiling?: readonly Permission[];
			/** Permissions that those turns may pass on, if their role passes on other permissions than its own. */
			passes?: readonly Permission[];
			caller?: Caller;
			/** Budget that the called turn, and a late answer's turn, share with the turn that made the call. */
			budget?: TokenBudget;
			/** Channel of the message that caused the call. Everything that results from the call has the same channel. */
			channel?: Channel;
	  }
	/**
	 * A background task that this session started has another state, or says something. `spent`: figures of all of its turns, once it is
	 * over. `denied`: it is over, and was denied something for its ceiling; the user may continue it with more permissions.
	 */
	| { type: "task"; task: string; state: TaskState; name: string; text?: string; spent?: TaskFigures; denied?: true }
	| {
			type: "status";
			level: "info" | "warning" | "error";
			text: string;
			/** Id of the last event whose tool output is replaced by a note for the model, together with all earlier output. */
			trimmed?: string;
			/** The model is called again after `seconds`, counted from this event. */
			retry?: { why: string; seconds: number; attempt: number; of: number };
			/** File changes made by the user or on their behalf, usually by undoing a change. */
			changes?: FileChange[];
			reviewed?: ReviewMark[];
			/** The changes count as an agent's: they redo what was undone, or were taken from a task's copy of the workspace. */
			redo?: true;
			used?: ShellToolCall;
			/** Usage of a model call outside a turn: a summary for another session. */
			usage?: Usage;
			/** The session's approval mode from this event on. Takes effect only if set by the user. */
			approval?: ApprovalMode | "default";
	  }
	/** `usage`: usage of the model call that made the summary; it is part of what is carried. */
	| { type: "compacted"; archive: string; summary: string; carried?: CompactionCarryover; usage?: Usage }
	| {
			type: "ended";
			outcome: Outcome;
			error?: string;
			/** The command that helps, if one of ours does. */
			help?: HelpCommand;
			/** The error message already says what was kept. */
			kept?: true;
			/** Built for this turn. */
			prompt?: StoredPrompt;
	  };

/** A message that no turn has taken yet, and whose it is. */
export interface WaitingMessage {
	/** Its id; a turn that it begins has the same id. */
	message: string;
	from: Author;
	text: string;
	images?: BlobRef[];
	attachments?: Attachment[];
	context?: string;
	about?: AnsweredCall | TaskNews;
	caller?: Caller;
	/** The sender's permissions; absent for the user. */
	ceiling?: readonly Permission[];
	/** The session it was sent from. */
	session?: string;
	channel?: Channel;
	/** Nobody can answer during its turn. */
	unattended?: true;
	budget?: { steps?: number; tokens?: number };
}

export interface PlanRef {
	planId: string;
	version: number;
	hash: string;
}

export type TranscriptEvent = EventBase & EventBody;
/** Tables keyed by this type are complete, so the compiler reports every table that lacks a new type; `undefined` means no entry. */
export type EventType = EventBody["type"];
export type EventOf<T extends EventType> = EventBase & Extract<EventBody, { type: T }>;

/** Shown while a turn runs and never stored. `call` is the tool call whose output is streaming. */
export type LiveEvent =
	| { type: "delta"; text: string }
	| { type: "progress"; call: string; text: string }
	/** The model has sent nothing for this many seconds; 0 once it resumes. */
	| { type: "stall"; seconds: number };

/** A session with the user, or work that an agent does in the background. */
export type TranscriptKind = "session" | "task";

/** A list entry for a session, cached from its transcript. */
export interface SessionSummary {
	sessionId: string;
	/** "session" if absent. */
	kind?: TranscriptKind;
	/** Present for a task. */
	task?: TaskRecord;
	agentId: string;
	name?: string;
	pinnedAt?: string;
	createdAt: string;
	updatedAt: string;
	lastSnippet?: string;
	messageCount: number;
	attributes?: Record<string, unknown>;
	role: string;
	/** Outcome of the last turn; absent before the first turn and while one runs. */
	outcome?: Outcome;
	/** Unanswered questions, and a plan that was neither approved nor followed by another event; absent if there are none. */
	waits?: ("question" | "plan")[];
	/** Agent and session whose call its turn answers; also while that turn waits for the user. */
	askedBy?: { agent: string; session: string };
	/** Messages wait in it, or answers of agents that it called are still to come. */
	unsettled?: true;
}

/** Changes since the prompt was built that a message reports, one line each. */
export interface PromptChanges {
	added: string[];
	removed: string[];
}

/** A built prompt that is in use for its key: agent, role, and the version of our prompt text. */
export interface StoredPrompt {
	key: string;
	/** JSON with the exact bytes of the prompt's text. */
	text: BlobRef;
}
