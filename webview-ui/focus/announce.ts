// Announces events to screen readers once, politely and completely, never word by word.
import { signal } from "@preact/signals";
import type { StepStatus, TranscriptEvent } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";
import { toolCallName } from "../conversation/toolCallLabels.ts";
import { labels, transcript } from "../state.ts";
import { cleanText, escapeHiddenCharacters, truncateMiddle, visibleLine } from "../text/displayText.ts";

/** The last few; a screen reader reads what is added. */
export const announcements = signal<{ id: string; text: string }[]>([]);

const KEPT = 4;
/** What is to be answered is heard as it is shown. */
const SPOKEN: Partial<Record<TranscriptEvent["type"], (text: string) => string>> = {
	asked: visibleLine,
	plan: escapeHiddenCharacters,
	question: escapeHiddenCharacters,
};

/** To be called after the event was applied. */
export function announceEvent(event: TranscriptEvent): void {
	const text = wordsFor(event);
	if (text) say(event.id, (SPOKEN[event.type] ?? cleanText)(text));
}

let said = 0;

/** What the page itself has done. */
export function announceText(text: string): void {
	said += 1;
	say(`said:${said}`, cleanText(text));
}

function say(id: string, text: string): void {
	announcements.value = [...announcements.value, { id, text }].slice(-KEPT);
}

const STEPS: Record<StepStatus, (step: number) => string> = {
	running: (step) => t("Step {0} running", step),
	done: (step) => t("Step {0} completed", step),
	failed: (step) => t("Step {0} failed", step),
	skipped: (step) => t("Step {0} skipped", step),
};

function wordsFor(event: TranscriptEvent): string | undefined {
	const { folded } = transcript.value;
	switch (event.type) {
		case "started":
			return t("{0} is working", labels.value.agent(event.agent));
		case "assistant":
			return event.text.trim() ? t("{0}: {1}", labels.value.agent(folded.agent), event.text) : undefined;
		case "result": {
			const entry = folded.calls.get(event.call);
			return entry && event.status !== "ok" ? toolCallName(entry.call, event.status) : undefined;
		}
		case "plan":
			return event.plan.steps.length === 1
				? t("Plan: {0}, 1 step", event.plan.goal)
				: t("Plan: {0}, {1} steps", event.plan.goal, event.plan.steps.length);
		case "step":
			return STEPS[event.status](event.step_number);
		case "question":
			return t("Question: {0}", event.question.question);
		case "asked":
			return t("Approval required: {0}", truncateMiddle(event.summary, 400));
		case "status":
			return event.text;
		case "rewound":
			return t("The conversation was restored to an earlier message.");
		case "role":
			return t("Role: {0}", labels.value.role(event.role));
		case "ended":
			return event.outcome === "done" ? t("Done") : event.outcome === "cancelled" ? t("Stopped") : event.error;
		default:
			return undefined;
	}
}
