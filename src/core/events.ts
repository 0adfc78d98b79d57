// Types of all session events, as stored on disk, sent to the model and shown in the UI.

// Types only: the fold and the webview import this file and must not pull in a schema library.

import type { BlobRef, ChangedFile, FileChange, ReviewMark } from "./fileChange.ts";
import type { ApprovalMode } from "./role.ts";
import type { Usage, UsageTotals } from "./usage.ts";

export type { BlobRef, ChangedFile, FileChange, ReviewMark, Usage, UsageTotals };

/** Who caused an event. Only `person` carries a person's authority. */
export type Author = "person" | "model" | "host" | "api" | `agent:${string}` | `channel:${string}`;

export type Outcome = "done" | "waiting" | "cancelled" | "failed" | "limit" | "interrupted";

export type ResultStatus = "ok" | "error" | "denied" | "cancelled" | "unknown";

export type HelpCommand = "setApiKey" | "selectModel" | "switchAgent" | "openSettings";

export type StepStatus = "running" | "done" | "failed" | "skipped";

export interface ToolCall {
	id: string;
	name: string;
	/** The parsed JSON arguments; the raw string when it was not valid JSON (such a call never runs). */
	input: unknown;
}

/** A tool that a command has used by its plugin's program. `input` (JSON) and `output` are cut for the eye. */
export interface ShellToolCall {
	/** Id of the command's call. */
	call: string;
	tool: string;
	input: string;
	status: ResultStatus;
	output: string;
}

/** What an archived transcript leaves to the one that goes on in its place. */
export interface CompactionCarryover {
	messages: number;
	usage: UsageTotals;
	/** Of the turn that goes on, or ran last. */
	turnUsage: UsageTotals;
	title?: string;
	snippet?: string;
	/** Of the plan that comes along. */
	deviations?: { path: string; reason: string }[];
	/** Files whose changes the person has neither kept nor undone. */
	changed?: ChangedFile[];
	/** What the turn that goes on has changed. */
	inTurn?: ChangedFile[];
	/** What has happened to files since each message of that turn. */
	since?: { message: string; files: ChangedFile[] }[];
}

