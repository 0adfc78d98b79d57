// Decides whether a call runs: parses it, gathers facts, asks the gate and the person, and checks again.

import type { ToolView } from "../../../core/eventData/toolView.ts";
import type { ToolCall } from "../../../core/events.ts";
import { toDisplayChange } from "../../../core/paths.ts";
import type { CallFacts, Grantable } from "../../../core/ports/gate.ts";
import type { ForeignCall, ToolResultBody, ToolUse } from "../../../core/ports/runtime.ts";
import { type Tool, ToolError } from "../../../core/ports/tool.ts";
import { FileConflict, type FileEdit } from "../../../core/ports/workspace/files.ts";
import { formatList, t } from "../../../shared/l10n.ts";
import { contentHash } from "../../../shared/node/hash.ts";
import type { ApprovalRequest, TurnContext } from "../../turnContext.ts";
import {
	authorizeCall,
	type CallVerdict,
	findPermittingRole,
	gatherCallFacts,
	listDestinations,
	refuseCall,
	withContentFacts,
} from "./callFacts.ts";
import { parseUse, redactedWriteReason } from "./parse.ts";
import { cancelled, denial, type EndedCall, hasEnded, problem, refusal, refuse } from "./results.ts";
import { createTerminalRunResult, findTypeableLine } from "./terminalRun.ts";
import { createToolContext } from "./toolContext.ts";

/** A call with what it does: one of our tools is used once, by the tool that it names. */
export type CallRequest = Pick<ForeignCall, "call" | "uses" | "shown">;

/** A use that may run. */
export interface ReviewedUse {
	tool: Tool;
	input: unknown;
	facts: CallFacts;
	verdict: CallVerdict;
	/** Edits of a tool that changes files: what the files become. */
	edits?: FileEdit[];
}

/** Judges all uses of a call, of which the strictest verdict applies, and asks about them at most once. Nothing has run when it resolves. */
export async function reviewCall(turn: TurnContext, request: CallRequest): Promise<ReviewedUse[] | EndedCall> {
	const { call, uses } = request;
	if (turn.signal.aborted) return { result: cancelled(turn, "before it started") };
	if (turn.loopGuard.repeats(turn.unclear === undefined ? uses : [call.name, call.input])) {
		const stop = await turn.loopGuard.confirm(() => confirmRepetition(turn, call));
		if (stop) return { result: stop };
	}
	const parsed = await unlessEnded(uses, (use) => parse(turn, call, use));
	if (hasEnded(parsed)) return parsed;
	const judged = await unlessEnded(parsed, (use) => judge(turn, use));
	if (hasEnded(judged)) return judged;
	const reviewed = await unlessEnded(judged, (use) => judgeEdits(turn, call, use));
	if (hasEnded(reviewed) || reviewed.every(({ verdict }) => verdict.decision === "allow")) return reviewed;
	return (await ask(turn, request, reviewed)) ?? reviewed;
}

/** Takes a step with each use, until the call ends with one of them. */
async function unlessEnded<From, To extends object>(
	uses: readonly From[],
	step: (use: From) => Promise<To | EndedCall>,
): Promise<To[] | EndedCall> {
	const done: To[] = [];
	for (const use of uses) {
		const next = await step(use);
		if (hasEnded(next)) return next;
		done.push(next);
	}
	return done;
}

type Parsed = Pick<ReviewedUse, "tool" | "input">;

/** Ends a call that no disk access or command line needs to be looked at for. */
async function parse(turn: TurnContext, call: ToolCall, use: ToolUse): Promise<Parsed | EndedCall> {
	const parsed = parseUse(turn, use);
	const { tool, input } = parsed;
	const refused = await refuseCall(turn, parsed);
	if (refused) return refuse(refused.verdict, refused.offerRole);
	if (!tool) throw new Error(`The gate let a call of ${use.as} through, which is no tool`);
	if (!input.fits) return { result: problem(input.why) };
	const redacted = redactedWriteReason(turn, tool, { call, input: input.value });
	return redacted === undefined ? { tool, input: input.value } : { result: problem(redacted) };
}

async function judge(turn: TurnContext, { tool, input }: Parsed): Promise<ReviewedUse | EndedCall> {
	const facts = await gatherCallFacts(turn.gate, tool, input, turn.disk.memo);
	const verdict = await authorizeCall(turn, tool, facts);
	if (verdict.decision === "deny") return refuse(verdict, (await findPermittingRole(turn, tool, facts, verdict)).offerRole);
	return { tool, input, facts, verdict };
}

/** Judges a use of a tool that changes files once more, by what they become. */
async function judgeEdits(turn: TurnContext, { id }: ToolCall, use: ReviewedUse): Promise<ReviewedUse | EndedCall> {
	const { tool, input } = use;
	if (!tool.edits) return use;
	let edits: FileEdit[];
	try {
		edits = await tool.edits(input, createToolContext(turn, tool, id, use.facts));
	} catch (error) {
		if (!(error instanceof ToolError)) throw error;
		// It is asked about without them.
		if (turn.unclear !== undefined) return use;
		return { result: problem(use.verdict.layer === "protected" ? error.brief : error.message) };
	}
	const paths = await withContentFacts(turn.workspace, use.facts.paths, edits);
	if (paths.every((fact, index) => fact === use.facts.paths[index])) return { ...use, edits };
	const facts = { ...use.facts, paths };
	const verdict = await authorizeCall(turn, tool, facts);
	return verdict.decision === "deny" ? refuse(verdict) : { tool, input, facts, verdict, edits };
}

