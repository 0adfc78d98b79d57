// Folds events into session state. This is the only place where an event changes it.

// Shared by storage, host, and webview.

import { isForeignAuthor } from "../author.ts";
import type { Answer, EventOf, EventType, TranscriptEvent } from "../events.ts";
import { APPROVAL_MODES } from "../role.ts";
import { addUsage, createUsageTotals } from "../usage.ts";
import { foldChangedFiles, foldChangeOutcomes, recordChanges, toChangedFiles } from "./changes.ts";
import { delegate, endDelegation } from "./delegations.ts";
import { endPlanRun, linkCallToStep, proposePlan, recordDeviations, switchAgent, switchRole, updateStep } from "./plans.ts";
import { enqueue, leaveQueue, takeFromQueue } from "./queue.ts";
import { hideRewoundEvents, restoreEarlierState } from "./rewind.ts";
import { spokenBy } from "./spoken.ts";
import type { CallState, RequestState, Transcript } from "./state.ts";
import { changeTask } from "./tasks.ts";
import { trimResult } from "./trimResult.ts";

/** Applies an event in place to a transcript that the caller owns, and returns it. A copy per event would make loading quadratic. */
export function applyEvent(state: Transcript, event: TranscriptEvent): Transcript {
	state.events.push(event);
	state.seq = event.seq;
	// The host's own notes do not move a session to the top of a list.
	if (event.by !== "host") state.updatedAt = event.at;
	state.createdAt ??= event.at;
	return foldEvent(state, event);
}

/** Does the same as `applyEvent`, for a state that does not store its events. */
export function foldEvent(state: Transcript, event: TranscriptEvent): Transcript {
	(folds[event.type] as ((state: Transcript, event: TranscriptEvent) => void) | undefined)?.(state, event);
	return state;
}

/** `begins`: the session's agent and role until an event changes them. */
export function createTranscript(begins: { agentId: string; role: string } = LEGACY_IDENTITY): Transcript {
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
		queue: new Map(),
		delegations: new Map(),
		tasks: new Map(),
		usage: createUsageTotals(),
		calledUsage: createUsageTotals(),
		turnUsage: createUsageTotals(),
		messages: 0,
	};
}

// Ids that stored sessions rely on. They stay even if the built-in roles change.

/** Transcripts from before roles existed have no `role` event; they ran as `actor`. */
export const LEGACY_IDENTITY = { agentId: "default", role: "actor" };

/** Identity of a session whose record cannot be read: the least privileged role. */
export const UNREADABLE_IDENTITY = { agentId: "default", role: "planner" };

type Folds = { [T in EventType]: ((state: Transcript, event: EventOf<T>) => void) | undefined };

