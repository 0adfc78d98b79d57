// Executes a plan's steps in order, exactly as approved, and reports each step, including failures.
import type { Plan, PlanStep, StepStatus } from "../../core/events.ts";
import { countReplacements, createFileEdits } from "./edits.ts";
import { type OfflineCall, type OfflineCallResult, type OfflineTask, requestCalls } from "./generator.ts";
import type { OfflineIntent } from "./intents.ts";
import { parseStepAction, type StepAction } from "./planSteps.ts";
import { createSearchCall, type OfferedTools, parseSearchHits, readWholeFiles } from "./search.ts";
import { createCommandReport, type ExecutionReport, formatReport } from "./summarize.ts";
import { inlineCode } from "./textParsing.ts";

export interface PlanExecution {
	plan: Plan;
	/** Numbers of completed steps. */
	closedSteps: ReadonlySet<number>;
	/** True if steps are reported with update_step. */
	reportsSteps: boolean;
	/** Contains the content of files to create. */
	intents: readonly OfflineIntent[];
}

interface Run {
	order: PlanExecution;
	tools: OfferedTools;
	report: ExecutionReport;
	/** Step reports to send with the next message. */
	waiting: OfflineCall[];
}

export function* executePlan(order: PlanExecution, tools: OfferedTools): OfflineTask<string> {
	const run: Run = { order, tools, report: { edits: [], files: [], runs: [], problems: [], stopped: false }, waiting: [] };
	for (const step of order.plan.steps) {
		if (order.closedSteps.has(step.step_number)) continue;
		if (run.report.stopped) mark(run, step, "skipped");
		else yield* carryOutStep(run, step);
	}
	yield* requestCalls("", run.waiting.splice(0));
	yield* lookWhatIsLeft(run);
	return formatReport(run.report);
}

function mark({ order, tools, waiting }: Run, step: PlanStep, status: StepStatus): void {
	if (order.reportsSteps && tools.has("update_step"))
		waiting.push({ name: "update_step", input: { step_number: step.step_number, status } });
}

function* carryOutStep(run: Run, step: PlanStep): OfflineTask<void> {
	const deed = parseStepAction(step);
	const missing = deed && toolsFor[deed.kind].every((name) => !run.tools.has(name));
	if (!deed || missing) {
		mark(run, step, "skipped");
		run.report.problems.push(
			`Step ${step.step_number} (${step.action}) was skipped: ${deed ? "its tool is not offered here" : "the offline model does not know how to do it"}.`,
		);
		return;
	}
	mark(run, step, "running");
	const outcome = yield* carryOutDeed(run, deed, step);
	mark(run, step, outcome);
}

const toolsFor: Record<StepAction["kind"], string[]> = {
	edit: ["update_file", "apply_patch"],
	move: ["rename_file"],
	create: ["create_file"],
	delete: ["delete_file"],
	run: ["execute_command"],
};

function* carryOutDeed(run: Run, deed: StepAction, step: PlanStep): OfflineTask<StepStatus> {
	if (deed.kind === "edit") return yield* edit(run, deed);
	const say = `${step.action}.`;
	if (deed.kind === "run") {
		const first = yield* single(run, say, { name: "execute_command", input: { command: deed.command } });
		const result = first.output.includes("outsideSandbox: true")
			? yield* single(run, "The sandbox may be why it failed, so I ask to run it outside.", {
					name: "execute_command",
					input: { command: deed.command, outsideSandbox: true },
				})
			: first;
		const report = createCommandReport(deed.command, deed.tests, result);
		run.report.runs.push(report);
		if (result.status === "denied") return "skipped";
		return report.passed ? "done" : "failed";
	}
	const result = yield* single(run, say, fileCall(deed, run.order.intents));
	if (result.status !== "ok") return fail(run, step.action, result);
	run.report.files.push(
		deed.kind === "move" ? `renamed the file ${inlineCode(deed.from)} to ${inlineCode(deed.to)}` : `${deed.kind}d ${inlineCode(deed.path)}`,
	);
	return "done";
}

