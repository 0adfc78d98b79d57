// The results of calls: refused, denied, cancelled, failed, and with the user's secrets redacted.

import type { ToolView } from "../../../core/eventData/toolView.ts";
import type { FileChange } from "../../../core/events.ts";
import type { Verdict } from "../../../core/ports/gate.ts";
import type { ToolResultBody } from "../../../core/ports/runtime.ts";
import { truncateMiddle } from "../../../shared/utf8.ts";
import type { ApprovalAnswer } from "../../state/pendingApprovals.ts";
import { createRedactor } from "../../transcript/redactedValues.ts";
import type { TurnContext } from "../../turnContext.ts";

/** Maximum bytes of one result for the model, unless the tool has its own limit. */
export const OUTPUT_LIMIT = 32_768;

/** A call that ends before its tool runs. */
export interface EndedCall {
	result: ToolResultBody;
	/** Verdict on a call that the gate refuses. */
	refusal?: Verdict;
}

export function hasEnded(step: object): step is EndedCall {
	return "result" in step;
}

export function refuse(verdict: Verdict, offerRole?: string): EndedCall {
	return { result: refusal(verdict, offerRole), refusal: verdict };
}

export function refusal({ layer, reason, lacks }: Pick<Verdict, "layer" | "reason" | "lacks">, offerRole?: string): ToolResultBody {
	const view: ToolView = { kind: "denied", layer, ...(lacks && { lacks }), ...(offerRole && { offerRole }) };
	return { status: "denied", output: `Refused: ${reason}`, view };
}

export function denial({ reason }: ApprovalAnswer): ToolResultBody {
	const quoted = reason?.trim() ? ` They say: “${reason.trim()}”` : "";
	return {
		status: "denied",
		output: `The person denied this call.${quoted} Do not try it again in another way.`,
		view: { kind: "denied", layer: "person" },
	};
}

export function cancelled({ signal }: Pick<TurnContext, "signal">, when: string): ToolResultBody {
	const why = signal.reason instanceof DOMException ? signal.reason.message : "Stopped";
	return { status: "cancelled", output: `${why}: this call was cancelled ${when}.` };
}

export function problem(output: string): ToolResultBody {
	return { status: "error", output };
}

/** Truncates the output and redacts the user's secrets. */
export async function redactResult(
	services: TurnContext["services"],
	result: ToolResultBody,
	limit = OUTPUT_LIMIT,
): Promise<ToolResultBody> {
	const hide = await createRedactor(services);
	const output = truncateMiddle(hide(result.output), limit);
	return { ...result, output, ...(result.view && { view: redactView(result.view, hide) }) };
}

function redactView(view: ToolView, hide: (text: string) => string): ToolView {
	const shown = (change: FileChange): FileChange => ({ ...change, diff: hide(change.diff) });
	if (view.kind === "change") return { ...view, changes: view.changes.map(shown) };
	return view.kind === "command" ? { ...view, changed: view.changed.map(shown) } : view;
}
