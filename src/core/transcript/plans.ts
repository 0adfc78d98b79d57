// Folds events into plan state: proposed, running step by step, stopped, or closed.

import type { EventOf, StepStatus } from "../events.ts";
import type { CallState, PlanState, Transcript } from "./state.ts";

export function proposePlan(state: Transcript, event: EventOf<"plan">): void {
	for (const plan of state.plans) if (plan.state === "proposed") plan.state = "superseded";
	endPlanRun(state, "stopped");
	state.plans.push({ event, state: "proposed", steps: new Map(), deviations: [] });
}

export function updateStep(state: Transcript, event: EventOf<"step">): void {
	const run = state.run;
	if (!run) return;
	run.steps.set(event.step_number, event.status);
	if (event.status === "running") run.step = event.step_number;
	else if (run.step === event.step_number) delete run.step;
	const open = run.event.plan.steps.some((step) => isOpen(run.steps.get(step.step_number)));
	if (!open) endPlanRun(state, "closed");
}

/** Changes the role. If the event names a plan, that plan starts running. */
export function switchRole(state: Transcript, event: EventOf<"role">): void {
	const changed = state.role !== event.role;
	state.role = event.role;
	if (changed || event.plan) endPlanRun(state, "stopped");
	if (!event.plan) return;
	const { planId, version } = event.plan;
	const plan = state.plans.find((entry) => entry.event.planId === planId && entry.event.version === version);
	if (!plan) return;
	plan.state = "running";
	plan.steps.clear();
	plan.deviations = [];
	state.run = plan;
}

/** The user approved the running plan only for the agent that executes it. */
export function switchAgent(state: Transcript, { agent }: EventOf<"agent">): void {
	if (state.agent !== agent) endPlanRun(state, "stopped");
	state.agent = agent;
}

export function recordDeviations(state: Transcript, { view }: EventOf<"result">): void {
	if (!state.run || !view || !("changes" in view || "changed" in view)) return;
	const changes = "changes" in view ? view.changes : view.changed;
	for (const change of changes) {
		if (change.deviation) state.run.deviations.push({ path: change.path, reason: change.deviation });
	}
}

/** Links a call to the step that is running. The message that contains the call may start that step itself. */
export function linkCallToStep({ run }: Transcript, entry: CallState): void {
	if (run?.step !== undefined) entry.step ??= { planId: run.event.planId, step: run.step };
}

export function endPlanRun(state: Transcript, how: PlanState["state"]): void {
	if (!state.run) return;
	state.run.state = how;
	delete state.run.step;
	delete state.run;
}

function isOpen(status: StepStatus | undefined): boolean {
	return status === undefined || status === "running";
}
