// Folds the events of a called session into the state of one call.

import { isForeignAuthor } from "../../core/author.ts";
import type { Caller, CallWait } from "../../core/caller.ts";
import type { EventOf, EventType, Outcome, TranscriptEvent } from "../../core/events.ts";
import { saidIn, spokenBy } from "../../core/transcript/spoken.ts";
import { addTotals, addUsage, createUsageTotals, type UsageTotals } from "../../core/usage.ts";
import { PANEL } from "../../session/agent/channelOf.ts";

/** A called turn's tool call that has ended. */
export interface TimedToolCall {
	name: string;
	durationMs: number;
}

/** Reason why a call ended without a called turn's outcome. `superseded`: the user went on without answering it, or dismissed it. */
export type CallLoss = EventOf<"unqueued">["why"] | "superseded" | "deleted";

/** Maximum characters of thinking that are kept; the beginning. */
const KEPT_THINKING = 8_000;

interface RunningToolCall {
	name: string;
	/** Id of the answer that made it. */
	made: string;
	/** Milliseconds: when it began, later by the time that it waited for the user. */
	began: number;
	/** It has begun, so it does not wait for the calls before it. */
	runs: boolean;
}

interface PendingApproval extends CallWait {
	call: string;
	/** Milliseconds. */
	since: number;
}

export interface FollowedCall {
	caller: Pick<Caller, "session" | "call" | "agent" | "chain">;
	/** Id of the message that brought the call, and of the turn that it began. */
	message: string;
	state: "queued" | "running" | "waiting" | "ended";
	/** Outcome of the last called turn. */
	outcome?: Outcome;
	error?: string;
	/** Set if no called turn will end. */
	loss?: CallLoss;
	/** The last called turn's last text, or its replies to the caller, and the beginning of its thinking. */
	text: string;
	thinking: string;
	tools: TimedToolCall[];
	/** Usage of the called turns, and of those that they called. */
	usage: UsageTotals;
	/** Id of the last summary of the session whose usage counts. */
	summary?: string;
	/** Called turns, in order. */
	turns: string[];
	/** Tool calls without a result, by id. */
	running: Map<string, RunningToolCall>;
	/** Approvals that called turns wait for, by request id. */
	approvals: Map<string, PendingApproval>;
	/** The plan or question that a called turn presented and that is still open; `request` is the question's id. */
	shown?: CallWait & { request?: string; turn?: string | undefined };
	/** The turn that the user began with a message while the call waited. */
	overtaking?: string;
	/** Ids of plans that called turns presented. */
	plans: Set<string>;
	/** The user approved one of them, and the turn that executes it begins next. */
	executes: boolean;
}

export function createFollowedCall({ session, call, agent, chain }: FollowedCall["caller"], message: string): FollowedCall {
	return {
		caller: { session, call, agent, chain },
		message,
		state: "queued",
		text: "",
		thinking: "",
		tools: [],
		usage: createUsageTotals(),
		turns: [],
		running: new Map(),
		approvals: new Map(),
		plans: new Set(),
		executes: false,
	};
}

/** The call after these events of the called session. */
export function followCall(caller: FollowedCall["caller"], message: string, events: readonly TranscriptEvent[]): FollowedCall {
	const call = createFollowedCall(caller, message);
	for (const event of events) followEvent(call, event);
	return call;
}

/** Applies an event of the called session. */
export function followEvent(call: FollowedCall, event: TranscriptEvent): void {
	if (call.state === "ended") return;
	(folds[event.type] as ((call: FollowedCall, event: TranscriptEvent) => void) | undefined)?.(call, event);
}

/** Returns what the call waits for; undefined while it runs. */
export function waitOf({ state, approvals, shown }: FollowedCall): CallWait | undefined {
	const [wait = state === "waiting" ? shown : undefined] = approvals.values();
	return wait && { kind: wait.kind, text: wait.text };
}

export function loseCall(call: FollowedCall, loss: CallLoss): void {
	if (call.state === "ended") return;
	call.state = "ended";
	call.loss = loss;
}

