// A conversation retold as plain text for whoever sums it up: long texts by their heads, the oldest left out where it is too much.

import type { EventOf, TranscriptEvent } from "../../core/events.ts";
import type { Transcript } from "../../core/transcript/state.ts";

/** Characters that stay of one text. */
const KEPT = { said: 6_000, output: 800, attachment: 800, input: 400 };

/** `limit` in bytes. What begins the conversation and what came last stay. */
export function formatTranscript(events: readonly TranscriptEvent[], state: Transcript, limit: number): string {
	const parts = events.flatMap((event) => {
		const tell = tellers[event.type] as ((event: TranscriptEvent, state: Transcript) => string) | undefined;
		const text = tell?.(event, state) ?? "";
		return text === "" ? [] : [text];
	});
	return [TASK, ...fitting(parts, Math.max(LEAST, limit)), END].join("\n\n");
}

const LEAST = 4_000;
const TASK = "Sum up this coding session as you were told. The transcript:";
const END = "[End of the transcript. Write the memory of it now.]";

/** The first part, and as many of the last as fit. */
function fitting(parts: readonly string[], limit: number): string[] {
	const sizes = parts.map((part) => Buffer.byteLength(part) + 2);
	if (sizes.reduce((sum, size) => sum + size, 0) <= limit) return [...parts];
	let left = limit - (sizes[0] ?? 0);
	let from = parts.length;
	while (from > 1 && left >= (sizes[from - 1] ?? 0)) {
		from -= 1;
		left -= sizes[from] ?? 0;
	}
	return [...parts.slice(0, 1), `[${from - 1} entries of the transcript are left out here.]`, ...parts.slice(from)];
}

type Tellers = { [T in TranscriptEvent["type"]]?: (event: EventOf<T>, state: Transcript) => string };

const tellers: Tellers = {
	user: ({ text, context = "", attachments = [], images = [] }) =>
		[
			`## Person\n${head(text, KEPT.said)}`,
			head(context, KEPT.attachment),
			...attachments.map((attachment) => `[Brought along ${attachment.label}:]\n${head(attachment.text, KEPT.attachment)}`),
			images.length > 0 ? `[${images.length} pictures]` : "",
		]
			.filter((part) => part !== "")
			.join("\n"),
	assistant: ({ text, calls = [] }) => {
		const made = calls.map(({ name, input }) => `Calls ${name} ${head(JSON.stringify(input ?? {}), KEPT.input)}`);
		const parts = [text.trim() && head(text, KEPT.said), ...made].filter((part) => part !== "");
		return parts.length > 0 ? `## Agent\n${parts.join("\n")}` : "";
	},
	result: ({ call, status, output }, { calls }) =>
		`Result of ${calls.get(call)?.call.name ?? "a tool"}, ${status}:\n${head(output, KEPT.output)}`,
	plan: ({ plan, version }) => `## Plan, version ${version}\n${JSON.stringify({ goal: plan.goal, steps: plan.steps })}`,
	step: ({ step_number, status }) => `Step ${step_number} of the plan: ${status}`,
	question: ({ question }) => `## Question to the person\n${question.question}`,
	answered: ({ answer }) =>
		"value" in answer ? `The person answered: ${answer.value}` : `The person ${answer.allow ? "allowed" : "denied"} it.`,
	role: ({ role, plan }) => (plan ? `The person approved the plan; the role is ${role}.` : `The role is ${role}.`),
	status: ({ level, text }) => (level === "info" ? "" : `Note: ${text}`),
	compacted: ({ summary }) => `## What came before, summed up earlier\n${summary}`,
	ended: ({ outcome, error }) => (outcome === "done" ? "" : `The turn ended: ${outcome}.${error ? ` ${error}` : ""}`),
};

function head(text: string, most: number): string {
	if (text.length <= most) return text;
	const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
	return `${text.slice(0, end)} […${text.length - end} characters more]`;
}
