// How many approvals and questions wait in each session. Questions outlive a reload; approvals end with the host that asked.
import type { TranscriptEvent } from "../core/events.ts";
import { pendingRequests, type Transcript } from "../core/transcript.ts";
import type { Memory } from "./waiting.ts";

/** Events after which more or less may wait. A session that is cleared begins anew with its role. */
export const CHANGES_WAITING: ReadonlySet<TranscriptEvent["type"]> = new Set([
	"asked",
	"question",
	"answered",
	"expired",
	"user",
	"ended",
	"rewound",
	"role",
] as const);

const KEY = "troupe.questions";

export interface WaitingCounts {
	/** True when that was news. */
	look(sessionId: string, state: Transcript): boolean;
	/** Forgets sessions that are gone; true when there were any. */
	keep(sessionIds: readonly string[]): boolean;
	of(sessionId: string | undefined): number;
	total(): number;
}

export function waitingCounts(memory: Memory): WaitingCounts {
	const counts = new Map<string, number>(Object.entries(kept(memory.get(KEY))));
	const questions = new Map(counts);
	const save = (): void => void memory.update(KEY, Object.fromEntries(questions));
	return {
		look(sessionId, state) {
			const pending = pendingRequests(state);
			const asked = pending.filter(({ kind }) => kind === "question").length;
			if (put(questions, sessionId, asked)) save();
			return put(counts, sessionId, pending.length);
		},
		keep(sessionIds) {
			const gone = [...counts.keys()].filter((id) => !sessionIds.includes(id));
			for (const id of gone) counts.delete(id);
			if (gone.some((id) => questions.delete(id))) save();
			return gone.length > 0;
		},
		of: (sessionId) => counts.get(sessionId ?? "") ?? 0,
		total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
	};
}

/** True when that was news; nothing is kept for 0. */
function put(counts: Map<string, number>, sessionId: string, count: number): boolean {
	if ((counts.get(sessionId) ?? 0) === count) return false;
	if (count > 0) counts.set(sessionId, count);
	else counts.delete(sessionId);
	return true;
}

function kept(value: unknown): Record<string, number> {
	if (typeof value !== "object" || value === null) return {};
	return Object.fromEntries(Object.entries(value).filter(([, count]) => Number.isInteger(count) && count > 0));
}
