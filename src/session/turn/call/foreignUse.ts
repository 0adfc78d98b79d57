// Authorizes tool uses of agents that run their own tools.

import type { CallFacts } from "../../../core/ports/gate.ts";
// The gate decides each one as a call of our tool with the same effect. Nothing runs here.
import type { ForeignUse, ForeignVerdict } from "../../../core/ports/runtime.ts";
import { type Tool, ToolError } from "../../../core/ports/tool.ts";
import type { FileEdit } from "../../../core/ports/workspace/files.ts";
import { contentHash } from "../../../shared/node/hash.ts";
import { findTool } from "../../agent/sessionAgent.ts";
import type { ToolResultBody, TurnContext } from "../../turnContext.ts";
import { authorizeCall, findPermittingRole, gatherCallFacts, listDestinations, refuseCall, withContentFacts } from "./callFacts.ts";
import { cancelled, denial, refusal } from "./results.ts";
import { encodeEdit, previewEdits } from "./review.ts";
import { createToolContext } from "./toolContext.ts";

/** The result of a use that is not allowed; undefined if it is. */
export async function judgeForeignUse(turn: TurnContext, use: ForeignUse): Promise<ToolResultBody | undefined> {
	// The agent's own tools may change the disk at any time.
	turn.disk.stop();
	if (turn.signal.aborted) return cancelled(turn, "before it started");
	const foreignTurn: TurnContext = { ...turn, foreign: use.call.name };
	const tool = findTool(turn, turn.agent, use.as);
	const parsed = tool?.input.safeParse(use.input);
	const input = parsed?.success ? { fits: true as const, value: parsed.data } : { fits: false as const, why: "" };
	const refused = await refuseCall(foreignTurn, { called: use.as, tool, input });
	if (refused) return refusal(refused.verdict, refused.offerRole);
	if (!tool || !input.fits) throw new Error(`The gate let a use of ${use.as} through, which cannot be judged`);
	try {
		return await authorizeUse(foreignTurn, use, tool, input.value);
	} catch (error) {
		if (turn.signal.aborted) return cancelled(turn, "before it was allowed");
		if (error instanceof ToolError) return refusal({ layer: "input", reason: error.brief });
		throw error;
	}
}

export function toForeignVerdict(result: ToolResultBody | undefined): ForeignVerdict {
	return result ? { allow: false, reason: result.output } : { allow: true };
}

async function authorizeUse(turn: TurnContext, use: ForeignUse, tool: Tool, input: unknown): Promise<ToolResultBody | undefined> {
	const { gate, workspace } = turn;
	let facts = await gatherCallFacts(gate, tool, input);
	let verdict = await authorizeCall(turn, tool, facts);
	if (verdict.decision === "deny") return refusal(verdict, (await findPermittingRole(turn, tool, facts, verdict)).offerRole);
	let edits: FileEdit[] | undefined;
	if (tool.edits) {
		edits = await tool.edits(input, createToolContext(turn, tool, use.call.id, facts));
		facts = { ...facts, paths: await withContentFacts(workspace, facts.paths, edits) };
		verdict = await authorizeCall(turn, tool, facts);
		if (verdict.decision === "deny") return refusal(verdict);
	}
	return verdict.decision === "allow" ? undefined : ask(turn, use, { tool, input, facts, edits, verdict });
}

interface AuthorizedUse {
	tool: Tool;
	input: unknown;
	facts: CallFacts;
	edits: FileEdit[] | undefined;
	verdict: Awaited<ReturnType<typeof authorizeCall>>;
}

async function ask(turn: TurnContext, use: ForeignUse, authorized: AuthorizedUse): Promise<ToolResultBody | undefined> {
	const { tool, input, facts, edits, verdict } = authorized;
	const view = use.shown?.view ?? (edits && (await previewEdits(turn, [{ ...authorized, edits }])));
	const incomplete = view !== undefined && "unshown" in view && view.unshown;
	const answer = await turn.ask({
		call: use.call,
		summary: use.shown?.summary ?? tool.summary(input),
		reason: verdict.reason,
		...(verdict.more && { more: verdict.more }),
		hash: contentHash({ use, edits: edits?.map(encodeEdit), view }),
		always: incomplete ? [] : verdict.grants,
		meets: listDestinations(turn.gate, tool, facts),
		...(verdict.layer === "rules" && { rule: verdict.rule }),
		...(view && { view }),
	});
	if (!answer) return cancelled(turn, "before it was allowed");
	if (!answer.allow) return denial(answer);
	const { gate } = turn;
	const diverted = gate.diverted(facts, await gatherCallFacts(gate, tool, input));
	return diverted && refusal(diverted);
}
