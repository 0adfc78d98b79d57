// Unloads events from a transcript, which then continues as if it still had them.

import { foldVisibleEvents } from "./fold.ts";
import type { EarlierTranscript, Transcript } from "./state.ts";

/** Number of newest plans to keep. */
const MAX_PLANS = 20;

export function isEarlierEventHidden({ hidden }: EarlierTranscript, seq: number): boolean {
	return hidden.some(([first, last]) => first <= seq && seq <= last);
}

/** Index of the first loaded event with all details; the number of events if none has them. */
export function firstCompleteIndex({ events, lean = 0 }: Transcript): number {
	const first = lean === 0 ? 0 : events.findIndex(({ seq }) => seq > lean);
	return first < 0 ? events.length : first;
}

/** Removes the events from a transcript in place, together with state about them only. */
export function unloadEvents(state: Transcript): void {
	const visible = foldVisibleEvents(state);
	trimState(visible);
	// A rewind takes only requests, plans, and texts from this state.
	visible.changed = new Map();
	visible.changedIn = new Map();
	const hasRole = state.before?.hasRole || state.events.some(({ type }) => type === "role");
	trimState(state);
	state.before = { seq: state.seq, visible, hidden: [], hasRole, returns: new Map(), numbers: new Map() };
}

/** Replaces a transcript's content in place, for callers that hold a reference to it. */
export function replaceTranscript(state: Transcript, other: Transcript): void {
	for (const key of Object.keys(state)) delete (state as unknown as Record<string, unknown>)[key];
	Object.assign(state, other);
}

function trimState(state: Transcript): void {
	const { run, turn } = state;
	state.events = [];
	state.hidden = new Set();
	state.calls = new Map([...state.calls].filter(([, entry]) => !entry.result));
	state.requests = new Map([...state.requests].filter(([, request]) => request.state === "pending"));
	const newest = state.plans.slice(-MAX_PLANS);
	state.plans = run && !newest.includes(run) ? [run, ...newest] : newest;
	const changed = turn && state.changedIn.get(turn.id);
	state.fates = new Map();
	state.changedIn = new Map(turn && changed ? [[turn.id, changed]] : []);
}
