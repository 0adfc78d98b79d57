// Converts events to Chat Completions requests, deterministically, so that prompt caches stay valid.
import type OpenAI from "openai";
import type { ToolCall } from "../../core/events.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { serializeArguments } from "../wire/assembler.ts";
import type { ConversationMessage, MessageToolResult } from "../wire/conversationMessages.ts";
import { sessionKey, type WireFormat } from "../wire/httpProvider.ts";
import { createImageUrls, IMAGE_ERROR_PATTERN, withoutToolImages } from "../wire/imageUrls.ts";
import { Serialized, toWellFormed } from "../wire/json.ts";
import { toFields, toList } from "../wire/untypedJson.ts";
import { type ReadImage, writeItems } from "../wire/writtenMessages.ts";
import { type ChatOpaque, createChatAssembler, type ThinkingField } from "./chatStream.ts";

type ChatBody = Omit<OpenAI.ChatCompletionCreateParamsStreaming, "messages"> & { messages: Serialized };

/** Chat Completions for servers other than OpenAI. */
export const compatibleChat: WireFormat = {
	prepare: async (request, without, serverAndModel) => ({
		body: await createBody(request, without, serverAndModel, without.has("max_tokens") ? "max_completion_tokens" : "max_tokens"),
		assembler: createChatAssembler(request, serverAndModel),
	}),
	path: "/chat/completions",
	// A complete document needs no finish reason.
	toEvents: (document) => [toFields(document)],
	fallbacks: [
		{ name: "max_tokens", errorPattern: /max_completion_tokens/ },
		{
			name: "thinking missing",
			errorPattern: /(missing|must be passed back|required).*reasoning_content|reasoning_content.*(missing|must be passed back|required)/is,
		},
		{ name: "signatures missing", errorPattern: /thought_signature/i },
		{ name: "long call ids", errorPattern: /tool.?call.?id.{0,200}(length of 9|a-z, A-Z, 0-9)/is },
		{ name: "person after tool", errorPattern: /unexpected role ['"`]?user['"`]? after role ['"`]?tool/i },
		{ name: "stream_options", errorPattern: /stream_options/ },
		{ name: "effort", errorPattern: /reasoning_effort/ },
		{ name: "thinking", errorPattern: /reasoning_(content|details)|['"`]reasoning['"`]/ },
		{ name: "tool images", errorPattern: IMAGE_ERROR_PATTERN, perSession: true },
		{
			name: "images",
			errorPattern:
				/(not|n't|no endpoints?\b.{0,40}) support.{0,60}(image|vision|multimodal)|(image|vision|multimodal).{0,60}(not|n't|un) ?support|image_url|required for image|must be a string/is,
		},
	],
};

/** Chat Completions for OpenAI: newer models reject `max_tokens`, the only name that most other servers support. */
export const openAiChat: WireFormat = {
	...compatibleChat,
	prepare: async (request, without, serverAndModel) => ({
		body: {
			...(await createBody(request, without, serverAndModel, "max_completion_tokens")),
			prompt_cache_key: sessionKey(request),
		},
		assembler: createChatAssembler(request, serverAndModel),
	}),
};

/** Google's documented replacement for the signature of another model's call. */
const NO_SIGNATURE = { google: { thought_signature: "skip_thought_signature_validator" } };

async function createBody(
	request: ModelRequest,
	without: ReadonlySet<string>,
	serverAndModel: string,
	limitName: "max_tokens" | "max_completion_tokens",
): Promise<ChatBody> {
	const { image, ...blind } = request;
	const visible = without.has("tool images") ? withoutToolImages(request) : request;
	const messages = await writeChatMessages(without.has("images") ? blind : visible, {
		serverAndModel,
		thinkingPolicy: without.has("thinking missing") ? "every" : without.has("thinking") ? "none" : "own",
		...(without.has("signatures missing") && { foreignCallExtra: NO_SIGNATURE }),
		requiresShortCallIds: without.has("long call ids"),
		requiresAssistantAfterTools: without.has("person after tool"),
	});
	return {
		model: request.model,
		messages,
		...(request.tools.length > 0 ? { tools: request.tools.map((tool) => ({ type: "function" as const, function: { ...tool } })) } : {}),
		...(request.maxOutput === undefined ? {} : { [limitName]: request.maxOutput }),
		...(request.effort && !without.has("effort") ? { reasoning_effort: request.effort } : {}),
		stream: true,
		...(without.has("stream_options") ? {} : { stream_options: { include_usage: true } }),
	};
}

export type ChatMessage =
	| { role: "system"; content: string }
	| { role: "user"; content: string | ChatPart[] }
	| ({ role: "assistant"; content: string | null; tool_calls?: ChatToolCall[]; reasoning_details?: unknown[] } & {
			[Field in ThinkingField]?: string;
	  })
	| { role: "tool"; tool_call_id: string; content: string };

export type ChatPart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

export interface ChatToolCall {
	id: string;
	type: "function";
	function: { name: string; arguments: string };
	extra_content?: unknown;
}

export interface ChatCompatibility {
	serverAndModel: string;
	/**
	 * `own`: sends back only the server's own thinking; `every`: each answer needs some, even if empty; `none`: the server has no
	 * such field.
	 */
	thinkingPolicy: "own" | "every" | "none";
	/** Extra value sent with calls made by another model. */
	foreignCallExtra?: unknown;
	/** Call IDs must be nine letters and digits (Mistral). */
	requiresShortCallIds?: boolean;
	/** A model message is required between results and the user's next message. */
	requiresAssistantAfterTools?: boolean;
}

type Transcript = Pick<ModelRequest, "system" | "events" | "image">;

export async function writeChatMessages({ system, ...request }: Transcript, compatibility: ChatCompatibility): Promise<Serialized> {
	const key = JSON.stringify(["chat", compatibility]);
	const messages = await writeItems<ChatMessage>(request, key, (message, image, before) =>
		messagesOf(message, image, compatibility).flatMap((written, at, all): ChatMessage[] => {
			const needsAnswer = compatibility.requiresAssistantAfterTools && written.role === "user" && (all[at - 1] ?? before)?.role === "tool";
			return needsAnswer ? [{ role: "assistant", content: "Noted." }, written] : [written];
		}),
	);
	if (system === "") return new Serialized("[", messages, "]");
	const first = JSON.stringify({ role: "system", content: toWellFormed(system) });
	return new Serialized(`[${first}${messages.length > 0 ? "," : ""}`, messages, "]");
}

function messagesOf(message: ConversationMessage, image: ReadImage | undefined, compatibility: ChatCompatibility): ChatMessage[] {
	switch (message.by) {
		case "person": {
			const { urls, note } = createImageUrls(message.images, image);
			const text = [note, message.text].filter((part) => part !== "").join("\n\n");
			if (urls.length === 0) return [{ role: "user", content: text }];
			const withUrls = urls.map((url): ChatPart => ({ type: "image_url", image_url: { url } }));
			return [{ role: "user", content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...withUrls] }];
		}
		case "model": {
			const opaque = chatOpaque(message.opaque, compatibility);
			const thinking = thinkingOf(message, opaque, compatibility);
			if (message.calls.length === 0) return [{ role: "assistant", content: message.text, ...thinking }];
			const calls = message.calls.map((call, position) =>
				chatToolCall({ ...call, id: callId(call.id, compatibility) }, opaque?.extras?.[position] ?? compatibility.foreignCallExtra),
			);
			return [{ role: "assistant", content: message.text === "" ? null : message.text, ...thinking, tool_calls: calls }];
		}
		case "tools":
			return toolMessages(message.results, image, compatibility);
	}
}

/** Tool messages accept only text: images follow in a user message, each labeled with its call. */
function toolMessages(
	results: readonly MessageToolResult[],
	image: ReadImage | undefined,
	compatibility: ChatCompatibility,
): ChatMessage[] {
	const withUrls = results.map((result) => ({ ...result, ...createImageUrls(result.images, image) }));
	const messages = withUrls.map(
		({ call, output, note }): ChatMessage => ({
			role: "tool",
			tool_call_id: callId(call, compatibility),
			content: note === "" ? output : `${output}\n\n${note}`,
		}),
	);
	const parts = withUrls.flatMap(({ call, urls }): ChatPart[] => {
		if (urls.length === 0) return [];
		const label = { type: "text" as const, text: `[${urls.length} image(s) of the result of ${callId(call, compatibility)}:]` };
		return [label, ...urls.map((url) => ({ type: "image_url" as const, image_url: { url } }))];
	});
	return parts.length === 0 ? messages : [...messages, { role: "user", content: parts }];
}

/** Distinct IDs stay distinct, and each is the same in every request. */
function callId(id: string, { requiresShortCallIds: shortIds }: ChatCompatibility): string {
	if (!shortIds || /^[a-zA-Z0-9]{9}$/.test(id)) return id;
	return sha256(id).slice(0, 9);
}

function thinkingOf(
	{ thinking }: Extract<ConversationMessage, { by: "model" }>,
	opaque: ChatOpaque | undefined,
	compatibility: ChatCompatibility,
) {
	if (compatibility.thinkingPolicy === "none") return {};
	if (compatibility.thinkingPolicy === "every") return { reasoning_content: thinking };
	if (opaque?.details) return { reasoning_details: opaque.details };
	return opaque?.field && thinking !== "" ? { [opaque.field]: thinking } : {};
}

/** Validates the stored value, since the transcript may contain anything. */
function chatOpaque(value: unknown, { serverAndModel: from }: ChatCompatibility): ChatOpaque | undefined {
	const { format, field, details, extras, ...fields } = toFields(value);
	if (format !== "chat" || fields["from"] !== from) return undefined;
	return {
		format,
		from,
		...((field === "reasoning_content" || field === "reasoning") && { field }),
		...(toList(details).length > 0 && { details: toList(details) }),
		...(toList(extras).length > 0 && { extras: toList(extras) }),
	};
}

function chatToolCall({ id, name, input }: ToolCall, extra: unknown): ChatToolCall {
	const call: ChatToolCall = { id, type: "function", function: { name, arguments: serializeArguments(input) } };
	if (extra !== undefined && extra !== null) call.extra_content = extra;
	return call;
}
