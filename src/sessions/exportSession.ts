// Exports a session as a document: Markdown for people, JSON for programs.

import type { EventOf, EventType, Outcome, Plan, PlanStep, SessionSummary, StepStatus, ToolCall, TranscriptEvent } from "../core/events.ts";
import { withPlanVersion, withQuestionVersion } from "../core/structured.ts";
import { applyEvent, createTranscript } from "../core/transcript/fold.ts";
import { spokenBy, withoutThought } from "../core/transcript/spoken.ts";
import type { Transcript } from "../core/transcript/state.ts";
import { UserError } from "../core/userError.ts";
import { isEventHidden } from "../session/transcript/eventLookup.ts";
import { t } from "../shared/l10n.ts";
import { visibleLine } from "../shared/safeText.ts";
import { formatTaskState, taskStateLabels } from "../shared/taskLabels.ts";
import type { Sessions } from "./sessions.ts";

/** A session's events, streamed if they may not fit into memory. */
type Events = AsyncIterable<TranscriptEvent> | Iterable<TranscriptEvent>;

/** Yields one piece at a time. */
export async function* streamJson(summary: SessionSummary, events: Events): AsyncGenerator<string> {
	const empty = JSON.stringify({ format: "troupe-session", version: 1, session: summary, events: [] }, null, 2);
	yield empty.slice(0, -END.length);
	let separator = "";
	for await (const event of events) {
		yield `${separator}\n    ${JSON.stringify(withFormatVersion(withoutThought(event)), null, 2).replaceAll("\n", "\n    ")}`;
		separator = ",";
	}
	yield `${separator === "" ? END : `\n  ${END}`}\n`;
}

/** Adds the format version to plans and questions from before there was one. */
function withFormatVersion(event: TranscriptEvent): TranscriptEvent {
	if (event.type === "plan") return { ...event, plan: withPlanVersion(event.plan) };
	return event.type === "question" ? { ...event, question: withQuestionVersion(event.question) } : event;
}

/** The end of the empty event list and of the document. */
const END = "]\n}";

/** Yields one piece at a time. */
export async function* streamMarkdown(summary: SessionSummary, state: Transcript, events: Events): AsyncGenerator<string> {
	const title = summary.name || state.title || t("Session");
	yield `# ${title}\n\n${t("Agent {0} · started {1} · last changed {2}", summary.agentId, formatTime(summary.createdAt), formatTime(summary.updatedAt))}`;
	const { task } = summary;
	if (task) yield `\n\n*${[t("Background task"), visibleLine(task.type), taskStateLabels[task.state]()].join(" · ")}*`;
	const calls = new Map<string, ToolCall>();
	for await (const event of events) {
		if (event.type === "assistant") for (const call of event.calls ?? []) calls.set(call.id, call);
		const parts = isEventHidden(state, event) ? [] : formatEvent(event, calls);
		if (event.type === "result") calls.delete(event.call);
		for (const part of parts) yield `\n\n${part}`;
	}
	yield "\n";
}

/** "2026-01-15 14:07:03 UTC", which needs no translation; any other text is returned unchanged. */
function formatTime(time: string): string {
	return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1 $2 UTC");
}

/** Streams the whole session from the store. */
export async function streamExport(
	sessions: Sessions,
	summary: SessionSummary,
	format: "json" | "markdown",
): Promise<AsyncGenerator<string>> {
	const { state } = await sessions.get(summary.sessionId);
	const events = sessions.services.store.stream(summary.sessionId);
	return format === "json" ? streamJson(summary, events) : streamMarkdown(summary, state, events);
}

export async function joinText(parts: AsyncIterable<string>): Promise<string> {
	let text = "";
	for await (const part of parts) text += part;
	return text;
}

/** Renders an archived conversation, from before it was summarized. */
export async function readArchiveAsMarkdown({ services }: Sessions, sessionId: string, archive: string): Promise<string> {
	const [{ events }, summary] = await Promise.all([services.store.read(sessionId, archive), services.store.find(sessionId)]);
	if (!summary) throw new UserError(t("This session no longer exists."));
	return joinText(streamMarkdown(summary, events.reduce(applyEvent, createTranscript()), events));
}

