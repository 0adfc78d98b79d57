// Events → items: what each kind of event puts into the conversation.
import type { EventOf, EventType, ToolCall, TranscriptEvent } from "../../src/core/events.ts";
import { parseTrailingJson } from "../../src/core/trailingJson.ts";
import { findSharedOutcome } from "../../src/core/transcript/changes.ts";
import type { CallState, Transcript } from "../../src/core/transcript/state.ts";
import { t } from "../../src/shared/l10n.ts";
import { truncateMiddle } from "../text/displayText.ts";
import {
	type ApprovalItem,
	answerKey,
	authorName,
	changeOutcomeStamp,
	type FailureItem,
	type Item,
	type Labels,
	type MessageItem,
	type NoteItem,
	type QuestionItem,
	type TurnChangesItem,
	toolCallStatus,
} from "./items.ts";
import { asRecord } from "./toolCallLabels.ts";

/** What happens between two boundaries, and what it has to know of what was before. */
export interface SegmentBuilder {
	transcript: Transcript;
	labels: Labels;
	items: Item[];
	/** The agent that speaks. */
	agent: string;
	/** Id of the event after which the next answer streams. */
	answerAnchor: string;
	/** Something stands in the conversation already. */
	hasEarlierItems: boolean;
	/** Nothing comes after it. */
	isLast: boolean;
	/** Who answered a request, by its id. */
	answeredBy: ReadonlyMap<string, string>;
	/** What it shows may still change. */
	mayChange: boolean;
	/** The turn whose first change stands as a card already. */
	turnWithChangeCard: string | undefined;
	failure?: FailureItem;
}

export function addEventItems(stretch: SegmentBuilder, event: TranscriptEvent): void {
	const adder = adders[event.type] as ((stretch: SegmentBuilder, event: TranscriptEvent) => void) | undefined;
	adder?.(stretch, event);
	if (MARKS.has(event.type)) stretch.answerAnchor = event.id;
}

/** After each of these an answer may begin to stream. */
const MARKS: ReadonlySet<EventType> = new Set(["started", "assistant", "ended"] as const);

type Adders = { [T in EventType]: ((stretch: SegmentBuilder, event: EventOf<T>) => void) | undefined };

