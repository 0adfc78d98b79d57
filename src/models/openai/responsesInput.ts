// Transcript events → input items of the Responses API, byte for byte the same for the same events, so that prompt caches hold.
import type { ModelRequest } from "../../core/ports/model.ts";
import { serializeArguments } from "../wire/assembler.ts";
import { type ConversationMessage, type MessageToolResult, toConversationMessages } from "../wire/conversationMessages.ts";
import { createImageUrls } from "../wire/imageUrls.ts";
import { type JsonFields, toFields, toList, toText } from "../wire/untypedJson.ts";

export type InputItem =
	| { type: "message"; role: "user"; content: InputPart[] }
	| { type: "message"; role: "assistant"; content: { type: "output_text"; text: string }[]; phase?: string }
	| { type: "function_call"; call_id: string; name: string; arguments: string }
	| { type: "function_call_output"; call_id: string; output: string | InputPart[] }
	| ReasoningItem;

export type InputPart = { type: "input_text"; text: string } | { type: "input_image"; image_url: string; detail: "auto" };

/** As it came, and in the place where it came: the API refuses reasoning that stands elsewhere. */
export interface ReasoningItem {
	type: "reasoning";
	id?: string;
	summary: unknown[];
	content?: unknown[];
	encrypted_content?: string;
}

/**
 * The order of an answer's items. Words and calls are in the event already and only have their place here.
 * `from` names server and model: encrypted reasoning can be read by those alone.
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

export interface ResponsesCompatibility {
	serverAndModel: string;
	/** Whether reasoning goes back. */
	sendsReasoning: boolean;
}

type Asked = Pick<ModelRequest, "events" | "image">;

export async function toResponsesInput({ events, image }: Asked, habits: ResponsesCompatibility): Promise<InputItem[]> {
	return (await Promise.all(toConversationMessages(events).map((said) => itemsOf(said, image, habits)))).flat();
}

async function itemsOf(said: ConversationMessage, image: Asked["image"], habits: ResponsesCompatibility): Promise<InputItem[]> {
	switch (said.by) {
		case "person": {
			const { urls, note } = await createImageUrls(said.images, image);
			const texts = [[note, said.text].filter((part) => part !== "").join("\n\n")].filter((text) => text !== "");
			const parts = texts.map((text): InputPart => ({ type: "input_text", text }));
			return [{ type: "message", role: "user", content: [...parts, ...urls.map(inputImage)] }];
		}
		case "model":
			return answerItems(said, habits);
		case "tools":
			return Promise.all(said.results.map((result) => outputItem(result, image)));
	}
}

async function outputItem({ call, output, images }: MessageToolResult, image: Asked["image"]): Promise<InputItem> {
	const { urls, note } = await createImageUrls(images, image);
	const text = [output, note].filter((part) => part !== "").join("\n\n");
	const parts: InputPart[] = [{ type: "input_text", text }, ...urls.map(inputImage)];
	return { type: "function_call_output", call_id: call, output: urls.length === 0 ? text : parts };
}

function inputImage(url: string): InputPart {
	return { type: "input_image", image_url: url, detail: "auto" };
}

function answerItems(said: Extract<ConversationMessage, { by: "model" }>, habits: ResponsesCompatibility): InputItem[] {
	const calls = said.calls.map(
		({ id, name, input }): InputItem => ({ type: "function_call", call_id: id, name, arguments: serializeArguments(input) }),
	);
	const kept = keptItems(said, habits);
	if (!kept) return [...assistant(said.text), ...calls];
	let next = 0;
	return kept.flatMap((item): InputItem[] => {
		if (item.type === "message") return assistant(said.text.slice(item.from, item.to), item.phase);
		if (item.type === "function_call") return calls.slice(next, ++next);
		return [item];
	});
}

function assistant(text: string, phase?: string): InputItem[] {
	if (text === "") return [];
	return [{ type: "message", role: "assistant", content: [{ type: "output_text", text }], ...(phase && { phase }) }];
}

/** Undefined unless it was written for this server and model and fits the event: what was kept on disk may be anything. */
function keptItems(
	{ text, calls, opaque }: Extract<ConversationMessage, { by: "model" }>,
	habits: ResponsesCompatibility,
): OpaqueItem[] | undefined {
	const { format, from, items } = toFields(opaque) as Partial<ResponsesOpaque>;
	if (!habits.sendsReasoning || format !== "responses" || from !== habits.serverAndModel) return undefined;
	const kept = toList(items).map((item) => keptItem(toFields(item)));
	if (kept.some((item) => item === undefined)) return undefined;
	const known = kept as OpaqueItem[];
	const said = known.flatMap((item) => (item.type === "message" ? [item] : []));
	const wholeText = (said[0]?.from ?? 0) === 0 && (said.at(-1)?.to ?? 0) === text.length;
	// Reasoning for something that never came, since the answer was cut at a limit.
	while (known.at(-1)?.type === "reasoning") known.pop();
	const callCount = known.filter((item) => item.type === "function_call").length;
	return wholeText && callCount === calls.length ? known : undefined;
}

function keptItem(item: JsonFields): OpaqueItem | undefined {
	if (item["type"] === "function_call") return { type: "function_call" };
	if (item["type"] === "reasoning") return parseReasoningItem(item);
	const { from, to, phase } = item;
	if (item["type"] !== "message" || typeof from !== "number" || typeof to !== "number") return undefined;
	return { type: "message", from, to, ...(typeof phase === "string" && { phase }) };
}

/** Undefined for reasoning that only the server could look up: nothing is stored there. */
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
