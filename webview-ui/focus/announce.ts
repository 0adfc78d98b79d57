// Announces events to screen readers once, politely and completely, never word by word.
import { signal } from "@preact/signals";
import type { EventOf, EventType, StepStatus, TranscriptEvent } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";
import type { ShownRequest } from "../../src/shared/protocol/calls.ts";
import { formatTaskState } from "../../src/shared/taskLabels.ts";
import { toolCallName } from "../conversation/toolCallLabels.ts";
import { afterRender } from "../frameScheduler.ts";
import { calledRequests, labels, transcript } from "../state.ts";
import { cleanText, escapeHiddenCharacters, truncateMiddle, visibleLine } from "../text/displayText.ts";

/** The last few, and all that aren't drawn yet; screen readers read additions. */
export const announcements = signal<{ id: string; text: string }[]>([]);
let undrawn = 0;

const MAX_ANNOUNCEMENTS = 4;
/** Text to act on is announced as displayed. */
const SANITIZERS: Partial<Record<EventType, (text: string) => string>> = {
	asked: visibleLine,
	plan: escapeHiddenCharacters,
	question: escapeHiddenCharacters,
};

/** Call after the event was applied. */
export function announceEvent(event: TranscriptEvent): void {
	const text = textFor(event);
	if (text) announce(event.id, (SANITIZERS[event.type] ?? cleanText)(text));
}

/** Announces the requests of called sessions that are new since then. */
export function announceRequests(before: readonly ShownRequest[]): void {
	for (const { event } of calledRequests.peek()) if (!before.some((known) => known.event.id === event.id)) announceEvent(event);
}

let count = 0;

/** Announces the page's own action. */
export function announceText(text: string): void {
	count += 1;
	announce(`said:${count}`, cleanText(text));
}

function announce(id: string, text: string): void {
	undrawn += 1;
	announcements.value = [...announcements.value, { id, text }].slice(-Math.max(MAX_ANNOUNCEMENTS, undrawn));
	afterRender(() => {
		undrawn = 0;
	});
}

const STEPS: Record<StepStatus, (step: number) => string> = {
	running: (step) => t("Step {0} running", step),
	done: (step) => t("Step {0} completed", step),
	failed: (step) => t("Step {0} failed", step),
	skipped: (step) => t("Step {0} skipped", step),
};

function textFor(event: TranscriptEvent): string | undefined {
	const word = words[event.type] as ((event: TranscriptEvent) => string | undefined) | undefined;
	return word?.(event);
}

const words: { [T in EventType]: ((event: EventOf<T>) => string | undefined) | undefined } = {
	started: ({ agent }) => t("{0} is working", labels.value.agent(agent)),
	assistant: ({ text, unspoken }) =>
		text.trim() && !unspoken ? t("{0}: {1}", labels.value.agent(transcript.value.folded.agent), text) : undefined,
	reply: ({ text }) => t("{0}: {1}", labels.value.agent(transcript.value.folded.agent), text),
	result: ({ call, status, view }) => {
		const entry = transcript.value.folded.calls.get(call);
		if (view?.kind === "agent" && view.status === "complete") return t("{0} answered", labels.value.agent(view.agent));
		return entry && status !== "ok" ? toolCallName(entry.call, status) : undefined;
	},
	plan: ({ plan }) =>
		plan.steps.length === 1 ? t("Plan: {0}, 1 step", plan.goal) : t("Plan: {0}, {1} steps", plan.goal, plan.steps.length),
	step: ({ step_number, status }) => STEPS[status](step_number),
	question: ({ question }) => t("Question: {0}", question.question),
	asked: ({ summary }) => t("Approval required: {0}", truncateMiddle(summary, 400)),
	status: ({ text }) => text,
	rewound: () => t("The conversation was restored to an earlier message."),
	role: ({ role }) => t("Role: {0}", labels.value.role(role)),
	ended: ({ outcome, error }) => (outcome === "done" ? t("Done") : outcome === "cancelled" ? t("Stopped") : error),
	user: undefined,
	answered: undefined,
	expired: undefined,
	agent: undefined,
	queued: ({ about }) => (about?.kind === "answer" ? t("{0} answered", labels.value.agent(about.agent)) : undefined),
	unqueued: undefined,
	// A task's own event says that it was started.
	delegated: ({ agent, task }) => (agent === undefined || task !== undefined ? undefined : t("{0} was called", labels.value.agent(agent))),
	task: formatTaskState,
	compacted: undefined,
};