/** What a mention brought along, as it was when the message was sent. */
export interface Attachment {
	kind: "file" | "folder" | "symbol" | "selection" | "problems" | "terminal" | "changes" | "url";
	/** As it stands in the message, without the @: "src/cart.ts", "problems". */
	label: string;
	/** For the model. */
	text: string;
	/** Where it can be opened: a workspace path or a URL. */
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

/** What an answer sets going: the plan whose files have changed, or the switch of the role. Only the host's own questions have one. */
export type QuestionSubject = { kind: "drift"; planId: string; version: number } | { kind: "switch" };

/** How long an approval lasts: this call, the session (in memory), or always in this workspace. */
export type ApprovalScope = "once" | "session" | "always";

/** An approval's answer, or a question's. A question answered with `allow: false` is dismissed. `always` is scope always. */
export type Answer =
	| { allow: boolean; scope?: ApprovalScope | undefined; always?: boolean | undefined; reason?: string | undefined }
	| { value: string };

/** A file as it was when a plan was made. `hash` is the SHA-256 of its bytes, "" when it did not exist. */
export interface FileHash {
	path: string;
	hash: string;
}

/** A file that a call has read, as it was then, or only shown. */
export type AccessedFile = Pick<FileHash, "path"> & Partial<FileHash>;

/** What a tool shows the eye. `figure` stands at the right of the call's line ("88 lines"). */
export type ToolView = { figure?: string } & (
	| { kind: "text" }
	| { kind: "file"; path: string; line?: number }
	/** `unshown`: some of it cannot be shown, so no approval of it lasts. */
	| { kind: "change"; changes: FileChange[]; unshown?: true }
	| CommandView
	/** A refusal: which of the gate's layers, and the role that would permit it where one exists. */
	| { kind: "denied"; layer: string; offerRole?: string }
);

export interface CommandView {
	kind: "command";
	figure?: string;
	command: string;
	cwd: string;
	/** Absent while it runs in the background or when it was killed. */
	exitCode?: number;
	signal?: string;
	/** Id for `read_command_output`. */
	output: string;
	background?: boolean;
	/** The person ran it in their own terminal. */
	byPerson?: true;
	/** Workspace files that differ after the command. */
	changed: FileChange[];
	/** It was kept in: `hindered` where that may be why it failed, `touched` protected places that it made or replaced. */
	sandbox?: { kind: "read" | "workspace"; hindered?: true; touched?: string[] };
}

export interface EventBase {
	id: string;
	/** Position in the transcript, from 1, without gaps. */
	seq: number;
	/** ISO 8601 time. */
	at: string;
	/** The turn it belongs to; what arrives between turns has none. */
	turn?: string;
	by: Author;
	/** It happened elsewhere and came with a file: nobody here has said, done or allowed it. */
	imported?: true;
}

/** A setting, after `troupe.`, that says what asks. */
export type ApprovalSetting = "approval" | "permissions";

export type EventBody =
	/** `context`: for the model alone, what the person had before them, and what is `told` of changes since the prompt. */
	| { type: "user"; text: string; context?: string; told?: PromptChanges; images?: BlobRef[]; attachments?: Attachment[]; answers?: string }
	| { type: "started"; agent: string; definitionHash: string; role: string; model: string }
	| { type: "assistant"; text: string; thinking?: string; calls?: ToolCall[]; usage?: Usage; opaque?: unknown }
	/** `seen`: files that the call read, with their hash, or only showed. */
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
			/** What is asked about, where a command makes the call from a shell; `call` is then the command's. */
			made?: { name: string; input: unknown };
			summary: string;
			/** Binds the answer to the exact bytes of the call and of the change it would make. */
			hash: string;
			reason: string;
			/** Why it asks beside that, a sentence each. */
			more?: string[];
			/** What allowing it in this session would cover, a sentence each; absent where that is not offered. */
			session?: string[];
			/** What always allowing it here would cover, a sentence each; absent where that is not offered. */
			always?: string[];
			/** It was allowed twice or more in this session, and what would end the question: an answer, or a setting. */
			often?: { text: string; ends: "always" | ApprovalSetting };
			/** The person may run it in their own terminal instead. */
			terminal?: true;
			/** The change as it would be made. */
			view?: ToolView;
	  }
	| { type: "answered"; request: string; hash?: string; answer: Answer }
	| { type: "expired"; request: string }
	| { type: "role"; role: string; plan?: PlanRef }
	/** `name`: as it was called then. */
	| { type: "agent"; agent: string; name?: string }
	| {
			type: "rewound";
			/** The first event that it hides. */
			to: string;
			/** Its position, for who holds a part of the session, and how many messages are left. */
			toSeq?: number;
			messages?: number;
	  }
	| { type: "delegated"; call: string; session?: string; task?: string }
	| {
			type: "status";
			level: "info" | "warning" | "error";
			text: string;
			/** Id of the last event whose tool output, and that of all before it, the model is shown a note for. */
			trimmed?: string;
			/** The model is asked again after so many seconds from the event on. */
			retry?: { why: string; seconds: number; attempt: number; of: number };
			/** What the person, or we for them, changed in files: mostly what was put back. */
			changes?: FileChange[];
			reviewed?: ReviewMark[];
			/** The changes do again what had been undone: they are the agent's once more. */
			redo?: true;
			used?: ShellToolCall;
			/** The approval mode of this session from here on. Counts by the person alone. */
			approval?: ApprovalMode | "default";
	  }
	| { type: "compacted"; archive: string; summary: string; carried?: CompactionCarryover }
	| {
			type: "ended";
			outcome: Outcome;
			error?: string;
			/** What would help, where it is one of our commands. */
			help?: HelpCommand;
			/** The error itself says what is kept, so nobody has to say it again. */
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
/** Tables by this type are complete, so that the compiler names them to whoever adds one; `undefined` stands for nothing. */
export type EventType = EventBody["type"];
export type EventOf<T extends EventType> = EventBase & Extract<EventBody, { type: T }>;

/** Shown while a turn runs and never stored. `call` names the tool call whose output grows. */
export type LiveEvent =
	| { type: "delta"; text: string }
	| { type: "progress"; call: string; text: string }
	/** The model has sent nothing for so many seconds; 0 once it does again. */
	| { type: "stall"; seconds: number };

/** A conversation of the person, or work that an agent does in the background. */
export type TranscriptKind = "session" | "task";

/** What a list of sessions shows of one; a cache of its transcript. */
export interface SessionSummary {
	sessionId: string;
	/** A session when absent. */
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
	/** How the last turn ended; absent before the first one and while one runs. */
	outcome?: Outcome;
	/** Questions without an answer, and a plan that was neither approved nor followed by anything; absent where there is none. */
	waits?: ("question" | "plan")[];
}

/** What a message tells of things that have changed since the prompt was built, a line each. */
export interface PromptChanges {
	added: string[];
	removed: string[];
}

/** A prompt that was built and is in force for its key: who, in which role, in which words of ours. */
export interface StoredPrompt {
	key: string;
	/** JSON with the prompt's text, to the byte. */
	text: BlobRef;
}
