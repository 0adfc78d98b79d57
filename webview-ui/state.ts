// State of the chat page: the folded events, the streaming answer and the chat status.

import { batch, computed, signal } from "@preact/signals";
import { applyEvent, createTranscript } from "../src/core/transcript/fold.ts";
import type { Transcript } from "../src/core/transcript/state.ts";
import type { OngoingCall, ShownRequest } from "../src/shared/protocol/calls.ts";
import type { ChatStatus, ContextUsage, DisplayEvent, Update } from "../src/shared/protocol/chat.ts";
import type { TaskChangeList, TaskCopy } from "../src/shared/protocol/taskChanges.ts";
import { taskAgentLabel } from "../src/shared/taskLabels.ts";
import { ItemCache } from "./conversation/itemCache.ts";
import type { Item, Labels, MessageItem } from "./conversation/items.ts";
import { appendToStream, EMPTY_STREAM, type MarkdownStream, splitBlocks } from "./text/markdownStream.ts";

/** Incremented on each applied event, since the transcript is mutated in place. */
const revision = signal(0);
let folded: Transcript = createTranscript();

/** Received events that precede those in `folded`, until complete. */
let earlier: DisplayEvent[] = [];
const session = new ItemCache();

export const chatStatus = signal<ChatStatus | undefined>(undefined);
/** Usage of the context window and the session's cost; separate, since the rest re-renders more. */
export const contextUsage = signal<ContextUsage | undefined>(undefined);
/** The streaming answer. */
export const liveAnswer = signal<MarkdownStream>(EMPTY_STREAM);
/** Seconds since the model last sent something, if long; otherwise 0. */
export const stalledSeconds = signal(0);
/** Output of running tools by call; the host reports each that runs for more than a moment. */
export const runningOutputs = signal<ReadonlyMap<string, string>>(new Map());

/** The action suggested by a failure was taken; only the retry remains. */
export const helpCompleted = signal(false);

/** Full outputs requested by the page, by call. */
export const loadedOutputs = signal<ReadonlyMap<string, string>>(new Map());
/** Earlier events are still arriving, so totals and the session's beginning are incomplete. */
export const isPartial = signal(false);
/** The host has events before those on the page. */
export const hasEarlierEvents = signal(false);
export const loadingEarlier = signal(false);
/** Progress of reading a long session, 0 to 1. */
export const readProgress = signal<number | undefined>(undefined);

/** Seq of the first event on the page. */
export function firstSeq(): number {
	return folded.events[0]?.seq ?? folded.seq + 1;
}

/** The transcript as a reactive value. */
export const transcript = computed(() => ({ revision: revision.value, folded }));
export const sessionId = computed(() => chatStatus.value?.session?.sessionId);
export const isTurnRunning = computed(() => transcript.value.folded.turn !== undefined);

/** Names of roles and agents, compared as text so that other status changes rebuild no items. */
const labelEntries = computed(() => {
	const { roles = [], agents = [] } = chatStatus.value ?? {};
	return JSON.stringify([roles, agents].map((choices) => choices.map(({ id, label }) => [id, label])));
});

export const labels = computed<Labels>(() => {
	const [roles, agents] = (JSON.parse(labelEntries.value) as [string, string][][]).map((entries) => new Map(entries));
	return { role: (id) => roles?.get(id) ?? id, agent: (id) => agents?.get(id) ?? taskAgentLabel(id) ?? id };
});

const settledRows = computed<Item[]>(() => session.update(transcript.value.folded, labels.value));
const streaming = computed(() => liveAnswer.value.closedBlocks.length > 0 || liveAnswer.value.openBlock.trim() !== "");

export const items = computed<Item[]>(() => {
	const settledItems = settledRows.value;
	if (!streaming.value) return settledItems;
	const answer: MessageItem = {
		kind: "message",
		key: session.nextAnswerKey,
		stamp: "live",
		speaker: "live",
		author: transcript.value.folded.turn?.agent ?? transcript.value.folded.agent,
		text: "",
	};
	return [...settledItems, answer];
});

/** Unanswered calls of other agents by call id, and open background tasks by their id. */
export const ongoingCalls = signal<ReadonlyMap<string, OngoingCall>>(new Map());
/** Pending requests of the sessions that they run in. */
export const calledRequests = signal<readonly ShownRequest[]>([]);

/** Copies of idle tasks, by the id of the task. */
export const taskCopies = signal<ReadonlyMap<string, TaskCopy>>(new Map());
/** The lists of changes that the page has asked for, by the id of the task. */
export const taskChangeLists = signal<ReadonlyMap<string, TaskChangeList>>(new Map());

