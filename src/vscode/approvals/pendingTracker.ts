// Tracks pending requests and plans of each session, from the session list and open sessions.

import type { EventType, SessionSummary } from "../../core/events.ts";
import { currentPlan, pendingRequests } from "../../core/transcript/fold.ts";
import type { Transcript } from "../../core/transcript/state.ts";

/** Events after which more or less may wait, run or be planned. A cleared session begins with its role. */
export const PENDING_EVENTS: Readonly<Record<EventType, boolean>> = {
	asked: true,
	question: true,
	plan: true,
	answered: true,
	expired: true,
	user: true,
	started: true,
	ended: true,
	rewound: true,
	role: true,
	assistant: false,
	result: false,
	step: false,
	agent: false,
	delegated: false,
	status: false,
	compacted: false,
};

interface Waits {
	/** Approvals and questions. */
	requests: number;
	/** A plan is shown and unanswered. */
	plan: boolean;
	/** `updatedAt` at the last update of an open session; absent if the session is only listed. */
	openedAt?: string;
}

export interface PendingTracker {
	/** Updates a session open in this window. Returns true if it changed. */
	updateSession(sessionId: string, state: Transcript): boolean;
	/** Replaces all sessions by the index or the disk. Returns true if anything changed. */
	updateSessions(sessions: readonly SessionSummary[]): boolean;
	/** Pending approvals and questions of a session. */
	requestCount(sessionId: string | undefined): number;
	/** True with a pending approval, question or plan. */
	isPending(sessionId: string): boolean;
	/** Pending approvals and questions of all sessions. */
	totalRequestCount(): number;
}

export function createPendingTracker(): PendingTracker {
	const known = new Map<string, Waits>();
	const put = (sessionId: string, next: Waits): boolean => {
		const before = known.get(sessionId);
		known.set(sessionId, next);
		return before?.requests !== next.requests || before.plan !== next.plan;
	};
	return {
		updateSession(sessionId, state) {
			const plan = state.outcome === "waiting" && currentPlan(state)?.state === "proposed";
			return put(sessionId, { requests: pendingRequests(state).length, plan, openedAt: state.updatedAt ?? "" });
		},
		updateSessions(sessions) {
			const ids = new Set(sessions.map(({ sessionId }) => sessionId));
			let changed = false;
			for (const id of [...known.keys()]) if (!ids.has(id)) changed = known.delete(id) || changed;
			for (const { sessionId, waits = [], updatedAt } of sessions) {
				// The list lacks approvals of this window but has what other windows changed since.
				const openedAt = known.get(sessionId)?.openedAt;
				if (openedAt !== undefined && openedAt >= updatedAt) continue;
				const requests = waits.filter((kind) => kind === "question").length;
				changed = put(sessionId, { requests, plan: waits.includes("plan") }) || changed;
			}
			return changed;
		},
		requestCount: (sessionId) => known.get(sessionId ?? "")?.requests ?? 0,
		isPending: (sessionId) => {
			const waits = known.get(sessionId);
			return waits !== undefined && (waits.requests > 0 || waits.plan);
		},
		totalRequestCount: () => [...known.values()].reduce((sum, { requests }) => sum + requests, 0),
	};
}
