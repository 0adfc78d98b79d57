// Reads the conversation's state from the transcript: requests, plan, approvals and completed work.
import type { EventOf, Plan, TranscriptEvent } from "../../core/events.ts";
import type { RecordedCall } from "./generator.ts";
import type { OfflineIntent, ParsedMessage } from "./intents.ts";
import { parseMessage } from "./parseMessage.ts";
import { isIdentifier } from "./textParsing.ts";

export interface ConversationState {
	text: string;
	messageKind: ParsedMessage["kind"];
	/** What is wanted, follow-ups included. */
	intents: OfflineIntent[];
	/** What the last message added to what was wanted before. */
	addedIntents: OfflineIntent[];
	plan?: {
		plan: Plan;
		/** A person approved it. */
		approved: boolean;
		/** The approval came with the last message. */
		justApproved: boolean;
		/** Its steps are reported with update_step. */
		reportsSteps: boolean;
		/** Numbers of the steps that are over. */
		closedSteps: Set<number>;
	};
	/** Calls made since the last message, with their results. */
	recordedCalls: RecordedCall[];
	/** It has said before that it is no language model. */
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

/** Rules read paths and names: of what is mentioned, paths stay, without @ and lines; problems, changes and pages do not. */
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

/** A name alone, as the answer to a question about a rename: the new name where the old answer was taken, else the old one. */
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
