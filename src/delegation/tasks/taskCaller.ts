// Brings a task's state and news to the sessions that started and resumed it.
import type { Caller } from "../../core/caller.ts";
import type { EventOf } from "../../core/events.ts";
import { isTaskOver, type TaskNews, type TaskRecord } from "../../core/task.ts";
import { findTaskCall } from "../../core/transcript/tasks.ts";
import { postToInbox } from "../../session/queue/inbox.ts";
import type { Session } from "../../session/session.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";
import { t } from "../../shared/l10n.ts";
import { deliverReport } from "../report.ts";
import { isBudgetSpent, type TaskEnd } from "./taskEnd.ts";
import { formatNews, toShownText } from "./taskNews.ts";

interface Task {
	readonly taskId: string;
	readonly session: Session;
	readonly name: string;
	readonly record: TaskRecord;
	readonly host: { readonly sessions: SessionDirectory; readonly isClosing: boolean };
}

/** Records the state in the sessions that started and resumed the task; in another window's only that it was stopped. Never rejects. */
export async function tellCallers(task: Task, text?: string): Promise<void> {
	const told = new Set<Session>();
	for (const made of callsOf(task)) {
		try {
			if (task.host.isClosing) return;
			const caller = await findSession(task, made);
			if (!caller?.state.delegations.has(made.call) || told.has(caller)) continue;
			told.add(caller);
			await tell(task, made, caller, text);
		} catch (error) {
			task.host.sessions.services.log(`a caller of the task ${task.taskId} does not show its state: ${String(error)}`);
		}
	}
}

async function tell(task: Task, made: Caller, caller: Session, text: string | undefined): Promise<void> {
	if (!(await caller.lease.takeFree())) return tellElsewhere(task, made, caller);
	const { taskId, name, record } = task;
	const { state, spent, denied } = record;
	const { input, output } = task.session.state.usage;
	const said = text === undefined ? {} : { text: toShownText(text) };
	const figures = { spent: { steps: spent.steps, tokens: input + output }, ...(denied && { denied: true as const }) };
	await caller.eventLog.emit({ type: "task", task: taskId, state, name, ...said, ...(isTaskOver(state) && figures) }, "host");
}

/** Other ends come as messages. */
async function tellElsewhere({ taskId, name, record, session: own }: Task, { call, turn }: Caller, caller: Session): Promise<void> {
	if (record.state !== "cancelled") return;
	const { agent, events } = own.state;
	const about: TaskNews = { kind: "task", session: taskId, call, turn, agent, state: "cancelled" };
	const message = { id: `news-cancelled-${taskId}-${events.at(-1)?.id ?? ""}`, text: name };
	await postToInbox(caller, message, { by: `agent:${agent}`, session: taskId, about });
}

/** Sends the caller a message. `id`: the same for the same news. */
export async function deliverNews(task: Task, id: string, end: TaskEnd): Promise<void> {
	const { taskId, name, host } = task;
	const listener = await findListener(task);
	if (!listener) return noteUnheard(task);
	const { recorded, made } = listener;
	const { session, call, turn } = made;
	const { agent } = task.session.state;
	const { text, intro } = formatNews(taskId, name, end, isBudgetSpent(task.record));
	const usage = end.usage && { usage: { ...end.usage } };
	const about: TaskNews = { kind: "task", session: taskId, call, turn, agent, state: end.state, ...usage, intro };
	await deliverReport(host.sessions, { session, recorded }, { id, text, about });
}

/** The sessions were deleted, cleared, rewound to before the task, or summarized after its end. */
async function noteUnheard({ taskId, record, host, session }: Task): Promise<void> {
	host.sessions.services.log(`news of the task ${taskId} reached nobody: the session that started it does not know it`);
	const text = t("The session that started this task no longer knows it, so it doesn't hear how the task goes on.");
	if (await findSession({ host }, record.caller)) await session.eventLog.emit({ type: "status", level: "info", text }, "host");
}

/**
 * Finds who hears the news: the last call whose session was not deleted, cleared, or rewound to before it. Rejects if it can't be read now.
 */
export async function findListener(task: Task): Promise<{ made: Caller; session: Session; recorded: EventOf<"delegated"> } | undefined> {
	for (const made of callsOf(task).reverse()) {
		const session = await findSession(task, made);
		const recorded = session && findTaskCall(session.state, made.call);
		if (recorded) return { made, session, recorded };
	}
	return undefined;
}

/** Resolves to true if the last session that continued the task was told that it is stopped: the window died before the record said so. */
export async function isToldStopped(task: Pick<Task, "taskId" | "record" | "host">): Promise<boolean> {
	const made = callsOf(task).at(-1);
	const session = made && (await findSession(task, made));
	return session?.state.tasks.get(task.taskId)?.state === "cancelled";
}

/** The call that started the task, then the last one that resumed it. */
function callsOf({ record: { caller, resumed } }: Pick<Task, "record">): Caller[] {
	return resumed ? [caller, resumed] : [caller];
}

/** Undefined if it was deleted. */
async function findSession({ host: { sessions } }: Pick<Task, "host">, { session }: Caller): Promise<Session | undefined> {
	if (!(await sessions.services.store.find(session))) return undefined;
	const found = await sessions.get(session);
	// This window may have read it before another one recorded the call there.
	await found.lease.catchUp();
	return found;
}
