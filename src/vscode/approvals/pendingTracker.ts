// Tracks pending requests and plans of each session and background task, from their list and open sessions.

import type { EventType, SessionSummary } from "../../core/events.ts";
import { currentPlan, pendingRequests, type Transcript } from "../../core/transcript/state.ts";

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
	reply: false,
	result: false,
	step: false,
	agent: false,
	queued: false,
	unqueued: false,
	delegated: false,
	task: true,
	status: false,
	compacted: false,
};

interface Waits {
	/** Approvals and questions. */
	requests: number;
	/** A plan is shown and unanswered. */
	plan: boolean;
	/** A background task needs information. Known from the list alone. */
	asks: boolean;
	/** `updatedAt` at the last update of an open session; absent if the session is only listed. */
	openedAt?: string;
}

export interface PendingTracker {
	/** Updates a session open in this window. Returns true if it changed. */
	updateSession(sessionId: string, state: Transcript): boolean;
	/** Replaces all sessions and tasks by the index or the disk. Returns true if anything changed. */
	updateSessions(sessions: readonly SessionSummary[]): boolean;
	/** Pending approvals and questions of a session. */
	requestCount(sessionId: string | undefined): number;
	/** Returns true if an approval, question or plan is pending. */
	isPending(sessionId: string): boolean;
	/** Pending approvals and questions of all sessions. */
	totalRequestCount(): number;
}

export function createPendingTracker(): PendingTracker {
	const known = new Map<string, Waits>();
	const put = (sessionId: string, next: Waits): boolean => {
		const before = known.get(sessionId);
		known.set(sessionId, next);
		return before?.requests !== next.requests || before.plan !== next.plan || before.asks !== next.asks;
	};
	const count = ({ requests, asks }: Waits): number => Math.max(requests, asks ? 1 : 0);
	return {
		updateSession(sessionId, state) {
			const plan = state.outcome === "waiting" && currentPlan(state)?.state === "proposed";
			const asks = known.get(sessionId)?.asks ?? false;
			return put(sessionId, { requests: pendingRequests(state).length, plan, asks, openedAt: state.updatedAt ?? "" });
		},
		updateSessions(sessions) {
			const ids = new Set(sessions.map(({ sessionId }) => sessionId));
			let changed = false;
			for (const id of [...known.keys()]) if (!ids.has(id)) changed = known.delete(id) || changed;
			for (const { sessionId, waits = [], updatedAt, task } of sessions) {
				const asks = task?.state === "waiting";
				// The list lacks approvals of this window but has what other windows changed since.
				const opened = known.get(sessionId);
				const isCurrent = opened?.openedAt !== undefined && opened.openedAt >= updatedAt;
				const requests = waits.filter((kind) => kind === "question").length;
				const next = isCurrent ? { ...opened, asks } : { requests, plan: waits.includes("plan"), asks };
				changed = put(sessionId, next) || changed;
			}
			return changed;
		},
		requestCount(sessionId) {
			const waits = known.get(sessionId ?? "");
			return waits ? count(waits) : 0;
		},
		isPending(sessionId) {
			const waits = known.get(sessionId);
			return waits !== undefined && (count(waits) > 0 || waits.plan);
		},
		totalRequestCount: () => [...known.values()].reduce((sum, waits) => sum + count(waits), 0),
	};
}
