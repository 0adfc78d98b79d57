// Context keys of the shown session, for commands available only while it runs, waits or has a plan.

import type { SessionSummary } from "../../core/events.ts";
import { currentPlan, pendingRequests, type Transcript } from "../../core/transcript/state.ts";
import { readSwitchOrigin } from "../../sessions/switchAttributes.ts";

export function contextKeys(state: Transcript): Record<string, boolean> {
	const plan = currentPlan(state)?.state;
	return {
		"troupe.turnRuns": state.turn !== undefined,
		"troupe.requestWaits": pendingRequests(state).length > 0,
		"troupe.planReady": plan === "proposed" || plan === "stopped",
	};
}

export function pinContextKeys(sessions: readonly SessionSummary[], shown: string | undefined): Record<string, boolean> {
	return {
		"troupe.allPinned": sessions.every(({ pinnedAt }) => pinnedAt !== undefined),
		"troupe.nonePinned": sessions.every(({ pinnedAt }) => pinnedAt === undefined),
		"troupe.sessionPinned": sessions.some(({ sessionId, pinnedAt }) => sessionId === shown && pinnedAt !== undefined),
	};
}

/** Returns a key that is true if the user switched to the shown session from another one. */
export function switchContextKeys(sessions: readonly SessionSummary[], shown: string | undefined): Record<string, boolean> {
	return { "troupe.switchedHere": readSwitchOrigin(sessions.find(({ sessionId }) => sessionId === shown)) !== undefined };
}
