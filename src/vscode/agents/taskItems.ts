// Creates the tree items of background tasks, and describes a task's state with an icon.
import * as vscode from "vscode";
import type { SessionSummary } from "../../core/events.ts";
import { isTaskOver, type TaskState } from "../../core/task.ts";
import { formatSessionTitle } from "../../session/transcript/sessionTitle.ts";
import { formatDateTime, t } from "../../shared/l10n.ts";
import { formatRelativeTime, formatSpokenTime } from "../../shared/relativeTime.ts";
import { visibleLine } from "../../shared/safeText.ts";
import { taskStateLabels } from "../../shared/taskLabels.ts";
import type { TaskCount } from "./taskRows.ts";

interface TaskRow {
	/** An approval or a question of the task is pending. */
	attention: boolean;
	/** The chat shows this task. */
	open: boolean;
	/** Tasks that it started. */
	tasks: TaskCount;
}

export function taskTreeItem(summary: SessionSummary, { attention, open, tasks }: TaskRow): vscode.TreeItem {
	const { sessionId, updatedAt, task } = summary;
	const title = visibleLine(formatSessionTitle(summary));
	const state = describeTask(summary);
	const item = new vscode.TreeItem(title, collapsibleState(tasks));
	item.id = tasks.count > 0 ? `task:${sessionId}:tasks` : `task:${sessionId}`;
	item.contextValue = task && isTaskOver(task.state) ? "task.over" : "task";
	const shown = attention ? { ...WAITING, label: t("needs your attention") } : state;
	item.iconPath = new vscode.ThemeIcon(shown.icon, shown.color === undefined ? undefined : new vscode.ThemeColor(shown.color));
	const copied = task?.copied ? [t("in a copy of the workspace")] : [];
	item.description = [shown.label, formatRelativeTime(updatedAt) ?? t("now")].join(" · ");
	const lines = [title, [t("Background task"), shown.label, ...copied].join(" · "), formatDateTime(updatedAt)];
	item.tooltip = new vscode.MarkdownString().appendText(lines.join("\n"));
	item.command = { command: "troupe.open", title: t("Open Task"), arguments: [{ sessionId }] };
	const spoken = [title, t("background task"), shown.label, ...copied, ...(open ? [t("open in the chat")] : [])];
	item.accessibilityInformation = { label: [...spoken, formatSpokenTime(updatedAt)].join(", ") };
	return item;
}

/** The row that has the finished tasks below it that are not among the latest. */
export function olderTasksTreeItem(caller: string, count: number): vscode.TreeItem {
	const item = new vscode.TreeItem(t("Older Tasks"), vscode.TreeItemCollapsibleState.Collapsed);
	item.id = `tasks:${caller}`;
	item.contextValue = "tasks";
	item.description = String(count);
	item.accessibilityInformation = { label: t("{0} older background tasks", count) };
	return item;
}

/** Expanded while one of the tasks is not over, or can be continued. */
export function collapsibleState({ count, active, interrupted }: TaskCount): vscode.TreeItemCollapsibleState {
	const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
	if (count === 0) return None;
	return active > 0 || interrupted ? Expanded : Collapsed;
}

/** A codicon with an optional theme color, and the state's label. */
export function describeTask({ task }: SessionSummary): { icon: string; color?: string; label: string } {
	const { state } = task ?? { state: "interrupted" };
	return { ...ICONS[state], label: taskStateLabels[state]() };
}

const WAITING = { icon: "circle-filled", color: "charts.yellow" };

const ICONS: Readonly<Record<TaskState, { icon: string; color?: string }>> = {
	queued: { icon: "clockface" },
	running: { icon: "loading~spin" },
	waiting: WAITING,
	done: { icon: "pass" },
	failed: { icon: "error", color: "list.errorForeground" },
	interrupted: { icon: "warning", color: "list.warningForeground" },
	cancelled: { icon: "circle-slash" },
};
