// Converts Responses API events to ModelChunks.
import type OpenAI from "openai";
import type { Usage } from "../../core/events.ts";
import type { ModelChunk, ModelRequest } from "../../core/ports/model.ts";
import { createCallIdAllocator, type StreamAssembler, type StreamError } from "../wire/assembler.ts";
import { statusInError } from "../wire/providerErrors.ts";
import { type JsonFields, toCount, toFields, toList, toText } from "../wire/untypedJson.ts";

/** Reasoning that is sent back unchanged and in the same position, since the API rejects reasoning elsewhere. */
export interface ReasoningItem {
	type: "reasoning";
	id?: string;
	summary: unknown[];
	content?: unknown[];
	encrypted_content?: string;
}

/**
 * The order of an answer's items. Text and calls are already in the event; only their positions are stored here. `from` is the
 * server and model, which alone can read encrypted reasoning.
 */
export interface ResponsesOpaque {
	format: "responses";
	from: string;
	items: OpaqueItem[];
}

export type OpaqueItem =
	| ReasoningItem
	/** Characters `from` to `to` of the event's text. */
	| { type: "message"; from: number; to: number; phase?: string }
	/** The next call of the event. */
	| { type: "function_call" };

/** One item of the answer: reasoning, a message, or a call. */
interface Slot {
	/** Position among the items. */
	index: number;
	id: string;
	item: JsonFields;
	arguments: string;
	/** Some of its text was already emitted. */
	shown: boolean;
	/** Range of its text in the answer's text. */
	from: number;
	to: number;
}

/** `serverAndModel`: see `ResponsesOpaque`. */
export function createResponsesAssembler(request: ModelRequest, serverAndModel: string): StreamAssembler {
	const nameCall = createCallIdAllocator(request);
	const slots = new Map<number, Slot>();
	let length = 0;
	/** The part of the thinking emitted last. */
	let thought: string | undefined;
	let refused = false;
	let ended: JsonFields | undefined;

	function slotFor(event: JsonFields, item: JsonFields = {}): Slot {
		const id = toText(event["item_id"]) || toText(item["id"]);
		// Some gateways change an item's ID with each event, so its index takes precedence.
		const index = toCount(event["output_index"]) ?? withId(id)?.index ?? slots.size;
		const known = slots.get(index);
		if (known) return known;
		const slot = { index, id, item: {}, arguments: "", shown: false, from: 0, to: 0 };
		slots.set(index, slot);
		return slot;
	}

	function withId(id: string): Slot | undefined {
		return id === "" ? undefined : [...slots.values()].find((slot) => slot.id === id);
	}

	function say(slot: Slot, text: string): ModelChunk[] {
		if (text === "") return [];
		const chunks: ModelChunk[] = [];
		if (!slot.shown) {
			// Two messages of one answer are separate paragraphs.
			if (length > 0) chunks.push({ type: "text", text: "\n\n" });
			length += length > 0 ? 2 : 0;
			slot.from = length;
		}
		slot.shown = true;
		length += text.length;
		slot.to = length;
		return [...chunks, { type: "text", text }];
	}

	function think(slot: Slot, text: string, part: unknown): ModelChunk[] {
		if (text === "") return [];
		const here = `${slot.index} ${part}`;
		const another = thought !== undefined && thought !== here;
		slot.shown = true;
		thought = here;
		return [{ type: "thinking", text: another ? `\n\n${text}` : text }];
	}

	/** Emits a complete item that was not streamed. */
	function addItem(slot: Slot, item: JsonFields): ModelChunk[] {
		slot.item = item;
		const content = toList(item["content"]).map(toFields);
		if (item["type"] === "message") {
			refused ||= content.some((part) => part["type"] === "refusal");
			const text = content.map((part) => toText(part["text"]) + toText(part["refusal"])).join("");
			return slot.shown ? [] : say(slot, text);
		}
		if (item["type"] === "reasoning") {
			if (slot.shown) return [];
			const parts = [...toList(item["summary"]).map(toFields), ...content];
			return parts.flatMap((part, position) => think(slot, toText(part["text"]), position));
		}
		return [];
	}

	function end(response: JsonFields): ModelChunk[] {
		ended = response;
		// A server that did not stream items sends them now.
		if ([...slots.values()].some(isWhole)) return [];
		return toList(response["output"]).flatMap((item, index) => addItem(slotFor({ output_index: index }), toFields(item)));
	}

	const handlers: { [Type in OpenAI.Responses.ResponseStreamEvent["type"] | "response.done"]?: (event: JsonFields) => ModelChunk[] } = {
		"response.output_item.added": (event) => {
			const item = toFields(event["item"]);
			const slot = slotFor(event, item);
			slot.item = { ...item, status: "in_progress" };
			return [];
		},
		"response.output_text.delta": (event) => say(slotFor(event), toText(event["delta"])),
		"response.output_text.done": (event) => {
			const slot = slotFor(event);
			return slot.shown ? [] : say(slot, toText(event["text"]));
		},
		"response.refusal.delta": (event) => {
			refused = true;
			return say(slotFor(event), toText(event["delta"]));
		},
		"response.reasoning_summary_text.delta": (event) => think(slotFor(event), toText(event["delta"]), event["summary_index"]),
		"response.reasoning_text.delta": (event) => think(slotFor(event), toText(event["delta"]), `text ${event["content_index"]}`),
		"response.function_call_arguments.delta": (event) => {
			slotFor(event).arguments += toText(event["delta"]);
			return [];
		},
		"response.function_call_arguments.done": (event) => {
			const slot = slotFor(event);
			slot.arguments = toText(event["arguments"]) || slot.arguments;
			return [];
		},
		"response.output_item.done": (event) => {
			const item = toFields(event["item"]);
			return addItem(slotFor(event, item), { ...item, status: "completed" });
		},
		"response.completed": (event) => end(toFields(event["response"])),
		"response.incomplete": (event) => end({ status: "incomplete", ...toFields(event["response"]) }),
		// Sent by gateways.
		"response.done": (event) => end(toFields(event["response"])),
	};

	/** `cut`: the answer was truncated, so empty arguments are missing ones. */
	function call(slot: Slot, position: number, cut: boolean): ModelChunk {
		const { item } = slot;
		const given = item["arguments"];
		const whole = given !== null && typeof given === "object" ? JSON.stringify(given) : toText(given);
		const json = whole.trim() === "" ? slot.arguments : whole;
		const id = nameCall(toText(item["call_id"]) || toText(item["id"]), position);
		return { type: "call", id, name: toText(item["name"]), arguments: json.trim() === "" && !cut ? "{}" : json };
	}

	return {
		addChunk: (chunk) => {
			const event = toFields(chunk);
			const type = toText(event["type"]) as keyof typeof handlers;
			return (Object.hasOwn(handlers, type) && handlers[type]?.(event)) || [];
		},
		findError,
		isComplete: () => ended !== undefined,
		endMarkCompletes: false,
		isClosed: () => ended !== undefined,
		hasStarted: () => slots.size > 0 || ended !== undefined,
		finish() {
			const inOrder = [...slots.values()].sort((a, b) => a.index - b.index);
			const stop = stopReasonOf(ended ?? {}) ?? (refused ? "refused" : undefined);
			const calling =
				stop === "refused" ? [] : inOrder.filter(({ item }) => item["type"] === "function_call" && toText(item["name"]) !== "");
			const chunks = calling.map((slot, position) => call(slot, position, stop === "length"));
			const items = inOrder.flatMap((slot) => toOpaqueItems(slot, calling));
			const value: ResponsesOpaque = { format: "responses", from: serverAndModel, items };
			if (needsRecord(items)) chunks.push({ type: "opaque", value });
			const usage = usageOf(toFields(ended?.["usage"]));
			if (usage) chunks.push({ type: "usage", usage });
			chunks.push({ type: "stop", reason: stop ?? (calling.length > 0 ? "calls" : "end") });
			return chunks;
		},
	};
}