function fileCall(deed: Exclude<StepAction, { kind: "edit" | "run" }>, intents: readonly OfflineIntent[]): OfflineCall {
	if (deed.kind === "move") return { name: "rename_file", input: { from: deed.from, to: deed.to } };
	if (deed.kind === "delete") return { name: "delete_file", input: { path: deed.path } };
	const wish = intents.findLast((intent) => intent.do === "create" && intent.path === deed.path);
	return { name: "create_file", input: { path: deed.path, content: wish?.do === "create" ? wish.content : "" } };
}

/** Makes one call, after pending step reports. */
function* single(run: Run, say: string, call: OfflineCall): OfflineTask<OfflineCallResult> {
	const results = yield* requestCalls(say, [...run.waiting.splice(0), call]);
	return results.at(-1) as OfflineCallResult;
}

function fail(run: Run, action: string, { status, output }: OfflineCallResult): StepStatus {
	if (status === "denied") {
		run.report.stopped = true;
		run.report.problems.push(`“${action}” was not allowed: ${oneLine(output)}`);
		return "skipped";
	}
	run.report.problems.push(`“${action}” failed: ${oneLine(output)}`);
	return "failed";
}

/** Number of files read and edited per batch. */
const GROUP = 20;

function* edit(run: Run, { replacement, files }: Extract<StepAction, { kind: "edit" }>): OfflineTask<StepStatus> {
	const entry = run.report.edits.find((edits) => edits.replacement.from === replacement.from && edits.replacement.to === replacement.to);
	const edits = entry ?? { replacement, places: 0, files: new Set<string>(), left: [] };
	if (!entry) run.report.edits.push(edits);
	const verb = replacement.wholeName ? "Renaming" : "Replacing";
	let status: StepStatus = "done";
	for (let at = 0; at < files.length && !run.report.stopped; at += GROUP) {
		const texts = yield* readWholeFiles(
			files.slice(at, at + GROUP),
			`${verb} ${inlineCode(replacement.from)} in ${files.length === 1 ? inlineCode(files[0] ?? "") : `${files.length} files`}.`,
			run.waiting.splice(0),
		);
		const planned = [...texts].map(([path, lines]) => ({
			path,
			lines,
			edits: Array.isArray(lines) ? createFileEdits(path, lines, replacement, run.tools.has("apply_patch")) : undefined,
		}));
		for (const { path, lines } of planned) {
			if (Array.isArray(lines)) continue;
			run.report.problems.push(`${inlineCode(path)} could not be read: ${oneLine(lines.problem)}`);
			status = "failed";
		}
		const calls = planned.flatMap(({ path, edits: file }) => (file?.calls ?? []).map((call) => ({ path, call })));
		const results = yield* requestCalls(
			"",
			calls.map(({ call }) => call),
		);
		const failed = new Set<string>();
		for (const [index, result] of results.entries()) {
			const path = calls[index]?.path ?? "";
			if (result.status === "ok") continue;
			failed.add(path);
			const outcome = fail(run, `Edit ${inlineCode(path)}`, result);
			if (status !== "failed") status = outcome;
		}
		for (const { path, edits: file } of planned) {
			if (!file || file.calls.length === 0 || failed.has(path)) continue;
			edits.files.add(path);
			edits.places += file.occurrences;
		}
	}
	return status;
}

/** Searches for remaining occurrences, which is more reliable than counting edits. */
function* lookWhatIsLeft(run: Run): OfflineTask<void> {
	const { edits } = run.report;
	if (edits.length === 0 || run.report.stopped) return;
	const results = yield* requestCalls(
		"Looking whether anything is left.",
		edits.map(({ replacement }) => createSearchCall(replacement.from, run.tools)),
	);
	for (const [index, result] of results.entries()) {
		const entry = edits[index];
		if (!entry || countReplacements(entry.replacement.to, entry.replacement) > 0) continue;
		entry.left = [
			...new Set(
				parseSearchHits(result)
					.filter((hit) => countReplacements(hit.text, entry.replacement) > 0)
					.map((hit) => hit.path),
			),
		];
	}
}

function oneLine(text: string): string {
	const line = text.trim().replace(/\s+/g, " ");
	return line.length > 300 ? `${[...line.slice(0, 299)].join("")}…` : line;
}
