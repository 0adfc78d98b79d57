// Judges the calls of agents that run their own tools, as uses of ours with the same effect.

import type { ForeignUse, ForeignVerdict } from "../../core/ports/runtime.ts";
import { ToolError } from "../../core/ports/tool.ts";
import { contentHash } from "../../shared/node/hash.ts";
import type { SessionContext } from "../sessionContext.ts";
import type { ToolResultBody, TurnContext } from "../turnContext.ts";
import { cancelled, hasEnded, problem, refusal } from "./call/results.ts";
import { reviewCall } from "./call/review.ts";

interface ForeignTurn {
	session: Pick<SessionContext, "state" | "services" | "eventLog">;
	context: TurnContext;
	turn: string;
}

/** See `Turn.permit`. */
export async function permitForeignCall({ session, context, turn }: ForeignTurn, use: ForeignUse): Promise<ForeignVerdict> {
	const { state, services, eventLog } = session;
	const known = state.calls.get(use.call.id);
	// What is authorized is exactly what the transcript shows, once.
	if (known && (known.result || contentHash(known.call) !== contentHash(use.call))) {
		return { allow: false, reason: `The call ${use.call.id} is in the transcript already, with another content or with its result.` };
	}
	if (!known) await eventLog.emit({ type: "assistant", text: "", calls: [use.call] }, "model", turn);
	const result = await judge(context, use).catch((error: unknown) => {
		if (context.signal.aborted) return cancelled(context, "before it was allowed");
		if (error instanceof ToolError) return problem(error.brief);
		services.log(`the use of ${use.call.name} could not be judged: ${String(error)}`);
		return refusal({ layer: "input", reason: `The use of ${use.call.name} could not be judged.` });
	});
	if (!result) return { allow: true };
	await eventLog.emit({ type: "result", call: use.call.id, ...result }, "host", turn);
	return { allow: false, reason: result.output };
}

/** The result of a call that may not run; undefined if it may. */
async function judge(context: TurnContext, { call, as, input, shown }: ForeignUse): Promise<ToolResultBody | undefined> {
	// The agent's own tools may change the disk at any time.
	context.disk.stop();
	const reviewed = await reviewCall({ ...context, foreign: call.name }, { call, uses: [{ as, input }], ...(shown && { shown }) });
	return hasEnded(reviewed) ? reviewed.result : undefined;
}
