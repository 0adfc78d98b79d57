// Says what the person loses of background tasks when they clear or delete a session.
import type { SessionSummary } from "../../core/events.ts";
import { isTaskOver } from "../../core/task.ts";
import type { Sessions } from "../../sessions/sessions.ts";
import { t } from "../../shared/l10n.ts";
import type { ApplyChanges } from "../applyChanges/applyChanges.ts";

/** Lines of the dialog that confirms clearing the session. Its tasks are stopped and kept. */
export async function describeClearing(sessions: Pick<Sessions, "tasks">, sessionId: string): Promise<string[]> {
	const own = (await sessions.tasks()).filter(({ task }) => task?.caller.session === sessionId || task?.resumed?.session === sessionId);
	const lost = t("This permanently deletes its messages. The name, agent, and role are kept. Your files are not affected.");
	return [lost, ...describeStopped(own)];
}

/** Lines of the dialog that confirms deleting the session or the task. */
export async function describeDeletion(sessions: Sessions, applyChanges: ApplyChanges, sessionId: string): Promise<string[]> {
	const [own, tasks] = await Promise.all([sessions.find(sessionId), sessions.tasksOf(sessionId)]);
	const lost =
		tasks.length === 0
			? t("This permanently deletes its messages. Your files are not affected.")
			: t("This permanently deletes its messages and its background tasks. Your files are not affected.");
	const all = own?.task ? [own, ...tasks] : tasks;
	const untaken = (await Promise.all(all.map((summary) => hasUntaken(sessions, applyChanges, summary)))).filter((has) => has).length;
	return [lost, ...describeStopped(all), ...(untaken > 0 ? [describeUntaken(untaken, own?.task !== undefined && tasks.length === 0)] : [])];
}

function describeStopped(tasks: readonly SessionSummary[]): string[] {
	const count = tasks.filter(({ task }) => task && !isTaskOver(task.state)).length;
	if (count === 0) return [];
	return [
		count === 1 ? t("1 task that is running or waiting is stopped.") : t("{0} tasks that are running or waiting are stopped.", count),
	];
}

function describeUntaken(count: number, isItself: boolean): string {
	if (isItself) return t("It has changes that you haven't taken. They are deleted with it.");
	return count === 1
		? t("1 task has changes that you haven't taken. They are deleted with it.")
		: t("{0} tasks have changes that you haven't taken. They are deleted with the tasks.", count);
}

/** Resolves to true if its copy has files that differ, as its card counts them; a copy that can't be read may have some. */
async function hasUntaken({ services }: Sessions, applyChanges: ApplyChanges, { sessionId, task }: SessionSummary): Promise<boolean> {
	if (!task?.copied || !(await services.copies?.find(sessionId))) return false;
	return applyChanges.list(sessionId).then(
		({ changes }) => changes.some(({ ignored }) => !ignored),
		() => true,
	);
}
