// Converts Messages API stream events to ModelChunks.
import type { Usage } from "../../core/events.ts";
import type { ModelChunk, ModelRequest } from "../../core/ports/model.ts";
import { createCallIdAllocator, type StreamAssembler } from "../wire/assembler.ts";
import { statusInError } from "../wire/providerErrors.ts";
import { type JsonFields, toCount, toFields, toList, toText } from "../wire/untypedJson.ts";
import type { AnthropicOpaque, AnthropicPart } from "./messages.ts";
import { signsThinking } from "./thinking.ts";

type Stop = Extract<ModelChunk, { type: "stop" }>["reason"];

/** A content block being streamed. */
interface OpenBlock {
	index: unknown;
	type: string;
	part: AnthropicPart | undefined;
	id: string;
	name: string;
	/** A call's arguments: as streamed, and as given when the block started. */
	json: string;
	input: unknown;
}

/** After a server pause the user may continue, as after an answer that exceeded the limit. */
const STOPS: Record<string, Stop> = {
	max_tokens: "length",
	model_context_window_exceeded: "length",
	pause_turn: "length",
	refusal: "refused",
};

/** `seal`: see `toAnthropicMessages`. */
export function createAnthropicAssembler(request: ModelRequest, seal: string): StreamAssembler {
	const nameCall = createCallIdAllocator(request);
	const signed = signsThinking(request.model);
	const blocks: OpenBlock[] = [];
	const shown = { text: "", thinking: "" };
	let usage: Usage | undefined;
	let counts: JsonFields = {};
	let reason = "";
	let started = false;
	let closed = false;

	function count(given: unknown): void {
		const known = Object.entries(toFields(given)).filter(([, value]) => toCount(value) !== undefined);
		if (known.length === 0) return;
		counts = { ...counts, ...Object.fromEntries(known) };
		usage = usageOf(counts);
	}

	/** Separates blocks of the same kind by an empty line. */
	function begin(kind: "text" | "thinking"): ModelChunk[] {
		return shown[kind] === "" || shown[kind].endsWith("\n") ? [] : grow(kind, "\n\n");
	}

	function grow(kind: "text" | "thinking", piece: string): ModelChunk[] {
		shown[kind] += piece;
		return piece === "" ? [] : [{ type: kind, text: piece }];
	}

	function start(index: unknown, block: JsonFields): ModelChunk[] {
		const open: OpenBlock = {
			index,
			type: toText(block["type"]),
			part: undefined,
			id: toText(block["id"]),
			name: toText(block["name"]),
			json: "",
			input: block["input"],
		};
		blocks.push(open);
		started = true;
		if (open.type === "redacted_thinking") open.part = { redacted: toText(block["data"]) };
		if (open.type === "tool_use") open.part = { call: true };
		if (open.type !== "text" && open.type !== "thinking") return [];
		const gap = begin(open.type);
		const at = shown[open.type].length;
		open.part = open.type === "text" ? { text: [at, at] } : { thinking: [at, at], signature: toText(block["signature"]) };
		return [...gap, ...growBlock(open, open.type, toText(block[open.type]))];
	}

	function growBlock({ part }: OpenBlock, kind: "text" | "thinking", piece: string): ModelChunk[] {
		const chunks = grow(kind, piece);
		if (part && "text" in part) part.text = [part.text[0], shown.text.length];
		if (part && "thinking" in part) part.thinking = [part.thinking[0], shown.thinking.length];
		return chunks;
	}

	function change(index: unknown, delta: JsonFields): ModelChunk[] {
		const open = blocks.findLast((block) => block.index === index);
		if (!open) return [];
		switch (delta["type"]) {
			case "text_delta":
				return open.type === "text" ? growBlock(open, "text", toText(delta["text"])) : [];
			case "thinking_delta":
				return open.type === "thinking" ? growBlock(open, "thinking", toText(delta["thinking"])) : [];
			case "signature_delta":
				if (open.part && "signature" in open.part) open.part.signature += toText(delta["signature"]);
				return [];
			case "input_json_delta":
				open.json += toText(delta["partial_json"]);
				return [];
			default:
				return [];
		}
	}

	return {
		addChunk(given) {
			const event = toFields(given);
			switch (event["type"]) {
				case "message_start": {
					const message = toFields(event["message"]);
					const content = toList(message["content"]);
					started = true;
					count(message["usage"]);
					// Empty unless the server sent the whole answer in one document.
					if (content.length > 0) reason = toText(message["stop_reason"]);
					const chunks = content.flatMap((block, index) => start(index, toFields(block)));
					return usage ? [{ type: "usage", usage }, ...chunks] : chunks;
				}
				case "content_block_start":
					return start(event["index"], toFields(event["content_block"]));
				case "content_block_delta":
					return change(event["index"], toFields(event["delta"]));
				case "message_delta":
					count(event["usage"]);
					reason = toText(toFields(event["delta"])["stop_reason"]) || reason;
					return [];
				case "message_stop":
					reason ||= "end_turn";
					closed = true;
					return [];
				default:
					return [];
			}
		},
		findError(event) {
			const { type, error } = toFields(event);
			return type === "error" || error ? { status: statusInError(error), body: event } : undefined;
		},
		isComplete: () => reason !== "",
		endMarkCompletes: false,
		isClosed: () => closed,
		hasStarted: () => started,
		finish() {
			const stop = STOPS[reason];
			const calls = stop === "refused" ? [] : blocks.filter(({ type, name }) => type === "tool_use" && name !== "");
			const chunks: ModelChunk[] = calls.map((call, position) => ({
				type: "call",
				id: nameCall(call.id, position),
				name: call.name,
				arguments: argumentsOf(call, stop === "length"),
			}));
			if (usage) chunks.push({ type: "usage", usage });
			const parts = blocks.flatMap(({ part }) => (part && isKept(part, signed) ? [part] : []));
			const opaque: AnthropicOpaque = { format: "anthropic", seal, parts };
			if (stop !== "refused" && isWorthKeeping(parts)) chunks.push({ type: "opaque", value: opaque });
			chunks.push({ type: "stop", reason: stop ?? (calls.length > 0 ? "calls" : "end") });
			return chunks;
		},
	};
}

