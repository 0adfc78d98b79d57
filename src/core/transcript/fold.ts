// The one fold: `apply` is the only place where an event changes the state of a session. Disk, host and webview share it.
import { foldApproval } from "../approvalMode.ts";
import { type ChangedFiles, filesOf, foldChanged, noteChanges } from "./changes.ts";
import type { Answer, EventOf, Outcome, StepStatus, ToolCall, TranscriptEvent, UsageTotals } from "../events.ts";
import { type Fates, foldFates } from "./fates.ts";
import type { ApprovalMode } from "../permissions.ts";
import { endRun, linkStep, markStep, noteDeviations, propose, switchAgent, switchRole } from "./plans.ts";
import { answerQuestions, answerRequest, expireRequest, supersedeQuestions } from "./requests.ts";
import { goBack, hideFrom } from "./rewind.ts";
import { trimmedResult } from "./trimming.ts";
import { addUsage, noUsage } from "../usage.ts";
import type { Before } from "./window.ts";

/** Applies an event to a transcript it owns, in place (a copy a event would make loading quadratic), and returns it. */
export function apply(state: Transcript, event: TranscriptEvent): Transcript {
	state.events.push(event);
	state.seq = event.seq;
	// What the host notes for itself moves no session to the top of a list.
	if (event.by !== "host") state.updatedAt = event.at;
	state.createdAt ??= event.at;
	return fold(state, event);
}

/** The same, for a state that does not hold its events. */
export function fold(state: Transcript, event: TranscriptEvent): Transcript {
	(folds[event.type] as ((state: Transcript, event: TranscriptEvent) => void) | undefined)?.(state, event);
	return state;
}

/** `begins`: who the session belongs to and its role until an event says otherwise. */
export function emptyTranscript(begins: { agentId: string; role: string } = OLDER): Transcript {
	return {
		events: [],
		seq: 0,
		agent: begins.agentId,
		role: begins.role,
		calls: new Map(),
		requests: new Map(),
		plans: [],
		hidden: new Set(),
		changed: new Map(),
		changedIn: new Map(),
		fates: new Map(),
		usage: noUsage(),
		turnUsage: noUsage(),
		messages: 0,
	};
}

/** Transcripts from before roles carry no `role` event: what they did, an actor did. */
export const OLDER = { agentId: "default", role: "actor" };

