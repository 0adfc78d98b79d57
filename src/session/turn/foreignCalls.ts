// Judges the calls of agents that run their own tools, and records each with one result.

import type { ForeignCall, ForeignVerdict, ToolResultBody, ToolResultEvent, ToolUse } from "../../core/ports/runtime.ts";
import { ToolError } from "../../core/ports/tool.ts";
import { FileConflict } from "../../core/ports/workspace/files.ts";
import { contentHash } from "../../shared/node/hash.ts";
import type { SessionContext } from "../sessionContext.ts";
import type { TurnContext } from "../turnContext.ts";
import { cancelled, hasEnded, problem, redactResult, refusal } from "./call/results.ts";
import { reviewCall } from "./call/review.ts";

/** Calls that were judged or have ended in this turn, by id. */
export type ForeignCallRecords = Map<string, ForeignCallRecord>;

interface ForeignCallRecord {
	/** Resolves once the call is in the transcript. */
	recorded: Promise<unknown>;
	/** Aborted when the call has ended: nobody is asked about it anymore. */
	over: AbortController;
	result?: Promise<ToolResultEvent>;
}

interface ForeignTurn {
	session: SessionContext;
	context: TurnContext;
	turn: string;
	records: ForeignCallRecords;
}

/** Implements `ForeignCalls.permit`. */
export async function permitForeignCall(foreignTurn: ForeignTurn, asked: ForeignCall): Promise<ForeignVerdict> {
	const { session, context, turn, records } = foreignTurn;
	const { call } = asked;
	const known = session.state.calls.get(call.id);
	const before = records.get(call.id);
	const otherwise = {
		allow: false as const,
		reason: `The call ${call.id} is in the transcript already, with another content or with its result.`,
	};
	if (known?.result || before?.result) return otherwise;
	const record = before ?? createRecord();
	records.set(call.id, record);
	if (!known && !before) record.recorded = session.eventLog.emit({ type: "assistant", text: "", calls: [call] }, "model", turn);
	await record.recorded;
	// What is authorized is exactly what the transcript shows, once.
	if (contentHash(session.state.calls.get(call.id)?.call ?? null) !== contentHash(call)) return otherwise;
	const refused = await judge(session, context, asked, record.over.signal);
	if (!refused && !record.result) return { allow: true };
	const { output } = await recordResult(foreignTurn, record, call.id, refused ?? ENDED);
	return { allow: false, reason: output };
}

/** Implements `ForeignCalls.ended`. */
export async function endForeignCall(foreignTurn: ForeignTurn, call: string, result: ToolResultBody): Promise<ToolResultEvent | undefined> {
	const { session, records } = foreignTurn;
	const known = session.state.calls.get(call);
	const record = records.get(call) ?? (known && createRecord());
	if (known?.result || !record) return known?.result;
	records.set(call, record);
	const ended = recordResult(foreignTurn, record, call, result);
	record.over.abort(new DOMException("The agent no longer waits for it", "AbortError"));
	return ended;
}

/** Result of a call that has ended while it was judged; its own result is recorded already. */
const ENDED: ToolResultBody = { status: "cancelled", output: "The call has ended." };

function createRecord(): ForeignCallRecord {
	return { recorded: Promise.resolve(), over: new AbortController() };
}

/** A call has one result: for a second one, the first is returned. */
function recordResult(
	{ session, turn }: ForeignTurn,
	record: ForeignCallRecord,
	call: string,
	result: ToolResultBody,
): Promise<ToolResultEvent> {
	record.result ??= (async () => {
		const [redacted] = await Promise.all([redactResult(session.services, result), record.recorded]);
		session.printed.delete(call);
		return (await session.eventLog.emit({ type: "result", call, ...redacted }, "host", turn)) as ToolResultEvent;
	})();
	return record.result;
}

/** The result of a call that may not run; undefined if it may. Never rejects. */
async function judge(
	{ services }: SessionContext,
	turn: TurnContext,
	{ call, uses, unclear, shown }: ForeignCall,
	over: AbortSignal,
): Promise<ToolResultBody | undefined> {
	// The agent's own tools may change the disk at any time.
	turn.disk.stop();
	const signal = AbortSignal.any([turn.signal, over]);
	const context: TurnContext = {
		...turn,
		signal,
		foreign: call.name,
		...(unclear !== undefined && { unclear }),
		ask: (approval, until = signal) => turn.ask(approval, until),
	};
	try {
		const reviewed = await reviewCall(context, { call, uses: uses.length > 0 ? uses : [UNKNOWN], ...(shown && { shown }) });
		return hasEnded(reviewed) ? reviewed.result : undefined;
	} catch (error) {
		if (signal.aborted) return cancelled(context, "before it was allowed");
		if (error instanceof ToolError) return problem(error.brief);
		if (error instanceof FileConflict) return problem(error.message);
		services.log(`the use of ${call.name} could not be judged: ${String(error)}`);
		return refusal({ layer: "input", reason: `The use of ${call.name} could not be judged.` });
	}
}

/** A call that says nothing of what it does: no tool of ours has its effect. */
const UNKNOWN: ToolUse = { as: "", input: undefined };