function isWhole({ item }: Slot): boolean {
	return item["type"] !== undefined && item["status"] !== "in_progress";
}

/** Converts a slot to the item to send back. */
function toOpaqueItems(slot: Slot, calling: readonly Slot[]): OpaqueItem[] {
	const { item, from, to } = slot;
	if (item["type"] === "function_call") return calling.includes(slot) ? [{ type: "function_call" }] : [];
	if (item["type"] === "reasoning") return [parseReasoningItem(item) ?? []].flat();
	if (to === from) return [];
	const phase = toText(item["phase"]);
	return [{ type: "message", from, to, ...(phase !== "" && { phase }) }];
}

/** Text followed by calls is the default order and needs no record. */
function needsRecord(items: readonly OpaqueItem[]): boolean {
	const firstCall = items.findIndex(({ type }) => type === "function_call");
	return items.some(
		(item, index) =>
			item.type === "reasoning" || ("phase" in item && item.phase) || (item.type === "message" && firstCall >= 0 && index > firstCall),
	);
}

const INCOMPLETE: Record<string, "length" | "refused"> = { content_filter: "refused" };

function stopReasonOf(response: JsonFields): "length" | "refused" | undefined {
	const reason = toFields(response["incomplete_details"])["reason"];
	if (response["status"] !== "incomplete" && !reason) return undefined;
	return INCOMPLETE[toText(reason)] ?? "length";
}

/** Error codes for which retrying is useless. */
const PERMANENT = /^(invalid_|image_|empty_image|unsupported_|failed_to_download|data_residency|bio_policy|cyber_policy)/;

const FAILED: ReadonlySet<string> = new Set(["failed", "cancelled"]);

function findError(chunk: unknown): StreamError | undefined {
	const event = toFields(chunk);
	const response = toFields(event["response"]);
	const failed = event["type"] === "error" || event["type"] === "response.failed" || FAILED.has(toText(response["status"]));
	const error = event["error"] || response["error"] || (event["type"] === "error" && event);
	if (!failed && !error) return undefined;
	if (typeof error === "string") return { body: error };
	const { type, ...body } = toFields(error || {});
	const code = toText(body["code"]) || toText(type);
	const status = statusInError(error) ?? statusInError(event) ?? (PERMANENT.test(code) ? 400 : undefined);
	return { status, body: { ...body, ...(type !== "error" && { type }) } };
}

function usageOf(fields: JsonFields): Usage | undefined {
	const input = toCount(fields["input_tokens"]);
	const output = toCount(fields["output_tokens"]);
	if (input === undefined && output === undefined) return undefined;
	const details = toFields(fields["input_tokens_details"]);
	const cached = toCount(details["cached_tokens"]);
	const written = toCount(details["cache_write_tokens"]);
	return { input: input ?? 0, output: output ?? 0, ...(cached !== undefined && { cached }), ...(written && { written }) };
}

/** Returns undefined for reasoning that only refers to stored data, since nothing is stored on the server. */
export function parseReasoningItem(item: JsonFields): ReasoningItem | undefined {
	const encrypted = toText(item["encrypted_content"]);
	const content = toList(item["content"]);
	if (encrypted === "" && content.length === 0) return undefined;
	const id = toText(item["id"]);
	return {
		type: "reasoning",
		...(id !== "" && { id }),
		summary: toList(item["summary"]),
		...(content.length > 0 && { content }),
		...(encrypted !== "" && { encrypted_content: encrypted }),
	};
}
