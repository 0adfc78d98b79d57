// Turns requested changes into a plan, a question or plain text, based on real searches.

import type { Plan, Question } from "../../core/events.ts";
import { type OfflineTask, requestCalls } from "./generator.ts";
import type { ChangeIntent } from "./intents.ts";
import type { PlanDraft, ProposalResult } from "./planDraft.ts";
import { createStep, type StepDraft } from "./planSteps.ts";
import { proposeEdit } from "./proposeEdit.ts";
import { proposeCreate, proposeDelete, proposeMove } from "./proposeFiles.ts";
import { LIST_ROOT_CALL, type OfferedTools, type ProjectScripts, readProjectScripts } from "./search.ts";
import { inlineCode } from "./textParsing.ts";

export type Proposal = { plan: Plan; note: string } | { question: Question } | { text: string };

export function* createProposal(changes: readonly ChangeIntent[], tools: OfferedTools): OfflineTask<Proposal> {
	const drafts: PlanDraft[] = [];
	for (const change of changes) {
		if (change.do === "run") continue;
		const proposed = yield* proposeOne(change, tools);
		if (!("draft" in proposed)) return proposed;
		drafts.push(proposed.draft);
	}
	const wanted = changes.filter((change) => change.do === "run");
	const needsProject = wanted.length > 0 || drafts.some((draft) => draft.shouldRunTests);
	const [listing] = needsProject ? yield* requestCalls("", [LIST_ROOT_CALL]) : [];
	const project = yield* readProjectScripts(listing);
	const runs = wanted.map((change) => runOf(change.what, project));
	const problem = runs.find((run) => "text" in run);
	if (problem && "text" in problem && drafts.length === 0) return { text: problem.text };
	const steps = drafts.flatMap((draft) => draft.steps);
	for (const run of runs) if ("step" in run) steps.push(run.step);
	const runsTests = wanted.some(({ what }) => "tests" in what);
	if (!runsTests && project.testCommand && drafts.some((draft) => draft.shouldRunTests)) steps.push(testStep(project.testCommand));
	if (steps.length === 0) return { text: drafts.map((draft) => draft.note).join(" ") || "There is nothing to do." };
	return {
		plan: planOf(
			steps,
			drafts,
			runs.flatMap((run) => ("goal" in run ? [run.goal] : [])),
		),
		note: [...drafts.map((draft) => draft.note), ...(problem && "text" in problem ? [problem.text] : [])].join(" "),
	};
}

function proposeOne(change: Exclude<ChangeIntent, { do: "run" }>, tools: OfferedTools): OfflineTask<ProposalResult> {
	switch (change.do) {
		case "rename":
		case "replace":
			return proposeEdit(change, tools);
		case "move":
			return proposeMove(change, tools);
		case "create":
			return proposeCreate(change);
		case "delete":
			return proposeDelete(change, tools);
	}
}

function planOf(steps: readonly StepDraft[], drafts: readonly PlanDraft[], runGoals: readonly string[]): Plan {
	const goals = [...drafts.map((draft) => draft.goal), ...(drafts.length === 0 || runGoals.length > 0 ? runGoals : [])];
	const total = steps.reduce((sum, step) => sum + Number(/\d+/.exec(step.estimated_time ?? "")?.[0] ?? 0), 0);
	const [first = "", ...others] = goals;
	return {
		goal: [first, ...others.map((goal) => goal[0]?.toLowerCase() + goal.slice(1))].join(", then "),
		steps: steps.map((step, index) => ({ step_number: index + 1, ...step })),
		estimated_total_time: total >= 60 ? `~${Math.ceil(total / 60)} minutes` : `~${total} seconds`,
		risks: [...new Set(drafts.flatMap((draft) => draft.risks))],
		prerequisites: [...new Set(drafts.flatMap((draft) => draft.prerequisites))],
	};
}

function testStep(command: string): StepDraft {
	return createStep({ kind: "run", command, tests: true }, "Shows whether everything still works");
}

function runOf(
	what: Extract<ChangeIntent, { do: "run" }>["what"],
	project: ProjectScripts,
): { step: StepDraft; goal: string } | { text: string } {
	if ("tests" in what) {
		if (!project.testCommand)
			return { text: "I found no test script in the root of the workspace. Tell me the command, for example: run `npm test`." };
		return { step: testStep(project.testCommand), goal: `Run the tests with ${inlineCode(project.testCommand)}` };
	}
	const command = "command" in what ? what.command : scriptOf(what.script, project);
	if (!command)
		return {
			text: `There is no script ${inlineCode("script" in what ? what.script : "")} in package.json. Tell me the command, for example: run \`npm test\`.`,
		};
	return { step: createStep({ kind: "run", command, tests: false }, "Asked for"), goal: `Run ${inlineCode(command)}` };
}

const ALIASES: Record<string, string[]> = {
	linter: ["lint"],
	formatter: ["format"],
	typecheck: ["typecheck", "types", "check"],
	"type-check": ["typecheck", "types", "check"],
};

function scriptOf(name: string, project: ProjectScripts): string | undefined {
	const names = [name, ...(ALIASES[name.toLowerCase()] ?? [])];
	return names.map((candidate) => project.scriptCommand(candidate)).find((command) => command !== undefined);
}
