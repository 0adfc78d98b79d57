// Arranges background tasks below the sessions and tasks that started them, with older ones in a row of their own.
import type { SessionSummary } from "../../core/events.ts";
import { isTaskOver } from "../../core/task.ts";
import { groupTasks } from "../../sessions/taskTree.ts";

/** Finished tasks of a session that are rows of it; the others are below one more row. */
const MAX_FINISHED = 5;

export type TaskNode =
	| { kind: "task"; sessionId: string; task: SessionSummary }
	/** Finished tasks that are not among the latest; `caller` is the id of the session or task that started them. */
	| { kind: "olderTasks"; caller: string; tasks: readonly SessionSummary[] };

export interface TaskCount {
	count: number;
	/** Number of them, and of those below them, that are not over. */
	active: number;
	/** One of their rows, or of those below them, can be continued. */
	interrupted: boolean;
}

export interface TaskRows {
	/** Tasks that this session or task started, newest first, then the row of older ones. */
	below(sessionId: string): TaskNode[];
	/** Tasks that it started. */
	count(sessionId: string): TaskCount;
	/** The session or task that started it, or its row of older tasks if it is there; undefined for an orphan. */
	above(taskId: string): { caller: string } | Extract<TaskNode, { kind: "olderTasks" }> | undefined;
	/** Tasks whose caller does not exist. */
	orphans: readonly SessionSummary[];
}

/** Each task is in exactly one place, whatever callers the tasks name. */
export function arrangeTasks(sessions: readonly SessionSummary[], tasks: readonly SessionSummary[]): TaskRows {
	const groups = groupTasks(tasks);
	const below = new Map<string, readonly SessionSummary[]>();
	const placed = new Set(sessions.map(({ sessionId }) => sessionId));
	const place = (root: string): void => {
		const callers = [root];
		for (const caller of callers) {
			const own = (groups.get(caller) ?? []).filter(({ sessionId }) => !placed.has(sessionId));
			if (own.length === 0) continue;
			below.set(caller, own);
			for (const { sessionId } of own) {
				placed.add(sessionId);
				callers.push(sessionId);
			}
		}
	};
	for (const { sessionId } of sessions) place(sessionId);
	const ids = new Set(tasks.map(({ sessionId }) => sessionId));
	const left = tasks.filter(({ sessionId }) => !placed.has(sessionId));
	const orphans: SessionSummary[] = [];
	// The last ones name each other.
	for (const summary of [...left.filter(({ task }) => !ids.has(task?.caller.session ?? "")), ...left]) {
		if (placed.has(summary.sessionId)) continue;
		orphans.push(summary);
		placed.add(summary.sessionId);
		place(summary.sessionId);
	}
	const isActive = ({ sessionId, task }: SessionSummary): boolean =>
		(task !== undefined && !isTaskOver(task.state)) || (below.get(sessionId) ?? []).some(isActive);
	const rowsBelow = (sessionId: string): TaskNode[] => {
		const own = below.get(sessionId) ?? [];
		const finished = own.filter((summary) => !isActive(summary));
		// A row that stands for one task would take as much space as the task.
		const older = new Set(finished.length > MAX_FINISHED + 1 ? finished.slice(MAX_FINISHED) : []);
		const rows: TaskNode[] = own.filter((summary) => !older.has(summary)).map(toTaskNode);
		return older.size === 0 ? rows : [...rows, { kind: "olderTasks", caller: sessionId, tasks: [...older] }];
	};
	const isInterrupted = (row: TaskNode): boolean =>
		row.kind === "task" && (row.task.task?.state === "interrupted" || rowsBelow(row.sessionId).some(isInterrupted));
	return {
		orphans,
		below: rowsBelow,
		above(taskId) {
			for (const [caller, own] of below) {
				if (!own.some(({ sessionId }) => sessionId === taskId)) continue;
				const row = rowsBelow(caller).find((one) => one.kind === "olderTasks" && one.tasks.some(({ sessionId }) => sessionId === taskId));
				return row?.kind === "olderTasks" ? row : { caller };
			}
			return undefined;
		},
		count(sessionId) {
			const own = below.get(sessionId) ?? [];
			return { count: own.length, active: own.filter(isActive).length, interrupted: rowsBelow(sessionId).some(isInterrupted) };
		},
	};
}

export function toTaskNode(task: SessionSummary): TaskNode {
	return { kind: "task", sessionId: task.sessionId, task };
}