const adders: Adders = {
	user(stretch, event) {
		settleFailure(stretch);
		if (event.by === "host") {
			addNote(stretch, event, "info", t("Continued."));
			return;
		}
		// The answer stands in the question's card.
		if (event.answers !== undefined && stretch.transcript.requests.get(event.answers)?.kind === "question") return;
		const item: MessageItem = {
			kind: "message",
			key: event.id,
			stamp: "",
			speaker: event.by === "person" ? "person" : "other",
			author: authorName(event.by, stretch.labels),
			event: event.id,
			text: event.text,
		};
		if (event.attachments) item.attachments = event.attachments;
		if (event.images) item.images = event.images;
		stretch.items.push(item);
	},
	started(stretch, event) {
		settleFailure(stretch);
		stretch.agent = event.agent;
	},
	assistant(stretch, event) {
		if (event.text.trim()) {
			const item: MessageItem = {
				kind: "message",
				key: answerKey(stretch.answerAnchor),
				stamp: event.id,
				speaker: "agent",
				author: stretch.agent,
				event: event.id,
				text: event.text,
			};
			if (event.thinking) item.thinking = event.thinking;
			stretch.items.push(item);
		} else if (event.thinking?.trim()) addThought(stretch, event.id, event.thinking);
		for (const { id } of event.calls ?? []) {
			const entry = stretch.transcript.calls.get(id);
			if (!entry?.result) stretch.mayChange = true;
			// A call that was asked about stands below its approval.
			if (entry && entry.request === undefined) addCall(stretch, entry);
		}
	},
	plan(stretch, event) {
		const { plans, turn } = stretch.transcript;
		const plan = plans.find((candidate) => candidate.event === event);
		if (!plan) return;
		hideSource(stretch, event);
		const latest = plan === plans.at(-1);
		if (latest || plan.state === "running") stretch.mayChange = true;
		const steps = [...plan.steps].flat().join();
		const busy = latest && turn !== undefined;
		const stamp = [plan.state, plan.step, steps, plan.deviations.length, latest, busy].join();
		// What was gone back on leaves no gap.
		const versions = plans.filter((one) => one.event.planId === event.planId);
		const version = (versions[0]?.event.version ?? 1) + versions.indexOf(plan);
		stretch.items.push({ kind: "plan", key: event.id, stamp: `${stamp},${version}`, plan, version, isLatest: latest, isTurnRunning: busy });
	},
	question(stretch, event) {
		const request = stretch.transcript.requests.get(event.request);
		if (!request) return;
		hideSource(stretch, event);
		const item: QuestionItem = { kind: "question", key: event.id, stamp: request.state, request, event };
		markAnswered(stretch, item);
		stretch.items.push(item);
	},
	asked(stretch, event) {
		const { requests, calls } = stretch.transcript;
		const request = requests.get(event.request);
		if (!request) return;
		const entry = calls.get(event.call);
		const item: ApprovalItem = { kind: "approval", key: event.id, stamp: request.state, request, event, entry, agent: stretch.agent };
		markAnswered(stretch, item);
		stretch.items.push(item);
		if (entry && !entry.result) stretch.mayChange = true;
		const answer = request.answer;
		const refused = request.state === "expired" || (answer && "allow" in answer && !answer.allow);
		if (entry && request.state !== "pending" && !refused && entry.request === event.request) addCall(stretch, entry);
	},
	role(stretch, event) {
		if (event.by === "host" && !hasBegun(stretch)) return;
		addNote(stretch, event, "info", event.plan ? t("Plan approved") : t("Role: {0}", stretch.labels.role(event.role)));
	},
	agent(stretch, event) {
		// One that is not defined any more is shown as it was called then.
		const label = stretch.labels.agent(event.agent);
		const name = label === event.agent ? (event.name ?? label) : label;
		if (hasBegun(stretch)) addNote(stretch, event, "info", t("Agent: {0}", name));
		stretch.agent = event.agent;
	},
	delegated(stretch, event) {
		addNote(stretch, event, "info", event.task ? t("Started a background task") : t("Delegated to another agent"));
	},
	status(stretch, event) {
		// What was kept shows where it was changed.
		if (event.reviewed && !event.changes) return;
		if (event.retry) return addRetry(stretch, event, event.retry);
		addNote(stretch, event, event.level, event.text);
	},
	compacted(stretch, event) {
		addNote(stretch, event, "info", t("Earlier conversation summarized."), {
			detail: event.summary,
			archive: event.archive,
		});
	},
	ended(stretch, event) {
		const { turn } = event;
		if (turn !== undefined && stretch.transcript.changedIn.get(turn)?.size) {
			stretch.items.push(turnChanges(stretch.transcript, turn, event.id));
		}
		// The card of the failure says what the attempts said.
		if (event.outcome === "failed" && isRetry(stretch.items.at(-1))) stretch.items.pop();
		if (event.outcome === "cancelled") addNote(stretch, event, "info", t("Stopped"), { canContinue: true });
		if (event.outcome !== "failed" && event.outcome !== "limit" && event.outcome !== "interrupted") return;
		settleFailure(stretch);
		const item: FailureItem = {
			kind: "failure",
			key: event.id,
			stamp: stretch.isLast ? "current" : "past",
			outcome: event.outcome,
			error: event.error ?? "",
			...(event.help && { help: event.help }),
			...(event.kept && { kept: event.kept }),
			isCurrent: stretch.isLast,
		};
		if (stretch.isLast) stretch.mayChange = true;
		stretch.failure = item;
		stretch.items.push(item);
	},
	// These change the item of the call, the plan or the request that they belong to.
	result: undefined,
	step: undefined,
	answered: undefined,
	expired: undefined,
	rewound: undefined,
};

/** These show as cards of their own; their line would say it twice. */
const SHOWN_ELSEWHERE = new Set(["present_plan", "ask_question", "update_step"]);

function addCall(stretch: SegmentBuilder, entry: CallState): void {
	const { items, transcript } = stretch;
	const status = toolCallStatus(entry, transcript);
	if (SHOWN_ELSEWHERE.has(entry.call.name) && (status === "ok" || status === "running" || status === "waiting")) return;
	const view = entry.result?.view;
	const stamp = `${status} ${changeOutcomeStamp(entry, transcript)}`;
	// The first change of a turn is a card; those after it are lines among the other calls.
	if (view?.kind === "change" && status === "ok" && (entry.turn === undefined || stretch.turnWithChangeCard !== entry.turn)) {
		stretch.turnWithChangeCard = entry.turn;
		items.push({ kind: "change", key: entry.call.id, stamp, entry, view });
		return;
	}
	const last = items.at(-1);
	if (last?.kind === "calls") {
		last.calls.push(entry);
		last.stamp += `;${stamp}`;
		return;
	}
	items.push({ kind: "calls", key: `calls:${entry.call.id}`, stamp, calls: [entry], thoughts: [] });
}

