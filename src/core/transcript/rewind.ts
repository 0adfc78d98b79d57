// Folds rewinds: a hidden branch stays in the transcript but is ignored.

import type { EventOf } from "../events.ts";
import { endPlanRun } from "./plans.ts";
import type { Transcript } from "./state.ts";

/** Hides the events that the last event, a `rewound`, names; returns false if there is nothing to hide. */
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
 * Restores requests, plans, and answers from `earlier`, the fold of the remaining events. The hidden branch's usage, changes, and
 * calls stay, as do the user's choices of role and agent, so a rewind never adds permissions.
 */
export function restoreEarlierState(state: Transcript, earlier: Transcript): void {
	// A plan that was stopped or finished does not restart by itself.
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
