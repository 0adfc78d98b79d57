// Runs a call of our tools that was reviewed, and always returns one result.

import type { ToolView } from "../../../core/eventData/toolView.ts";
import type { EventBody, FileChange, ToolCall } from "../../../core/events.ts";
import { toDisplayChange } from "../../../core/paths.ts";
import type { CallFacts, Verdict } from "../../../core/ports/gate.ts";
import type { ToolResultBody } from "../../../core/ports/runtime.ts";
import { StoppedCall, type Tool, ToolError } from "../../../core/ports/tool.ts";
import { FileConflict, type FileEdit } from "../../../core/ports/workspace/files.ts";
import { modelReasonOf } from "../../../shared/reasonOf.ts";
import { truncateMiddle } from "../../../shared/utf8.ts";
import { markDeviations } from "../../plans/plans.ts";
import { storeToolImages } from "../../transcript/images.ts";
import { createRedactor } from "../../transcript/redactedValues.ts";
import type { TurnContext } from "../../turnContext.ts";
import { cancelled, type EndedCall, hasEnded, OUTPUT_LIMIT, problem, redactResult } from "./results.ts";
import { type ReviewedUse, reviewCall } from "./review.ts";
import { type CommandRestrictions, createToolContext } from "./toolContext.ts";

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
		const reason = modelReasonOf(error, (line) => services.log(`tool ${call.name} failed: ${line}`));
		const hide = await createRedactor(services);
		return toOutcome(problem(hide(reason)));
	}
}

/** Judges a call and asks about it, once; nothing has run when it resolves. */
export async function permitToolCall(turn: TurnContext, call: ToolCall): Promise<PermittedCall | EndedCall> {
	const reviewed = await reviewCall(turn, { call, uses: [{ as: call.name, input: call.input }] });
	if (hasEnded(reviewed)) return reviewed;
	const [use] = reviewed;
	if (!use) throw new Error(`The call of ${call.name} was allowed without being judged`);
	const { tool, facts } = use;
	const runOrWrite = async () => {
		if (!use.edits) return run(turn, call, use);
		turn.disk.forget();
		return toOutcome(await write(turn, use, use.edits));
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

async function write(turn: TurnContext, { tool, input, facts }: ReviewedUse, edits: FileEdit[]): Promise<ToolResultBody> {
	const real = new Map(facts.paths.map((path) => [path.literal, path.real]));
	try {
		const changes = await turn.workspace.apply(edits, real);
		for (const change of changes) turn.files.written(change);
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

async function run(turn: TurnContext, call: ToolCall, { tool, input, facts, verdict }: ReviewedUse): Promise<CallOutcome> {
	if (!tool.run) throw new Error(`The tool ${tool.name} has nothing to run`);
	const noticeTimer = setTimeout(() => turn.progress(call.id, ""), NOTICE_DELAY);
	try {
		const files = turn.files.during(turn.workspace);
		const outcome = await tool.run(input, createToolContext(turn, tool, call.id, facts, restrictionsOf(verdict), files.seen));
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
