// Types of all session events, as stored on disk, sent to the model and shown in the UI.

// Types only: the fold and the webview import this file and must not pull in a schema library.

import type { BlobRef, ChangedFile, FileChange, ReviewMark } from "./fileChange.ts";
import type { ApprovalMode } from "./role.ts";
import type { Usage, UsageTotals } from "./usage.ts";

export type { BlobRef, ChangedFile, FileChange, ReviewMark, Usage, UsageTotals };

/** Who caused an event. Only `person` carries the user's authority. */
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

/** State that carries over from an archived transcript to the one that continues it. */
export interface CompactionCarryover {
	messages: number;
	usage: UsageTotals;
	/** Usage of the current or last turn. */
	turnUsage: UsageTotals;
	title?: string;
	snippet?: string;
	/** Deviations of the running plan. */
	deviations?: { path: string; reason: string }[];
	/** Changed files that the user has neither kept nor undone. */
	changed?: ChangedFile[];
	/** Files changed by the current turn. */
	inTurn?: ChangedFile[];
	/** File changes since each message of that turn. */
	since?: { message: string; files: ChangedFile[] }[];
}

/** Content that a mention added, as it was when the message was sent. */
export interface Attachment {
	kind: "file" | "folder" | "symbol" | "selection" | "problems" | "terminal" | "changes" | "url";
	/** The mention's text without the @: "src/cart.ts", "problems". */
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

/** What the answer triggers: for a plan whose files have changed, or for a role switch. Set only on the host's own questions. */
export type QuestionSubject = { kind: "drift"; planId: string; version: number } | { kind: "switch" };

/** How long an approval lasts: for this call, for the session (in memory), or always in this workspace. */
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

/** How a tool call is displayed. `figure` is shown at the right end of the call's line ("88 lines"). */
export type ToolView = { figure?: string } & (
	| { kind: "text" }
	| { kind: "file"; path: string; line?: number }
	/** `unshown`: part of it cannot be displayed, so it can only be approved once. */
	| { kind: "change"; changes: FileChange[]; unshown?: true }
	| CommandView
	/** A denial: the gate layer that denied it, and a role that would permit it, if any. */
	| { kind: "denied"; layer: string; offerRole?: string }
);

export interface CommandView {
	kind: "command";
	figure?: string;
	command: string;
	cwd: string;
	/** Absent while it runs in the background, or if it was killed. */
	exitCode?: number;
	signal?: string;
	/** Id for `read_command_output`. */
	output: string;
	background?: boolean;
	/** The user ran it in their own terminal. */
	byPerson?: true;
	/** Workspace files that differ after the command. */
	changed: FileChange[];
	/** It ran in a sandbox. `hindered`: that may be why it failed. `touched`: protected paths that it created or replaced. */
	sandbox?: { kind: "read" | "workspace"; hindered?: true; touched?: string[] };
}

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
	/** `context`: sent to the model only, with what the user was viewing. `told`: changes since the prompt was built. */
	| { type: "user"; text: string; context?: string; told?: PromptChanges; images?: BlobRef[]; attachments?: Attachment[]; answers?: string }
	| { type: "started"; agent: string; definitionHash: string; role: string; model: string }
	| { type: "assistant"; text: string; thinking?: string; calls?: ToolCall[]; usage?: Usage; opaque?: unknown }
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
	  }
	| { type: "step"; step_number: number; status: StepStatus }
	| { type: "question"; request: string; question: Question; about?: QuestionSubject }
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
			/** What approving for this session would cover, one sentence each; absent if not offered. */
			session?: string[];
			/** What always approving in this workspace would cover, one sentence each; absent if not offered. */
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
	| { type: "delegated"; call: string; session?: string; task?: string }
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
			/** The changes redo what was undone, so they count as the agent's again. */
			redo?: true;
			used?: ShellToolCall;
			/** The session's approval mode from this event on. Takes effect only if set by the user. */
			approval?: ApprovalMode | "default";
	  }
	| { type: "compacted"; archive: string; summary: string; carried?: CompactionCarryover }
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

/** A conversation with the user, or work that an agent does in the background. */
export type TranscriptKind = "session" | "task";

/** A list entry for a session, cached from its transcript. */
export interface SessionSummary {
	sessionId: string;
	/** "session" if absent. */
	kind?: TranscriptKind;
	agentId: string;
	name?: string;
	pinnedAt?: string;
	createdAt: string;
	updatedAt: string;
	lastSnippet?: string;
	messageCount: number;
	attributes?: Record<string, unknown>;
	role: string;
	/** How the last turn ended; absent before the first turn and while one runs. */
	outcome?: Outcome;
	/** Unanswered questions, and a plan that was neither approved nor followed by another event; absent if there are none. */
	waits?: ("question" | "plan")[];
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