const folds: { [T in EventType]?: (call: FollowedCall, event: EventOf<T>) => void } = {
	user(call, event) {
		const { by, turn } = event;
		if (turn === undefined) return;
		// What the user says while the turn of a late answer runs supersedes an earlier turn's question.
		if (call.state === "running" && call.shown?.kind === "question" && !isForeignAuthor(by)) delete call.shown;
		// Its turn may end before it has started: without a model, or stopped at once.
		if (turn === call.message || isAnswer(call, event)) {
			delete call.shown;
			return beginTurn(call, turn);
		}
		if (call.state === "waiting" && by !== "host" && !isForeignAuthor(by)) call.overtaking = turn;
	},
	started(call, event) {
		if (!isMadeBy(call, event.caller) && !call.executes && !isOfCall(call, event)) {
			if (call.state === "waiting" && event.turn === call.overtaking) loseCall(call, "superseded");
			return;
		}
		// Any other turn that begins while the call waits takes a late answer, and leaves open what an earlier turn presented.
		if (call.executes) delete call.shown;
		beginTurn(call, event.turn ?? event.id);
		call.executes = false;
		call.text = "";
		call.thinking = "";
		delete call.error;
	},
	assistant(call, event) {
		if (!isOfCall(call, event)) return;
		const { text, thinking } = spokenBy(event);
		if (text.trim() !== "") call.text = text;
		call.thinking += thinking.slice(0, Math.max(0, KEPT_THINKING - call.thinking.length));
		if (event.usage) addUsage(call.usage, event.usage);
		const began = Date.parse(event.at);
		for (const { id, name } of event.calls ?? []) call.running.set(id, { name, made: event.id, began, runs: false });
	},
	reply(call, event) {
		if (!isOfCall(call, event)) return;
		const said = saidIn(event, ({ type, channelId }) => type === "agent" && channelId === call.caller.agent);
		call.text = [call.text, said].filter((text) => text !== "").join("\n\n");
	},
	result(call, event) {
		const tool = call.running.get(event.call);
		if (!tool || !isOfCall(call, event)) return;
		const at = Date.parse(event.at);
		call.running.delete(event.call);
		call.tools.push({ name: tool.name, durationMs: Math.max(0, at - tool.began) });
		// Calls run one after the other, unless they run already.
		for (const next of call.running.values()) if (next.made === tool.made && !next.runs) next.began = at;
		if (event.view?.kind === "agent" && event.view.status !== "timeout" && event.view.usage) addTotals(call.usage, event.view.usage);
	},
	delegated(call, event) {
		begin(call, event.call);
	},
	queued(call, event) {
		if (event.about?.usage && call.turns.includes(event.about.turn)) addTotals(call.usage, event.about.usage);
	},
	unqueued(call, event) {
		if (event.message === call.message) loseCall(call, event.why);
	},
	asked(call, event) {
		if (!isOfCall(call, event)) return;
		begin(call, event.call);
		call.approvals.set(event.request, { kind: "approval", text: event.summary, call: event.call, since: Date.parse(event.at) });
		call.state = "waiting";
	},
	answered(call, event) {
		settleApproval(call, event);
		if ("allow" in event.answer) loseQuestion(call, event);
	},
	expired(call, event) {
		settleApproval(call, event);
		loseQuestion(call, event);
	},
	plan(call, event) {
		if (!isOfCall(call, event)) return;
		call.shown = { kind: "plan", text: event.plan.goal, turn: event.turn };
		call.plans.add(event.planId);
	},
	question(call, event) {
		if (!isOfCall(call, event) && !isMadeBy(call, event.caller)) return;
		call.shown = { kind: "question", text: event.question.question, request: event.request, turn: event.turn };
	},
	compacted(call, event) {
		if (!isOfCall(call, event) || event.id === call.summary) return;
		call.summary = event.id;
		if (event.usage) addUsage(call.usage, event.usage);
	},
	rewound(call) {
		if (call.state === "waiting" && call.approvals.size === 0) loseCall(call, "superseded");
	},
	role(call, event) {
		if (event.plan && call.plans.has(event.plan.planId)) call.executes = true;
	},
	ended(call, event) {
		if (!isOfCall(call, event)) return;
		call.approvals.clear();
		call.outcome = event.outcome;
		if (event.error !== undefined) call.error = event.error;
		call.state = call.shown && (event.outcome === "waiting" || call.shown.turn !== event.turn) ? "waiting" : "ended";
	},
};

function beginTurn(call: FollowedCall, turn: string): void {
	if (!call.turns.includes(turn)) call.turns.push(turn);
	call.state = "running";
}

/**
 * Returns true for an answer, also to what executing the plan led to: that turn is the user's own and has no caller, and neither has the
 * next.
 */
function isAnswer({ state, shown }: FollowedCall, { by, answers, channel }: EventOf<"user">): boolean {
	if (state !== "waiting" || !shown) return false;
	// What the user says while a plan waits is about the plan.
	if (shown.kind === "plan") return by !== "host" && !isForeignAuthor(by) && (!channel || channel.type === PANEL.type);
	return answers !== undefined && answers === shown.request;
}

function begin({ running }: FollowedCall, id: string): void {
	const tool = running.get(id);
	if (tool) tool.runs = true;
}

function settleApproval(call: FollowedCall, { request, at }: { request: string; at: string }): void {
	const approval = call.approvals.get(request);
	if (!approval) return;
	const tool = call.running.get(approval.call);
	if (tool) tool.began += Date.parse(at) - approval.since;
	call.approvals.delete(request);
	if (call.approvals.size === 0) call.state = "running";
}

/** The user dismissed the question, or it went away with the role that asked it. */
function loseQuestion(call: FollowedCall, { request }: { request: string }): void {
	if (call.shown?.request !== request) return;
	if (call.state === "waiting") loseCall(call, "superseded");
	else delete call.shown;
}

function isMadeBy({ caller }: FollowedCall, other: Caller | undefined): boolean {
	return other?.session === caller.session && other.call === caller.call;
}

function isOfCall({ turns }: FollowedCall, { turn }: TranscriptEvent): boolean {
	return turn !== undefined && turns.includes(turn);
}
