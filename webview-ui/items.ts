// Events → what stands in the conversation, in order. Pure. An item's `stamp` changes when what it shows changes, so
// that everything else can stay as it is on the page.
import type { EventOf, HelpCommand, Outcome, ToolView, TranscriptEvent } from "../src/core/events.ts";
import type { CallState, PlanState, RequestState, Transcript } from "../src/core/transcript.ts";
import { isJson } from "./structured.ts";
import type { CallStatus } from "./tools.ts";

interface Base {
	/** Stable over the life of the item. */
	key: string;
	stamp: string;
}

export interface MessageItem extends Base {
	kind: "message";
	/** `live`: its text still streams and is not in the item. */
	speaker: "person" | "agent" | "live" | "other";
	/** Id of the agent that speaks, or the name of another author. */
	author: string;
	text: string;
	thinking?: string;
	context?: string;
	images: number;
}

export interface CallsItem extends Base {
	kind: "calls";
	calls: CallState[];
}

/** A call that changed files. */
export interface ChangeItem extends Base {
	kind: "change";
	entry: CallState;
	view: Extract<ToolView, { kind: "change" }>;
}

export interface PlanItem extends Base {
	kind: "plan";
	plan: PlanState;
	/** The newest plan; older ones are history. */
	latest: boolean;
	/** A turn runs, this plan's or another. */
	busy: boolean;
}

export interface QuestionItem extends Base {
	kind: "question";
	request: RequestState;
	event: EventOf<"question">;
	answeredBy?: string;
}

export interface ApprovalItem extends Base {
	kind: "approval";
	request: RequestState;
	event: EventOf<"asked">;
	entry: CallState | undefined;
	agent: string;
	answeredBy?: string;
}

export interface NoteItem extends Base {
	kind: "note";
	level: "info" | "warning" | "error";
	text: string;
	detail?: string;
}

export interface FailureItem extends Base {
	kind: "failure";
	outcome: Extract<Outcome, "failed" | "limit" | "interrupted">;
	error: string;
	help?: HelpCommand;
	/** Nothing has happened since: the person can go on from here. */
	current: boolean;
}

export type Item = MessageItem | CallsItem | ChangeItem | PlanItem | QuestionItem | ApprovalItem | NoteItem | FailureItem;

/** Names for ids, as the surroundings know them. */
export interface Labels {
	role(id: string): string;
	agent(id: string): string;
}

export function buildItems(transcript: Transcript, labels: Labels): Item[] {
	const building: Building = { transcript, labels, items: [], answers: 0, agent: firstAgent(transcript), requests: new Map() };
	for (const event of transcript.events) {
		if (transcript.hidden.has(event.id)) continue;
		const add = adders[event.type] as ((building: Building, event: TranscriptEvent) => void) | undefined;
		add?.(building, event);
	}
	return building.items.filter((item) => item.kind !== "calls" || item.calls.length > 0);
}

/** The key of the answer that streams now; the `assistant` event that replaces it gets the same one. */
export function nextAnswerKey(items: readonly Item[]): string {
	return `answer:${items.reduce((count, item) => count + (item.kind === "message" && item.speaker === "agent" ? 1 : 0), 0)}`;
}

export function statusOf(entry: CallState, transcript: Transcript): CallStatus {
	if (entry.result) return entry.result.status;
	const request = entry.request === undefined ? undefined : transcript.requests.get(entry.request);
	return request?.state === "pending" ? "waiting" : "running";
}

interface Building {
	transcript: Transcript;
	labels: Labels;
	items: Item[];
	/** Answers of the agent so far. */
	answers: number;
	agent: string;
	requests: Map<string, QuestionItem | ApprovalItem>;
	failure?: FailureItem;
}

type Adders = { [T in TranscriptEvent["type"]]?: (building: Building, event: EventOf<T>) => void };