/** Applies an update. `gap`: an event was missed, so a snapshot is required. */
export function applyUpdate(update: Update): "taken" | "gap" {
	if (isElsewhere(update)) return "taken";
	if (update.type === "snapshot") {
		batch(() => {
			if (update.status.session?.sessionId !== sessionId.peek()) forgetTasks();
			earlier = [];
			folded = fold(update.events, update.status);
			revision.value += 1;
			isPartial.value = update.earlier === true;
			hasEarlierEvents.value = update.more === true;
			loadingEarlier.value = false;
			readProgress.value = undefined;
			chatStatus.value = update.status;
			contextUsage.value = update.status.context;
			liveAnswer.value = streamOf(update.live);
			stalledSeconds.value = 0;
			if (runningOutputs.value.size > 0 || update.printed) runningOutputs.value = new Map(Object.entries(update.printed ?? {}));
			if (loadedOutputs.value.size > 0) loadedOutputs.value = new Map();
		});
	}
	if (update.type === "called") receiveCalled(update);
	if (update.type === "taskCopies") taskCopies.value = new Map(update.copies.map((copy) => [copy.task, copy]));
	if (update.type === "taskChanges") taskChangeLists.value = new Map(taskChangeLists.value).set(update.list.task, update.list);
	if (update.type === "earlier") receiveEarlier(update);
	if (update.type === "reading") readProgress.value = update.part;
	if (update.type === "output") loadedOutputs.value = new Map(loadedOutputs.value).set(update.call, update.text);
	if (update.type === "status") {
		batch(() => {
			chatStatus.value = update.status;
			contextUsage.value = update.status.context;
		});
	}
	if (update.type === "panel" && chatStatus.value) {
		const { panel: _, ...rest } = chatStatus.value;
		chatStatus.value = { ...rest, ...(update.panel && { panel: update.panel }) };
	}
	if (update.type === "helped") helpCompleted.value = true;
	if (update.type === "context") contextUsage.value = update.context;
	if (update.type === "live") {
		const { event } = update;
		if (event.type === "stall") stalledSeconds.value = event.seconds;
		else if (event.type === "delta") liveAnswer.value = appendToStream(liveAnswer.value, event.text);
		else
			runningOutputs.value = new Map(runningOutputs.value).set(
				event.call,
				`${runningOutputs.value.get(event.call) ?? ""}${event.text}`.slice(-MAX_OUTPUT),
			);
	}
	return update.type === "event" ? receiveEvent(update.event) : "taken";
}

const OF_SESSION: ReadonlySet<Update["type"]> = new Set<Update["type"]>([
	...(["event", "live", "output", "context", "called", "taskCopies", "taskChanges"] as const),
]);

function isElsewhere(update: Update): boolean {
	const session = OF_SESSION.has(update.type) && "session" in update ? update.session : undefined;
	return session !== undefined && session !== sessionId.peek();
}

function receiveCalled({ calls, requests }: Pick<Extract<Update, { type: "called" }>, "calls" | "requests">): void {
	batch(() => {
		if (calls.length > 0 || ongoingCalls.peek().size > 0) ongoingCalls.value = new Map(calls.map((call) => [call.call, call]));
		if (requests) calledRequests.value = requests;
	});
}

function forgetTasks(): void {
	receiveCalled({ calls: [], requests: [] });
	if (taskCopies.peek().size > 0) taskCopies.value = new Map();
	if (taskChangeLists.peek().size > 0) taskChangeLists.value = new Map();
}

function receiveEarlier(update: Extract<Update, { type: "earlier" }>): void {
	if (update.session !== sessionId.value || update.before !== firstSeq()) return;
	earlier.push(...update.events);
	if (!update.last) return;
	const events = earlier.concat(folded.events);
	earlier = [];
	batch(() => {
		folded = fold(events, update.more ? chatStatus.peek() : undefined);
		revision.value += 1;
		isPartial.value = false;
		hasEarlierEvents.value = update.more === true;
		loadingEarlier.value = false;
	});
}

/** A partial transcript starts with the session's current agent and role. */
function fold(events: readonly DisplayEvent[], part?: ChatStatus): Transcript {
	const { agentId, role } = part?.session ?? {};
	return events.reduce<Transcript>(
		applyEvent,
		createTranscript(agentId !== undefined && role !== undefined ? { agentId, role } : undefined),
	);
}

/** Characters of a running tool's output retained here; the host has all of it. */
const MAX_OUTPUT = 40_000;

function receiveEvent(event: Extract<Update, { type: "event" }>["event"]): "taken" | "gap" {
	if (event.seq <= folded.seq) return "taken";
	if (event.seq !== folded.seq + 1) return "gap";
	batch(() => {
		applyEvent(folded, event);
		if (event.type === "started") helpCompleted.value = false;
		revision.value += 1;
		if (event.type === "assistant" || event.type === "started" || event.type === "ended") liveAnswer.value = EMPTY_STREAM;
		if (event.type === "result" && runningOutputs.value.has(event.call) && !(event.view?.kind === "command" && event.view.background)) {
			const rest = new Map(runningOutputs.value);
			rest.delete(event.call);
			runningOutputs.value = rest;
		}
	});
	return "taken";
}

function streamOf(text: string): MarkdownStream {
	const blocks = splitBlocks(text);
	const open = blocks.pop() ?? "";
	return { closedBlocks: blocks, openBlock: open };
}
