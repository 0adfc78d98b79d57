// Runs a tool call: parses it, gathers facts, authorizes it, requests approval, and always returns one result.

import type { ToolView } from "../../core/eventData/toolView.ts";
import type { EventBody, FileChange, ToolCall } from "../../core/events.ts";
import { toDisplayChange } from "../../core/paths.ts";
import type { CallFacts, Verdict } from "../../core/ports/gate.ts";
import { StoppedCall, type Tool, ToolError } from "../../core/ports/tool.ts";
import { FileConflict, type FileEdit } from "../../core/ports/workspace/files.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";
import { truncateMiddle } from "../../shared/utf8.ts";
import { findTool } from "../agent/sessionAgent.ts";
import { markDeviations } from "../plans/plans.ts";
import type { ApprovalAnswer } from "../state/pendingApprovals.ts";
import { storeToolImages } from "../transcript/images.ts";
import { createRedactor } from "../transcript/redactedValues.ts";
import type { ToolResultBody, TurnContext } from "../turnContext.ts";
import { authorizeCall, findPermittingRole, gatherCallFacts, listDestinations, refuseCall, withContentFacts } from "./callFacts.ts";
import { createTerminalRunResult, findTypeableLine } from "./terminalRun.ts";
import { type CommandRestrictions, createToolContext, redactedWriteReason, redactView } from "./toolContext.ts";

/** Maximum bytes of one result for the model, unless the tool has its own limit. */
const OUTPUT_LIMIT = 32_768;

interface CallOutcome {
	result: ToolResultBody;
	events: EventBody[];
}

/** A call that goes ahead. */
export interface PermittedCall {
	facts: CallFacts;
	/** Maximum bytes of its output. */
	outputLimit: number;
	/** Rejects with ToolError where the tool could not do it. */
	run(): Promise<CallOutcome>;
}

/** A call that ends before its tool runs. */
export interface EndedCall {
	result: ToolResultBody;
	/** Of a call that the gate refuses. */
	refusal?: Verdict;
}

