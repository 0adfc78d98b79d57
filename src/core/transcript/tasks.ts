// Folds background tasks that a session started: their state, and what they last said.

import type { EventOf, ToolCall, TranscriptEvent } from "../events.ts";
import type { Permission } from "../role.ts";
import { isTaskOver, type TaskNews } from "../task.ts";
import { addTotals } from "../usage.ts";
import type { DelegationState, Transcript } from "./state.ts";

export function changeTask({ tasks }: Transcript, event: EventOf<"task">): void {
	const text = event.text ?? tasks.get(event.task)?.text;
	tasks.set(event.task, { ...event, ...(text !== undefined && { text }) });
}

/** The message may be on disk although the event before it is not. One that a task sent while it ran may arrive after its end. */
export function hearTaskNews({ tasks }: Transcript, { session, state }: TaskNews): void {
	const known = tasks.get(session);
	if (known && state !== "running") tasks.set(session, { ...known, state });
}

/** Counted when a turn takes the message: while it waits, a summary records it again. */
export function takeTaskNews({ calledUsage }: Transcript, { usage }: TaskNews): void {
	if (usage) addTotals(calledUsage, usage);
}

/** Calls among the events that were denied because the session lacked permissions, and these permissions. */
export function findDeniedCalls(events: readonly TranscriptEvent[]): { call: ToolCall; lacks: readonly Permission[] }[] {
	const calls = new Map(events.flatMap((event) => (event.type === "assistant" ? (event.calls ?? []).map((call) => [call.id, call]) : [])));
	return events.flatMap((event) => {
		if (event.type !== "result" || event.imported || event.status !== "denied" || event.view?.kind !== "denied") return [];
		const call = calls.get(event.call);
		const { lacks = [] } = event.view;
		return call && lacks.length > 0 ? [{ call, lacks }] : [];
	});
}

/** The call that started or continued a task; undefined if the session does not know it, or was rewound to before it. */
export function findTaskCall(
	{ delegations, hidden }: Pick<Transcript, "delegations" | "hidden">,
	call: string,
): EventOf<"delegated"> | undefined {
	const event = delegations.get(call)?.event;
	return event && !hidden.has(event.id) ? event : undefined;
}

/** Returns true if a task may still send news, or the user may continue it. */
export function isTaskUnfinished({ state }: Pick<EventOf<"task">, "state">): boolean {
	return state === "interrupted" || !isTaskOver(state);
}

/** Returns true if a call is the one that started its task; later ones continue it. */
export function startsTask({ delegations }: Pick<Transcript, "delegations">, { event }: DelegationState): boolean {
	if (event.task === undefined) return false;
	for (const { event: first } of delegations.values()) if (first.task === event.task) return first === event;
	return false;
}

/** Tasks that are unfinished, or that the user may continue with more permissions, with the calls that started them. */
export function openTasks({ tasks, delegations }: Pick<Transcript, "tasks" | "delegations">): (EventOf<"delegated"> | EventOf<"task">)[] {
	const open = [...tasks.values()].filter((task) => isTaskUnfinished(task) || task.denied);
	const ids = new Set(open.map(({ task }) => task));
	const calls = [...delegations.values()].map(({ event }) => event);
	return [...calls.filter(({ task }) => task !== undefined && ids.has(task)), ...open];
}
