// What a screen reader hears: each thing that happens once, politely and whole, never word by word.
import { signal } from "@preact/signals";
import type { TranscriptEvent } from "../src/core/events.ts";
import { t } from "../src/l10n.ts";
import { labels, transcript } from "./state.ts";
import { nameOf } from "./tools.ts";
import { cleanText } from "./visible.ts";

/** The last few; a screen reader reads what is added. */
export const announcements = signal<{ id: string; text: string }[]>([]);

const KEPT = 4;

/** To be called after the event was applied. */
export function announce(event: TranscriptEvent): void {
	const text = wordsFor(event);
	if (text) say(event.id, text);
}

let said = 0;

/** What the page itself has done. */
export function announceWords(text: string): void {
	said += 1;
	say(`said:${said}`, text);
}

function say(id: string, text: string): void {
	announcements.value = [...announcements.value, { id, text: cleanText(text) }].slice(-KEPT);
}

function wordsFor(event: TranscriptEvent): string | undefined {
	const { folded } = transcript.value;
	switch (event.type) {
		case "started":
			return `${labels.value.agent(event.agent)} is working`;
		case "assistant":
			return event.text.trim() ? `${labels.value.agent(folded.agent)}: ${event.text}` : undefined;
		case "result": {
			const entry = folded.calls.get(event.call);
			return entry && event.status !== "ok" ? nameOf(entry.call, event.status) : undefined;
		}
		case "plan":
			return `Plan: ${event.plan.goal}, ${event.plan.steps.length} steps`;
		case "step":
			return `Step ${event.step_number} ${event.status}`;
		case "question":
			return `Question: ${event.question.question}`;
		case "asked":
			return `Approval needed: ${event.summary}`;
		case "status":
			return event.text;
		case "rewound":
			return t("The conversation goes on from an earlier message.");
		case "role":
			return `Role: ${labels.value.role(event.role)}`;
		case "ended":
			return event.outcome === "done" ? "Done" : event.outcome === "cancelled" ? "Stopped" : event.error;
		default:
			return undefined;
	}
}
