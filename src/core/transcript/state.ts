// Types of the state that a session's events fold into.
import type { Answer, ChangedFile, EventOf, Outcome, StepStatus, ToolCall, TranscriptEvent, UsageTotals } from "../events.ts";
import type { ApprovalMode } from "../role.ts";

export type ChangeOutcome = "undone" | "kept";

export interface FileState {
	path: string;
	/** "" where there is no such file; undefined where it is not known. */
	hash: string | undefined;
}

/** One call's change to one file. */
export interface ChangeEntry {
	call: string;
	/** The path under which the call tells it. */
	path: string;
	from: FileState;
	to: FileState;
	fate?: ChangeOutcome;
}

/** Changes in the order they were made, by where the file is now. */
export type ChangeOutcomes = Map<string, ChangeEntry[]>;

/** By where the files are now. */
export type ChangedFiles = Map<string, ChangedFile>;

/**
 * What is kept of events that are not at hand. Calls that were open, requests that were pending, the newest plans and what the
 * running turn had changed are in the transcript itself; of the others, what lies before is not.
 */
export interface EarlierTranscript {
	/** Of the last of them. */
	seq: number;
	/** The fold of those of them that no `rewound` hides. Never changed in place. */
	visible: Transcript;
	/** First and last number of each run of them that is hidden. */
	hidden: [number, number][];
	/** One of them has set a role. */
	hasRole: boolean;
	/** By id of a later `rewound` that goes back to one of them: the fold of what it leaves visible of them. */
	returns: Map<string, Transcript>;
	/** Numbers of those that later events name, by id. */
	numbers: Map<string, number>;
}

export interface Transcript {
	/** All, or where there is a `before` those after it. */
	events: TranscriptEvent[];
	/** Of a long session that was opened at its end: what came before `events`. */
	before?: EarlierTranscript;
	/** Events up to this number lack what only a person sees, and what the model is not shown. */
	lean?: number;
	/** Of the last event; 0 when empty. */
	seq: number;
	createdAt?: string;
	updatedAt?: string;
	agent: string;
	role: string;
	/** Approval mode that the person chose for this session; absent where the default counts. */
	approval?: ApprovalMode;
	/** The turn that runs. */
	turn?: RunningTurn;
	/** How the last turn ended. */
	outcome?: Outcome;
	/** Every tool call by its id. */
	calls: Map<string, CallState>;
	/** Every approval and question by its request id. */
	requests: Map<string, RequestState>;
	/** Plans in the order they were presented, every version. */
	plans: PlanState[];
	/** The plan that is being carried out. */
	run?: PlanState;
	/** Ids of events that a `rewound` hides. */
	hidden: Set<string>;
	/** What all turns changed in files that the person has neither kept nor undone, hidden turns included. */
	changed: ChangedFiles;
	/** What each turn changed, by its id. */
	changedIn: Map<string, ChangedFiles>;
	/** What became of each change of a call. */
	fates: ChangeOutcomes;
	/** Tool output up to this number is left out of what the model is shown. */
	trimmed?: number;
	/** Summed over the session. */
	usage: UsageTotals;
	/** The same of the turn that runs, or ran last. */
	turnUsage: UsageTotals;
	/** Messages of person and model. */
	messages: number;
	/** First message of the person: a name for the session that has none. */
	title?: string;
	/** The last words of either side. */
	snippet?: string;
}

export interface RunningTurn {
	id: string;
	role: string;
	agent: string;
	model: string;
	startedAt: string;
	/** A plan or a question was shown: the turn ends once its sibling calls have. */
	waits?: boolean;
}

export interface CallState {
	call: ToolCall;
	turn?: string;
	/** The plan step that was running when it was called. */
	step?: { planId: string; step: number };
	/** The approval it waits for or waited for. */
	request?: string;
	result?: EventOf<"result">;
}

export interface RequestState {
	kind: "approval" | "question";
	event: EventOf<"asked"> | EventOf<"question">;
	/** An approval that expired reads `superseded` only where a question did; see `expired`. */
	state: "pending" | "answered" | "dismissed" | "superseded" | "expired";
	answer?: Answer;
}

export interface PlanState {
	event: EventOf<"plan">;
	state: "proposed" | "superseded" | "running" | "stopped" | "closed";
	steps: Map<number, StepStatus>;
	/** The step that runs now. */
	step?: number;
	/** Changes that no running step foresaw. */
	deviations: { path: string; reason: string }[];
}
