// A plan's identity and version, the files it is based on, drift, and unplanned changes.

import { randomUUID } from "node:crypto";
import { sep } from "node:path";
import type { EventBody, FileChange, Plan, PlanRef, QuestionSubject } from "../../core/events.ts";
import { hasHidden } from "../../core/hiddenText.ts";
import { toAbsolutePath } from "../../core/paths.ts";
import type { Gate } from "../../core/ports/gate.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { withPlanVersion, withQuestionVersion } from "../../core/structured.ts";
import { MAX_STEP_FILES_SHOWN } from "../../core/transcript/fold.ts";
import { currentPlan, type PlanState, type Transcript } from "../../core/transcript/state.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";
import { type FileVersions, hashFiles } from "../state/fileVersions.ts";
import { SessionBlockedError } from "../state/sessionBlocked.ts";

/** The event for a new plan: a new version if the last one was not executed, otherwise a new plan. */
export async function createPlanEvent(
	state: Transcript,
	given: Plan,
	files: FileVersions,
	workspace: Workspace,
): Promise<Extract<EventBody, { type: "plan" }>> {
	const plan = withPlanVersion(given);
	const last = currentPlan(state);
	const revises = last && (last.state === "proposed" || last.state === "superseded") ? last.event : undefined;
	const [basis, commit] = await Promise.all([files.takeBasis(workspace), workspace.commit()]);
	const unchanged = revises ? revises.basis.files.filter((file) => !basis.some((newer) => newer.path === file.path)) : [];
	return {
		type: "plan",
		plan,
		planId: revises?.planId ?? randomUUID(),
		version: revises ? newestVersion(state, revises.planId) + 1 : 1,
		hash: contentHash(plan),
		basis: {
			...(commit !== undefined && { commit }),
			// Files that were not read again keep the state recorded with the revised version.
			files: [...unchanged, ...basis],
		},
	};
}

/** Includes versions that were rewound, so that a version number is never reused. */
function newestVersion({ events }: Transcript, planId: string): number {
	return Math.max(...events.map((event) => (event.type === "plan" && event.planId === planId ? event.version : 0)));
}

export function toPlanRef({ event }: PlanState): PlanRef {
	return { planId: event.planId, version: event.version, hash: event.hash };
}

/** The plan to execute. Throws SessionBlockedError unless the given fields of `ref` match the newest version. */
export function requireExecutablePlan(state: Transcript, ref: Partial<PlanRef>): PlanState {
	const plan = currentPlan(state);
	if (!plan) throw new SessionBlockedError("no-plan", t("There's no plan to execute yet. Ask Planner to create one."));
	const { event } = plan;
	const other =
		(ref.planId !== undefined && ref.planId !== event.planId) ||
		(ref.version !== undefined && ref.version !== event.version) ||
		(ref.hash !== undefined && ref.hash !== event.hash);
	if (other) throw new SessionBlockedError("outdated-plan", t("This isn't the latest version of the plan. Execute the latest version."));
	return plan;
}

/** Files of the plan's basis that have changed since, as display paths. */
export async function findDriftedFiles(workspace: Workspace, plan: PlanState): Promise<string[]> {
	const then = plan.event.basis.files;
	const now = await hashFiles(
		workspace,
		then.map((file) => file.path),
	);
	return then.filter((file, index) => file.hash !== now[index]?.hash).map((file) => file.path);
}

/** Asked before executing a plan whose files have changed. If another agent's call led to the plan, "Plan Again" belongs to it as well. */
export function createDriftQuestion(plan: PlanState, changed: readonly string[]): Extract<EventBody, { type: "question" }> {
	const shown = changed.slice(0, 8).join(", ");
	const context = changed.length > 8 ? t("Changed: {0} and {1} more.", shown, changed.length - 8) : t("Changed: {0}.", shown);
	const { caller } = plan.event;
	return {
		type: "question",
		request: randomUUID(),
		...(caller && { caller }),
		about: { kind: "drift", planId: plan.event.planId, version: plan.event.version },
		question: withQuestionVersion({
			question: t("Files have changed since this plan was created. Execute the plan anyway?"),
			context,
			severity: "major",
			options: [
				{ label: t("Plan Again"), value: "plan_again", description: t("Planner reads the files again and revises the plan") },
				{ label: t("Execute Anyway"), value: "execute", description: t("The plan may not match the current files") },
			],
			default: "plan_again",
			allow_custom: false,
		}),
	};
}

/** The plan that a drift question is about; undefined for other questions. */
export function findDriftedPlan(state: Transcript, about: QuestionSubject | undefined): PlanState | undefined {
	if (about?.kind !== "drift") return undefined;
	return state.plans.find(({ event }) => event.planId === about.planId && event.version === about.version);
}

/** Absolute, slash-separated paths that the running step lists without patterns; the user has read them. */
export function listStepPaths(state: Transcript, workspace: Workspace): string[] {
	const shown = (runningStep(state)?.files ?? []).slice(0, MAX_STEP_FILES_SHOWN);
	const named = shown.filter((entry) => entry.length <= LONGEST_NAMED && !PATTERN.test(entry) && !hasHidden(entry));
	return named.map((entry) => toAbsolutePath(workspace, entry)).map((path) => (sep === "/" ? path : path.replaceAll(sep, "/")));
}

const LONGEST_NAMED = 300;
/** Patterns that match other names, and whitespace that is easily overlooked. */
const PATTERN = /[*?[\]{}\\]|^!|[!@+]\(|[^\S ]| {2}/;

function runningStep({ run }: Transcript): Plan["steps"][number] | undefined {
	return run?.event.plan.steps.find((candidate) => candidate.step_number === run.step);
}

/** Marks changes that the plan's current step does not list. */
export function markDeviations(state: Transcript, changes: readonly FileChange[], gate: Pick<Gate, "stepNames">): FileChange[] {
	if (!state.run) return [...changes];
	const step = runningStep(state);
	return changes.map((change) => {
		const deviation = deviationOf(step, change, gate);
		return deviation ? { ...change, deviation } : change;
	});
}

function deviationOf(step: Plan["steps"][number] | undefined, change: FileChange, gate: Pick<Gate, "stepNames">): string | undefined {
	if (!step) return t("no step was running");
	const { files } = step;
	if (!files || files.length === 0) return undefined;
	const paths = change.from === undefined ? [change.path] : [change.path, change.from];
	const listed = paths.every((path) => gate.stepNames(files, path));
	return listed ? undefined : t("step {0} doesn't list this file", step.step_number);
}