const adders: Adders = {
	user(building, event) {
		settleFailure(building);
		const asked = event.answers === undefined ? undefined : building.requests.get(event.answers);
		if (asked?.kind === "question") {
			markAnswered(asked, event);
			return;
		}
		const item: MessageItem = {
			kind: "message",
			key: event.id,
			stamp: "",
			speaker: event.by === "person" ? "person" : "other",
			author: authorOf(event.by, building.labels),
			text: event.text,
			images: event.images?.length ?? 0,
		};
		if (event.context) item.context = event.context;
		building.items.push(item);
	},
	started(building, event) {
		settleFailure(building);
		building.agent = event.agent;
	},
	assistant(building, event) {
		if (event.text.trim()) {
			const item: MessageItem = {
				kind: "message",
				key: `answer:${building.answers++}`,
				stamp: event.id,
				speaker: "agent",
				author: building.agent,
				text: event.text,
				images: 0,
			};
			if (event.thinking) item.thinking = event.thinking;
			building.items.push(item);
		}
		for (const { id } of event.calls ?? []) {
			const entry = building.transcript.calls.get(id);
			// A call that was asked about stands below its approval.
			if (entry && entry.request === undefined) addCall(building, entry);
		}
	},
	plan(building, event) {
		const { plans, turn } = building.transcript;
		const plan = plans.find((candidate) => candidate.event === event);
		if (!plan) return;
		hideSource(building, event);
		const latest = plan === plans.at(-1);
		const steps = [...plan.steps].flat().join();
		const busy = turn !== undefined;
		const stamp = [plan.state, plan.step, steps, plan.deviations.length, latest, latest && busy].join();
		building.items.push({ kind: "plan", key: event.id, stamp, plan, latest, busy });
	},
	question(building, event) {
		const request = building.transcript.requests.get(event.request);
		if (!request) return;
		hideSource(building, event);
		const item: QuestionItem = { kind: "question", key: event.id, stamp: request.state, request, event };
		building.requests.set(event.request, item);
		building.items.push(item);
	},
	asked(building, event) {
		const { requests, calls } = building.transcript;
		const request = requests.get(event.request);
		if (!request) return;
		const entry = calls.get(event.call);
		const item: ApprovalItem = { kind: "approval", key: event.id, stamp: request.state, request, event, entry, agent: building.agent };
		building.requests.set(event.request, item);
		building.items.push(item);
		const answer = request.answer;
		const refused = request.state === "expired" || (answer && "allow" in answer && !answer.allow);
		if (entry && request.state !== "pending" && !refused && entry.request === event.request) addCall(building, entry);
	},
	answered(building, event) {
		const item = building.requests.get(event.request);
		if (item) markAnswered(item, event);
	},
	role(building, event) {
		if (event.by === "host" && building.items.length === 0) return;
		addNote(building, event, "info", event.plan ? "Plan approved" : `Role: ${building.labels.role(event.role)}`);
	},
	agent(building, event) {
		if (building.items.length) addNote(building, event, "info", `Agent: ${building.labels.agent(event.agent)}`);
		building.agent = event.agent;
	},
	delegated(building, event) {
		addNote(building, event, "info", event.task ? "Started a background task" : "Handed to another agent");
	},
	status(building, event) {
		addNote(building, event, event.level, event.text);
	},
	compacted(building, event) {
		addNote(building, event, "info", "Earlier messages were summarised for the model; they are kept in full on disk.", event.summary);
	},
	ended(building, event) {
		if (event.outcome === "cancelled") addNote(building, event, "info", "Stopped.");
		if (event.outcome !== "failed" && event.outcome !== "limit" && event.outcome !== "interrupted") return;
		settleFailure(building);
		const item: FailureItem = {
			kind: "failure",
			key: event.id,
			stamp: "current",
			outcome: event.outcome,
			error: event.error ?? "",
			...(event.help && { help: event.help }),
			current: true,
		};
		building.failure = item;
		building.items.push(item);
	},
};

/** These show as cards of their own; their line would say it twice. */
const SHOWN_ELSEWHERE = new Set(["present_plan", "ask_question", "update_step"]);

function addCall(building: Building, entry: CallState): void {
	const { items, transcript } = building;
	const status = statusOf(entry, transcript);
	if (SHOWN_ELSEWHERE.has(entry.call.name) && (status === "ok" || status === "running")) return;
	const view = entry.result?.view;
	if (view?.kind === "change" && status === "ok") {
		items.push({ kind: "change", key: entry.call.id, stamp: "", entry, view });
		return;
	}
	const last = items.at(-1);
	const stamp = `${status},`;
	if (last?.kind === "calls") {
		last.calls.push(entry);
		last.stamp += stamp;
		return;
	}
	items.push({ kind: "calls", key: `calls:${entry.call.id}`, stamp, calls: [entry] });
}

function addNote(building: Building, event: TranscriptEvent, level: NoteItem["level"], text: string, detail?: string): void {
	const item: NoteItem = { kind: "note", key: event.id, stamp: text, level, text };
	if (detail) item.detail = detail;
	building.items.push(item);
}

function markAnswered(item: QuestionItem | ApprovalItem, event: EventOf<"user"> | EventOf<"answered">): void {
	if (item.answeredBy !== undefined) return;
	item.answeredBy = event.by;
	item.stamp += event.by;
}

function settleFailure(building: Building): void {
	if (!building.failure) return;
	building.failure.current = false;
	building.failure.stamp = "past";
	delete building.failure;
}

function firstAgent(transcript: Transcript): string {
	for (const event of transcript.events) {
		if (event.type === "agent" || event.type === "started") return event.agent;
	}
	return transcript.agent;
}

/** What an author is called: "You", an agent's name, a channel's. */
export function authorOf(by: string, labels: Labels): string {
	if (by === "person") return "You";
	if (by === "api") return "Another extension";
	if (by === "host") return "Troupe";
	const [kind, name = ""] = [by.slice(0, by.indexOf(":")), by.slice(by.indexOf(":") + 1)];
	return kind === "agent" ? labels.agent(name) : name;
}

/** A plan or a question that came as text is shown as its card, not as its JSON, too. */
function hideSource({ items }: Building, { by }: TranscriptEvent): void {
	const last = items.at(-1);
	if (by === "model" && last?.kind === "message" && last.speaker === "agent" && isJson(last.text)) items.pop();
}
