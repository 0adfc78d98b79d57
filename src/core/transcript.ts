// The one fold: `apply` is the only place where an event changes the state of a session. Disk, host and webview share it.
import type { Answer, EventOf, Outcome, StepStatus, ToolCall, TranscriptEvent, Usage } from "./events.ts";

/** Applies an event to a transcript it owns, in place (a copy a event would make loading quadratic), and returns it. */
export function apply(state: Transcript, event: TranscriptEvent): Transcript {
	state.events.push(event);
	state.seq = event.seq;
	state.updatedAt = event.at;
	state.createdAt ??= event.at;
	const fold = folds[event.type] as ((state: Transcript, event: TranscriptEvent) => void) | undefined;
	fold?.(state, event);
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
		usage: { input: 0, output: 0, cached: 0, cost: 0 },
		messages: 0,
	};
}

/** Transcripts from before roles carry no `role` event: what they did, an actor did. */
const OLDER = { agentId: "default", role: "actor" };

export interface Transcript {
	events: TranscriptEvent[];
	/** Of the last event; 0 when empty. */
	seq: number;
	createdAt?: string;
	updatedAt?: string;
	agent: string;
	role: string;
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
	/** Summed over the session; `cost` counts what had a price. */
	usage: Required<Omit<Usage, "written">>;
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
		state.messages += 1;
		state.title ??= oneLine(event.text);
		state.snippet = oneLine(event.text);
		for (const request of state.requests.values()) {
			if (request.kind === "question" && request.state === "pending") {
				settle(request, request.event.request === event.answers ? "answered" : "superseded", { value: event.text });
			}
		}
	},
	started(state, event) {
		state.turn = { id: event.turn ?? event.id, role: event.role, agent: event.agent, model: event.model, startedAt: event.at };
		delete state.outcome;
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
			state.usage.input += event.usage.input;
			state.usage.output += event.usage.output;
			state.usage.cached += event.usage.cached ?? 0;
			state.usage.cost += event.usage.cost ?? 0;
		}
	},
	result(state, event) {
		const entry = state.calls.get(event.call);
		if (entry) {
			entry.result = event;
			linkStep(state, entry);
		}
		if (!state.run || !event.view || !("changes" in event.view || "changed" in event.view)) return;
		const changes = "changes" in event.view ? event.view.changes : event.view.changed;
		for (const change of changes) {
			if (change.deviation) state.run.deviations.push({ path: change.path, reason: change.deviation });
		}
	},
	plan(state, event) {
		for (const plan of state.plans) if (plan.state === "proposed") plan.state = "superseded";
		endRun(state, "stopped");
		state.plans.push({ event, state: "proposed", steps: new Map(), deviations: [] });
		state.snippet = oneLine(event.plan.goal);
		if (state.turn) state.turn.waits = true;
	},
	step(state, event) {
		const run = state.run;
		if (!run) return;
		run.steps.set(event.step_number, event.status);
		if (event.status === "running") run.step = event.step_number;
		else if (run.step === event.step_number) delete run.step;
		const open = run.event.plan.steps.some((step) => isOpen(run.steps.get(step.step_number)));
		if (!open) endRun(state, "closed");
	},
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
	answered(state, event) {
		const request = state.requests.get(event.request);
		if (request?.state !== "pending") return;
		const dismissed = request.kind === "question" && "allow" in event.answer;
		settle(request, dismissed ? "dismissed" : "answered", event.answer);
	},
	expired(state, event) {
		const request = state.requests.get(event.request);
		if (request?.state === "pending") settle(request, request.kind === "question" ? "superseded" : "expired");
	},
	role(state, event) {
		const changed = state.role !== event.role;
		state.role = event.role;
		if (changed || event.plan) endRun(state, "stopped");
		if (!event.plan) return;
		const { planId, version } = event.plan;
		const plan = state.plans.find((entry) => entry.event.planId === planId && entry.event.version === version);
		if (!plan) return;
		plan.state = "running";
		plan.steps.clear();
		plan.deviations = [];
		state.run = plan;
	},
	agent(state, event) {
		state.agent = event.agent;
	},
	rewound(state, event) {
		const from = state.events.findIndex((candidate) => candidate.id === event.to);
		if (from < 0) return;
		for (const candidate of state.events.slice(from, -1)) state.hidden.add(candidate.id);
	},
	ended(state, event) {
		delete state.turn;
		state.outcome = event.outcome;
		if (event.outcome === "cancelled") endRun(state, "stopped");
	},
};

function settle(request: RequestState, state: RequestState["state"], answer?: Answer): void {
	request.state = state;
	if (answer && state !== "superseded") request.answer = answer;
}

/** A call belongs to the step that runs when it does; the message that holds it may start that step itself. */
function linkStep({ run }: Transcript, entry: CallState): void {
	if (run?.step !== undefined) entry.step ??= { planId: run.event.planId, step: run.step };
}

function supersedeQuestions(state: Transcript): void {
	for (const request of state.requests.values()) {
		if (request.kind === "question" && request.state === "pending") settle(request, "superseded");
	}
}

function endRun(state: Transcript, how: PlanState["state"]): void {
	if (!state.run) return;
	state.run.state = how;
	delete state.run.step;
	delete state.run;
}

function isOpen(status: StepStatus | undefined): boolean {
	return status === undefined || status === "running";
}

function oneLine(text: string): string {
	// A message may be megabytes long; its beginning is enough.
	const line = text.slice(0, 1_000).trim().replace(/\s+/g, " ");
	return line.length > 120 ? `${[...line.slice(0, 119)].join("")}…` : line;
}

/** What the model may see: everything but rewound branches. */
export function visibleEvents(state: Transcript): TranscriptEvent[] {
	if (state.hidden.size === 0) return state.events;
	return state.events.filter((event) => !state.hidden.has(event.id));
}

/** Pending requests in the order they were asked. */
export function pendingRequests(state: Transcript): RequestState[] {
	return [...state.requests.values()].filter((request) => request.state === "pending");
}

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
