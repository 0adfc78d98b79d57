// The end that a turn brings for its task, and the budget that the task may use until then.

import type { EventOf, Outcome, TranscriptEvent } from "../../core/events.ts";
import type { TaskBudget, TaskLimits, TaskRecord, TaskState, TaskType } from "../../core/task.ts";
import { saidIn } from "../../core/transcript/spoken.ts";
import { currentPlan, pendingRequests, type Transcript } from "../../core/transcript/state.ts";
import { addUsage, countTokens, createUsageTotals, type UsageTotals } from "../../core/usage.ts";
import type { SessionSetup } from "../../session/services.ts";
import { t } from "../../shared/l10n.ts";
import { addDenials } from "./widerRole.ts";

/** The end of a task, as it is told to its caller. */
export interface TaskEnd {
	state: TaskState;
	/** Reason why it is not done; absent if it is. */
	reason?: string;
	/** The same reason for the person. */
	shown?: string;
	/** The task's last words, or its question. */
	text: string;
	/** Its question is for the person, who alone can answer it. */
	forPerson?: true;
	/** Usage of the turn that has ended. */
	usage?: UsageTotals;
}

/**
 * The end that a turn with these events brings, and the record with what the turn used. `counted`, if this window has counted it:
 * the turn's tokens of the task's budget, and the minutes of all turns.
 */
export function endOf(
	state: Transcript,
	record: TaskRecord,
	{ ended, turn }: { ended: EventOf<"ended">; turn: readonly TranscriptEvent[] },
	counted?: Pick<TaskBudget, "tokens" | "minutes">,
): { end: TaskEnd; record: TaskRecord } {
	const usage = createUsageTotals();
	for (const event of turn) if ((event.type === "assistant" || event.type === "compacted") && event.usage) addUsage(usage, event.usage);
	const spent = addSpent(record.spent, turn, ended);
	const tokens = record.spent.tokens + Math.round(counted?.tokens ?? countTokens(usage));
	const next = { ...record, spent: { ...spent, tokens, ...(counted && { minutes: counted.minutes }) } };
	// Only the host stops a task that has no minutes left.
	const expired = ended.outcome === "cancelled" && record.spent.minutes >= record.budget.minutes;
	const outcome = expired ? "limit" : ended.outcome;
	const text = outcome === "waiting" ? questionOf(state) : lastText(turn);
	const forPerson = outcome === "waiting" && asksPerson(state) && { forPerson: true as const };
	const end = { state: STATES[outcome], ...reasonOf(outcome, ended, next), text, ...forPerson, usage };
	return { end, record: addDenials(next, turn) };
}

/** Returns true if a question waits that no agent may answer. */
export function asksPerson(state: Transcript): boolean {
	return pendingRequests(state).some(({ event }) => event.type === "question" && event.about?.kind !== "information");
}

/** Returns true if what the task waits for is still to come. */
export function isAsking(state: Transcript): boolean {
	if (state.queue.size > 0 || state.turn !== undefined) return false;
	return pendingRequests(state).some(({ kind }) => kind === "question") || currentPlan(state)?.state === "proposed";
}

/** The end of a task whose window is gone. */
export function interruptedEnd(state: Transcript): TaskEnd {
	return {
		state: "interrupted",
		reason: "The window that ran it is gone, and nothing of it runs now.",
		shown: t("The window that ran it is gone, and nothing of it runs now."),
		text: lastText(state.events),
	};
}

const STATES: Record<Outcome, TaskState> = {
	done: "done",
	waiting: "waiting",
	failed: "failed",
	limit: "failed",
	cancelled: "cancelled",
	interrupted: "interrupted",
};

function addSpent(spent: TaskBudget, turn: readonly TranscriptEvent[], ended: EventOf<"ended">): Omit<TaskBudget, "tokens"> {
	const started = turn.find(({ type }) => type === "started");
	// The next window may have closed the turn long after it was cut off.
	const until = (ended.outcome === "interrupted" ? turn.findLast(({ id }) => id !== ended.id) : undefined) ?? ended;
	const minutes = started ? Math.max(0, Date.parse(until.at) - Date.parse(started.at) - waited(turn)) / 60_000 : 0;
	return {
		steps: spent.steps + turn.filter(({ type }) => type === "assistant").length,
		minutes: spent.minutes + minutes,
	};
}

/** Milliseconds for which the turn waited for approvals. */
function waited(turn: readonly TranscriptEvent[]): number {
	const open = new Set<string>();
	let since = 0;
	let total = 0;
	for (const event of turn) {
		if (event.type === "asked") {
			if (open.size === 0) since = Date.parse(event.at);
			open.add(event.request);
		} else if ((event.type === "answered" || event.type === "expired") && open.delete(event.request) && open.size === 0) {
			total += Date.parse(event.at) - since;
		}
	}
	return total;
}

function reasonOf(outcome: Outcome, { error }: EventOf<"ended">, { budget, spent }: TaskRecord): Pick<TaskEnd, "reason" | "shown"> {
	if (outcome === "failed") return { reason: error ?? "It failed.", shown: error ?? t("It failed.") };
	if (outcome !== "limit") return {};
	const { steps, tokens, minutes } = budget;
	if (error !== undefined && !isBudgetSpent({ budget, spent })) return { reason: error, shown: error };
	if (spent.minutes >= minutes)
		return {
			reason: `It reached its limit of ${minutes} minutes of work.`,
			shown: t("It reached its limit of {0} minutes of work.", minutes),
		};
	if (spent.steps >= steps)
		return { reason: `It reached its limit of ${steps} steps.`, shown: t("It reached its limit of {0} steps.", steps) };
	return { reason: `It reached its limit of ${tokens} tokens.`, shown: t("It reached its limit of {0} tokens.", tokens) };
}

function questionOf(state: Transcript): string {
	const question = pendingRequests(state).findLast(({ kind }) => kind === "question")?.event;
	if (question?.type !== "question") return state.plans.at(-1)?.event.plan.goal ?? "";
	const options = (question.question.options ?? []).map(({ label }) => `- ${label}`);
	return [question.question.question, ...options].join("\n");
}

function lastText(events: readonly TranscriptEvent[]): string {
	const said = events.findLast((event) => saidIn(event).trim() !== "");
	return said ? saidIn(said) : "";
}

export function createBudget({ maxSteps, maxTokens, maxMinutes }: TaskLimits, type?: Pick<TaskType, "maxSteps">): TaskBudget {
	return { steps: Math.min(maxSteps, type?.maxSteps ?? maxSteps), tokens: maxTokens, minutes: maxMinutes };
}

/** Returns true if nothing can go on in it until the user extends it. */
export function isBudgetSpent({ budget, spent }: Pick<TaskRecord, "budget" | "spent">): boolean {
	return PARTS.some((part) => spent[part] >= budget[part]);
}

/** Adds to the limits that the task has reached what a new task gets. One without a limit has no readable record, and stays so. */
export function extendBudget(record: TaskRecord, { services, policy }: SessionSetup): TaskRecord {
	const { budget, spent } = record;
	const more = createBudget(policy.settings().tasks, services.taskTypes?.find(record.type));
	const extended = { ...budget };
	for (const part of PARTS) if (budget[part] > 0 && spent[part] >= budget[part]) extended[part] = spent[part] + more[part];
	return { ...record, budget: extended };
}

const PARTS = ["steps", "tokens", "minutes"] as const;
