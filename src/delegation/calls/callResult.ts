// Formats the end of a call for the calling model and for its card.

import type { AnsweredCall, CallMode, CallStatus, CallView, CallWait } from "../../core/caller.ts";
import type { Outcome } from "../../core/events.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";
import type { CallLoss, FollowedCall } from "./followCall.ts";

export interface CallTarget {
	agentId: string;
	sessionId: string;
	sessionName: string;
	/** The session was created for the call. */
	created: boolean;
	responseId: string;
}

interface ToolCallTime {
	name: string;
	durationMs: number;
}

/** The result of `agents_message`; the fields that do not apply are absent. */
export interface CallResult extends CallTarget {
	mode: CallMode;
	status: CallStatus;
	response?: string;
	truncated?: true;
	durationMs?: number;
	toolCallCount?: number;
	toolCalls?: ToolCallTime[];
	thinkingText?: string;
	timeoutSeconds?: number;
	/** Reason why there is no answer, or not yet. */
	message?: string;
}

/** Maximum characters. */
const RESPONSE = 16_000;
const THINKING = 2_000;
const SHOWN = 2_000;
const TOOL_NAME = 128;

/** Maximum number of tool calls that a result lists. */
const LISTED_CALLS = 100;

/** Maximum bytes of a result as JSON: longer output would be cut, and would no longer be JSON. A whole response fits in every language. */
export const RESULT_BYTES = 96_000;

/** `waits`: what a call that timed out waits for. */
export function createResult(
	target: CallTarget,
	call: FollowedCall,
	{ durationMs, timeout, waits }: { durationMs: number; timeout?: number; waits?: CallWait | undefined },
): CallResult {
	const status = timeout === undefined ? statusOf(call) : "timeout";
	const message = timeout === undefined ? failureOf(target, call) : timeoutMessage(call, waits);
	const tools = listTools(call);
	return fitResult(call.text, (response, listed) => ({
		mode: "sync",
		status,
		...target,
		...((status === "complete" || response.text !== "") && { response: response.text }),
		...(response.truncated && { truncated: true as const }),
		durationMs: Math.round(durationMs),
		toolCallCount: call.tools.length,
		toolCalls: tools.slice(0, listed),
		...(call.thinking !== "" && { thinkingText: sanitizeForPrompt(keepBeginning(call.thinking, THINKING)) }),
		...(timeout !== undefined && { timeoutSeconds: timeout }),
		...(message !== undefined && { message }),
	}));
}

/** Shortens the response, which may consist of what JSON escapes, and then the list of tool calls, until the result fits. */
function fitResult(text: string, create: (response: Shortened, listed: number) => CallResult): CallResult {
	let [limit, listed] = [RESPONSE, LISTED_CALLS];
	let result = create(keepEnds(text, limit), listed);
	while (Buffer.byteLength(JSON.stringify(result)) > RESULT_BYTES && listed > 0) {
		if (limit > 1_000) limit = Math.floor(limit * 0.9);
		else listed -= 10;
		result = create(keepEnds(text, limit), listed);
	}
	return result;
}

/** The names are whatever the called agent's model sent, also for tools that don't exist. */
function listTools({ tools }: FollowedCall): ToolCallTime[] {
	return tools
		.slice(0, LISTED_CALLS)
		.map(({ name, durationMs }) => ({ name: keepBeginning(sanitizeForPrompt(name), TOOL_NAME), durationMs }));
}

export function createStartedResult(target: CallTarget): CallResult {
	return { mode: "async", status: "started", ...target };
}

export function createView(result: CallResult, call: FollowedCall, waits?: CallWait): CallView {
	return {
		kind: "agent",
		agent: result.agentId,
		session: result.sessionId,
		turn: result.responseId,
		mode: result.mode,
		status: result.status,
		...(result.status === "error" && { outcome: outcomeOf(call) }),
		...(call.text !== "" && { text: keepBeginning(call.text, SHOWN) }),
		...(call.tools.length > 0 && { tools: listTools(call) }),
		...(waits && { waits }),
		...(result.durationMs !== undefined && { durationMs: result.durationMs }),
		usage: { ...call.usage },
	};
}

