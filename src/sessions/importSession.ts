// Imports a conversation file as a new session with nothing running, pending or approved.

import { randomUUID } from "node:crypto";
import type { EventBody, TranscriptEvent } from "../core/events.ts";
import { isRecord } from "../core/isRecord.ts";
import { PlanSchema, QuestionSchema } from "../core/structured.ts";
import { eventsFromLegacyMessage } from "../core/transcript/legacyMessages.ts";
import { spokenBy } from "../core/transcript/spoken.ts";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";
import { formatPlanAsMarkdown } from "./exportSession.ts";
import type { Sessions } from "./sessions.ts";

/** `left`: number of unreadable entries in the file. */
interface ImportResult {
	sessionId: string;
	messages: number;
	left: number;
}

const LONGEST_NAME = 80;

/** `file` is the file's name. Rejects with a displayable message if the text is not a conversation. */
export async function importSession(sessions: Sessions, text: string, file: string): Promise<ImportResult> {
	const { services } = sessions;
	const now = services.now().toISOString();
	const chat = parseImport(text, now);
	if (!chat) {
		throw new UserError(
			t(
				"Couldn't import {0}. The file isn't a Troupe export, a list of chat messages, or a Claude Code transcript. Nothing was changed.",
				file,
			),
		);
	}
	const first = chat.events.find(({ type }) => type === "user");
	const name = (chat.name ?? (first?.type === "user" ? first.text : file)).replace(/\s+/g, " ").trim();
	const { sessionId } = await sessions.create({
		name: [...name].slice(0, LONGEST_NAME).join(""),
		async begin({ sessionId, agentId, role }) {
			const from = t("Imported from {0}. Nothing in this conversation was said or approved here.", file);
			const bodies: (EventBody & Partial<Pick<TranscriptEvent, "at" | "by">>)[] = [
				{ type: "agent", agent: agentId },
				{ type: "role", role },
				...chat.events,
				{ type: "status", level: "info", text: from },
			];
			const events = bodies.map((body, index): TranscriptEvent => {
				return { at: now, by: "host", ...body, id: randomUUID(), seq: index + 1, ...(body.at && { imported: true as const }) };
			});
			await Promise.all(events.map((event) => services.store.append(sessionId, event)));
			await services.store.update(sessionId, { updatedAt: now });
		},
	});
	return { sessionId, messages: chat.events.filter(({ type }) => type !== "result").length, left: chat.left };
}

/** Author of imported user messages, which carry no authority here. */
const BY = "channel:import";

interface ImportedChat {
	name?: string;
	/** Events in order, without sequence numbers. */
	events: ImportedEvent[];
	/** Number of unreadable entries. */
	left: number;
}

type ImportedEvent = EventBody & Pick<TranscriptEvent, "at" | "by">;

type Fields = Record<string, unknown>;

/** Undefined if the format is unknown. `at` is the time for entries without one. */
function parseImport(text: string, at: string): ImportedChat | undefined {
	const whole = parseJson(text);
	const entries = listIn(whole) ?? parseLines(text);
	if (!entries) return undefined;
	const chat: ImportedChat = { events: [], left: 0 };
	const name = isRecord(whole) ? nameIn(whole) : undefined;
	if (name !== undefined) chat.name = name;
	const state: ImportState = { chat, at, seen: new Map() };
	for (const entry of entries) addEntry(state, entry);
	assignCallIds(state);
	return chat.events.some(({ type }) => type === "user" || type === "assistant") ? chat : undefined;
}

function listIn(value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) return value;
	if (!isRecord(value)) return undefined;
	const found = ["events", "messages", "history", "conversation"].map((key) => value[key]).find(Array.isArray);
	return found as unknown[] | undefined;
}

function parseLines(text: string): unknown[] | undefined {
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	return lines.length > 0 && lines.some((line) => isRecord(parseJson(line))) ? lines.map(parseJson) : undefined;
}

function nameIn(whole: Fields): string | undefined {
	const session = isRecord(whole["session"]) ? whole["session"] : whole;
	return [session["name"], session["title"]].find((name): name is string => typeof name === "string" && name.trim() !== "");
}

interface ImportState {
	chat: ImportedChat;
	at: string;
	/** Number of events before each of our own events, by its id. */
	seen: Map<string, number>;
	/** Id of the Claude Code message whose blocks are on separate lines. */
	message?: string;
}

function addEntry(state: ImportState, entry: unknown): void {
	const { chat } = state;
	if (!isRecord(entry)) {
		chat.left += 1;
		return;
	}
	if (typeof entry["type"] === "string" && typeof entry["by"] === "string" && typeof entry["seq"] === "number") {
		addOwnEvent(state, entry);
		return;
	}
	if (entry["type"] === "summary" && typeof entry["summary"] === "string") {
		chat.name ??= entry["summary"];
		return;
	}
	const wrapped = isRecord(entry["message"]) ? entry["message"] : undefined;
	// Subagent side conversations and notes that the program keeps for itself.
	if (wrapped && (entry["isSidechain"] === true || entry["isMeta"] === true)) return;
	const message = wrapped ? { timestamp: entry["timestamp"], role: entry["type"], ...wrapped } : entry;
	const events = eventsFromLegacyMessage(message, chat.events.length + 1, state.at);
	if (!events) {
		// Such files contain entries of other types between the messages.
		if (!("type" in entry)) chat.left += 1;
		return;
	}
	const id = wrapped && typeof wrapped["id"] === "string" ? wrapped["id"] : undefined;
	const continues = id !== undefined && id === state.message;
	if (id === undefined) delete state.message;
	else state.message = id;
	for (const event of events) {
		state.at = event.at;
		if (!continues || !mergeInto(chat.events.at(-1), event)) addEvent(state, event);
	}
}

