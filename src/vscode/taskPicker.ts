// Quick Pick of background tasks: those that work or wait first, then the latest that are over.
import * as vscode from "vscode";
import type { SessionSummary } from "../core/events.ts";
import { isTaskIdle, isTaskOver } from "../core/task.ts";
import { formatSessionTitle } from "../session/transcript/sessionTitle.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import { formatRelativeTime } from "../shared/relativeTime.ts";
import { escapeLabel } from "../shared/safeText.ts";
import { describeTask } from "./agents/taskItems.ts";
import { showNotification } from "./notifications.ts";

const MAX_OVER = 50;

/** The id of the picked task; undefined if there is none or the user picks none. */
export async function pickTask(tasks: readonly SessionSummary[]): Promise<string | undefined> {
	if (tasks.length > 0) return pick(tasks, t("Select a task to open"));
	void showNotification("info", t("There are no background tasks."));
	return undefined;
}

/**
 * Resolves to the id of the picked task among idle ones that have a copy of the workspace; undefined if there is none or the user picks
 * none.
 */
export async function pickTaskToReview(sessions: Pick<Sessions, "tasks" | "services">): Promise<string | undefined> {
	const copies = new Set(((await sessions.services.copies?.list()) ?? []).map(({ id }) => id));
	const isIdle = ({ task }: SessionSummary) => task?.copied === true && isTaskIdle(task.state);
	const tasks = (await sessions.tasks()).filter((summary) => copies.has(summary.sessionId) && isIdle(summary));
	if (tasks.length > 0) return pick(tasks, t("Select a task to review its changes"));
	void showNotification("info", t("No background task has changes to review."));
	return undefined;
}

async function pick(tasks: readonly SessionSummary[], placeHolder: string): Promise<string | undefined> {
	const isOpen = ({ task }: SessionSummary) => task !== undefined && !isTaskOver(task.state);
	const over = tasks.filter((summary) => !isOpen(summary)).slice(0, MAX_OVER);
	const items = [...tasks.filter(isOpen), ...over].map((summary) => {
		const { icon, label } = describeTask(summary);
		const age = formatRelativeTime(summary.updatedAt) ?? t("now");
		return {
			label: `$(${icon}) ${escapeLabel(formatSessionTitle(summary))}`,
			description: escapeLabel([label, age].join(" · ")),
			sessionId: summary.sessionId,
		};
	});
	const title = t("Background Tasks");
	return (await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true }))?.sessionId;
}