/** The message that brings a late answer to the calling session; `intro`: characters at its beginning that only the model needs. */
export function formatLateAnswer(target: CallTarget, call: FollowedCall): { text: string; intro: number } {
	const failure = failureOf(target, call);
	const head = `Answer to your call of the agent ${target.agentId} (session ${target.sessionId}, responseId ${target.responseId})`;
	const { text } = keepEnds(call.text, RESPONSE);
	const silent = text === "" ? " It ended without a text." : "";
	const intro = failure === undefined ? `${head}:${silent}\n\n` : `${head}: ${failure}\n\n${text === "" ? "" : "Its last words:\n"}`;
	return { text: `${intro}${text}`.trimEnd(), intro: intro.length };
}

/** Returns how a call ended that is not complete. */
export function outcomeOf({ loss, outcome }: FollowedCall): string {
	return loss ?? outcome ?? "failed";
}

export function statusOf({ outcome, loss }: FollowedCall): AnsweredCall["status"] {
	return loss === undefined && outcome === "done" ? "complete" : "error";
}

interface Shortened {
	text: string;
	truncated: boolean;
}

/** Removes hidden characters, and keeps only both ends of a longer text: `limit` characters and a note between them. */
export function keepEnds(raw: string, limit: number): Shortened {
	const ends = raw.length > SEARCHED * 2 ? [raw.slice(0, SEARCHED), raw.slice(-SEARCHED)] : [raw];
	const clean = ends.map(sanitizeForPrompt);
	const [first = "", last = first] = clean;
	if (clean.length === 1 && first.length <= limit) return { text: first, truncated: false };
	const half = Math.floor(limit / 2);
	const left = raw.length - 2 * half;
	return { text: withoutHalves(`${first.slice(0, half)}\n[… ${left} characters left out …]\n${last.slice(-half)}`), truncated: true };
}

/** Characters at each end of a long text in which the visible ones are looked for. */
const SEARCHED = 100_000;

function keepBeginning(text: string, limit: number): string {
	return withoutHalves(text.slice(0, limit));
}

/** Removes the halves of characters that were cut. */
function withoutHalves(text: string): string {
	return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "");
}

const WAITS: Record<CallWait["kind"], (text: string) => string> = {
	approval: (text) => `It waits for the person's approval: ${text}.`,
	question: (text) => `It waits for the person's answer to its question: ${text}`,
	plan: (text) => `Its plan waits for the person, who alone can start it: ${text}.`,
};

function timeoutMessage({ state }: FollowedCall, waits: CallWait | undefined): string {
	const working = state === "queued" ? "It waits for a place: other called agents are working." : "It is still working.";
	const why = waits ? WAITS[waits.kind](keepBeginning(sanitizeForPrompt(waits.text), 500)) : working;
	return `No answer yet. ${why} It goes on, and its answer will reach you as a message. Do not call it again for the same thing.`;
}

const OUTCOMES: Record<Exclude<Outcome, "done">, string> = {
	failed: "It failed.",
	cancelled: "It was stopped by the person.",
	limit: "It reached its limit before it was done.",
	interrupted: "It was interrupted because its window closed.",
	waiting: "It ended with a question that nobody can answer here.",
};

const LOSSES: Record<CallLoss, string> = {
	takenBack: "The message was withdrawn before the agent read it. Nothing was done.",
	refused: "The message was not accepted. Nothing was done.",
	cleared: "Its session was cleared before it answered. What it changed until then was kept, and its history is gone.",
	deleted: "Its session was deleted before it answered. What it changed until then was kept, and its history is gone.",
	superseded: "The person went on in its session without answering what it asked.",
};

/** Undefined if the call is complete. */
function failureOf({ sessionId }: CallTarget, { outcome, loss, error }: FollowedCall): string | undefined {
	if (loss === undefined && outcome === "done") return undefined;
	const reason = error === undefined ? [] : [sanitizeForPrompt(keepBeginning(error, 1_000))];
	if (loss !== undefined) return [LOSSES[loss], ...reason].join(" ");
	const what = OUTCOMES[(outcome ?? "failed") as keyof typeof OUTCOMES];
	return [what, ...reason, `What it did until then was kept. To go on from there, call it with session "${sessionId}".`].join(" ");
}