const folds: Folds = {
	user(state, event) {
		takeFromQueue(state, event);
		// The host's own messages only continue a turn.
		if (event.by !== "host") state.messages += 1;
		// Messages from foreign authors neither name the session nor answer for the user.
		if (isForeignAuthor(event.by)) return;
		if (event.by !== "host") {
			state.title ??= toSnippet(event.text);
			state.snippet = toSnippet(event.text);
		}
		answerQuestions(state, event);
	},
	started(state, event) {
		const { role, agent, model, caller } = event;
		state.turn = { id: event.turn ?? event.id, role, agent, model, startedAt: event.at, ...(caller && { caller }) };
		delete state.outcome;
		state.turnUsage = createUsageTotals();
	},
	assistant(state, event) {
		const { text } = spokenBy(event);
		if (text.trim()) {
			state.messages += 1;
			state.snippet = toSnippet(text);
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
	reply(state, { text }) {
		state.messages += 1;
		state.snippet = toSnippet(text);
	},
	result(state, event) {
		const entry = state.calls.get(event.call);
		if (entry) {
			entry.result = event;
			linkCallToStep(state, entry);
		}
		endDelegation(state, event);
		recordDeviations(state, event);
		recordChanges(state, event);
		foldChangeOutcomes(state.fates, event);
	},
	plan(state, event) {
		proposePlan(state, event);
		state.snippet = toSnippet(event.plan.goal);
		if (state.turn) state.turn.waits = true;
	},
	step: updateStep,
	question(state, event) {
		supersedeQuestions(state);
		state.requests.set(event.request, { kind: "question", event, state: "pending" });
		state.snippet = toSnippet(event.question.question);
		if (state.turn) state.turn.waits = true;
	},
	asked(state, event) {
		state.requests.set(event.request, { kind: "approval", event, state: "pending" });
		const entry = state.calls.get(event.call);
		if (!entry) return;
		entry.request = event.request;
		linkCallToStep(state, entry);
	},
	answered: answerRequest,
	expired: expireRequest,
	role: switchRole,
	agent: switchAgent,
	rewound(state, event) {
		if (hideRewoundEvents(state, event)) restoreEarlierState(state, foldVisibleEvents(state));
		if (event.messages !== undefined) state.messages = event.messages;
	},
	queued: enqueue,
	unqueued: leaveQueue,
	delegated: delegate,
	task: changeTask,
	status(state, event) {
		foldApprovalMode(state, event);
		if (event.usage) addUsage(state.usage, event.usage);
		foldChangedFiles(state.changed, event);
		foldChangeOutcomes(state.fates, event);
		const upTo = event.trimmed === undefined ? undefined : sequenceNumberOf(state, event.trimmed);
		if (upTo) state.trimmed = Math.max(state.trimmed ?? 0, upTo);
	},
	compacted(state, event) {
		const { carried } = event;
		state.archive = event.archive;
		if (!carried) return;
		foldChangedFiles(state.changed, event);
		state.messages += carried.messages;
		state.usage = { ...carried.usage };
		state.turnUsage = { ...carried.turnUsage };
		if (carried.calledUsage) state.calledUsage = { ...carried.calledUsage };
		if (carried.title !== undefined) state.title ??= carried.title;
		if (carried.snippet !== undefined) state.snippet ??= carried.snippet;
		state.run?.deviations.push(...(carried.deviations ?? []));
		if (event.turn !== undefined && carried.inTurn) state.changedIn.set(event.turn, toChangedFiles(carried.inTurn));
	},
	ended(state, event) {
		delete state.turn;
		state.outcome = event.outcome;
		if (event.outcome === "cancelled") endPlanRun(state, "stopped");
	},
};

/** Only the user can change the mode; an unknown mode becomes `ask`. */
function foldApprovalMode(state: Transcript, { approval, by }: EventOf<"status">): void {
	if (approval === undefined || by !== "person") return;
	if (approval === "default") delete state.approval;
	else state.approval = APPROVAL_MODES.includes(approval) ? approval : "ask";
}

function sequenceNumberOf({ events, before }: Transcript, id: string): number | undefined {
	return events.findLast((candidate) => candidate.id === id)?.seq ?? before?.numbers.get(id);
}

/** Folds the events as if the hidden ones did not exist. */
export function foldVisibleEvents(state: Transcript): Transcript {
	return withoutHidden(state).reduce(foldEvent, state.before ? structuredClone(state.before.visible) : createTranscript());
}

function toSnippet(text: string): string {
	// A message may be megabytes long; its beginning is enough.
	const line = text.slice(0, 1_000).trim().replace(/\s+/g, " ");
	return line.length > 120 ? `${[...line.slice(0, 119)].join("")}…` : line;
}

/** The events that the model may see: all except rewound branches, with notes in place of trimmed output. */
export function visibleEvents(state: Transcript): TranscriptEvent[] {
	const { hidden, trimmed = 0 } = state;
	if (hidden.size === 0 && trimmed === 0) return state.events;
	return withoutHidden(state).map((event) => (event.type === "result" && event.seq <= trimmed ? trimResult(event, state.calls) : event));
}

function withoutHidden({ events, hidden }: Transcript): TranscriptEvent[] {
	return events.filter((event) => !hidden.has(event.id));
}

/** Number of a step's files that its card lists; the user has seen only these. */
export const MAX_STEP_FILES_SHOWN = 20;

/** A user message answers the question that it names and supersedes any other pending question. */
function answerQuestions(state: Transcript, event: EventOf<"user">): void {
	for (const request of pendingQuestions(state)) {
		settleRequest(request, request.event.request === event.answers ? "answered" : "superseded", { value: event.text });
	}
}

function answerRequest(state: Transcript, event: EventOf<"answered">): void {
	const request = state.requests.get(event.request);
	if (request?.state !== "pending") return;
	const dismissed = request.kind === "question" && "allow" in event.answer;
	settleRequest(request, dismissed ? "dismissed" : "answered", event.answer);
}

function expireRequest(state: Transcript, event: EventOf<"expired">): void {
	const request = state.requests.get(event.request);
	if (request?.state === "pending") settleRequest(request, request.kind === "question" ? "superseded" : "expired");
}

function supersedeQuestions(state: Transcript): void {
	for (const request of pendingQuestions(state)) settleRequest(request, "superseded");
}

function pendingQuestions({ requests }: Transcript): RequestState[] {
	return [...requests.values()].filter(({ kind, state }) => kind === "question" && state === "pending");
}

function settleRequest(request: RequestState, state: RequestState["state"], answer?: Answer): void {
	request.state = state;
	if (answer && state !== "superseded") request.answer = answer;
}
