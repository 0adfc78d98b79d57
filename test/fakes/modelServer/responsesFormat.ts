// The Responses wire: requests read, answers written as the events that OpenAI documents.
import { estimate, lenient, pieces } from "./pieces.ts";
import type { AskedMessage, AskedRequest, Frame, Point, ScriptedAnswer, WireFormat } from "./script.ts";

export const responsesFormat: WireFormat = {
	name: "responses",
	contentType: "text/event-stream",
	read,
	refuse,
	frames,
	error: (error) => {
		const { message, code, type } = error as { message?: string; code?: string; type?: string };
		return event({ type: "error", code: code ?? type ?? null, message: message ?? String(error), param: null, sequence_number: 99 });
	},
};

const TEXT_PIECE = 12;
const JSON_PIECE = 7;

type Item = Record<string, unknown> & { type: string; id: string };

function frames(answer: ScriptedAnswer, request: AskedRequest): Frame[] {
	const out: Frame[] = [];
	const output: Item[] = [];
	const push = (point: Point, type: string, fields: object) => {
		out.push({ point, bytes: event({ type, ...fields, sequence_number: out.length }) });
	};
	const response = (status: string, more: object = {}) => ({
		response: {
			id: `resp_${request.number}`,
			object: "response",
			status,
			model: request.model,
			error: null,
			incomplete_details: null,
			output,
			usage: null,
			...more,
		},
	});
	/** Adds an item, sends its pieces, and says that it is done. */
	const item = (point: Point, added: Item, parts: (place: { item_id: string; output_index: number }) => void, done: Item) => {
		const output_index = output.length;
		push(point, "response.output_item.added", { output_index, item: added });
		parts({ item_id: added.id, output_index });
		push(point, "response.output_item.done", { output_index, item: done });
		output.push(done);
	};

	push("start", "response.created", response("in_progress"));
	push("start", "response.in_progress", response("in_progress"));
	const { thinking = "", text = "" } = answer;
	if (thinking) {
		const reasoning = { type: "reasoning", id: `rs_${request.number}`, summary: [] as object[] };
		const part = { type: "summary_text", text: thinking };
		const parts = (place: object) => {
			const at = { ...place, summary_index: 0 };
			push("text", "response.reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } });
			for (const delta of pieces(thinking, TEXT_PIECE)) push("text", "response.reasoning_summary_text.delta", { ...at, delta });
			push("text", "response.reasoning_summary_text.done", { ...at, text: thinking });
			push("text", "response.reasoning_summary_part.done", { ...at, part });
		};
		item("text", reasoning, parts, { ...reasoning, summary: [part], encrypted_content: encryptedOf(request, thinking) });
	}
	if (text) {
		const message = { type: "message", id: `msg_${request.number}`, role: "assistant", status: "in_progress", content: [] as object[] };
		const part = { type: "output_text", text, annotations: [] };
		const parts = (place: object) => {
			const at = { ...place, content_index: 0 };
			push("text", "response.content_part.added", { ...at, part: { ...part, text: "" } });
			for (const delta of pieces(text, TEXT_PIECE)) push("text", "response.output_text.delta", { ...at, delta, logprobs: [] });
			push("text", "response.output_text.done", { ...at, text, logprobs: [] });
			push("text", "response.content_part.done", { ...at, part });
		};
		item("text", message, parts, { ...message, status: "completed", content: [part] });
	}
	for (const [index, called] of (answer.calls ?? []).entries()) {
		const json = typeof called.input === "string" ? called.input : JSON.stringify(called.input);
		const id = `fc_${request.number}_${index}`;
		const call = {
			type: "function_call",
			id,
			call_id: called.id ?? `call_${request.number}_${index}`,
			name: called.name,
			arguments: "",
			status: "in_progress",
		};
		const parts = (place: object) => {
			for (const delta of pieces(json, JSON_PIECE)) push("arguments", "response.function_call_arguments.delta", { ...place, delta });
			push("arguments", "response.function_call_arguments.done", { ...place, name: called.name, arguments: json });
		};
		item("arguments", call, parts, { ...call, arguments: json, status: "completed" });
	}
	const { input, output: said, cached = 0 } = answer.usage ?? estimate(answer, request);
	const usage = {
		input_tokens: input,
		input_tokens_details: { cached_tokens: cached },
		output_tokens: said,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: input + said,
	};
	push("stop", "response.completed", response("completed", { usage }));
	return out;
}

/** Can be read by the model that made it alone. */
function encryptedOf({ model, number }: Pick<AskedRequest, "model" | "number">, thinking: string): string {
	return `${model}:${number}:${Buffer.from(thinking).toString("base64")}`;
}

interface InputItem {
	type: string;
	role?: "user" | "assistant";
	content?: { type: string; text?: string }[];
	call_id?: string;
	name?: string;
	arguments?: string;
	output?: string;
	encrypted_content?: string;
}

/** The words, calls and outputs; calls of one answer stand in the message before them. */
function read(body: Record<string, unknown>): Pick<AskedRequest, "model" | "messages" | "tools"> {
	const instructions = String(body["instructions"] ?? "");
	const messages: AskedMessage[] = instructions === "" ? [] : [{ role: "system", text: instructions, calls: [] }];
	for (const item of itemsIn(body)) {
		if (item.type === "message") {
			const text = (item.content ?? []).map((part) => part.text ?? "").join("");
			messages.push({ role: item.role ?? "user", text, calls: [] });
		} else if (item.type === "function_call") {
			if (messages.at(-1)?.role !== "assistant") messages.push({ role: "assistant", text: "", calls: [] });
			messages.at(-1)?.calls.push({ id: item.call_id ?? "", name: item.name ?? "", input: lenient(item.arguments ?? "") });
		} else if (item.type === "function_call_output") {
			messages.push({ role: "tool", text: item.output ?? "", calls: [], call: item.call_id ?? "" });
		}
	}
	return {
		model: String(body["model"] ?? ""),
		messages,
		tools: ((body["tools"] ?? []) as { name: string }[]).map((tool) => tool.name),
	};
}

/** What the real server refuses: outputs without calls and calls without outputs, reasoning out of place or of another model. */
function refuse(body: Record<string, unknown>): object | undefined {
	const items = itemsIn(body);
	const ids = (type: string) => items.filter((item) => item.type === type).map((item) => item.call_id);
	const calls = ids("function_call");
	const outputs = ids("function_call_output");
	const complain = (message: string, code: string | null = null) => ({ message, type: "invalid_request_error", param: "input", code });
	const lonely = calls.find((id) => !outputs.includes(id));
	if (lonely !== undefined) return complain(`No tool output found for function call ${lonely}.`);
	const strange = outputs.find((id) => !calls.includes(id));
	if (strange !== undefined) return complain(`No tool call found for function call output with call_id ${strange}.`);
	for (const [index, item] of items.entries()) {
		if (item.type !== "reasoning") continue;
		const follower = items.slice(index + 1).find(({ type }) => type !== "reasoning");
		const follows = follower?.type === "function_call" || (follower?.type === "message" && follower.role === "assistant");
		if (!follows) return complain("Item of type 'reasoning' was provided without its required following item.");
		if (!item.encrypted_content?.startsWith(`${body["model"]}:`))
			return complain("The encrypted content could not be verified.", "invalid_encrypted_content");
	}
	return undefined;
}

function itemsIn(body: Record<string, unknown>): InputItem[] {
	return (body["input"] ?? []) as InputItem[];
}

function event(value: { type: string; [field: string]: unknown }): string {
	return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}
