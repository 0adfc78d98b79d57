// Labels for the states of background tasks.
import type { TaskState } from "../core/task.ts";
import { t } from "./l10n.ts";

export const taskStateLabels: Readonly<Record<TaskState, () => string>> = {
	queued: () => t("Queued"),
	running: () => t("Running"),
	waiting: () => t("Needs information"),
	done: () => t("Completed"),
	failed: () => t("Failed"),
	interrupted: () => t("Interrupted"),
	cancelled: () => t("Stopped"),
};

const AGENT = "task-";

/** Name of a task's type, from the id of its agent; undefined for other agents. */
export function taskTypeName(agent: string): string | undefined {
	return agent.startsWith(AGENT) ? agent.slice(AGENT.length) : undefined;
}

/** Label of a task's agent where its task is not named; undefined for other agents. */
export function taskAgentLabel(agent: string): string | undefined {
	const type = taskTypeName(agent);
	return type && t("{0} task", type);
}

/** A line about a change of a task. */
export function formatTaskState({ name, state, text }: { name: string; state: TaskState; text?: string }): string {
	const label = t("Background task “{0}”: {1}", name, taskStateLabels[state]());
	return text === undefined || text === "" ? label : t("{0}. {1}", label, text);
}
