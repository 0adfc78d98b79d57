// Status bar item that counts the open background tasks, and notifications when one ends or asks unseen.
import * as vscode from "vscode";
import type { EventOf, SessionSummary, TranscriptEvent } from "../../core/events.ts";
import { isTaskOver, type TaskState } from "../../core/task.ts";
import { t } from "../../shared/l10n.ts";
import { Serial } from "../../shared/node/serial.ts";
import { visibleLine } from "../../shared/safeText.ts";
import { formatTaskState, taskStateLabels } from "../../shared/taskLabels.ts";
import { showNotification } from "../notifications.ts";

interface TaskList {
	tasks(): Promise<SessionSummary[]>;
}

export interface TaskStatus {
	/** Reads the tasks again; resolves once the item shows them. */
	refresh(sessions: TaskList): Promise<void>;
	/** Resolves once a notification was answered, or if there is none. */
	handleEvent(event: TranscriptEvent): Promise<void>;
	dispose(): void;
}

/** The item is hidden while no task works or waits. */
export function createTaskStatus(): TaskStatus {
	const item = vscode.window.createStatusBarItem("troupe.tasks", vscode.StatusBarAlignment.Right, 89);
	item.name = t("Troupe: Background Tasks");
	item.command = "troupe.showTasks";
	const reading = new Serial();
	let isQueued = false;
	/** Several sessions may show the same change of a task. */
	const known = new Map<string, TaskState>();

	async function read(sessions: TaskList): Promise<void> {
		const tasks = await sessions.tasks().catch(() => []);
		draw(tasks.filter(({ task }) => task && !isTaskOver(task.state)));
	}

	function draw(open: readonly SessionSummary[]): void {
		if (open.length === 0) {
			item.hide();
			return;
		}
		const count = open.length === 1 ? t("1 background task") : t("{0} background tasks", open.length);
		const lines = open.slice(0, MAX_LINES).map((summary) => formatTask(summary));
		const more = open.length > MAX_LINES ? [t("{0} more", open.length - MAX_LINES)] : [];
		item.text = `$(server-process) ${open.length}`;
		item.tooltip = [count, ...lines, ...more].join("\n");
		item.accessibilityInformation = { label: [count, ...lines, ...more].join(", "), role: "button" };
		item.show();
	}

	return {
		refresh(sessions) {
			// Changes during a read are read after it, together.
			if (!isQueued) {
				isQueued = true;
				reading.add(() => {
					isQueued = false;
					return read(sessions);
				});
			}
			return reading.whenSettled();
		},
		async handleEvent(event) {
			if (event.type !== "task" || known.get(event.task) === event.state) return;
			known.set(event.task, event.state);
			if (NOTIFIED.has(event.state)) await notify(event);
		},
		dispose: () => item.dispose(),
	};
}

const MAX_LINES = 20;
const NOTIFIED: ReadonlySet<TaskState> = new Set<TaskState>(["done", "failed", "waiting"]);

function formatTask({ name, task }: SessionSummary): string {
	return t("{0}: {1}", visibleLine(name ?? ""), taskStateLabels[task?.state ?? "queued"]());
}

async function notify({ task: sessionId, name, state }: EventOf<"task">): Promise<void> {
	const { isUserInWindow } = await import("../windowFocus.ts");
	if (await isUserInWindow()) return;
	const show = t("Show");
	const answer = await showNotification(state === "failed" ? "warning" : "info", formatTaskState({ name: visibleLine(name), state }), show);
	if (answer === show) await vscode.commands.executeCommand(state === "waiting" ? "troupe.showWaiting" : "troupe.open", { sessionId });
}
