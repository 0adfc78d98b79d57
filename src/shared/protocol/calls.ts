// Types of unanswered calls of other agents and of open background tasks, as the chat displays them.
import type { EventOf, ResultStatus, ToolCall, UsageTotals } from "../../core/events.ts";

/** A call of the shown session whose answer is still to come, or a background task that it started and that is not over. */
export interface OngoingCall {
	/** Id of the tool call, or of the task. */
	call: string;
	/** `waiting`: for the user. `ended`: its answer has not been delivered yet. */
	state: "queued" | "running" | "waiting" | "ended";
	/** The beginning of the called agent's latest message. */
	text?: string;
	/** The latest tool calls, with shortened input. */
	tools: CalledTool[];
	/** Number of earlier tool calls. */
	earlierTools: number;
	/** Number of model answers so far. */
	steps: number;
	/** Usage so far, with that of the agents it called. */
	usage: UsageTotals;
}

export interface CalledTool {
	call: ToolCall;
	/** Status of the result; absent until the call has one. */
	status?: ResultStatus;
	durationMs?: number;
}

/** A request of a called session or a background task, or of one that it called. It is answered in that session. */
export type CalledRequest = { session: string; chain: AgentChain } & (
	| { kind: "approval"; event: EventOf<"asked">; call?: ToolCall }
	| { kind: "question"; event: EventOf<"question"> }
	| { kind: "plan"; event: EventOf<"plan"> }
);

/** Ids of agents, each of which called the next. */
export type AgentChain = readonly string[];

/** `under`: the call of the shown session that led to it, or its task. */
export type ShownRequest = CalledRequest & { under: string };
