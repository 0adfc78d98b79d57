// Events of a Responses answer → ModelChunks. Calls leave only once the answer has ended as it should.
import type { Usage } from "../../core/events.ts";
import type { ModelChunk, ModelRequest } from "../../core/ports/model.ts";
import { type Assembler, type Complaint, callNamer } from "../wire/assembler.ts";
import { statusInside } from "../wire/providerErrors.ts";
import { countOf, type Fields, fieldsOf, listOf, textOf } from "../wire/untypedJson.ts";
import { type KeptItem, type ResponsesOpaque, reasoningItem } from "./responsesInput.ts";

/** One item of the answer: some reasoning, a message, or a call. */
interface Slot {
	/** Its place among the items. */
	index: number;
	id: string;
	item: Fields;
	arguments: string;
	/** Some of its words were shown already. */
	shown: boolean;
	/** Where its words stand in the text of the answer. */
	from: number;
	to: number;
}

/** `from` names server and model: reasoning goes back to them alone. */
export function responsesAssembler(request: ModelRequest, from: string): Assembler {
	const nameCall = callNamer(request);
	const slots = new Map<number, Slot>();
	let length = 0;
	/** The part of some thinking that was shown last. */
	let thought: string | undefined;
	let refused = false;
	let ended: Fields | undefined;

	function slotFor(event: Fields, item: Fields = {}): Slot {
		const id = textOf(event["item_id"]) || textOf(item["id"]);
		// Some gateways name an item anew in each event: its place counts where it is given.
		const index = countOf(event["output_index"]) ?? withId(id)?.index ?? slots.size;
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
			// Two messages in one answer are two paragraphs.
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

	/** The item as a whole: what was not shown piece by piece is shown now. */
	function takeItem(slot: Slot, item: Fields): ModelChunk[] {
		slot.item = item;
		const content = listOf(item["content"]).map(fieldsOf);
		if (item["type"] === "message") {
			refused ||= content.some((part) => part["type"] === "refusal");
			const text = content.map((part) => textOf(part["text"]) + textOf(part["refusal"])).join("");
			return slot.shown ? [] : say(slot, text);
		}
		if (item["type"] === "reasoning") {
			if (slot.shown) return [];
			const parts = [...listOf(item["summary"]).map(fieldsOf), ...content];
			return parts.flatMap((part, position) => think(slot, textOf(part["text"]), position));
		}
		return [];
	}

	function end(response: Fields): ModelChunk[] {
		ended = response;
		// Items that were told of one by one are known; a server that did not do so gives them now.
		if ([...slots.values()].some(isWhole)) return [];
		return listOf(response["output"]).flatMap((item, index) => takeItem(slotFor({ output_index: index }), fieldsOf(item)));
	}

	const takers: Record<string, (event: Fields) => ModelChunk[]> = {
		"response.output_item.added": (event) => {
			const item = fieldsOf(event["item"]);
			const slot = slotFor(event, item);
			slot.item = { ...item, status: "in_progress" };
			return [];
		},
		"response.output_text.delta": (event) => say(slotFor(event), textOf(event["delta"])),
		"response.output_text.done": (event) => {
			const slot = slotFor(event);
			return slot.shown ? [] : say(slot, textOf(event["text"]));
		},
		"response.refusal.delta": (event) => {
			refused = true;
			return say(slotFor(event), textOf(event["delta"]));
		},
		"response.reasoning_summary_text.delta": (event) => think(slotFor(event), textOf(event["delta"]), event["summary_index"]),
		"response.reasoning_text.delta": (event) => think(slotFor(event), textOf(event["delta"]), `text ${event["content_index"]}`),
		"response.function_call_arguments.delta": (event) => {
			slotFor(event).arguments += textOf(event["delta"]);
			return [];
		},
		"response.function_call_arguments.done": (event) => {
			const slot = slotFor(event);
			slot.arguments = textOf(event["arguments"]) || slot.arguments;
			return [];
		},
		"response.output_item.done": (event) => {
			const item = fieldsOf(event["item"]);
			return takeItem(slotFor(event, item), { ...item, status: "completed" });
		},
		"response.completed": (event) => end(fieldsOf(event["response"])),
		"response.incomplete": (event) => end({ status: "incomplete", ...fieldsOf(event["response"]) }),
		/** Gateways end with this one. */
		"response.done": (event) => end(fieldsOf(event["response"])),
	};

	/** `cut`: the answer ended at a limit, and what the call lacks did not come any more. */
	function call(slot: Slot, position: number, cut: boolean): ModelChunk {
		const { item } = slot;
		const given = item["arguments"];
		const whole = given !== null && typeof given === "object" ? JSON.stringify(given) : textOf(given);
		const json = whole.trim() === "" ? slot.arguments : whole;
		const id = nameCall(textOf(item["call_id"]) || textOf(item["id"]), position);
		return { type: "call", id, name: textOf(item["name"]), arguments: json.trim() === "" && !cut ? "{}" : json };
	}

	return {
		take: (chunk) => {
			const event = fieldsOf(chunk);
			return takers[textOf(event["type"])]?.(event) ?? [];
		},
		takeWhole(document) {
			const response = fieldsOf(document);
			return Array.isArray(response["output"]) ? end(response) : [];
		},
		complaint,
		finished: () => ended !== undefined,
		endsWithMark: false,
		over: () => ended !== undefined,
		begun: () => slots.size > 0 || ended !== undefined,
		finish() {
			const inOrder = [...slots.values()].sort((a, b) => a.index - b.index);
			const stop = stopOf(ended ?? {}) ?? (refused ? "refused" : undefined);
			const calling =
				stop === "refused" ? [] : inOrder.filter(({ item }) => item["type"] === "function_call" && textOf(item["name"]) !== "");
			const chunks = calling.map((slot, position) => call(slot, position, stop === "length"));
			const items = inOrder.flatMap((slot) => kept(slot, calling));
			const value: ResponsesOpaque = { format: "responses", from, items };
			if (saysMore(items)) chunks.push({ type: "opaque", value });
			const usage = usageOf(fieldsOf(ended?.["usage"]));
			if (usage) chunks.push({ type: "usage", usage });
			chunks.push({ type: "stop", reason: stop ?? (calling.length > 0 ? "calls" : "end") });
			return chunks;
		},
	};
}

function isWhole({ item }: Slot): boolean {
	return item["type"] !== undefined && item["status"] !== "in_progress";
}

/** What is said of the item when the answer goes back. */
function kept(slot: Slot, calling: readonly Slot[]): KeptItem[] {
	const { item, from, to } = slot;
	if (item["type"] === "function_call") return calling.includes(slot) ? [{ type: "function_call" }] : [];
	if (item["type"] === "reasoning") return [reasoningItem(item) ?? []].flat();
	if (to === from) return [];
	const phase = textOf(item["phase"]);
	return [{ type: "message", from, to, ...(phase !== "" && { phase }) }];
}

/** Words and then calls are the order that an event stands for without further notes. */
function saysMore(items: readonly KeptItem[]): boolean {
	const firstCall = items.findIndex(({ type }) => type === "function_call");
	return items.some(
		(item, index) =>
			item.type === "reasoning" || ("phase" in item && item.phase) || (item.type === "message" && firstCall >= 0 && index > firstCall),
	);
}

const INCOMPLETE: Record<string, "length" | "refused"> = { content_filter: "refused" };

function stopOf(response: Fields): "length" | "refused" | undefined {
	const why = fieldsOf(response["incomplete_details"])["reason"];
	if (response["status"] !== "incomplete" && !why) return undefined;
	return INCOMPLETE[textOf(why)] ?? "length";
}

/** Codes that asking again does not help. */
const NOT_AGAIN = /^(invalid_|image_|empty_image|unsupported_|failed_to_download|data_residency|bio_policy|cyber_policy)/;

const FAILED: ReadonlySet<string> = new Set(["failed", "cancelled"]);

function complaint(chunk: unknown): Complaint | undefined {
	const event = fieldsOf(Array.isArray(chunk) ? chunk[0] : chunk);
	const response = event["object"] === "response" ? event : fieldsOf(event["response"]);
	const failed = event["type"] === "error" || event["type"] === "response.failed" || FAILED.has(textOf(response["status"]));
	const error = event["error"] || response["error"] || (event["type"] === "error" && event);
	if (!failed && !error) return undefined;
	const { type, ...body } = fieldsOf(error || {});
	const code = textOf(body["code"]) || textOf(type);
	const status = statusInside(error) ?? statusInside(event) ?? (NOT_AGAIN.test(code) ? 400 : undefined);
	return { status, body: { ...body, ...(type !== "error" && { type }) } };
}

function usageOf(fields: Fields): Usage | undefined {
	const input = countOf(fields["input_tokens"]);
	const output = countOf(fields["output_tokens"]);
	if (input === undefined && output === undefined) return undefined;
	const details = fieldsOf(fields["input_tokens_details"]);
	const cached = countOf(details["cached_tokens"]);
	const written = countOf(details["cache_write_tokens"]);
	return { input: input ?? 0, output: output ?? 0, ...(cached !== undefined && { cached }), ...(written && { written }) };
}