/** Merges the blocks of one message into one event, so that its calls come before their results. */
function mergeInto(last: ImportedEvent | undefined, event: TranscriptEvent): boolean {
	if (last?.type !== "assistant" || event.type !== "assistant") return false;
	last.text = [last.text, event.text].filter(Boolean).join("\n\n");
	if (event.thinking) last.thinking = `${last.thinking ?? ""}${event.thinking}`;
	if (event.calls) last.calls = [...(last.calls ?? []), ...event.calls];
	return true;
}

function addOwnEvent(state: ImportState, entry: Fields): void {
	const { chat, seen } = state;
	if (typeof entry["at"] === "string" && !Number.isNaN(Date.parse(entry["at"]))) state.at = entry["at"];
	if (typeof entry["id"] === "string") seen.set(entry["id"], chat.events.length);
	const since = entry["type"] === "rewound" && typeof entry["to"] === "string" ? seen.get(entry["to"]) : undefined;
	if (since !== undefined) chat.events.splice(since);
	const type = entry["type"] as string;
	if (type === "reply" && mergeReply(chat.events, entry)) return;
	if (!Object.hasOwn(OWN_EVENT_READERS, type)) return;
	const body = OWN_EVENT_READERS[type]?.(entry);
	if (body) addEvent(state, body);
	else chat.left += 1;
}

/** Puts a reply's text into the answer that called for it, in place of the call. Returns false if no such answer is known. */
function mergeReply(events: readonly ImportedEvent[], { call, text }: Fields): boolean {
	const answer = events.findLast((event) => event.type === "assistant" && event.calls?.some(({ id }) => id === call));
	if (answer?.type !== "assistant" || typeof text !== "string") return false;
	answer.text = [answer.text, text].filter(Boolean).join("\n\n");
	const others = answer.calls?.filter(({ id }) => id !== call) ?? [];
	if (others.length > 0) answer.calls = others;
	else delete answer.calls;
	return true;
}

/** Plans and questions become plain text, so none is pending or running. Approvals and role switches are omitted. */
const OWN_EVENT_READERS: Readonly<Record<string, (entry: Fields) => EventBody | undefined>> = {
	user: ({ text, by }) => (typeof text === "string" && by !== "host" ? { type: "user", text } : undefined),
	assistant: ({ text, thinking, calls, unspoken }) => {
		if (typeof text !== "string") return undefined;
		const known = Array.isArray(calls) ? calls.filter(isCall) : [];
		const said = spokenBy({ text, ...(typeof thinking === "string" && { thinking }), ...(unspoken === true && { unspoken }) });
		return { type: "assistant", ...said, ...(known.length > 0 && { calls: known }) };
	},
	reply: ({ text }) => (typeof text === "string" ? { type: "assistant", text } : undefined),
	result: ({ call, status, output }) => {
		const known = (["ok", "error", "denied", "cancelled", "unknown"] as const).find((each) => each === status);
		return typeof call === "string" && known && typeof output === "string" ? { type: "result", call, status: known, output } : undefined;
	},
	plan: ({ plan }) => {
		const found = PlanSchema.safeParse(plan);
		return found.success ? { type: "assistant", text: formatPlanAsMarkdown(found.data) } : undefined;
	},
	question: ({ question }) => {
		const found = QuestionSchema.safeParse(question);
		if (!found.success) return undefined;
		return { type: "assistant", text: [found.data.question, ...(found.data.options ?? []).map(({ label }) => `- ${label}`)].join("\n") };
	},
	compacted: ({ summary }) => (typeof summary === "string" ? { type: "assistant", text: summary } : undefined),
};

function isCall(value: unknown): value is { id: string; name: string; input: unknown } {
	return isRecord(value) && typeof value["id"] === "string" && typeof value["name"] === "string";
}

/** Keeps only the fields that every imported event type has. */
function addEvent({ chat, at }: ImportState, event: EventBody): void {
	if (event.type === "user") chat.events.push({ type: "user", text: event.text, at, by: BY });
	else if (event.type === "assistant") {
		const { text, thinking, calls } = event;
		chat.events.push({ type: "assistant", text, ...(thinking && { thinking }), ...(calls && { calls }), at, by: "model" });
	} else if (event.type === "result") {
		const { call, status, output } = event;
		chat.events.push({ type: "result", call, status, output, at, by: "host" });
	}
}

/** Gives every call a new id and exactly one result, and drops results without a call. */
function assignCallIds({ chat }: ImportState): void {
	const open = new Map<string, string>();
	let count = 0;
	const events: ImportedEvent[] = [];
	const settle = (at: string) => {
		for (const call of open.values()) events.push({ type: "result", call, status: "unknown", output: UNKNOWN, at, by: "host" });
		open.clear();
	};
	for (const event of chat.events) {
		if (event.type === "result") {
			const call = open.get(event.call);
			open.delete(event.call);
			if (call !== undefined) events.push({ ...event, call });
			continue;
		}
		settle(event.at);
		if (event.type !== "assistant" || !event.calls) {
			// An answer without words, such as one that was only thought.
			if (event.type !== "assistant" || event.text !== "" || event.thinking) events.push(event);
			continue;
		}
		const calls = event.calls.map((call) => {
			count += 1;
			open.set(call.id, `imported_${count}`);
			return { ...call, id: `imported_${count}` };
		});
		events.push({ ...event, calls });
	}
	settle(events.at(-1)?.at ?? "");
	chat.events = events;
}

const UNKNOWN = "What came of this call is not in the file it was imported from.";

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