type Calls = ReadonlyMap<string, ToolCall>;
type Sections = { [T in EventType]: ((event: EventOf<T>, calls: Calls) => string[]) | undefined };

const sections: Sections = {
	user: (event) =>
		event.by === "host"
			? []
			: [`## ${event.by.startsWith("agent:") ? visibleLine(event.by.slice("agent:".length)) : t("You")}`, event.text],
	started: undefined,
	assistant: (event) => {
		const { text } = spokenBy(event);
		return text.trim() ? [`## ${t("Agent")}`, text] : [];
	},
	reply: ({ text }) => [`## ${t("Agent")}`, text],
	plan: (event) => [`## ${t("Plan, version {0}", event.version)}`, formatPlanAsMarkdown(event.plan)],
	question: (event) => [
		`## ${t("Question")}`,
		event.question.question,
		...(event.question.options ?? []).map((option) => `- ${option.label}`),
	],
	asked: undefined,
	answered: (event) => [
		"value" in event.answer ? `> ${t("Answered: {0}", event.answer.value)}` : `> ${event.answer.allow ? t("Allowed") : t("Denied")}`,
	],
	expired: undefined,
	result: (event, calls) => {
		const call = calls.get(event.call);
		return [`**${call?.name ?? "tool"}** · ${event.status}`, fence(JSON.stringify(call?.input ?? {})), fence(event.output)];
	},
	role: (event) => [`*${t("Role: {0}", event.role)}*`],
	agent: undefined,
	rewound: undefined,
	queued: undefined,
	unqueued: undefined,
	delegated: undefined,
	task: (event) => [`*${formatTaskState(event)}*`],
	step: (event) => [`*${STEPS[event.status](event.step_number)}*`],
	status: (event) => [`*${event.text}*`],
	compacted: (event) => [
		`*${t("The earlier conversation was summarized. The full conversation is saved in {0}.", event.archive)}*`,
		event.summary,
	],
	ended: (event) => (event.outcome === "done" ? [] : [`*${OUTCOMES[event.outcome]()}${event.error ? ` ${event.error}` : ""}*`]),
};

const STEPS: Record<StepStatus, (step: number) => string> = {
	running: (step) => t("Step {0} running", step),
	done: (step) => t("Step {0} completed", step),
	failed: (step) => t("Step {0} failed", step),
	skipped: (step) => t("Step {0} skipped", step),
};

const OUTCOMES: Record<Exclude<Outcome, "done">, () => string> = {
	failed: () => t("The turn failed."),
	cancelled: () => t("The turn was stopped."),
	interrupted: () => t("The turn was interrupted."),
	waiting: () => t("The turn ended with a question for you."),
	limit: () => t("The turn reached its limit."),
};

function formatEvent(event: TranscriptEvent, calls: Calls): string[] {
	const write = sections[event.type] as ((event: TranscriptEvent, calls: Calls) => string[]) | undefined;
	return write?.(event, calls) ?? [];
}

/** Uses a fence longer than any run of backticks inside. */
function fence(text: string): string {
	const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
	const delimiter = "`".repeat(Math.max(3, longest + 1));
	return `${delimiter}\n${text}\n${delimiter}`;
}

export function formatPlanAsMarkdown(plan: Plan): string {
	return [
		`### ${plan.goal}`,
		plan.steps.map(stepLines).join("\n"),
		...list(t("Prerequisites"), plan.prerequisites),
		...list(t("Risks"), plan.risks),
		...(plan.estimated_total_time ? [t("Estimate: {0}", plan.estimated_total_time)] : []),
	].join("\n\n");
}

function stepLines(step: PlanStep): string {
	const details = [
		step.reason,
		step.tools_needed?.length ? t("Tools: {0}", step.tools_needed.join(", ")) : undefined,
		step.files?.length ? t("Files: {0}", step.files.join(", ")) : undefined,
		step.estimated_time,
	].filter((line) => line !== undefined);
	return [`${step.step_number}. ${step.action}`, ...details.map((line) => `   - ${line}`)].join("\n");
}

function list(title: string, items: readonly string[] | undefined): string[] {
	return items?.length ? [`**${title}**\n${items.map((item) => `- ${item}`).join("\n")}`] : [];
}