/** One request for all uses. Undefined if they may run. */
async function ask(turn: TurnContext, { call, shown }: CallRequest, uses: readonly ReviewedUse[]): Promise<EndedCall | undefined> {
	const view = shown?.view ?? (await previewEdits(turn, uses));
	const line = findLine(turn, uses);
	const combined = combineVerdicts(uses.filter(({ verdict }) => verdict.decision === "ask"));
	const answer = await turn.ask({
		call,
		summary: shown?.summary ?? formatList(uses.map(({ tool, input }) => tool.summary(input))),
		...combined,
		hash: contentHash({ call, uses: uses.map(encodeUse), summary: shown?.summary, view }),
		// The user has not seen all of it, so the approval covers this call only.
		always: view && "unshown" in view && view.unshown ? [] : combined.always,
		destinations: turn.unclear !== undefined ? [] : uses.flatMap(({ tool, facts }) => listDestinations(turn.gate, tool, facts)),
		...(view && { view }),
		...(line && { line }),
	});
	if (!answer) return { result: cancelled(turn, "before it was allowed") };
	if (!answer.allow) return { result: denial(answer) };
	if (answer.ran && line) return { result: await createTerminalRunResult(turn, answer.ran, line.cwd) };
	return (await findDiversion(turn, uses)) ?? findDrift(turn, uses);
}

async function findDiversion({ gate }: TurnContext, uses: readonly ReviewedUse[]): Promise<EndedCall | undefined> {
	for (const { tool, input, facts } of uses) {
		const diverted = gate.diverted(facts, await gatherCallFacts(gate, tool, input));
		if (diverted) return refuse(diverted);
	}
	return undefined;
}

/** Our own edits are compared as they are written, those of another agent before it writes them. */
async function findDrift({ foreign, workspace }: TurnContext, uses: readonly ReviewedUse[]): Promise<EndedCall | undefined> {
	if (foreign === undefined) return undefined;
	try {
		await workspace.preview(uses.flatMap(({ edits = [] }) => edits));
		return undefined;
	} catch (error) {
		if (error instanceof FileConflict) return { result: problem(`${error.message} Read it again before you change it.`) };
		throw error;
	}
}

/** Another agent runs its command itself. */
function findLine({ shell, foreign }: TurnContext, [use, ...others]: readonly ReviewedUse[]): ApprovalRequest["line"] {
	return use && others.length === 0 && shell === undefined && foreign === undefined
		? findTypeableLine(use.tool, use.input, use.facts)
		: undefined;
}

/** Combines the verdicts of the uses that require approval. What no approval can cover comes first, and then none is offered. */
function combineVerdicts(uses: readonly ReviewedUse[]): Pick<ApprovalRequest, "reason" | "more" | "always" | "rule"> {
	const verdicts = uses.map(({ verdict }) => verdict).sort((left, right) => rank(left) - rank(right));
	const [first] = verdicts;
	if (!first) throw new Error("Nothing requires approval");
	const { reason, sentences = [reason] } = first;
	const all = verdicts.flatMap((verdict) => [...(verdict.sentences ?? [verdict.reason]), ...(verdict.more ?? [])]);
	const more = [...new Set(all)].filter((sentence) => !sentences.includes(sentence));
	const rule = verdicts.find(({ layer }) => layer === "rules")?.rule;
	const grants = new Map<string, Grantable>(verdicts.flatMap((verdict) => verdict.grants.map((grant) => [contentHash(grant), grant])));
	return {
		reason,
		...(more.length > 0 && { more }),
		always: first.grants.length === 0 ? [] : [...grants.values()],
		...(rule !== undefined && { rule }),
	};
}

function rank({ grants }: CallVerdict): number {
	return grants.length === 0 ? 0 : 1;
}

/** A use for the hash: what the user saw is what runs. */
function encodeUse({ tool, input, edits }: ReviewedUse): unknown {
	return { tool: tool.name, input, edits: edits?.map(encodeEdit) };
}

function encodeEdit(edit: FileEdit): unknown {
	return "content" in edit && edit.content ? { ...edit, content: Buffer.from(edit.content).toString("base64") } : edit;
}

/** The changes of all uses together; undefined if none of their tools changes files. */
async function previewEdits(turn: TurnContext, uses: readonly ReviewedUse[]): Promise<Extract<ToolView, { kind: "change" }> | undefined> {
	if (uses.every(({ edits }) => !edits)) return undefined;
	const previewed = await turn.workspace.preview(uses.flatMap(({ edits = [] }) => edits));
	const changes = previewed.map((change) => toDisplayChange(turn.workspace, change));
	return { kind: "change", changes, ...(changes.some(({ unshown }) => unshown) && { unshown: true as const }) };
}

/** The result that stops the call; undefined if the user lets the model continue. */
async function confirmRepetition(turn: TurnContext, call: ToolCall): Promise<ToolResultBody | undefined> {
	if (!turn.canAsk)
		return refusal({
			layer: "input",
			reason: "The model repeats itself: it has made the same calls three times in a row. Nobody is there to ask. Do something else.",
		});
	if (turn.signal.aborted) return cancelled(turn, "before it was allowed");
	const [summary, asks] = [
		t("Call {0} again", call.name),
		t("The model is repeating itself: it made the same calls three times in a row."),
	];
	const answer = await turn.ask({ call, summary, reason: asks, hash: contentHash(call), always: [] });
	if (!answer) return cancelled(turn, "before it was allowed");
	if (!answer.allow) return denial(answer);
	turn.loopGuard.forgive();
	return undefined;
}
