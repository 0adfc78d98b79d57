// Reads the conversation's state from the transcript: requests, plan, approvals and completed work.
import type { EventOf, Plan, TranscriptEvent } from "../../core/events.ts";
import type { RecordedCall } from "./generator.ts";
import type { OfflineIntent, ParsedMessage } from "./intents.ts";
import { parseMessage } from "./parseMessage.ts";
import { isIdentifier } from "./textParsing.ts";

export interface ConversationState {
	text: string;
	messageKind: ParsedMessage["kind"];
	/** Requests, including follow-ups. */
	intents: OfflineIntent[];
	/** Requests added by the last message. */
	addedIntents: OfflineIntent[];
	plan?: {
		plan: Plan;
		/** The user approved it. */
		approved: boolean;
		/** It was approved with the last message. */
		justApproved: boolean;
		/** Its steps are reported with update_step. */
		reportsSteps: boolean;
		/** Numbers of completed steps. */
		closedSteps: Set<number>;
	};
	/** Calls made since the last message, with their results. */
	recordedCalls: RecordedCall[];
	/** It has already said that it is not a language model. */
	hasIntroducedItself: boolean;
}

export function readConversationState(events: readonly TranscriptEvent[]): ConversationState {
	const last = events.findLastIndex((event) => event.type === "user");
	const before = events.slice(0, last + 1);
	const situation: ConversationState = {
		text: "",
		messageKind: "unclear",
		intents: [],
		addedIntents: [],
		recordedCalls: recordOf(events.slice(last + 1)),
		hasIntroducedItself: false,
	};
	const answers = new Map<string, string>();
	let question = "";
	let approvedSinceMessage = false;
	for (const event of before) {
		const plan = situation.plan;
		if (event.type === "assistant") situation.hasIntroducedItself ||= INTRODUCTION_PATTERN.test(event.text);
		else if (event.type === "plan")
			situation.plan = { plan: event.plan, approved: false, justApproved: false, reportsSteps: false, closedSteps: new Set() };
		else if (event.type === "question") question = event.question.question;
		else if (event.type === "answered" && "value" in event.answer) answers.set(event.request, event.answer.value);
		else if (event.type === "role" && plan) {
			approvedSinceMessage = event.plan !== undefined;
			plan.reportsSteps = event.plan !== undefined;
			if (event.plan) {
				plan.approved = true;
				plan.closedSteps = new Set();
			}
		} else if (event.type === "step" && plan && event.status !== "running") plan.closedSteps.add(event.step_number);
		else if (event.type === "ended" && event.outcome === "cancelled" && plan) plan.reportsSteps = false;
		else if (event.type === "user") {
			take(
				situation,
				event.answers === undefined ? withoutSigns(event) : (answers.get(event.answers) ?? event.text),
				event.answers === undefined ? "" : question,
			);
			if (plan) plan.justApproved = approvedSinceMessage;
			approvedSinceMessage = false;
		}
	}
	return situation;
}

/**
 * Replaces mentions of files, folders and symbols by their paths, without @ and line numbers, and leaves other mentions as they
 * are.
 */
function withoutSigns({ text, attachments = [] }: EventOf<"user">): string {
	const longestFirst = [...attachments].sort((one, other) => other.label.length - one.label.length);
	return longestFirst.reduce((words, { kind, label, path }) => {
		const place = kind === "file" || kind === "folder" || kind === "symbol" ? (path ?? label) : "";
		const named = /\s/.test(place) ? `"${place}"` : place;
		const quoted = label.replace(/^(.*?)((?::[\d-]+|#[^#]*)?)$/s, '"$1"$2');
		return words.replaceAll(`@${label}`, () => named).replaceAll(`@${quoted}`, () => named);
	}, text);
}

export const INTRODUCTION_PATTERN = /\boffline model\b/i;

function take(situation: ConversationState, text: string, question: string): void {
	const before = situation.intents;
	const understood = bareName(text, before, question) ?? parseMessage(text, before);
	situation.text = text;
	situation.messageKind = understood.kind;
	if (understood.kind !== "unclear") situation.intents = understood.intents;
	const known = new Set(before.map((intent) => JSON.stringify(intent)));
	situation.addedIntents =
		understood.kind === "request" ? understood.intents : understood.intents.filter((intent) => !known.has(JSON.stringify(intent)));
}

/** A bare name that answers a question about a rename: the new name if the earlier one already exists, otherwise the old one. */
function bareName(text: string, before: readonly OfflineIntent[], question: string): ParsedMessage | undefined {
	const name = text.trim().replace(/^[`"']|[`"'.]$/g, "");
	if (question === "" || !isIdentifier(name) || /^(?:yes|no|ok|okay|go|stop|proceed|continue)$/i.test(name)) return undefined;
	const field = /\balready\b/.test(question) ? "to" : "from";
	return { kind: "more", intents: before.map((intent) => (intent.do === "rename" ? { ...intent, [field]: name } : intent)) };
}

function recordOf(events: readonly TranscriptEvent[]): RecordedCall[] {
	const results = new Map(events.flatMap((event) => (event.type === "result" ? [[event.call, event] as const] : [])));
	return events
		.flatMap((event) => (event.type === "assistant" ? (event.calls ?? []) : []))
		.map(({ id, name, input }) => {
			const result = results.get(id);
			return {
				name,
				input: JSON.stringify(input),
				result: { status: result?.status ?? "unknown", output: result?.output ?? "It was interrupted." },
			};
		});
}
