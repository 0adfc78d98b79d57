// What the page knows: the fold of events, the words that still stream, and what surrounds the conversation.
import { batch, computed, signal } from "@preact/signals";
import { apply, emptyTranscript, type Transcript } from "../src/core/transcript.ts";
import type { Surroundings, Update } from "../src/protocol.ts";
import { buildItems, type Item, type Labels, type MessageItem, nextAnswerKey } from "./items.ts";
import { append, emptyStream, type Stream, splitBlocks } from "./stream.ts";

/** Bumped whenever an event was applied; the transcript itself is changed in place by its fold. */
const revision = signal(0);
let folded: Transcript = emptyTranscript();

export const surroundings = signal<Surroundings | undefined>(undefined);
/** The answer that streams now. */
export const live = signal<Stream>(emptyStream);
/** What running tools have printed, by call. */
export const progress = signal<ReadonlyMap<string, string>>(new Map());

/** The transcript, as something to depend on. */
export const transcript = computed(() => ({ revision: revision.value, folded }));
export const sessionId = computed(() => surroundings.value?.session?.sessionId);
export const running = computed(() => transcript.value.folded.turn !== undefined);

export const labels = computed<Labels>(() => {
	const around = surroundings.value;
	return {
		role: (id) => around?.roles.find((role) => role.id === id)?.label ?? id,
		agent: (id) => around?.agents.find((agent) => agent.id === id)?.label ?? id,
	};
});

const settled = computed<Item[]>(() => buildItems(transcript.value.folded, labels.value));
const streaming = computed(() => live.value.closed.length > 0 || live.value.open.trim() !== "");

export const items = computed<Item[]>(() => {
	if (!streaming.value) return settled.value;
	const answer: MessageItem = {
		kind: "message",
		key: nextAnswerKey(settled.value),
		stamp: "live",
		speaker: "live",
		author: transcript.value.folded.turn?.agent ?? transcript.value.folded.agent,
		text: "",
		images: 0,
	};
	return [...settled.value, answer];
});

/** Takes in what the host sent. `gap`: an event was missed, and only a snapshot helps. */
export function receive(update: Update): "taken" | "gap" {
	if (update.type === "snapshot") {
		batch(() => {
			folded = update.events.reduce(apply, emptyTranscript());
			revision.value += 1;
			surroundings.value = update.surroundings;
			live.value = streamOf(update.live);
			if (progress.value.size > 0) progress.value = new Map();
		});
	}
	if (update.type === "surroundings") surroundings.value = update.surroundings;
	if (update.type === "live") {
		const { event } = update;
		if (event.type === "delta") live.value = append(live.value, event.text);
		else
			progress.value = new Map(progress.value).set(event.call, `${progress.value.get(event.call) ?? ""}${event.text}`.slice(-KEPT_OUTPUT));
	}
	return update.type === "event" ? receiveEvent(update.event) : "taken";
}

/** Characters of a running tool's output that the page holds; the host has it whole. */
const KEPT_OUTPUT = 40_000;

function receiveEvent(event: Extract<Update, { type: "event" }>["event"]): "taken" | "gap" {
	if (event.seq <= folded.seq) return "taken";
	if (event.seq !== folded.seq + 1) return "gap";
	batch(() => {
		apply(folded, event);
		revision.value += 1;
		if (event.type === "assistant" || event.type === "started" || event.type === "ended") live.value = emptyStream;
		if (event.type === "result" && progress.value.has(event.call)) {
			const rest = new Map(progress.value);
			rest.delete(event.call);
			progress.value = rest;
		}
	});
	return "taken";
}

function streamOf(text: string): Stream {
	const blocks = splitBlocks(text);
	const open = blocks.pop() ?? "";
	return { closed: blocks, open };
}
