// What waits for the person in each session: as the list says, and of sessions open here as they are now.

import type { SessionSummary, TranscriptEvent } from "../../core/events.ts";
import { currentPlan, pendingRequests } from "../../core/transcript/fold.ts";
import type { Transcript } from "../../core/transcript/state.ts";

/** Events after which more or less may wait. A cleared session begins with its role. */
export const CHANGES_WAITING: ReadonlySet<TranscriptEvent["type"]> = new Set([
	"asked",
	"question",
	"plan",
	"answered",
	"expired",
	"user",
	"started",
	"ended",
	"rewound",
	"role",
] as const);

interface Waits {
	/** Approvals and questions. */
	requests: number;
	/** A plan was shown and nothing was said to it yet. */
	plan: boolean;
	/** What was last known of when the session changed; absent of one that is listed only. */
	openedAt?: string;
}

export interface Attention {
	/** A session that is open in this window. True when that was news. */
	look(sessionId: string, state: Transcript): boolean;
	/** All sessions, as the index or the disk has them; others are forgotten. True when that was news. */
	listed(sessions: readonly SessionSummary[]): boolean;
	/** Approvals and questions that wait in a session. */
	of(sessionId: string | undefined): number;
	/** The same, or a plan. */
	waits(sessionId: string): boolean;
	/** Approvals and questions of all sessions. */
	total(): number;
}

export function sessionAttention(): Attention {
	const known = new Map<string, Waits>();
	const put = (sessionId: string, next: Waits): boolean => {
		const before = known.get(sessionId);
		known.set(sessionId, next);
		return before?.requests !== next.requests || before.plan !== next.plan;
	};
	return {
		look(sessionId, state) {
			const plan = state.outcome === "waiting" && currentPlan(state)?.state === "proposed";
			return put(sessionId, { requests: pendingRequests(state).length, plan, openedAt: state.updatedAt ?? "" });
		},
		listed(sessions) {
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
		of: (sessionId) => known.get(sessionId ?? "")?.requests ?? 0,
		waits: (sessionId) => {
			const waits = known.get(sessionId);
			return waits !== undefined && (waits.requests > 0 || waits.plan);
		},
		total: () => [...known.values()].reduce((sum, { requests }) => sum + requests, 0),
	};
}
