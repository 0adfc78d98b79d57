// Chat Completions of any base URL: OpenAI itself, Ollama, LM Studio, vLLM, gateways. Retries are the runtime's affair.
import type { ModelProvider, ModelRequest } from "../../core/ports/model.ts";
import { IMAGE_ERROR_PATTERN, withoutToolImages } from "../wire/imageUrls.ts";
import { originOf } from "../wire/providerErrors.ts";
import { toChatMessages } from "./chatMessages.ts";
import { createChatAssembler } from "./chatStream.ts";
import { createOpenAiServerProvider, type OpenAiServerOptions, type OpenAiWireFormat, sessionKey } from "./openAiServer.ts";

export type OpenAiCompatibleOptions = OpenAiServerOptions;

export function createOpenAiCompatibleProvider(options: OpenAiCompatibleOptions): ModelProvider {
	return createOpenAiServerProvider(options, originOf(options.baseUrl) === "https://api.openai.com" ? openAiChatFormat : compatibleChat);
}

const compatibleChat: OpenAiWireFormat = {
	path: "/chat/completions",
	createAssembler: createChatAssembler,
	createBody: (request, without, from) =>
		bodyOf(request, without, from, without.has("max_tokens") ? "max_completion_tokens" : "max_tokens"),
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

/** OpenAI's own: newer models refuse the old name of the limit, which most other servers know alone. */
export const openAiChatFormat: OpenAiWireFormat = {
	...compatibleChat,
	createBody: async (request, without, from) => ({
		...(await bodyOf(request, without, from, "max_completion_tokens")),
		prompt_cache_key: sessionKey(request),
	}),
};

/** Stands in for the signature of a call that another model made, as Google documents it. */
const NO_SIGNATURE = { google: { thought_signature: "skip_thought_signature_validator" } };

async function bodyOf(request: ModelRequest, without: ReadonlySet<string>, from: string, limitName: string): Promise<object> {
	const { image, ...blind } = request;
	const seen = without.has("tool images") ? withoutToolImages(request) : request;
	const messages = await toChatMessages(without.has("images") ? blind : seen, {
		serverAndModel: from,
		thinkingPolicy: without.has("thinking missing") ? "every" : without.has("thinking") ? "none" : "own",
		...(without.has("signatures missing") && { foreignCallExtra: NO_SIGNATURE }),
		requiresShortCallIds: without.has("long call ids"),
		requiresAssistantAfterTools: without.has("person after tool"),
	});
	return {
		model: request.model,
		messages,
		...(request.tools.length > 0 ? { tools: request.tools.map((tool) => ({ type: "function", function: { ...tool } })) } : {}),
		...(request.maxOutput === undefined ? {} : { [limitName]: request.maxOutput }),
		...(request.effort && !without.has("effort") ? { reasoning_effort: request.effort } : {}),
		stream: true,
		...(without.has("stream_options") ? {} : { stream_options: { include_usage: true } }),
	};
}