/** A thought without words of its own stands among the calls that it led to. */
function addThought({ items }: SegmentBuilder, id: string, text: string): void {
	const last = items.at(-1);
	const run = last?.kind === "calls" ? last : { kind: "calls" as const, key: `calls:${id}`, stamp: "", calls: [], thoughts: [] };
	if (run !== last) items.push(run);
	run.thoughts.push({ id, text, callIndex: run.calls.length });
	run.stamp += "thought,";
}

function turnChanges({ changed, changedIn, fates, calls }: Transcript, turn: string, id: string): TurnChangesItem {
	const all = [...(changedIn.get(turn)?.values() ?? [])];
	const own = ({ call }: { call: string }) => calls.get(call)?.turn === turn;
	const standing = all.filter(
		({ path }) =>
			fates
				.get(path)
				?.filter(own)
				.every(({ fate }) => fate === "undone") !== true,
	);
	const files = standing.length > 0 ? standing : all;
	const open = [...changed.values()].some(({ turns }) => turns.includes(turn));
	const fate = open ? undefined : findSharedOutcome(fates, (call) => own({ call }));
	return { kind: "turn", key: `turn:${id}`, stamp: `${open} ${fate} ${files.length}`, turn, files, needsReview: open, outcome: fate };
}

function addNote(
	stretch: SegmentBuilder,
	event: TranscriptEvent,
	level: NoteItem["level"],
	text: string,
	more: Pick<NoteItem, "detail" | "archive" | "canContinue"> = {},
): void {
	stretch.items.push({ kind: "note", key: event.id, stamp: text, level, text, ...more });
}

/** Several attempts on end are one row. */
function addRetry({ items }: SegmentBuilder, { id, at, text }: EventOf<"status">, { seconds, ...retry }: Retry): void {
	const last = items.at(-1);
	const key = isRetry(last) ? last.key : id;
	if (isRetry(last)) items.pop();
	items.push({ kind: "note", key, stamp: id, level: "warning", text, retry: { ...retry, until: Date.parse(at) + seconds * 1_000 } });
}

type Retry = NonNullable<EventOf<"status">["retry"]>;

function isRetry(item: Item | undefined): item is NoteItem {
	return item?.kind === "note" && item.retry !== undefined;
}

function markAnswered(stretch: SegmentBuilder, item: QuestionItem | ApprovalItem): void {
	if (item.request.state === "pending") stretch.mayChange = true;
	const by = stretch.answeredBy.get(item.event.request);
	if (by === undefined) return;
	item.answeredBy = by;
	item.stamp += by;
}

function hasBegun({ hasEarlierItems: begun, items }: SegmentBuilder): boolean {
	return begun || items.length > 0;
}

function settleFailure(stretch: SegmentBuilder): void {
	if (!stretch.failure) return;
	stretch.failure.isCurrent = false;
	stretch.failure.stamp = "past";
	delete stretch.failure;
}

/** A plan or a question that came as text is shown as its card, not as its JSON, too. */
function hideSource({ items }: SegmentBuilder, { by }: TranscriptEvent): void {
	const last = items.at(-1);
	const source = by === "model" && last?.kind === "message" && last.speaker === "agent" ? parseTrailingJson(last.text) : undefined;
	if (!source || last?.kind !== "message") return;
	if (source.prose === "") items.pop();
	else items[items.length - 1] = { ...last, text: source.prose, stamp: `${last.stamp} prose` };
}

/** "Run npm test?"; a long command or address, and one that would read as another, is asked about in general and shown below. */
export function approvalQuestion(summary: string, call: Pick<ToolCall, "name" | "input"> | undefined): string {
	const { command, url, outsideSandbox } = asRecord(call?.input);
	if (call?.name === "execute_command" && outsideSandbox !== true)
		return isReadable(command) ? t("Run {0}?", command) : t("Run this command?");
	if (call?.name === "execute_command") return isReadable(command) ? t("Run outside the sandbox: {0}?", command) : t("Run this command?");
	if (call?.name === "web_fetch") return isReadable(url) && !/[^!-~]/.test(url) ? t("Fetch {0}?", url) : t("Fetch this address?");
	return t("{0}?", truncateMiddle(summary.replace(/[.?!]$/, ""), LONGEST));
}

/** Short, and no question mark is taken for a part of it. */
function isReadable(text: unknown): text is string {
	return typeof text === "string" && [...text].length <= LONGEST && !/[.?!]$/.test(text);
}

const LONGEST = 60;
