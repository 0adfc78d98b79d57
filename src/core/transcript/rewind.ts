// Folds rewinds: a hidden branch stays in the transcript but no longer counts.

import type { EventOf } from "../events.ts";
import { endPlanRun } from "./plans.ts";
import type { Transcript } from "./state.ts";

/** Hides what the event, the last one, names; false where there is nothing to hide. */
export function hideRewoundEvents(state: Transcript, { id, to, toSeq = Number.POSITIVE_INFINITY }: EventOf<"rewound">): boolean {
	const left = state.before?.returns.get(id);
	if (state.before && left) {
		for (const candidate of state.events.slice(0, -1)) state.hidden.add(candidate.id);
		state.before = { ...state.before, visible: left };
		return true;
	}
	const from = state.events.findIndex((candidate) => candidate.id === to || candidate.seq >= toSeq);
	if (from < 0) return false;
	for (const candidate of state.events.slice(from, -1)) state.hidden.add(candidate.id);
	return from < state.events.length - 1;
}

/**
 * What was asked, planned and answered is as it was `earlier`, the fold of what is left. What the hidden branch used, changed
 * and called stays, and so do the person's choices of role and agent: going back gives nobody more than they have now.
 */
export function restoreEarlierState(state: Transcript, earlier: Transcript): void {
	// A plan that was stopped or done does not start to run again by itself.
	if (earlier.run?.event.id !== state.run?.event.id) endPlanRun(earlier, "stopped");
	delete state.turn;
	delete state.run;
	delete state.outcome;
	delete state.title;
	delete state.snippet;
	const { requests, plans, messages, title, snippet, run, outcome } = earlier;
	Object.assign(state, { requests, plans, messages });
	Object.assign(state, title !== undefined && { title }, snippet !== undefined && { snippet }, run && { run }, outcome && { outcome });
}
