// Converts Chat Completions chunks to ModelChunks.
import type { Usage } from "../../core/events.ts";
import type { ModelChunk, ModelRequest } from "../../core/ports/model.ts";
import { createCallIdAllocator, type StreamAssembler } from "../wire/assembler.ts";
import { statusInError } from "../wire/providerErrors.ts";
import { type JsonFields, toCount, toFields, toList, toText } from "../wire/untypedJson.ts";

export type ThinkingField = "reasoning_content" | "reasoning";

/** Data sent back with later requests, but only to the server and model in `from`. */
export interface ChatOpaque {
	format: "chat";
	from: string;
	/** The field that contained the event's thinking. */
	field?: ThinkingField;
	/** Thinking in structured form, signatures included. */
	details?: unknown[];
	/** One for each call, in order. */
	extras?: unknown[];
}

interface CallSlot {
	index: number | undefined;
	id: string;
	name: string;
	arguments: string;
	/** Unclosed brackets in the arguments; undefined before the first. */
	open: number | undefined;
	/** The arguments received so far end inside a string. */
	quoted: boolean;
	/** They end after a backslash in a string. */
	escaped: boolean;
	/** Extra value sent back with the call. */
	extra?: unknown;
}

const STOPS: Record<string, "length" | "refused"> = {
	length: "length",
	max_tokens: "length",
	max_output_tokens: "length",
	model_length: "length",
	content_filter: "refused",
	safety: "refused",
	refusal: "refused",
};

/** Fields in which servers send thinking. */
const THINKING_FIELDS: readonly ThinkingField[] = ["reasoning_content", "reasoning"];

/** `serverAndModel`: see `ChatOpaque`. */
export function createChatAssembler(request: ModelRequest, serverAndModel: string): StreamAssembler {
	const nameCall = createCallIdAllocator(request);
	const slots: CallSlot[] = [];
	const details: JsonFields[] = [];
	let thinkingField: ThinkingField | undefined;
	let usage: Usage | undefined;
	let reason = "";
	let refused = false;
	let started = false;

	function slotFor(delta: JsonFields): CallSlot {
		const index = typeof delta["index"] === "number" ? delta["index"] : undefined;
		const id = toText(delta["id"]);
		const name = toText(toFields(delta["function"])["name"]);
		const known = index === undefined ? (id ? slots.find((slot) => slot.id === id) : slots.at(-1)) : lastWith(slots, index);
		if (known && !beginsNewCall(known, id, name)) return known;
		const slot = { index, id, name: "", arguments: "", open: undefined, quoted: false, escaped: false };
		slots.push(slot);
		return slot;
	}

	function addCall(delta: JsonFields): void {
		const slot = slotFor(delta);
		const call = toFields(delta["function"]);
		slot.id ||= toText(delta["id"]);
		slot.name ||= toText(call["name"]);
		slot.extra ??= delta["extra_content"];
		const given = call["arguments"] ?? call["parameters"];
		const piece = given !== null && typeof given === "object" ? JSON.stringify(given) : toText(given);
		slot.arguments += piece;
		countBrackets(slot, piece);
	}

	function thinkingIn(delta: JsonFields): string {
		for (const detail of toList(delta["reasoning_details"])) addDetail(details, toFields(detail));
		for (const field of THINKING_FIELDS) {
			const text = toText(delta[field]);
			if (text === "") continue;
			thinkingField ??= field;
			return text;
		}
		return contentOf(delta["content"], "thinking");
	}

	function opaque(calls: readonly CallSlot[]): ChatOpaque | undefined {
		const extras = calls.map(({ extra }) => extra ?? null);
		const value: ChatOpaque = { format: "chat", from: serverAndModel };
		if (details.length > 0) value.details = details;
		else if (thinkingField) value.field = thinkingField;
		if (extras.some((extra) => extra !== null)) value.extras = extras;
		return value.details || value.field || value.extras ? value : undefined;
	}

	return {
		addChunk(chunk) {
			const fields = toFields(chunk);
			const choice = toFields(toList(fields["choices"])[0]);
			usage = usageOf(fields["usage"]) ?? usageOf(choice["usage"]) ?? usageOf(toFields(fields["x_groq"])["usage"]) ?? usage;
			// A server that does not stream sends the same fields in `message`.
			const delta = toFields(choice["delta"] ?? choice["message"]);
			const out: ModelChunk[] = [];
			const thinking = thinkingIn(delta);
			if (thinking) out.push({ type: "thinking", text: thinking });
			const refusal = toText(delta["refusal"]);
			refused ||= refusal !== "";
			const text = contentOf(delta["content"], "text") + refusal;
			if (text) out.push({ type: "text", text });
			for (const call of toList(delta["tool_calls"])) addCall(toFields(call));
			if (delta["function_call"]) addCall({ index: 0, function: delta["function_call"] });
			reason = toText(choice["finish_reason"]) || reason;
			started ||= out.length > 0 || slots.length > 0 || reason !== "";
			return out;
		},
		findError(chunk) {
			const fields = toFields(chunk);
			const choice = toFields(toList(fields["choices"])[0]);
			const error = fields["error"] || choice["error"] || (fields["object"] === "error" && fields);
			if (error) return { status: statusInError(error), body: error };
			return choice["finish_reason"] === "error" ? {} : undefined;
		},
		isComplete: () => reason !== "",
		endMarkCompletes: true,
		isClosed: () => false,
		hasStarted: () => started,
		finish() {
			const stop = STOPS[reason.toLowerCase()] ?? (refused ? "refused" : undefined);
			const calls = stop === "refused" ? [] : slots.filter((slot) => slot.name !== "");
			const chunks = calls.map((slot, position): ModelChunk => {
				// Empty arguments mean no parameters or, after a length stop, arguments that did not arrive.
				const json = slot.arguments.trim() === "" && stop !== "length" ? "{}" : slot.arguments;
				return { type: "call", id: nameCall(slot.id, position), name: slot.name, arguments: json };
			});
			const value = opaque(calls);
			if (value) chunks.push({ type: "opaque", value });
			if (usage) chunks.push({ type: "usage", usage });
			chunks.push({ type: "stop", reason: stop ?? (calls.length > 0 ? "calls" : "end") });
			return chunks;
		},
	};
}

