// Maps events to conversation items.
import type { Caller } from "../../src/core/caller.ts";
import type { EventOf, EventType, ToolCall, TranscriptEvent } from "../../src/core/events.ts";
import { parseTrailingJson } from "../../src/core/trailingJson.ts";
import { findSharedOutcome } from "../../src/core/transcript/changes.ts";
import { agentChain } from "../../src/core/transcript/delegations.ts";
import type { CallState, DelegationState, Transcript } from "../../src/core/transcript/state.ts";
import { startsTask } from "../../src/core/transcript/tasks.ts";
import { t } from "../../src/shared/l10n.ts";
import { truncateMiddle } from "../text/displayText.ts";
import { describeSilentAnswer } from "./agentCalls.ts";
import {
	type AgentCallItem,
	type ApprovalItem,
	answerKey,
	answerText,
	authorName,
	changeOutcomeStamp,
	type FailureItem,
	type Item,
	type Labels,
	type MessageItem,
	type NoteItem,
	type QuestionItem,
	type ThinkingBlock,
	type TurnChangesItem,
	toolCallStatus,
} from "./items.ts";
import { describeSilentNews, newsCause, taskName } from "./tasks.ts";
import { asRecord } from "./toolCallLabels.ts";

/** The items of one segment and the state carried over from earlier ones. */
export interface SegmentBuilder {
	transcript: Transcript;
	labels: Labels;
	items: Item[];
	/** The speaking agent. */
	agent: string;
	/** Id of the event after which the next answer streams. */
	answerAnchor: string;
	/** Earlier segments have items. */
	hasEarlierItems: boolean;
	/** No segment follows. */
	isLast: boolean;
	/** Authors of the answers, by the id of the request. */
	answeredBy: ReadonlyMap<string, string>;
	/** Queued messages, by their id. */
	queued: ReadonlyMap<string, EventOf<"queued">>;
	/** The call that the turn answers. */
	caller: Caller | undefined;
	/** The segment's items may still change. */
	mayChange: boolean;
	/** The turn whose first change already has a card. */
	turnWithChangeCard: string | undefined;
	failure?: FailureItem;
}

export function addEventItems(builder: SegmentBuilder, event: TranscriptEvent): void {
	const adder = adders[event.type] as ((builder: SegmentBuilder, event: TranscriptEvent) => void) | undefined;
	adder?.(builder, event);
	if (ANSWER_ANCHORS.has(event.type)) builder.answerAnchor = event.id;
}

/** Events after which an answer may start to stream. */
const ANSWER_ANCHORS: ReadonlySet<EventType> = new Set(["started", "assistant", "ended"] as const);

type Adders = { [T in EventType]: ((builder: SegmentBuilder, event: EventOf<T>) => void) | undefined };

