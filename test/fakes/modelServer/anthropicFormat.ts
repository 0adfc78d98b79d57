// The Messages API's wire: requests read, answers written as named server-sent events, block by block.
import { estimate, pieces } from "./pieces.ts";
import type { AskedMessage, AskedRequest, Frame, Point, ScriptedAnswer, WireFormat } from "./script.ts";

export const anthropicFormat: WireFormat = {
	name: "anthropic",
	contentType: "text/event-stream; charset=utf-8",
	read,
	frames,
	error: (error) => event({ type: "error", error }),
	refuse,
};

const TEXT_PIECE = 12;
const JSON_PIECE = 7;

function frames(answer: ScriptedAnswer, request: AskedRequest): Frame[] {
	const out: Frame[] = [];
	const push = (point: Point, body: Event) => out.push({ point, bytes: event(body) });
	const { input, output, cached = 0, written = 0 }: NonNullable<ScriptedAnswer["usage"]> = answer.usage ?? estimate(answer, request);
	const usage = {
		input_tokens: input - cached - written,
		cache_creation_input_tokens: written,
		cache_read_input_tokens: cached,
		output_tokens: 1,
	};
	const message = { id: `msg_${request.number}`, type: "message", role: "assistant", model: request.model, content: [] };
	push("start", { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } });
	let index = 0;
	const block = (point: Point, content: object, deltas: readonly object[]) => {
		push(point, { type: "content_block_start", index, content_block: content });
		if (index === 0) push(point, { type: "ping" });
		for (const delta of deltas) push(point, { type: "content_block_delta", index, delta });
		push(point, { type: "content_block_stop", index });
		index += 1;
	};
	if (answer.thinking) {
		const thoughts = pieces(answer.thinking, TEXT_PIECE).map((thinking) => ({ type: "thinking_delta", thinking }));
		const signature = { type: "signature_delta", signature: signatureOf(answer.thinking) };
		block("text", { type: "thinking", thinking: "", signature: "" }, [...thoughts, signature]);
	}
	if (answer.text) {
		const words = pieces(answer.text, TEXT_PIECE).map((text) => ({ type: "text_delta", text }));
		block("text", { type: "text", text: "" }, words);
	}
	for (const [position, call] of (answer.calls ?? []).entries()) {
		const id = call.id ?? `toolu_${request.number}_${position}`;
		const json = typeof call.input === "string" ? call.input : JSON.stringify(call.input);
		const given = json === "{}" ? [""] : ["", ...pieces(json, JSON_PIECE)];
		const deltas = given.map((partial_json) => ({ type: "input_json_delta", partial_json }));
		block("arguments", { type: "tool_use", id, name: call.name, input: {} }, deltas);
	}
	const stop_reason = answer.calls?.length ? "tool_use" : "end_turn";
	push("stop", { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: output } } as {
		type: string;
	});
	push("stop", { type: "message_stop" });
	return out;
}

interface Content {
	type: string;
	text?: string;
	id?: string;
	name?: string;
	input?: unknown;
	thinking?: string;
	signature?: string;
	tool_use_id?: string;
	content?: string | Content[];
}

function read(body: Record<string, unknown>): Pick<AskedRequest, "model" | "messages" | "tools"> {
	const system = ((body["system"] ?? []) as Content[]).map((block) => ({ role: "system" as const, text: block.text ?? "", calls: [] }));
	const messages = (body["messages"] ?? []) as { role: "user" | "assistant"; content: string | Content[] }[];
	return {
		model: String(body["model"] ?? ""),
		messages: [...system, ...messages.flatMap(readMessage)],
		tools: ((body["tools"] ?? []) as { name: string }[]).map((tool) => tool.name),
	};
}

/** A result is a message of its own here, as in the words of every format. */
function readMessage({ role, content }: { role: "user" | "assistant"; content: string | Content[] }): AskedMessage[] {
	const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
	const out: AskedMessage[] = blocks
		.filter(({ type }) => type === "tool_result")
		.map((block) => ({ role: "tool", text: plain(block.content), calls: [], call: block.tool_use_id ?? "" }));
	const words = blocks.filter(({ type }) => type === "text");
	const calls = blocks.flatMap(({ type, id, name, input }) => (type === "tool_use" ? [{ id: id ?? "", name: name ?? "", input }] : []));
	if (words.length > 0 || calls.length > 0) out.push({ role, text: words.map(({ text }) => text ?? "").join("\n\n"), calls });
	return out;
}

function plain(content: string | Content[] | undefined): string {
	return typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("");
}

/** What the real server refuses of those rules that a client can break unawares. */
function refuse(body: Record<string, unknown>): object | undefined {
	const complain = (message: string) => ({ type: "invalid_request_error", message });
	const messages = (body["messages"] ?? []) as { role: string; content: Content[] }[];
	if (messages[0]?.role !== "user") return complain('messages: first message must use the "user" role');
	if (messages.at(-1)?.role !== "user") return complain("This model does not support assistant message prefill.");
	const marks = JSON.stringify(body).split('"cache_control"').length - 1;
	if (marks > 4) return complain(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
	const budget = (body["thinking"] as { budget_tokens?: number } | undefined)?.budget_tokens ?? 0;
	if (budget >= Number(body["max_tokens"])) return complain("`max_tokens` must be greater than `thinking.budget_tokens`.");
	for (const [index, { role, content }] of messages.entries()) {
		if (role === messages[index - 1]?.role) return complain(`messages.${index}: roles must alternate`);
		for (const block of content) {
			if (block.type === "text" && !block.text?.trim()) return complain("messages: text content blocks must contain non-whitespace text");
			if (block.type === "thinking" && block.signature !== signatureOf(block.thinking ?? ""))
				return complain(`messages.${index}: Invalid \`signature\` in \`thinking\` block`);
		}
		const calls = content.filter(({ type }) => type === "tool_use").map(({ id }) => id);
		const results = (messages[index + 1]?.content ?? []).map(({ tool_use_id }) => tool_use_id);
		const lonely = calls.find((id, position) => results[position] !== id);
		if (lonely !== undefined) return complain(`messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks: ${lonely}`);
	}
	return undefined;
}

function signatureOf(thinking: string): string {
	return `signed:${thinking.length}`;
}

type Event = { type: string } & Record<string, unknown>;

function event(value: Event): string {
	return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}
