// State and figures of a background task: live from the host while it is open, and from the transcript afterwards.

import type { EventOf, UsageTotals } from "../../src/core/events.ts";
import { isTaskOver, type TaskNews, type TaskState } from "../../src/core/task.ts";
import type { Transcript } from "../../src/core/transcript/state.ts";
import type { CalledTool, OngoingCall, ShownRequest } from "../../src/shared/protocol/calls.ts";
import { taskStateLabels, taskTypeName } from "../../src/shared/taskLabels.ts";
import { requestText } from "./agentCalls.ts";
import type { MessageCause, TaskItem } from "./items.ts";
import { asRecord } from "./toolCallLabels.ts";

export interface TaskDisplay {
	name: string;
	/** Name of its type. */
	type: string;
	state: TaskState;
	/** The request that it waits for, if any. */
	waitsFor?: string;
	/** Its latest message, or why it failed. */
	text: string;
	tools: readonly CalledTool[];
	earlierTools: number;
	steps?: number;
	/** Tokens of a task that is over, for which there is no `usage`. */
	tokens?: number;
	usage?: UsageTotals;
	canStop: boolean;
	canContinue: boolean;
}

/** `live` and `requests` are absent and empty once the task is over. */
export function describeTask(item: TaskItem, live: OngoingCall | undefined, requests: readonly ShownRequest[]): TaskDisplay {
	const { entry, started, task } = item;
	const { description } = asRecord(entry.call.input);
	const state = task?.state ?? "queued";
	const isOver = isTaskOver(state);
	// What an interrupted one did until then helps to decide whether it goes on.
	const now = isOver && state !== "interrupted" ? undefined : live;
	const [request] = isOver ? [] : requests;
	const waitsFor = request ? requestText(request) : state === "waiting" ? task?.text : undefined;
	return {
		name: task?.name ?? (typeof description === "string" ? description : ""),
		type: taskTypeName(started.agent ?? "") ?? "",
		state,
		...(waitsFor && { waitsFor }),
		// While it waits, its last change has the question.
		text: (isOver ? undefined : now?.text) ?? (state === "waiting" ? "" : (task?.text ?? "")),
		tools: now?.tools ?? [],
		earlierTools: now?.earlierTools ?? 0,
		...(now ? { usage: now.usage, ...(now.steps > 0 && { steps: now.steps }) } : isOver && task?.spent),
		canStop: task !== undefined && !isOver,
		canContinue: state === "interrupted" || state === "failed" || state === "cancelled",
	};
}

/** The name of the task that sent a message. */
export function taskName({ tasks }: Pick<Transcript, "tasks">, { session }: TaskNews): string | undefined {
	return tasks.get(session)?.name;
}

export function newsCause({ state }: Pick<EventOf<"task">, "state">): MessageCause {
	return CAUSES[state];
}

const CAUSES: Readonly<Record<TaskState, MessageCause>> = {
	queued: "reported",
	running: "reported",
	waiting: "needsInformation",
	done: "reported",
	failed: "failed",
	interrupted: "interrupted",
	cancelled: "stopped",
};

/** Describes a task that said nothing: why it failed, or else its state. */
export function describeSilentNews({ tasks }: Pick<Transcript, "tasks">, { session, state }: TaskNews): string {
	const latest = tasks.get(session);
	return (latest?.state === state && latest.text) || taskStateLabels[state]();
}
