// Lets go of events: a transcript that goes on from here as if it still had them.

import { foldVisibleEvents } from "./fold.ts";
import type { EarlierTranscript, Transcript } from "./state.ts";

/** Plans that stay, the newest. */
const PLANS = 20;

export function isEarlierEventHidden({ hidden }: EarlierTranscript, seq: number): boolean {
	return hidden.some(([first, last]) => first <= seq && seq <= last);
}

/** The first event at hand that has everything; the number of events where none has. */
export function firstCompleteIndex({ events, lean = 0 }: Transcript): number {
	const first = lean === 0 ? 0 : events.findIndex(({ seq }) => seq > lean);
	return first < 0 ? events.length : first;
}

/** Takes the events out of a transcript, in place, with what is about them alone. */
export function unloadEvents(state: Transcript): void {
	const visible = foldVisibleEvents(state);
	narrow(visible);
	// Going back takes requests, plans and texts from it, and nothing else.
	visible.changed = new Map();
	visible.changedIn = new Map();
	const hasRole = state.before?.hasRole || state.events.some(({ type }) => type === "role");
	narrow(state);
	state.before = { seq: state.seq, visible, hidden: [], hasRole, returns: new Map(), numbers: new Map() };
}

/** Makes a transcript that others hold the same as another, in place. */
export function replaceTranscript(state: Transcript, other: Transcript): void {
	for (const key of Object.keys(state)) delete (state as unknown as Record<string, unknown>)[key];
	Object.assign(state, other);
}

function narrow(state: Transcript): void {
	const { run, turn } = state;
	state.events = [];
	state.hidden = new Set();
	state.calls = new Map([...state.calls].filter(([, entry]) => !entry.result));
	state.requests = new Map([...state.requests].filter(([, request]) => request.state === "pending"));
	const newest = state.plans.slice(-PLANS);
	state.plans = run && !newest.includes(run) ? [run, ...newest] : newest;
	const changed = turn && state.changedIn.get(turn.id);
	state.fates = new Map();
	state.changedIn = new Map(turn && changed ? [[turn.id, changed]] : []);
}
