// The Chat Completions wire: requests read, answers written as server-sent events with deltas.
import { estimate, lenient, pieces } from "./pieces.ts";
import type { AskedMessage, AskedRequest, Frame, Point, ScriptedAnswer, WireFormat } from "./script.ts";

export const chatFormat: WireFormat = {
	name: "chat",
	contentType: "text/event-stream",
	read,
	refuse,
	frames,
	error: (error) => event({ error }),
};

const TEXT_PIECE = 12;
const JSON_PIECE = 7;

function frames(answer: ScriptedAnswer, request: AskedRequest): Frame[] {
	const out: Frame[] = [];
	const push = (point: Point, delta: object, reason: string | null = null) => {
		const choices = [{ index: 0, delta, finish_reason: reason }];
		out.push({ point, bytes: event({ id: `answer-${request.number}`, object: "chat.completion.chunk", model: request.model, choices }) });
	};
	push("start", { role: "assistant", content: "" });
	for (const piece of pieces(answer.thinking ?? "", TEXT_PIECE)) push("text", { reasoning_content: piece });
	for (const piece of pieces(answer.text ?? "", TEXT_PIECE)) push("text", { content: piece });
	for (const [index, call] of (answer.calls ?? []).entries()) {
		const id = call.id ?? `call_${request.number}_${index}`;
		push("arguments", { tool_calls: [{ index, id, type: "function", function: { name: call.name, arguments: "" } }] });
		const json = typeof call.input === "string" ? call.input : JSON.stringify(call.input);
		for (const piece of pieces(json, JSON_PIECE)) push("arguments", { tool_calls: [{ index, function: { arguments: piece } }] });
	}
	push("stop", {}, answer.calls?.length ? "tool_calls" : "stop");
	const usage = answer.usage ?? estimate(answer, request);
	const counts = {
		prompt_tokens: usage.input,
		completion_tokens: usage.output,
		total_tokens: usage.input + usage.output,
		...(usage.cached !== undefined && { prompt_tokens_details: { cached_tokens: usage.cached } }),
	};
	out.push({ point: "stop", bytes: event({ id: `answer-${request.number}`, choices: [], usage: counts }) });
	out.push({ point: "stop", bytes: "data: [DONE]\n\n" });
	return out;
}

function read(body: Record<string, unknown>): Pick<AskedRequest, "model" | "messages" | "tools"> {
	return {
		model: String(body["model"] ?? ""),
		messages: ((body["messages"] ?? []) as ChatMessage[]).map(readMessage),
		tools: ((body["tools"] ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name),
	};
}

interface ChatMessage {
	role: AskedMessage["role"];
	content?: string | { type: string; text?: string }[] | null;
	tool_calls?: { id: string; function: { name: string; arguments: string } }[];
	tool_call_id?: string;
}

function readMessage(message: ChatMessage): AskedMessage {
	const calls = (message.tool_calls ?? []).map(({ id, function: call }) => ({ id, name: call.name, input: lenient(call.arguments) }));
	const read: AskedMessage = { role: message.role, text: textOf(message.content), calls };
	if (message.tool_call_id !== undefined) read.call = message.tool_call_id;
	return read;
}

function textOf(content: ChatMessage["content"]): string {
	return typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
}

/** What the real servers refuse: a call without its output. */
function refuse(body: Record<string, unknown>): object | undefined {
	const messages = (body["messages"] ?? []) as ChatMessage[];
	const answered = new Set(messages.map((message) => message.tool_call_id));
	const lonely = messages.flatMap((message) => message.tool_calls ?? []).find(({ id }) => !answered.has(id));
	if (!lonely) return undefined;
	const message = `An assistant message with 'tool_calls' must be followed by tool messages; missing: ${lonely.id}.`;
	return { message, type: "invalid_request_error", param: "messages", code: null };
}

function event(value: unknown): string {
	return `data: ${JSON.stringify(value)}\n\n`;
}