/** A call without parameters has no arguments; neither has one truncated before its arguments, which never runs. */
function argumentsOf({ json, input }: OpenBlock, cut: boolean): string {
	if (json.trim() !== "") return json;
	if (Object.keys(toFields(input)).length > 0) return JSON.stringify(input);
	return cut ? "" : "{}";
}

/** Truncated thinking has no signature, so the API would reject it. */
function isKept(part: AnthropicPart, signed: boolean): boolean {
	return !("signature" in part) || part.signature !== "" || !signed;
}

/** Text followed by calls is the default order and needs no record. */
function isWorthKeeping(parts: readonly AnthropicPart[]): boolean {
	const firstCall = parts.findIndex((part) => "call" in part);
	const texts = parts.filter((part) => "text" in part).length;
	const straight = texts <= 1 && (firstCall < 0 || parts.slice(firstCall).every((part) => "call" in part));
	return !straight || parts.some((part) => "thinking" in part || "redacted" in part);
}

/** `input` is the whole prompt, including cache reads and writes. */
function usageOf(counts: JsonFields): Usage {
	const read = toCount(counts["cache_read_input_tokens"]);
	const written = toCount(counts["cache_creation_input_tokens"]);
	const usage: Usage = {
		input: (toCount(counts["input_tokens"]) ?? 0) + (read ?? 0) + (written ?? 0),
		output: toCount(counts["output_tokens"]) ?? 0,
	};
	if (read !== undefined) usage.cached = read;
	if (written !== undefined) usage.written = written;
	return usage;
}