export interface Transcript {
	/** All, or where there is a `before` those after it. */
	events: TranscriptEvent[];
	/** Of a long session that was opened at its end: what came before `events`. */
	before?: Before;
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
	fates: Fates;
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

type Folds = { [T in TranscriptEvent["type"]]?: (state: Transcript, event: EventOf<T>) => void };

const folds: Folds = {
	user(state, event) {
		// The host's own words only make a turn go on.
		if (event.by !== "host") {
			state.messages += 1;
			state.title ??= oneLine(event.text);
			state.snippet = oneLine(event.text);
		}
		answerQuestions(state, event);
	},
	started(state, event) {
		state.turn = { id: event.turn ?? event.id, role: event.role, agent: event.agent, model: event.model, startedAt: event.at };
		delete state.outcome;
		state.turnUsage = noUsage();
	},
	assistant(state, event) {
		if (event.text.trim()) {
			state.messages += 1;
			state.snippet = oneLine(event.text);
		}
		for (const call of event.calls ?? []) {
			const entry: CallState = { call };
			if (event.turn) entry.turn = event.turn;
			state.calls.set(call.id, entry);
		}
		if (event.usage) {
			addUsage(state.usage, event.usage);
			addUsage(state.turnUsage, event.usage);
		}
	},
	result(state, event) {
		const entry = state.calls.get(event.call);
		if (entry) {
			entry.result = event;
			linkStep(state, entry);
		}
		noteDeviations(state, event);
		noteChanges(state, event);
		foldFates(state.fates, event);
	},
	plan(state, event) {
		propose(state, event);
		state.snippet = oneLine(event.plan.goal);
		if (state.turn) state.turn.waits = true;
	},
	step: markStep,
	question(state, event) {
		supersedeQuestions(state);
		state.requests.set(event.request, { kind: "question", event, state: "pending" });
		state.snippet = oneLine(event.question.question);
		if (state.turn) state.turn.waits = true;
	},
	asked(state, event) {
		state.requests.set(event.request, { kind: "approval", event, state: "pending" });
		const entry = state.calls.get(event.call);
		if (!entry) return;
		entry.request = event.request;
		linkStep(state, entry);
	},
	answered: answerRequest,
	expired: expireRequest,
	role: switchRole,
	agent: switchAgent,
	rewound(state, event) {
		if (hideFrom(state, event)) goBack(state, foldVisible(state));
		if (event.messages !== undefined) state.messages = event.messages;
	},
	status(state, event) {
		foldApproval(state, event);
		foldChanged(state.changed, event);
		foldFates(state.fates, event);
		const upTo = event.trimmed === undefined ? undefined : numberOf(state, event.trimmed);
		if (upTo) state.trimmed = Math.max(state.trimmed ?? 0, upTo);
	},
	compacted(state, event) {
		const { carried } = event;
		if (!carried) return;
		foldChanged(state.changed, event);
		state.messages += carried.messages;
		state.usage = { ...carried.usage };
		state.turnUsage = { ...carried.turnUsage };
		if (carried.title !== undefined) state.title ??= carried.title;
		if (carried.snippet !== undefined) state.snippet ??= carried.snippet;
		state.run?.deviations.push(...(carried.deviations ?? []));
		if (event.turn !== undefined && carried.inTurn) state.changedIn.set(event.turn, filesOf(carried.inTurn));
	},
	ended(state, event) {
		delete state.turn;
		state.outcome = event.outcome;
		if (event.outcome === "cancelled") endRun(state, "stopped");
	},
};

function numberOf({ events, before }: Transcript, id: string): number | undefined {
	return events.findLast((candidate) => candidate.id === id)?.seq ?? before?.numbers.get(id);
}

/** As if what is hidden had never been. */
export function foldVisible(state: Transcript): Transcript {
	return visible(state).reduce(fold, state.before ? structuredClone(state.before.visible) : emptyTranscript());
}

function oneLine(text: string): string {
	// A message may be megabytes long; its beginning is enough.
	const line = text.slice(0, 1_000).trim().replace(/\s+/g, " ");
	return line.length > 120 ? `${[...line.slice(0, 119)].join("")}…` : line;
}

/** What the model may see: everything but rewound branches, with notes in place of output that was trimmed. */
export function visibleEvents(state: Transcript): TranscriptEvent[] {
	const { hidden, trimmed = 0 } = state;
	if (hidden.size === 0 && trimmed === 0) return state.events;
	return visible(state).map((event) => (event.type === "result" && event.seq <= trimmed ? trimmedResult(event, state.calls) : event));
}

function visible({ events, hidden }: Transcript): TranscriptEvent[] {
	return events.filter((event) => !hidden.has(event.id));
}

/** Pending requests in the order they were asked. */
export function pendingRequests(state: Transcript): RequestState[] {
	return [...state.requests.values()].filter((request) => request.state === "pending");
}

/** Files of a step that its card names: only these has a person read. */
export const STEP_FILES_SHOWN = 20;

/** The plan a person may approve now: the newest one that was not superseded, run or not. */
export function currentPlan(state: Transcript): PlanState | undefined {
	return state.plans.at(-1);
}

/** Tool calls without a result: an owner that opens the session closes them as `unknown`. */
export function openCalls(state: Transcript): CallState[] {
	return [...state.calls.values()].filter((entry) => !entry.result);
}

/** The question that waits for the person, if one does. */
export function pendingQuestion(state: Transcript): { request: string; seq: number; allow_custom: boolean } | undefined {
	for (const { event, state: now } of state.requests.values()) {
		if (event.type === "question" && now === "pending")
			return { request: event.request, seq: event.seq, allow_custom: event.question.allow_custom === true };
	}
	return undefined;
}
