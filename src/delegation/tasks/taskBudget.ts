// The budget of a background task: given at its start, and extended when the user goes on in it.
import type { TaskBudget, TaskLimits, TaskRecord, TaskType } from "../../core/task.ts";
import type { Services } from "../../session/services.ts";

export function createBudget({ maxSteps, maxTokens, maxMinutes }: TaskLimits, type?: Pick<TaskType, "maxSteps">): TaskBudget {
	return { steps: Math.min(maxSteps, type?.maxSteps ?? maxSteps), tokens: maxTokens, minutes: maxMinutes };
}

/** Whether nothing can go on in it until the user extends it. */
export function isBudgetSpent({ budget, spent }: Pick<TaskRecord, "budget" | "spent">): boolean {
	return PARTS.some((part) => spent[part] >= budget[part]);
}

/** Adds to the limits that the task has reached what a new task gets. One without a limit has no readable record, and stays so. */
export function extendBudget(record: TaskRecord, { settings, taskTypes }: Pick<Services, "settings" | "taskTypes">): TaskRecord {
	const { budget, spent } = record;
	const more = createBudget(settings().tasks, taskTypes?.find(record.type));
	const extended = { ...budget };
	for (const part of PARTS) if (budget[part] > 0 && spent[part] >= budget[part]) extended[part] = spent[part] + more[part];
	return { ...record, budget: extended };
}

const PARTS = ["steps", "tokens", "minutes"] as const;