function lastWith(slots: readonly CallSlot[], index: number): CallSlot | undefined {
	const last = slots.at(-1);
	return last?.index === index ? last : slots.findLast((slot) => slot.index === index);
}

/** For servers without an index, or with index 0 for every call: a new ID, or a name after complete arguments, starts a new call. */
function beginsNewCall(slot: CallSlot, id: string, name: string): boolean {
	if (id !== "" && slot.id !== "" && id !== slot.id) return name !== "" || slot.index === undefined;
	const sameCall = id !== "" && id === slot.id;
	return !sameCall && slot.index === undefined && name !== "" && slot.name !== "" && isWhole(slot);
}

/** Counts brackets incrementally, so that no text is scanned twice. */
function countBrackets(slot: CallSlot, piece: string): void {
	for (const character of piece) {
		if (slot.escaped) slot.escaped = false;
		else if (slot.quoted && character === "\\") slot.escaped = true;
		else if (character === '"') slot.quoted = !slot.quoted;
		else if (!slot.quoted && "{[".includes(character)) slot.open = (slot.open ?? 0) + 1;
		else if (!slot.quoted && "}]".includes(character)) slot.open = (slot.open ?? 0) - 1;
	}
}

function isWhole(slot: CallSlot): boolean {
	return slot.open === 0 && !slot.quoted;
}

/** Structured thinking is streamed: text is appended; other fields keep their last value. */
function addDetail(details: JsonFields[], piece: JsonFields): void {
	const last = details.at(-1);
	const grows = last && last["type"] === piece["type"] && last["index"] === piece["index"] && piece["type"] !== "reasoning.encrypted";
	if (!grows) {
		details.push(piece);
		return;
	}
	const merged: Record<string, unknown> = { ...last };
	for (const [name, value] of Object.entries(piece)) {
		if (value === null || value === undefined) continue;
		const text = name === "text" || name === "summary" ? toText(merged[name]) : undefined;
		merged[name] = text !== undefined && typeof value === "string" ? text + value : value;
	}
	details[details.length - 1] = merged;
}

function usageOf(value: unknown): Usage | undefined {
	const fields = toFields(value);
	const input = toCount(fields["prompt_tokens"]);
	const output = toCount(fields["completion_tokens"]);
	if (input === undefined && output === undefined) return undefined;
	const details = toFields(fields["prompt_tokens_details"]);
	const cached = toCount(details["cached_tokens"]) ?? toCount(fields["prompt_cache_hit_tokens"]) ?? toCount(fields["cached_tokens"]);
	const written = toCount(details["cache_write_tokens"]);
	// Some servers include thinking only in the total.
	const total = toCount(fields["total_tokens"]) ?? 0;
	const usage: Usage = { input: input ?? 0, output: Math.max(output ?? 0, total - (input ?? 0)) };
	if (cached !== undefined) usage.cached = cached;
	if (written) usage.written = written;
	return usage;
}

/** Content is a string, or a list of text and thinking parts. */
function contentOf(value: unknown, kind: "text" | "thinking"): string {
	if (!Array.isArray(value)) return kind === "text" ? toText(value) : "";
	return value.map((part) => partOf(toFields(part)[kind])).join("");
}

function partOf(value: unknown): string {
	return Array.isArray(value) ? contentOf(value, "text") : toText(value);
}
