// Judges tool uses of agents that run their own tools.

// Each is judged by the gate as a call of our tool with the same effect. Nothing runs here.
import type { ForeignUse, ForeignVerdict } from "../../core/ports/runtime.ts";
import { type Tool, ToolError } from "../../core/ports/tool.ts";
import type { FileEdit } from "../../core/ports/workspace.ts";
import type { CallFacts, ToolResultBody, TurnContext } from "../context.ts";
import { contentHash } from "../hash.ts";
import { findTool, unavailableReason } from "../sessionAgent.ts";
import { authorizeCall, gatherCallFacts, listDestinations, refuseEarly, withContentFacts } from "./callFacts.ts";
import { bound, cancelled, denial, leadsElsewhere, preview, refusal } from "./toolCall.ts";
import { createToolContext } from "./toolContext.ts";

/** The result of a use that may not run; undefined where it may. */
export async function judgeForeignUse(turn: TurnContext, use: ForeignUse): Promise<ToolResultBody | undefined> {
	// Its own tools change the disk when they like.
	turn.disk.stop();
	if (turn.signal.aborted) return cancelled(turn, "before it started");
	const tool = findTool(turn, turn.agent, use.as);
	if (!tool) return refusal("unknown", `Nothing here has the effect of ${use.call.name}, so it cannot be judged.`);
	const missing = unavailableReason(turn.services, tool, turn.role);
	if (missing !== undefined) return refusal("scope", missing);
	const parsed = tool.input.safeParse(use.input);
	if (!parsed.success) return refusal("input", `The arguments of ${use.call.name} cannot be judged as those of ${tool.name}.`);
	try {
		return await judge(turn, use, tool, parsed.data);
	} catch (error) {
		if (turn.signal.aborted) return cancelled(turn, "before it was allowed");
		if (error instanceof ToolError) return refusal("input", error.brief);
		throw error;
	}
}

export function toForeignVerdict(result: ToolResultBody | undefined): ForeignVerdict {
	return result ? { allow: false, reason: result.output } : { allow: true };
}

async function judge(turn: TurnContext, use: ForeignUse, tool: Tool, input: unknown): Promise<ToolResultBody | undefined> {
	const { gate, workspace } = turn.services;
	const early = refuseEarly(turn, tool, input);
	if (early) return refusal(early.verdict.layer, early.verdict.reason, await turn.offerRole(tool, early.facts));
	let facts = await gatherCallFacts(gate, tool, input);
	let verdict = await authorizeCall(turn, tool, facts, "elsewhere");
	if (verdict.decision === "deny") return refusal(verdict.layer, verdict.reason, await turn.offerRole(tool, facts));
	let edits: FileEdit[] | undefined;
	if (tool.edits) {
		edits = await tool.edits(input, createToolContext(turn, tool, use.call.id, facts));
		facts = { ...facts, paths: await withContentFacts(workspace, facts.paths, edits) };
		verdict = await authorizeCall(turn, tool, facts, "elsewhere");
		if (verdict.decision === "deny") return refusal(verdict.layer, verdict.reason);
	}
	// What goes ahead because it is kept in or hardened is neither where it runs.
	const unkept = verdict.decision === "allow" && (verdict.reads || verdict.confine !== undefined);
	if (verdict.decision === "allow" && !unkept) return undefined;
	if (!turn.canAsk) return refusal(verdict.layer, "This would have to be asked, and nobody is there to ask.");
	return ask(turn, use, { tool, input, facts, edits, verdict });
}

interface Judged {
	tool: Tool;
	input: unknown;
	facts: CallFacts;
	edits: FileEdit[] | undefined;
	verdict: Awaited<ReturnType<typeof authorizeCall>>;
}

async function ask(turn: TurnContext, use: ForeignUse, judged: Judged): Promise<ToolResultBody | undefined> {
	const { tool, input, facts, edits, verdict } = judged;
	const view = use.shown?.view ?? (edits && (await preview(turn, edits)));
	const unseen = view !== undefined && "unshown" in view && view.unshown;
	const answer = await turn.ask({
		call: use.call,
		summary: use.shown?.summary ?? tool.summary(input),
		reason: verdict.reason,
		...(verdict.more && { more: verdict.more }),
		hash: contentHash({ use, edits: edits?.map(bound), view }),
		always: unseen ? [] : verdict.grants,
		meets: listDestinations(turn.services.gate, tool, facts),
		...(verdict.layer === "rules" && { rule: verdict.rule }),
		...(view && { view }),
	});
	if (!answer) return cancelled(turn, "before it was allowed");
	if (!answer.allow) return denial(answer);
	if (!(await leadsElsewhere(turn, tool, input, facts))) return undefined;
	return refusal("protected", "The path leads elsewhere than when it was allowed. Nothing ran. Look again and call again.");
}
