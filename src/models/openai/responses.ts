// Converts events to Responses API requests; nothing is stored there, so encrypted reasoning is sent back.
import type OpenAI from "openai";
import type { Effort, ModelRequest } from "../../core/ports/model.ts";
import { serializeArguments } from "../wire/assembler.ts";
import type { ConversationMessage, MessageToolResult } from "../wire/conversationMessages.ts";
import { sessionKey, type WireFormat } from "../wire/httpProvider.ts";
import { createImageUrls, IMAGE_ERROR_PATTERN, withoutToolImages } from "../wire/imageUrls.ts";
import { Serialized } from "../wire/json.ts";
import { type JsonFields, toFields, toList } from "../wire/untypedJson.ts";
import { type ReadImage, writeItems } from "../wire/writtenMessages.ts";
import {
	createResponsesAssembler,
	type OpaqueItem,
	parseReasoningItem,
	type ReasoningItem,
	type ResponsesOpaque,
} from "./responsesStream.ts";

type ResponsesBody = Omit<OpenAI.Responses.ResponseCreateParamsStreaming, "input"> & { input: Serialized };

export const responsesFormat: WireFormat = {
	prepare: async (request, without, serverAndModel) => ({
		body: await createBody(request, without, serverAndModel),
		assembler: createResponsesAssembler(request, serverAndModel),
	}),
	path: "/responses",
	toEvents(document) {
		const { object, output } = toFields(document);
		const isResponse = object === "response" || Array.isArray(output);
		return [isResponse ? { type: "response.completed", response: document } : toFields(document)];
	},
	fallbacks: [
		{
			name: "past reasoning",
			errorPattern: /invalid_encrypted_content|could not be (verified|decrypted)|not persisted|without its required|\brs_\w+/i,
			perSession: true,
		},
		{ name: "summary", errorPattern: /reasoning[._ ]summar/i },
		{ name: "encrypted", errorPattern: /encrypted.content/i },
		{ name: "no effort", errorPattern: /['"`]none['"`].*reasoning|reasoning\.effort.*['"`]none['"`]|['"`]none['"`] is not supported/is },
		{ name: "effort", errorPattern: /reasoning[._]effort/i },
		{ name: "reasoning", errorPattern: /['"`]?reasoning/i },
		{ name: "prompt_cache_key", errorPattern: /prompt_cache_key/ },
		// Compatible servers may accept only text as a call's output.
		{
			name: "tool images",
			errorPattern: new RegExp(`${IMAGE_ERROR_PATTERN.source}|function_call_output|\\boutput\\b`, "i"),
			perSession: true,
		},
		{
			name: "images",
			errorPattern: /(not|n't) support.{0,60}(image|vision|multimodal)|(image|vision|multimodal).{0,60}(not|n't|un) ?support/is,
		},
	],
};

async function createBody(request: ModelRequest, without: ReadonlySet<string>, serverAndModel: string): Promise<ResponsesBody> {
	const { image, ...blind } = request;
	const canReason = isReasoningModel(request.model) && !without.has("reasoning");
	const effort = effortOf(request.effort, without);
	const visible = without.has("tool images") ? withoutToolImages(request) : request;
	const input = await writeInput(without.has("images") ? blind : visible, {
		serverAndModel,
		sendsReasoning: canReason && !without.has("past reasoning"),
	});
	return {
		model: request.model,
		...(request.system === "" ? {} : { instructions: request.system }),
		input,
		...(request.tools.length > 0 ? { tools: request.tools.map((tool) => ({ type: "function" as const, ...tool, strict: false })) } : {}),
		...(request.maxOutput === undefined ? {} : { max_output_tokens: request.maxOutput }),
		...(canReason ? { reasoning: { ...(effort && { effort }), ...(!without.has("summary") && { summary: "auto" as const }) } } : {}),
		...(canReason && !without.has("encrypted") ? { include: ["reasoning.encrypted_content" as const] } : {}),
		...(without.has("prompt_cache_key") ? {} : { prompt_cache_key: sessionKey(request) }),
		store: false,
		stream: true,
	};
}

/** Models from before reasoning, and those tuned for chat, reject its parameters. */
const NOT_REASONING = /^(ft:)?(gpt-3|gpt-4|chatgpt)|-chat(-|$)/;

function isReasoningModel(model: string): boolean {
	return !NOT_REASONING.test(model);
}

/** Models that cannot disable thinking accept `minimal`. */
function effortOf(effort: Effort | undefined, without: ReadonlySet<string>): Effort | "minimal" | undefined {
	if (without.has("effort")) return undefined;
	return effort === "none" && without.has("no effort") ? "minimal" : effort;
}

export type InputItem =
	| { type: "message"; role: "user"; content: InputPart[] }
	| { type: "message"; role: "assistant"; content: { type: "output_text"; text: string }[]; phase?: string }
	| { type: "function_call"; call_id: string; name: string; arguments: string }
	| { type: "function_call_output"; call_id: string; output: string | InputPart[] }
	| ReasoningItem;

export type InputPart = { type: "input_text"; text: string } | { type: "input_image"; image_url: string; detail: "auto" };

export interface ResponsesCompatibility {
	serverAndModel: string;
	/** True if reasoning is sent back. */
	sendsReasoning: boolean;
}

type Transcript = Pick<ModelRequest, "events" | "image">;

async function writeInput(request: Transcript, compatibility: ResponsesCompatibility): Promise<Serialized> {
	const key = JSON.stringify(["responses", compatibility]);
	return new Serialized("[", await writeItems(request, key, (message, image) => itemsOf(message, image, compatibility)), "]");
}

function itemsOf(message: ConversationMessage, image: ReadImage | undefined, compatibility: ResponsesCompatibility): InputItem[] {
	switch (message.by) {
		case "person": {
			const { urls, note } = createImageUrls(message.images, image);
			const texts = [[note, message.text].filter((part) => part !== "").join("\n\n")].filter((text) => text !== "");
			const parts = texts.map((text): InputPart => ({ type: "input_text", text }));
			return [{ type: "message", role: "user", content: [...parts, ...urls.map(inputImage)] }];
		}
		case "model":
			return answerItems(message, compatibility);
		case "tools":
			return message.results.map((result) => outputItem(result, image));
	}
}

function outputItem({ call, output, images }: MessageToolResult, image: ReadImage | undefined): InputItem {
	const { urls, note } = createImageUrls(images, image);
	const text = [output, note].filter((part) => part !== "").join("\n\n");
	const parts: InputPart[] = [{ type: "input_text", text }, ...urls.map(inputImage)];
	return { type: "function_call_output", call_id: call, output: urls.length === 0 ? text : parts };
}

function inputImage(url: string): InputPart {
	return { type: "input_image", image_url: url, detail: "auto" };
}

function answerItems(message: Extract<ConversationMessage, { by: "model" }>, compatibility: ResponsesCompatibility): InputItem[] {
	const calls = message.calls.map(
		({ id, name, input }): InputItem => ({ type: "function_call", call_id: id, name, arguments: serializeArguments(input) }),
	);
	const stored = storedItems(message, compatibility);
	if (!stored) return [...assistant(message.text), ...calls];
	let next = 0;
	return stored.flatMap((item): InputItem[] => {
		if (item.type === "message") return assistant(message.text.slice(item.from, item.to), item.phase);
		if (item.type === "function_call") return calls.slice(next, ++next);
		return [item];
	});
}

function assistant(text: string, phase?: string): InputItem[] {
	if (text === "") return [];
	return [{ type: "message", role: "assistant", content: [{ type: "output_text", text }], ...(phase && { phase }) }];
}

/**
 * Returns undefined unless it was written for this server and model and matches the event, since the transcript may contain
 * anything.
 */
function storedItems(
	{ text, calls, opaque }: Extract<ConversationMessage, { by: "model" }>,
	compatibility: ResponsesCompatibility,
): OpaqueItem[] | undefined {
	const { format, from, items } = toFields(opaque) as Partial<ResponsesOpaque>;
	if (!compatibility.sendsReasoning || format !== "responses" || from !== compatibility.serverAndModel) return undefined;
	const stored = toList(items).map((item) => storedItem(toFields(item)));
	if (stored.some((item) => item === undefined)) return undefined;
	const known = stored as OpaqueItem[];
	const texts = known.flatMap((item) => (item.type === "message" ? [item] : []));
	const wholeText = (texts[0]?.from ?? 0) === 0 && (texts.at(-1)?.to ?? 0) === text.length;
	// Reasoning for an item that never arrived because the answer was truncated.
	while (known.at(-1)?.type === "reasoning") known.pop();
	const callCount = known.filter((item) => item.type === "function_call").length;
	return wholeText && callCount === calls.length ? known : undefined;
}

function storedItem(item: JsonFields): OpaqueItem | undefined {
	if (item["type"] === "function_call") return { type: "function_call" };
	if (item["type"] === "reasoning") return parseReasoningItem(item);
	const { from, to, phase } = item;
	if (item["type"] !== "message" || typeof from !== "number" || typeof to !== "number") return undefined;
	return { type: "message", from, to, ...(typeof phase === "string" && { phase }) };
}
