// Chunks of a Chat Completions answer → ModelChunks. Calls leave only once the answer has ended as it should.
import type { Usage } from "../core/events.ts";
import type { ModelChunk } from "../core/model.ts";

type Fields = Record<string, unknown>;

export interface ChatAssembler {
	/** Text and thinking of one parsed chunk, to be shown at once. */
	take(chunk: unknown): ModelChunk[];
	/** The server has said why it stopped. */
	finished(): boolean;
	/** The server gave up and said so only in its reason to stop. */
	failed(): boolean;
	/** Anything at all that belongs to an answer has arrived. */
	begun(): boolean;
	/** Calls, usage and the reason: what is certain only at the end. */
	finish(): ModelChunk[];
}

interface CallSlot {
	index: number | undefined;
	id: string;
	name: string;
	arguments: string;
}

const STOPS: Record<string, "length" | "refused"> = {
	length: "length",
	max_tokens: "length",
	model_length: "length",
	content_filter: "refused",
	safety: "refused",
};

/** `freshId` names the n-th call when the server gave no id or one that is `taken` already in this session. */
export function chatAssembler(freshId: (position: number) => string, taken: ReadonlySet<string>): ChatAssembler {
	const slots: CallSlot[] = [];
	let usage: Usage | undefined;
	let reason = "";
	let begun = false;

	function slotFor(delta: Fields): CallSlot {
		const index = typeof delta["index"] === "number" ? delta["index"] : undefined;
		const id = textOf(delta["id"]);
		const name = textOf(fieldsOf(delta["function"])["name"]);
		const last = slots.at(-1);
		const known = index === undefined ? (id ? slots.find((slot) => slot.id === id) : last) : slots.findLast((slot) => slot.index === index);
		if (known && !beginsAnother(known, id, name)) return known;
		const slot = { index, id, name: "", arguments: "" };
		slots.push(slot);
		return slot;
	}

	function takeCall(delta: Fields): void {
		const slot = slotFor(delta);
		const call = fieldsOf(delta["function"]);
		slot.id ||= textOf(delta["id"]);
		slot.name ||= textOf(call["name"]);
		const piece = call["arguments"];
		if (typeof piece === "string") slot.arguments += piece;
		else if (piece !== null && typeof piece === "object") slot.arguments += JSON.stringify(piece);
	}

	return {
		take(chunk) {
			const fields = fieldsOf(chunk);
			const choice = fieldsOf(listOf(fields["choices"])[0]);
			usage = usageOf(fields["usage"]) ?? usageOf(choice["usage"]) ?? usage;
			// A server that does not stream sends the same fields as one `message`.
			const delta = fieldsOf(choice["delta"] ?? choice["message"]);
			const out: ModelChunk[] = [];
			const thinking = textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]);
			if (thinking) out.push({ type: "thinking", text: thinking });
			const text = contentOf(delta["content"]) + textOf(delta["refusal"]);
			if (text) out.push({ type: "text", text });
			for (const call of listOf(delta["tool_calls"])) takeCall(fieldsOf(call));
			if (delta["function_call"]) takeCall({ index: 0, function: delta["function_call"] });
			reason = textOf(choice["finish_reason"]) || reason;
			begun ||= out.length > 0 || slots.length > 0 || reason !== "";
			return out;
		},
		finished: () => reason !== "" && reason !== "error",
		failed: () => reason === "error",
		begun: () => begun,
		finish() {
			const calls = slots.filter((slot) => slot.name !== "");
			const used = new Set(taken);
			const chunks: ModelChunk[] = calls.map((slot, position) => {
				const id = slot.id !== "" && !used.has(slot.id) ? slot.id : freshId(position);
				used.add(id);
				// Servers leave the arguments of a tool without parameters empty.
				return { type: "call", id, name: slot.name, arguments: slot.arguments.trim() === "" ? "{}" : slot.arguments };
			});
			if (usage) chunks.push({ type: "usage", usage });
			const stop = STOPS[reason.toLowerCase()] ?? (calls.length > 0 ? "calls" : "end");
			chunks.push({ type: "stop", reason: stop });
			return chunks;
		},
	};
}

/** Servers without an index, or with index 0 for every call: another id or a name after arguments begins another call. */
function beginsAnother(slot: CallSlot, id: string, name: string): boolean {
	if (id !== "" && slot.id !== "" && id !== slot.id) return name !== "" || slot.index === undefined;
	const sameCall = id !== "" && id === slot.id;
	return !sameCall && slot.index === undefined && name !== "" && slot.name !== "" && isWhole(slot.arguments);
}

function isWhole(json: string): boolean {
	try {
		JSON.parse(json);
		return true;
	} catch {
		return false;
	}
}

function usageOf(value: unknown): Usage | undefined {
	const fields = fieldsOf(value);
	const input = fields["prompt_tokens"];
	const output = fields["completion_tokens"];
	if (typeof input !== "number" && typeof output !== "number") return undefined;
	const details = fieldsOf(fields["prompt_tokens_details"])["cached_tokens"] ?? fields["prompt_cache_hit_tokens"];
	const usage: Usage = { input: numberOf(input), output: numberOf(output) };
	if (typeof details === "number") usage.cached = details;
	return usage;
}

/** A string, or a list of parts of which the text counts. */
function contentOf(value: unknown): string {
	if (Array.isArray(value)) return value.map((part) => textOf(fieldsOf(part)["text"])).join("");
	return textOf(value);
}

function fieldsOf(value: unknown): Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number {
	return typeof value === "number" ? value : 0;
}
