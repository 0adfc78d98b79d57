// Types of calls between agents: who called, what a queued message is about, and how a call is displayed.

import type { ApprovalMode, Permission } from "./role.ts";
import type { UsageTotals } from "./usage.ts";

/** The call that a turn answers. It limits that turn and every turn that this one calls. */
export interface Caller {
	/** Ids of the calling session, its turn, and its tool call. */
	session: string;
	turn: string;
	call: string;
	/** Id of the calling agent. */
	agent: string;
	/** Id of the role that the called agent works in, if it may have it. */
	role: string;
	/** Maximum permissions of the called turn. */
	ceiling: readonly Permission[];
	/** Number of calls from the first caller, from 1. */
	depth: number;
	/** Ids of the agents from the first caller to `agent`. */
	chain: readonly string[];
	/** Ids of the sessions whose calls led to the calling turn, the first caller's first; absent if that was not called. */
	above?: readonly string[];
	/** The tokens that all calls of a tree share. */
	budget?: TokenBudget;
	/** Approval mode of the calling session; the called turn's mode is at least as strict. */
	approval?: ApprovalMode;
}

/** Uncached input plus output; cached input counts one tenth. */
export interface TokenBudget {
	/** Id of the turn that began the tree. */
	id: string;
	/** Tokens left when the call was made. */
	tokens: number;
}

/** Limits of calls between agents. */
export interface DelegationLimits {
	/** Maximum number of nested calls, counted from the session that a user started; 0 allows no calls. */
	maxDepth: number;
	/** Seconds until a synchronous call returns without an answer, without the time that it waits for a user. */
	timeout: number;
	/** Maximum number of called agents that run at the same time; those that wait for a user do not count. */
	maxConcurrent: number;
	/** Tokens that all calls of a tree share, counted as in `TokenBudget`. */
	maxTokens: number;
}

/** Context that goes along to another agent's session: nothing, a summary, the current plan, or the conversation as far as it fits. */
export type Carry = "none" | "summary" | "plan" | "all";

export type CallMode = "sync" | "async";

/** `timeout`: the answer follows as a message. `started`: the call is asynchronous. */
export type CallStatus = "complete" | "timeout" | "error" | "started";

/** The late answer to a call, in the calling session. */
export interface AnsweredCall {
	kind: "answer";
	/** The call, and the turn that made it. */
	call: string;
	turn: string;
	/** Id of the called agent, and of its session. */
	agent: string;
	session: string;
	status: Exclude<CallStatus, "started">;
	/** Outcome of the called turn if it failed, was cancelled, or reached a limit. */
	outcome?: string;
	/** Usage of the called turns and of those that they called. */
	usage?: UsageTotals;
	/** Budget that the answer's turn shares with the turn that made the call. */
	budget?: TokenBudget;
	/** Characters at the message's beginning that introduce the answer to the model and are not displayed. */
	intro?: number;
}

/** The pending request or plan that a called session waits for. */
export interface CallWait {
	kind: "approval" | "question" | "plan";
	/** The request's summary, the question, or the plan's goal. */
	text: string;
}

/** A call to another agent, as its result displays it. */
export interface CallView {
	kind: "agent";
	/** Shown at the right end of the call's line. */
	figure?: string;
	/** Id of the called agent. */
	agent: string;
	session: string;
	/** Id of the first called turn. */
	turn: string;
	mode: CallMode;
	status: CallStatus;
	/** Outcome of the called turn if it failed, was cancelled, or reached a limit. */
	outcome?: string;
	/** The answer's beginning. */
	text?: string;
	tools?: { name: string; durationMs: number }[];
	waits?: CallWait;
	durationMs?: number;
	usage?: UsageTotals;
}