export async function runToolCall(turn: TurnContext, call: ToolCall): Promise<CallOutcome> {
	const { services, signal } = turn;
	const redacted = async ({ result, events }: CallOutcome, limit?: number) => ({
		result: await redactResult(services, result, limit),
		events,
	});
	try {
		const permitted = await permitToolCall(turn, call);
		if ("run" in permitted) return await redacted(await permitted.run(), permitted.outputLimit);
		return await redacted(toOutcome(permitted.result));
	} catch (error) {
		if (error instanceof ToolError) return redacted(toOutcome(problem(error.message)));
		if (signal.aborted)
			return redacted(toOutcome({ ...cancelled(turn, "before it finished"), ...(error instanceof StoppedCall && { view: error.view }) }));
		services.log(`tool ${call.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
		const hide = await createRedactor(services);
		return toOutcome(problem(hide(error instanceof Error ? error.message : String(error))));
	}
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

/** Judges a call and asks about it, once; nothing has run when it resolves. */
export async function permitToolCall(turn: TurnContext, call: ToolCall): Promise<PermittedCall | EndedCall> {
	if (turn.signal.aborted) return { result: cancelled(turn, "before it started") };
	if (turn.loopGuard.repeats(call)) {
		const stop = await turn.loopGuard.confirm(() => confirmRepetition(turn, call));
		if (stop) return { result: stop };
	}
	const tool = findTool(turn, turn.agent, call.name);
	const read = readInput(tool, call);
	const refused = await refuseCall(turn, { called: call.name, tool, input: read });
	if (refused) return ended(refused.verdict, refused.offerRole);
	if (!tool) throw new Error(`The gate let a call of ${call.name} through, which is no tool`);
	if (!read.fits) return { result: problem(read.why) };
	const blank = redactedWriteReason(tool, read.value);
	if (blank !== undefined) return { result: problem(blank) };
	return passGate(turn, call, tool, read.value);
}

/** `why`: for the model. */
function readInput(tool: Tool | undefined, { input }: ToolCall): { fits: true; value: unknown } | { fits: false; why: string } {
	if (!tool || typeof input === "string")
		return { fits: false, why: "The arguments are not valid JSON. Nothing ran. Send the call again with one JSON object." };
	const parsed = tool.input.safeParse(input);
	if (parsed.success) return { fits: true, value: parsed.data };
	const issues = parsed.error.issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`);
	return { fits: false, why: `The arguments do not fit ${tool.name}: ${issues.join("; ")}. Nothing ran. Correct them and call again.` };
}

function ended(verdict: Verdict, offerRole?: string): EndedCall {
	return { result: refusal(verdict, offerRole), refusal: verdict };
}

async function passGate(turn: TurnContext, call: ToolCall, tool: Tool, input: unknown): Promise<PermittedCall | EndedCall> {
	const { gate } = turn;
	let facts = await gatherCallFacts(gate, tool, input, turn.disk.memo);
	let verdict = await authorizeCall(turn, tool, facts);
	if (verdict.decision === "deny") return ended(verdict, (await findPermittingRole(turn, tool, facts, verdict)).offerRole);

	let edits: FileEdit[] | undefined;
	if (tool.edits) {
		try {
			edits = await tool.edits(input, createToolContext(turn, tool, call.id, facts));
		} catch (error) {
			if (!(error instanceof ToolError)) throw error;
			return { result: problem(verdict.layer === "protected" ? error.brief : error.message) };
		}
		facts = { ...facts, paths: await withContentFacts(turn.workspace, facts.paths, edits) };
		verdict = await authorizeCall(turn, tool, facts);
		if (verdict.decision === "deny") return ended(verdict);
	}
	if (verdict.decision === "ask") {
		const view = edits && (await preview(turn, edits));
		const line = turn.shell === undefined ? findTypeableLine(tool, input, facts) : undefined;
		const answer = await turn.ask({
			call,
			summary: tool.summary(input),
			reason: verdict.reason,
			...(verdict.more && { more: verdict.more }),
			hash: contentHash({ tool: tool.name, input, edits: edits?.map(bound), view }),
			// The user has not seen all of it, so the approval covers this call only.
			always: view?.unshown ? [] : verdict.grants,
			meets: listDestinations(gate, tool, facts),
			...(verdict.layer === "rules" && { rule: verdict.rule }),
			...(view && { view }),
			...(line && { line }),
		});
		if (!answer) return { result: cancelled(turn, "before it was allowed") };
		if (!answer.allow) return { result: denial(answer) };
		if (answer.ran && line) return { result: await createTerminalRunResult(turn, answer.ran, line.cwd) };
		const diverted = gate.diverted(facts, await gatherCallFacts(gate, tool, input));
		if (diverted) return ended(diverted);
	}
	const runOrWrite = async () => {
		if (!edits) return run(turn, call, tool, input, facts, restrictionsOf(verdict));
		turn.disk.forget();
		return toOutcome(await write(turn, tool, input, facts, edits));
	};
	return { facts, outputLimit: limitOf(tool), run: () => (tool.parallel ? turn.disk.during(runOrWrite) : runOrWrite()) };
}

function limitOf({ outputLimit = OUTPUT_LIMIT }: Tool): number {
	return outputLimit;
}

/** Approved calls run with the user's own rights; calls without approval run as the gate requires. */
function restrictionsOf({ decision, confine, reads }: Verdict): CommandRestrictions {
	return decision === "allow" ? { ...(confine && { confine }), ...(reads && { reads }) } : {};
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

export function cancelled({ signal }: TurnContext, when: string): ToolResultBody {
	const why = signal.reason instanceof Error ? signal.reason.message : "Stopped";
	return { status: "cancelled", output: `${why}: this call was cancelled ${when}.` };
}

/** Encodes an edit's bytes for the hash: what the user saw is what is written. */
export function bound(edit: FileEdit): unknown {
	return "content" in edit && edit.content ? { ...edit, content: Buffer.from(edit.content).toString("base64") } : edit;
}

async function write(turn: TurnContext, tool: Tool, input: unknown, facts: CallFacts, edits: FileEdit[]): Promise<ToolResultBody> {
	const real = new Map(facts.paths.map((path) => [path.literal, path.real]));
	try {
		const changes = await turn.workspace.apply(edits, real);
		for (const edit of edits) await turn.files.refresh(turn.workspace, edit.action === "rename" ? edit.to : edit.path);
		const shown = changes.map((change) => toDisplayChange(turn.workspace, change));
		return createChangeResult(
			tool.done?.(input) ?? tool.summary(input),
			facts.keptFor ? shown : markDeviations(turn.state, shown, turn.gate),
		);
	} catch (error) {
		if (error instanceof FileConflict) return problem(`${error.message} Read it again before you change it.`);
		throw error;
	}
}

function createChangeResult(done: string, shown: FileChange[]): ToolResultBody {
	const added = shown.reduce((sum, change) => sum + change.added, 0);
	const removed = shown.reduce((sum, change) => sum + change.removed, 0);
	return {
		status: "ok",
		output: `${done} (+${added} −${removed}).`,
		view: { kind: "change", changes: shown, figure: `+${added} −${removed}` },
	};
}

export async function preview(turn: TurnContext, edits: readonly FileEdit[]): Promise<Extract<ToolView, { kind: "change" }>> {
	const previewed = await turn.workspace.preview(edits);
	const changes = previewed.map((change) => toDisplayChange(turn.workspace, change));
	return { kind: "change", changes, ...(changes.some(({ unshown }) => unshown) && { unshown: true as const }) };
}

async function run(turn: TurnContext, call: ToolCall, tool: Tool, input: unknown, facts: CallFacts, restrictions: CommandRestrictions) {
	if (!tool.run) throw new Error(`The tool ${tool.name} has nothing to run`);
	const noticeTimer = setTimeout(() => turn.progress(call.id, ""), NOTICE_DELAY);
	try {
		const files = turn.files.during(turn.workspace);
		const outcome = await tool.run(input, createToolContext(turn, tool, call.id, facts, restrictions, files.seen));
		const events = await turn.prepareEvents(outcome.events ?? []);
		// Redacts before truncating: half a secret would not be recognized.
		const hide = await createRedactor(turn.services);
		const images = await storeToolImages(turn.services.blobs, outcome.images ?? []);
		const result: ToolResultBody = {
			status: outcome.status ?? "ok",
			output: truncateMiddle(hide(outcome.output), limitOf(tool)),
			...(images.length > 0 && { images }),
			...(outcome.view && { view: shownView(turn, outcome.view) }),
			...(files.kept().length > 0 && { seen: files.kept() }),
		};
		return { result, events };
	} finally {
		clearTimeout(noticeTimer);
	}
}

/** Milliseconds after which a running call is shown as running. */
const NOTICE_DELAY = 100;

function shownView(turn: TurnContext, view: ToolView): ToolView {
	if (view.kind !== "command") return view;
	const changes = view.changed.map((change) => toDisplayChange(turn.workspace, change));
	return { ...view, changed: markDeviations(turn.state, changes, turn.gate) };
}

function toOutcome(result: ToolResultBody): CallOutcome {
	return { result, events: [] };
}

function problem(output: string): ToolResultBody {
	return { status: "error", output };
}

export function denial({ reason }: ApprovalAnswer): ToolResultBody {
	const quoted = reason?.trim() ? ` They say: “${reason.trim()}”` : "";
	return {
		status: "denied",
		output: `The person denied this call.${quoted} Do not try it again in another way.`,
		view: { kind: "denied", layer: "person" },
	};
}

export function refusal({ layer, reason, lacks }: Pick<Verdict, "layer" | "reason" | "lacks">, offerRole?: string): ToolResultBody {
	const view: ToolView = { kind: "denied", layer, ...(lacks && { lacks }), ...(offerRole && { offerRole }) };
	return { status: "denied", output: `Refused: ${reason}`, view };
}
