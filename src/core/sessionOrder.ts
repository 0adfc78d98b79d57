// The order of a list of sessions: pinned ones first, then the ones changed last.
import type { SessionSummary } from "./events.ts";

export function compareSessions(left: SessionSummary, right: SessionSummary): number {
	return (right.pinnedAt ?? "").localeCompare(left.pinnedAt ?? "") || right.updatedAt.localeCompare(left.updatedAt);
}
