// Formats what a task tells the session that started it.

import type { TaskState } from "../../core/task.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";
import { keepEnds } from "../calls/callResult.ts";
import type { TaskEnd } from "./taskEnd.ts";

/** Maximum characters of an answer, and of what a card shows of it. */
const ANSWER = 16_000;
const SHOWN = 400;

/** `isSpent`: the task's budget is. `intro`: characters at the message's beginning that only the model needs. */
export function formatNews(
	task: string,
	name: string,
	{ state, reason, text, forPerson }: TaskEnd,
	isSpent: boolean,
): { text: string; intro: number } {
	const head = `Background task ${task} (${sanitizeForPrompt(name)}) ${HEADS[state]}`;
	const said = keepEnds(sanitizeForPrompt(text), ANSWER).text;
	const why = reason === undefined ? "" : ` ${reason}`;
	const toDo = forPerson ? FOR_PERSON : NEXT[state](task);
	const next = isSpent ? SPENT[state] : toDo;
	const words = said === "" ? "" : LABELS[state];
	const intro = [`${head}.${why}${next === "" ? "" : ` ${next}`}`, words].filter((line) => line !== "").join("\n\n");
	const whole = said === "" ? intro : `${intro}\n\n`;
	return { text: `${whole}${said}`, intro: whole.length };
}

/** The beginning of a text, for a card. */
export function toShownText(text: string): string {
	return sanitizeForPrompt(text).trim().slice(0, SHOWN);
}

const HEADS: Record<TaskState, string> = {
	queued: "waits for its place",
	running: "has a message for you",
	waiting: "needs information",
	done: "is done",
	failed: "failed",
	interrupted: "was interrupted",
	cancelled: "was stopped by the person",
};

const resumable = (task: string) => `What it did until then was kept. To go on, call resume_task with taskId "${task}".`;

const NEXT: Record<TaskState, (task: string) => string> = {
	queued: () => "",
	running: () => "",
	waiting: (task) => `Answer with resume_task and taskId "${task}" if you know the answer; otherwise the person can answer it in the chat.`,
	done: () => "",
	failed: resumable,
	interrupted: resumable,
	cancelled: resumable,
};

const FOR_PERSON = "Its question is for the person, who answers it in the chat. You have nothing to do.";

const ONLY_PERSON = "What it did until then was kept. Its budget is used up: only the person can go on in it, with a message in its chat.";

/** Used in place of `NEXT`: the caller can't resume it. */
const SPENT: Record<TaskState, string> = {
	queued: "",
	running: "",
	waiting: "Its budget is used up: only the person can answer it, in the chat.",
	done: "",
	failed: ONLY_PERSON,
	interrupted: ONLY_PERSON,
	cancelled: ONLY_PERSON,
};

const LABELS: Record<TaskState, string> = {
	queued: "",
	running: "",
	waiting: "Its question:",
	done: "Its answer:",
	failed: "Its last words:",
	interrupted: "Its last words:",
	cancelled: "Its last words:",
};
