// Converts a transcript to text for models: one part for each event that matters.
import { isForeignAuthor } from "../../core/author.ts";
import type { Author, EventOf, EventType, ToolCall, TranscriptEvent } from "../../core/events.ts";
import { formatChannelLine, toSingleLine } from "../../core/prompt.ts";
import { visibleEvents } from "../../core/transcript/fold.ts";
import { withoutThought } from "../../core/transcript/spoken.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";

/** Characters kept of each text. */
export interface TextLimits {
	said: number;
	output: number;
	attachment: number;
	input: number;
}

export const KEPT: TextLimits = { said: 6_000, output: 800, attachment: 800, input: 400 };

/**
 * Returns the parts in order; to be joined with an empty line between two. Leaves out thoughts, for what is made of the parts leaves the
 * session.
 */
export function listTranscriptParts(state: Transcript): string[] {
	const events = visibleEvents(state);
	const context = { findCall: (id: string) => state.calls.get(id)?.call, replied: new Set(events.flatMap(callOfReply)), kept: KEPT };
	return events.flatMap((event) => {
		const text = formatTranscriptPart(withoutThought(event), context);
		return text === "" ? [] : [text];
	});
}

/** A heading line, then the text; empty if the event does not matter. */
export function formatTranscriptPart(event: TranscriptEvent, context: FormatContext): string {
	const format = eventFormatters[event.type] as ((event: TranscriptEvent, context: FormatContext) => string) | undefined;
	return format?.(event, context) ?? "";
}

/** The id of the call that made a reply, which says it; none for other events. */
export function callOfReply(event: TranscriptEvent): string[] {
	return event.type === "reply" ? [event.call] : [];
}

/** Bytes of a part, with the empty line after it. */
export function sizeOf(part: string): number {
	return Buffer.byteLength(part) + 2;
}

interface FormatContext {
	/** Finds a call among those before the event. */
	findCall(id: string): ToolCall | undefined;
	/** Ids of the calls that made a reply. They and their results are left out, for the reply says it. */
	replied: ReadonlySet<string>;
	kept: TextLimits;
}

type EventFormatters = { [T in EventType]: ((event: EventOf<T>, context: FormatContext) => string) | undefined };

const eventFormatters: EventFormatters = {
	user: ({ by, text, context = "", attachments = [], images = [], channel }, { kept }) =>
		[
			`## ${formatAuthor(by)}${channel ? ` ${formatChannelLine(channel)}` : ""}\n${isForeignAuthor(by) ? quoted(sanitizeForPrompt(text), kept.said) : head(text, kept.said)}`,
			head(context, kept.attachment),
			...attachments.map((attachment) => `[Brought along ${attachment.label}:]\n${quoted(attachment.text, kept.attachment)}`),
			images.length > 0 ? `[${images.length} images]` : "",
		]
			.filter((part) => part !== "")
			.join("\n"),
	started: undefined,
	assistant: ({ text, calls = [] }, { replied, kept }) => {
		const others = calls.filter(({ id }) => !replied.has(id));
		const made = others.map(({ name, input }) => `Calls ${name} ${head(JSON.stringify(input ?? {}), kept.input)}`);
		const parts = [text.trim() && quoted(text, kept.said), ...made].filter((part) => part !== "");
		return parts.length > 0 ? `## Agent\n${parts.join("\n")}` : "";
	},
	reply: ({ text, channel }, { kept }) => `## Agent, in a reply ${formatChannelLine(channel)}\n${quoted(text, kept.said)}`,
	result: ({ call, status, output }, { findCall, replied, kept }) =>
		replied.has(call) ? "" : `Result of ${findCall(call)?.name ?? "a tool"}, ${status}:\n${quoted(output, kept.output)}`,
	plan: ({ plan, version }) => `## Plan, version ${version}\n${JSON.stringify({ goal: plan.goal, steps: plan.steps })}`,
	step: ({ step_number, status }) => `Step ${step_number} of the plan: ${status}`,
	question: ({ question }, { kept }) => `## Question to the person\n${quoted(question.question, kept.said)}`,
	asked: undefined,
	answered: ({ by, answer }, { kept }) => {
		if (!("value" in answer)) return `The person ${answer.allow ? "allowed" : "denied"} it.`;
		return isForeignAuthor(by)
			? `## Answer by ${formatAuthor(by)}\n${quoted(sanitizeForPrompt(answer.value), kept.said)}`
			: `The person answered: ${answer.value}`;
	},
	expired: undefined,
	role: ({ role, plan }) => (plan ? `The person approved the plan; the role is ${role}.` : `The role is ${role}.`),
	agent: undefined,
	rewound: undefined,
	queued: undefined,
	unqueued: undefined,
	delegated: undefined,
	task: undefined,
	status: ({ level, text }) => (level === "info" ? "" : `Note: ${text}`),
	compacted: ({ summary }) => `## What came before, summed up earlier\n${summary}`,
	ended: ({ outcome, error }) => (outcome === "done" ? "" : `The turn ended: ${outcome}.${error ? ` ${error}` : ""}`),
};

function formatAuthor(by: Author): string {
	if (!isForeignAuthor(by)) return "Person";
	const name = toSingleLine(by.slice(by.indexOf(":") + 1));
	return `${by.startsWith("agent:") ? "Another agent" : "The channel"}, ${name}, which is not the person`;
}

/** Text that the person did not write. Lines of it that read like the transcript's own are quoted, or it could speak for the person. */
function quoted(text: string, limit: number): string {
	return head(text, limit).replace(OWN_LINE, "> $&");
}

/** Matches the beginnings of lines that say who speaks, and what the person decided. */
const OWN_LINE =
	/^[^\S\r\n]*(?:#{1,6}\s|The person\b|The role is\b|The turn ended\b|Step \d|Result of\b|Note:|\[(?:Brought|End of|\d+ ))/gim;

function head(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const end = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
	return `${text.slice(0, end)} […${text.length - end} characters more]`;
}