const adders: Adders = {
	user(builder, event) {
		settleFailure(builder);
		if (event.by === "host") {
			addNote(builder, event, "info", t("Continued."));
			return;
		}
		// The question's card shows the answer.
		if (event.answers !== undefined && builder.transcript.requests.get(event.answers)?.kind === "question") return;
		const item: MessageItem = {
			kind: "message",
			key: event.id,
			stamp: "",
			speaker: event.by === "person" ? "person" : "other",
			author: authorName(event.by, builder.labels),
			event: event.id,
			text: event.text,
		};
		if (event.attachments) item.attachments = event.attachments;
		if (event.images) item.images = event.images;
		const { about, caller } = builder.queued.get(event.message ?? "") ?? {};
		// What a task's copy leaves out may be noted before its turn starts.
		if (caller && item.speaker === "other") item.call = { kind: "asked", session: caller.session };
		if (about) {
			item.call = { kind: about.kind === "answer" ? "answered" : newsCause(about), session: about.session };
			item.text =
				answerText(event.text, about) ||
				(about.kind === "answer" ? describeSilentAnswer(about) : describeSilentNews(builder.transcript, about));
			if (about.kind === "task") item.author = taskName(builder.transcript, about) ?? item.author;
		}
		builder.items.push(item);
	},
	started(builder, event) {
		settleFailure(builder);
		builder.agent = event.agent;
		builder.caller = event.caller;
		const last = builder.items.at(-1);
		if (!event.caller || last?.kind !== "message" || last.speaker !== "other" || last.call) return;
		last.call = { kind: "asked", session: event.caller.session };
		last.stamp = "asked";
	},
	assistant(builder, event) {
		const thought = [event.thinking ?? "", event.unspoken ? event.text : ""].filter((part) => part.trim() !== "").join("\n\n");
		if (!event.unspoken && event.text.trim()) {
			const item: MessageItem = {
				kind: "message",
				key: answerKey(builder.answerAnchor),
				stamp: event.id,
				speaker: "agent",
				author: builder.agent,
				event: event.id,
				text: event.text,
			};
			if (event.thinking) item.thinking = event.thinking;
			builder.items.push(item);
		} else if (thought !== "") addThought(builder, { id: event.id, text: thought, ...(event.unspoken && { unspoken: true }) });
		for (const { id } of event.calls ?? []) {
			const entry = builder.transcript.calls.get(id);
			if (!entry?.result) builder.mayChange = true;
			// A call that required approval is listed below its card.
			if (entry && entry.request === undefined) addCall(builder, entry);
		}
	},
	reply(builder, event) {
		const { id, text } = event;
		builder.items.push({ kind: "message", key: id, stamp: "", speaker: "agent", author: builder.agent, event: id, text });
	},
	plan(builder, event) {
		const { plans, turn } = builder.transcript;
		const plan = plans.find((candidate) => candidate.event === event);
		if (!plan) return;
		hideSource(builder, event);
		const latest = plan === plans.at(-1);
		if (latest || plan.state === "running") builder.mayChange = true;
		const steps = [...plan.steps].flat().join();
		const busy = latest && turn !== undefined;
		const stamp = [plan.state, plan.step, steps, plan.deviations.length, latest, busy].join();
		// Versions without gaps after a rewind.
		const versions = plans.filter((one) => one.event.planId === event.planId);
		const version = (versions[0]?.event.version ?? 1) + versions.indexOf(plan);
		builder.items.push({ kind: "plan", key: event.id, stamp: `${stamp},${version}`, plan, version, isLatest: latest, isTurnRunning: busy });
	},
	question(builder, event) {
		const request = builder.transcript.requests.get(event.request);
		if (!request) return;
		hideSource(builder, event);
		const chain = agentChain(event.caller, builder.agent);
		const item: QuestionItem = { kind: "question", key: event.id, stamp: request.state, request, event, chain };
		markAnswered(builder, item);
		builder.items.push(item);
	},
	asked(builder, event) {
		const { requests, calls } = builder.transcript;
		const request = requests.get(event.request);
		if (!request) return;
		const entry = calls.get(event.call);
		const { agent, caller } = builder;
		const chain = agentChain(caller, agent);
		const item: ApprovalItem = { kind: "approval", key: event.id, stamp: request.state, request, event, entry, agent, chain };
		markAnswered(builder, item);
		builder.items.push(item);
		if (entry && !entry.result) builder.mayChange = true;
		const answer = request.answer;
		const refused = request.state === "expired" || (answer && "allow" in answer && !answer.allow);
		if (entry && request.state !== "pending" && !refused && entry.request === event.request) addCall(builder, entry);
	},
	role(builder, event) {
		if (event.by === "host" && !hasBegun(builder)) return;
		addNote(builder, event, "info", event.plan ? t("Plan approved") : t("Role: {0}", builder.labels.role(event.role)));
	},
	agent(builder, event) {
		// Show the recorded name of an agent that is no longer defined.
		const label = builder.labels.agent(event.agent);
		const name = label === event.agent ? (event.name ?? label) : label;
		if (hasBegun(builder)) addNote(builder, event, "info", t("Agent: {0}", name));
		builder.agent = event.agent;
	},
	delegated(builder, event) {
		const delegation = builder.transcript.calls.has(event.call) ? undefined : builder.transcript.delegations.get(event.call);
		// After a summary, there is no call that has the card.
		if (delegation && startsTask(builder.transcript, delegation))
			return addTask(builder, { call: { id: event.call, name: "spawn_subagent", input: {} } }, event);
		// The call's own card shows its agent.
		if (event.agent === undefined)
			addNote(builder, event, "info", event.task ? t("Started a background task") : t("Delegated to another agent"));
	},
	status(builder, event) {
		// Kept changes are shown with the change itself.
		if (event.reviewed && !event.changes) return;
		if (event.retry) return addRetry(builder, event, event.retry);
		if (event.redo) return addTaken(builder, event);
		addNote(builder, event, event.level, event.text);
	},
	compacted(builder, event) {
		addNote(builder, event, "info", t("Earlier conversation summarized."), {
			detail: event.summary,
			archive: event.archive,
		});
	},
	ended(builder, event) {
		const { turn } = event;
		if (turn !== undefined && builder.transcript.changedIn.get(turn)?.size) {
			builder.items.push(turnChanges(builder.transcript, turn, event.id));
		}
		// The failure card repeats the message of the attempts.
		if (event.outcome === "failed" && isRetry(builder.items.at(-1))) builder.items.pop();
		if (event.outcome === "cancelled") addNote(builder, event, "info", t("Stopped"), { canContinue: true });
		if (event.outcome !== "failed" && event.outcome !== "limit" && event.outcome !== "interrupted") return;
		settleFailure(builder);
		const item: FailureItem = {
			kind: "failure",
			key: event.id,
			stamp: builder.isLast ? "current" : "past",
			outcome: event.outcome,
			error: event.error ?? "",
			...(event.help && { help: event.help }),
			...(event.kept && { kept: event.kept }),
			isCurrent: builder.isLast,
		};
		if (builder.isLast) builder.mayChange = true;
		builder.failure = item;
		builder.items.push(item);
	},
	// These change the item of the call, the plan or the request that they belong to.
	result: undefined,
	queued: undefined,
	unqueued: undefined,
	task: undefined,
	step: undefined,
	answered: undefined,
	expired: undefined,
	rewound: undefined,
};

