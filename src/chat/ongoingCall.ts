// Summarizes unanswered calls and open background tasks from the events of the sessions that do the work.
import type { Caller } from "../core/caller.ts";
import type { ToolCall, TranscriptEvent, UsageTotals } from "../core/events.ts";
import { isRecord } from "../core/isRecord.ts";
import { agentChain } from "../core/transcript/delegations.ts";
import { saidIn } from "../core/transcript/spoken.ts";
import { currentPlan, pendingRequests, type Transcript } from "../core/transcript/state.ts";
import { addTotals, addUsage, createUsageTotals } from "../core/usage.ts";
import type { Session } from "../session/session.ts";
import type { CalledRequest, CalledTool, OngoingCall } from "../shared/protocol/calls.ts";

/** Characters of a message and of each argument, and number of tool calls, that a page receives. */
const MAX_TEXT = 2_000;
const MAX_ARGUMENT = 200;
const MAX_TOOLS = 50;

/** The part of a session that belongs to one call, or to a background task. */
export interface CalledWork {
	/** Ids of its turns. */
	turns: ReadonlySet<string>;
	/** The caller that made the call; absent for a task. */
	caller?: Pick<Caller, "chain">;
}

export function summarizeCall(child: Session, call: string, work: CalledWork): OngoingCall {
	const { state } = child;
	const { turns } = work;
	const events = eventsOf(state, turns);
	const tools = toolsOf(events, state);
	const isRunning = isCallRunning(state, turns);
	const text = (isRunning && child.spoken().trim()) || events.map((event) => saidIn(event).trim()).findLast((said) => said !== "");
	return {
		call,
		state: findRequests(child, work).length > 0 ? "waiting" : isRunning ? "running" : turns.size > 0 ? "ended" : "queued",
		...(text && { text: text.slice(0, MAX_TEXT) }),
		tools: tools.slice(-MAX_TOOLS),
		earlierTools: Math.max(0, tools.length - MAX_TOOLS),
		steps: events.filter(({ type }) => type === "assistant").length,
		usage: usageOf(events),
	};
}

/** The requests that a call or a task waits for. */
export function findRequests({ state, sessionId: session }: Session, { turns, caller }: CalledWork): CalledRequest[] {
	const requests: CalledRequest[] = [];
	const isOfCall = ({ turn }: TranscriptEvent) => turn !== undefined && turns.has(turn);
	const last = state.events.findLast((event) => event.type === "started" && isOfCall(event));
	const started = last?.type === "started" ? last : undefined;
	// The turn that executes a plan is the user's own and has no caller.
	const chain = agentChain(started?.caller ?? caller, started?.agent ?? state.agent);
	for (const { event } of pendingRequests(state)) {
		if (!isOfCall(event)) continue;
		const call = state.calls.get(event.type === "asked" ? event.call : "")?.call;
		if (event.type === "asked") requests.push({ kind: "approval", session, chain, event, ...(call && { call }) });
		else requests.push({ kind: "question", session, chain, event });
	}
	const plan = state.turn ? undefined : currentPlan(state);
	if (plan?.state === "proposed" && state.outcome === "waiting" && isOfCall(plan.event))
		requests.push({ kind: "plan", session, chain, event: plan.event });
	return requests;
}

/** Ids of all turns of a background task. */
export function findTaskTurns({ events }: Transcript): Set<string> {
	return new Set(events.flatMap(({ type, turn }) => (type === "started" && turn !== undefined ? [turn] : [])));
}

/** Returns true if one of the turns runs, or the plan that one of them proposed. */
export function isCallRunning({ turn, run }: Transcript, turns: ReadonlySet<string>): boolean {
	return turn !== undefined && (turns.has(turn.id) || turns.has(run?.event.turn ?? ""));
}

function eventsOf({ events }: Transcript, turns: ReadonlySet<string>): TranscriptEvent[] {
	const [first] = turns;
	const from = first === undefined ? events.length : events.findLastIndex(({ type, turn }) => type === "started" && turn === first);
	return events.slice(Math.max(0, from)).filter(({ turn }) => turn !== undefined && turns.has(turn));
}

function toolsOf(events: readonly TranscriptEvent[], { calls }: Transcript): CalledTool[] {
	return events.flatMap((event) => {
		if (event.type !== "assistant") return [];
		return (event.calls ?? []).map((call) => {
			const result = calls.get(call.id)?.result;
			const durationMs = result ? Date.parse(result.at) - Date.parse(event.at) : 0;
			return { call: shorten(call), ...(result && { status: result.status, durationMs }) };
		});
	});
}

/** Keeps the arguments that a line may name. */
function shorten({ id, name, input }: ToolCall): ToolCall {
	const fields = isRecord(input) ? Object.entries(input) : [];
	const short = fields.flatMap(([key, value]): [string, unknown][] => {
		if (typeof value === "string") return [[key, value.slice(0, MAX_ARGUMENT)]];
		return typeof value === "number" || typeof value === "boolean" ? [[key, value]] : [];
	});
	return { id, name, input: Object.fromEntries(short) };
}

function usageOf(events: readonly TranscriptEvent[]): UsageTotals {
	const totals = createUsageTotals();
	for (const event of events) {
		if (event.type === "assistant" && event.usage) addUsage(totals, event.usage);
		else if (event.type === "result" && event.view?.kind === "agent" && event.view.usage) addTotals(totals, event.view.usage);
	}
	return totals;
}
