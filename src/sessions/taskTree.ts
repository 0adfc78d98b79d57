// Groups background tasks by the session or the task that started them.

import type { SessionSummary } from "../core/events.ts";

/** Groups tasks by the id of the session or task that started them; the order stays. */
export function groupTasks(tasks: readonly SessionSummary[]): ReadonlyMap<string, readonly SessionSummary[]> {
	const groups = new Map<string, SessionSummary[]>();
	for (const summary of tasks) {
		const { session } = summary.task?.caller ?? { session: "" };
		const group = groups.get(session);
		if (group) group.push(summary);
		else groups.set(session, [summary]);
	}
	return groups;
}

/** The tasks of a session or task, and those that they started; each after the one that started it. */
export function tasksBelow(groups: ReadonlyMap<string, readonly SessionSummary[]>, sessionId: string): SessionSummary[] {
	const seen = new Set([sessionId]);
	const found: SessionSummary[] = [];
	for (const id of seen) {
		for (const summary of groups.get(id) ?? []) {
			if (seen.has(summary.sessionId)) continue;
			seen.add(summary.sessionId);
			found.push(summary);
		}
	}
	return found;
}
