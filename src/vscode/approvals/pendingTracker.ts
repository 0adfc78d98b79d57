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
	/** A plan was shown and nothing was said to it yet. */
	plan: boolean;
	/** What was last known of when the session changed; absent of one that is listed only. */
	openedAt?: string;
}

export interface PendingTracker {
	/** A session that is open in this window. True when that was news. */
	updateSession(sessionId: string, state: Transcript): boolean;
	/** All sessions, as the index or the disk has them; others are forgotten. True when that was news. */
	updateSessions(sessions: readonly SessionSummary[]): boolean;
	/** Approvals and questions that wait in a session. */
	requestCount(sessionId: string | undefined): number;
	/** The same, or a plan. */
	isPending(sessionId: string): boolean;
	/** Approvals and questions of all sessions. */
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
			let news = false;
			for (const id of [...known.keys()]) if (!ids.has(id)) news = known.delete(id) || news;
			for (const { sessionId, waits = [], updatedAt } of sessions) {
				// An approval of this window is in no list; what another window did since is.
				const openedAt = known.get(sessionId)?.openedAt;
				if (openedAt !== undefined && openedAt >= updatedAt) continue;
				const requests = waits.filter((kind) => kind === "question").length;
				news = put(sessionId, { requests, plan: waits.includes("plan") }) || news;
			}
			return news;
		},
		requestCount: (sessionId) => known.get(sessionId ?? "")?.requests ?? 0,
		isPending: (sessionId) => {
			const waits = known.get(sessionId);
			return waits !== undefined && (waits.requests > 0 || waits.plan);
		},
		totalRequestCount: () => [...known.values()].reduce((sum, { requests }) => sum + requests, 0),
	};
}