/** Tools shown as cards, which would make their lines redundant. */
const SHOWN_ELSEWHERE = new Set(["present_plan", "ask_question", "update_step", "agents_switch", "reply"]);

function addCall(builder: SegmentBuilder, entry: CallState): void {
	const { items, transcript } = builder;
	const status = toolCallStatus(entry, transcript);
	if (SHOWN_ELSEWHERE.has(entry.call.name) && (status === "ok" || status === "running" || status === "waiting")) return;
	const delegation = transcript.delegations.get(entry.call.id);
	if (delegation && startsTask(transcript, delegation) && (status !== "error" || transcript.tasks.has(delegation.event.task ?? ""))) {
		addTask(builder, entry, delegation.event);
		return;
	}
	if (delegation?.event.agent !== undefined && delegation.event.task === undefined) {
		addAgentCall(builder, entry, delegation);
		return;
	}
	const view = entry.result?.view;
	const stamp = `${status} ${changeOutcomeStamp(entry, transcript)}`;
	// A turn's first change is a card; later ones are lines among the calls.
	if (view?.kind === "change" && status === "ok" && (entry.turn === undefined || builder.turnWithChangeCard !== entry.turn)) {
		builder.turnWithChangeCard = entry.turn;
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

function addAgentCall(builder: SegmentBuilder, entry: CallState, delegation: DelegationState): void {
	const { ended, answer = "", delivered = false } = delegation;
	const stamp = `${toolCallStatus(entry, builder.transcript)} ${ended} ${answer} ${delivered}`;
	const item: AgentCallItem = { kind: "agentCall", key: `agent:${entry.call.id}`, stamp, entry, delegation };
	const late = builder.queued.get(answer);
	if (late) item.answer = late;
	if (ended === undefined || builder.transcript.queue.has(answer)) builder.mayChange = true;
	builder.items.push(item);
}

function addTask({ items, transcript }: SegmentBuilder, entry: CallState, started: EventOf<"delegated">): void {
	const task = transcript.tasks.get(started.task ?? "");
	const stamp = `${toolCallStatus(entry, transcript)} ${task?.id} ${task?.state}`;
	items.push({ kind: "task", key: `task:${entry.call.id}`, stamp, entry, started, ...(task && { task }) });
}

/** Thinking without an answer is listed among the calls after it. */
function addThought({ items }: SegmentBuilder, thought: Omit<ThinkingBlock, "callIndex">): void {
	const last = items.at(-1);
	const run = last?.kind === "calls" ? last : { kind: "calls" as const, key: `calls:${thought.id}`, stamp: "", calls: [], thoughts: [] };
	if (run !== last) items.push(run);
	run.thoughts.push({ ...thought, callIndex: run.calls.length });
	run.stamp += "thought,";
}

function turnChanges({ changed, changedIn, fates, calls }: Transcript, turn: string, id: string): TurnChangesItem {
	const all = [...(changedIn.get(turn)?.values() ?? [])];
	const isOfTurn = ({ call }: { call: string }) => calls.get(call)?.turn === turn;
	const standing = all.filter(
		({ path }) =>
			fates
				.get(path)
				?.filter(isOfTurn)
				.every(({ fate }) => fate === "undone") !== true,
	);
	const files = standing.length > 0 ? standing : all;
	const open = [...changed.values()].some(({ turns }) => turns.includes(turn));
	const fate = open ? undefined : findSharedOutcome(fates, (call) => isOfTurn({ call }));
	return { kind: "turn", key: `turn:${id}`, stamp: `${open} ${fate} ${files.length}`, turn, files, needsReview: open, outcome: fate };
}

function addNote(
	builder: SegmentBuilder,
	event: TranscriptEvent,
	level: NoteItem["level"],
	text: string,
	more: Pick<NoteItem, "detail" | "archive" | "canContinue"> = {},
): void {
	builder.items.push({ kind: "note", key: event.id, stamp: text, level, text, ...more });
}

/** Merges consecutive files that were taken from a task, or reapplied, into one row. */
function addTaken({ items }: SegmentBuilder, { id, text, changes = [] }: EventOf<"status">): void {
	const last = items.at(-1);
	// The same sentence but for the file: the same task, and whole files or parts.
	const like = changes.reduce((sentence, { path }) => sentence.replaceAll(path, ""), text);
	const note = last?.kind === "note" && last.taken?.like === like ? last : undefined;
	if (note) items.pop();
	const texts = [...(note?.taken?.texts ?? []), text];
	const shown = texts.length === 1 ? text : t("{0} And {1} more.", texts[0] ?? "", texts.length - 1);
	const detail = texts.length === 1 ? {} : { detail: texts.join("\n") };
	items.push({ kind: "note", key: note?.key ?? id, stamp: shown, level: "info", text: shown, ...detail, taken: { like, texts } });
}

/** Merges consecutive retries into one row. */
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

function markAnswered(builder: SegmentBuilder, item: QuestionItem | ApprovalItem): void {
	if (item.request.state === "pending") builder.mayChange = true;
	const by = builder.answeredBy.get(item.event.request);
	if (by === undefined) return;
	item.answeredBy = by;
	item.stamp += by;
}

function hasBegun({ hasEarlierItems: hasEarlier, items }: SegmentBuilder): boolean {
	return hasEarlier || items.length > 0;
}

function settleFailure(builder: SegmentBuilder): void {
	if (!builder.failure) return;
	builder.failure.isCurrent = false;
	builder.failure.stamp = "past";
	delete builder.failure;
}

/** Hides the JSON of a plan or question that came as text. */
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
