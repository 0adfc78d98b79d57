// The state that a session's events fold into, and what is open in it.

import type { Caller, CallStatus } from "../caller.ts";
import type { Answer, ChangedFile, EventOf, Outcome, StepStatus, ToolCall, TranscriptEvent, UsageTotals } from "../events.ts";
import type { ApprovalMode } from "../role.ts";

export type ChangeOutcome = "undone" | "kept";

export interface FileState {
	path: string;
	/** "" if the file does not exist; undefined if unknown. */
	hash: string | undefined;
}

/** One call's change to one file. */
export interface ChangeEntry {
	call: string;
	/** The path as the call reported it. */
	path: string;
	from: FileState;
	to: FileState;
	fate?: ChangeOutcome;
}

/** Changes in the order they were made, by the file's current path. */
export type ChangeOutcomes = Map<string, ChangeEntry[]>;

/** Changed files by current path. */
export type ChangedFiles = Map<string, ChangedFile>;

/**
 * State of events that are not loaded. Open calls, pending requests, the newest plans, and the running turn's changes are in the
 * transcript itself; of all others, the earlier ones are not.
 */
export interface EarlierTranscript {
	/** Sequence number of the last one. */
	seq: number;
	/** The fold of those that no `rewound` hides. Never changed in place. */
	visible: Transcript;
	/** First and last sequence number of each hidden range. */
	hidden: [number, number][];
	/** One of them has set a role. */
	hasRole: boolean;
	/** Folds of the events that stay visible, by id of a later `rewound` that returns to one of them. */
	returns: Map<string, Transcript>;
	/** Sequence numbers of those that later events reference, by id. */
	numbers: Map<string, number>;
}

export interface Transcript {
	/** All events, or those after `before` if it is set. */
	events: TranscriptEvent[];
	/** State before `events`, for a long session of which only the end is loaded. */
	before?: EarlierTranscript;
	/** Events up to this sequence number lack details that only the UI shows or that the model no longer receives. */
	lean?: number;
	/** Sequence number of the last event; 0 if empty. */
	seq: number;
	createdAt?: string;
	updatedAt?: string;
	agent: string;
	role: string;
	/** Approval mode that the user chose for this session; absent if the default applies. */
	approval?: ApprovalMode;
	/** The running turn. */
	turn?: RunningTurn;
	/** Outcome of the last turn. */
	outcome?: Outcome;
	/** Every tool call by its id. */
	calls: Map<string, CallState>;
	/** Every approval and question by its request id. */
	requests: Map<string, RequestState>;
	/** All versions of all plans, in the order they were presented. */
	plans: PlanState[];
	/** The plan that is running. */
	run?: PlanState;
	/** Ids of events that a `rewound` hides. */
	hidden: Set<string>;
	/** Messages that no turn has taken yet, by id, in order. Rewinding keeps them. */
	queue: Map<string, EventOf<"queued">>;
	/** Calls of other agents, by call id. */
	delegations: Map<string, DelegationState>;
	/** The latest event of each background task that this session started, by its id, with what the task last said. */
	tasks: Map<string, EventOf<"task">>;
	/** File changes of all turns, hidden ones included, that the user has neither kept nor undone. */
	changed: ChangedFiles;
	/** Changed files of each turn, by turn id. */
	changedIn: Map<string, ChangedFiles>;
	/** Outcome of each change of a call. */
	fates: ChangeOutcomes;
	/** Tool output up to this sequence number is hidden from the model. */
	trimmed?: number;
	/** Name of the archive with what came before; absent until the conversation is summarized. */
	archive?: string;
	/** Usage of the whole session. */
	usage: UsageTotals;
	/** Usage of the agents that this session called. */
	calledUsage: UsageTotals;
	/** Usage of the current or last turn. */
	turnUsage: UsageTotals;
	/** Number of messages from user and model. */
	messages: number;
	/** The user's first message, used as the name of an unnamed session. */
	title?: string;
	/** The latest text from either side. */
	snippet?: string;
}

export interface RunningTurn {
	id: string;
	role: string;
	agent: string;
	model: string;
	/** The call that it answers. */
	caller?: Caller;
	startedAt: string;
	/** A plan or a question was shown: the turn ends once its sibling calls have finished. */
	waits?: boolean;
}

export interface CallState {
	call: ToolCall;
	turn?: string;
	/** The plan step that was running when the call was made. */
	step?: { planId: string; step: number };
	/** Its pending or past approval request. */
	request?: string;
	result?: EventOf<"result">;
}

export interface DelegationState {
	event: EventOf<"delegated">;
	/** Set once the call has ended; absent while its answer is still to come. */
	ended?: CallStatus | "unknown";
	/** Id of the message with its late answer. */
	answer?: string;
	/** A turn has taken that message. */
	delivered?: true;
}

export interface RequestState {
	kind: "approval" | "question";
	event: EventOf<"asked"> | EventOf<"question">;
	/** `superseded` applies only to questions; an approval that expires becomes `expired`. */
	state: "pending" | "answered" | "dismissed" | "superseded" | "expired";
	answer?: Answer;
}

export interface PlanState {
	event: EventOf<"plan">;
	state: "proposed" | "superseded" | "running" | "stopped" | "closed";
	steps: Map<number, StepStatus>;
	/** The step that is running. */
	step?: number;
	/** Changes that no running step declared. */
	deviations: { path: string; reason: string }[];
}

/** Pending requests in the order they were made. */
export function pendingRequests(state: Transcript): RequestState[] {
	return [...state.requests.values()].filter((request) => request.state === "pending");
}

/** The plan that the user can approve now: the newest one that was not superseded, running or not. */
export function currentPlan(state: Transcript): PlanState | undefined {
	return state.plans.at(-1);
}

/** Tool calls without a result. The host that acquires the session closes them as `unknown`. */
export function openCalls(state: Transcript): CallState[] {
	return [...state.calls.values()].filter((entry) => !entry.result);
}

/** The pending question, if there is one. */
export function pendingQuestion(state: Transcript): { request: string; seq: number; allow_custom: boolean } | undefined {
	for (const { event, state: now } of state.requests.values()) {
		if (event.type === "question" && now === "pending")
			return { request: event.request, seq: event.seq, allow_custom: event.question.allow_custom === true };
	}
	return undefined;
}

/**
 * The pending question that a message of the user answers, and the call whose question or plan it is about. `knew`: the number of
 * the last event that the user had seen.
 */
export function findAnswered(state: Transcript, knew: number): { answers?: string; caller?: Caller } {
	const question = pendingQuestion(state);
	const request = question?.allow_custom && question.seq <= knew ? state.requests.get(question.request) : undefined;
	const plan = currentPlan(state);
	const source = request?.event.type === "question" ? request.event : plan?.state === "proposed" ? plan.event : undefined;
	return { ...(request && { answers: request.event.request }), ...(source?.caller && { caller: source.caller }) };
}

/** Returns true if that turn only has to end: it waits for the user and none of its calls is open, or its last event is there. */
export function isTurnOver(state: Transcript, turn: string): boolean {
	const { turn: running, events } = state;
	if (!running) return events.findLast(({ type }) => type === "ended")?.turn === turn;
	return running.id === turn && running.waits === true && !openCalls(state).some((call) => call.turn === turn);
}
