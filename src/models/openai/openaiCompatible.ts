// Chat Completions of any base URL: OpenAI itself, Ollama, LM Studio, vLLM, gateways. Retries are the runtime's affair.
import type { ModelProvider, ModelRequest } from "../../core/ports/model.ts";
import { BAD_IMAGE, withoutToolImages } from "../wire/imageUrls.ts";
import { originOf } from "../wire/providerErrors.ts";
import { chatMessages } from "./chatMessages.ts";
import { chatAssembler } from "./chatStream.ts";
import { type OpenAiServerOptions, openAiServer, sessionOf, type Wire } from "./openAiServer.ts";

export type OpenAiCompatibleOptions = OpenAiServerOptions;

export function createOpenAiCompatible(options: OpenAiCompatibleOptions): ModelProvider {
	return openAiServer(options, originOf(options.baseUrl) === "https://api.openai.com" ? openAiChat : compatibleChat);
}

const compatibleChat: Wire = {
	path: "/chat/completions",
	assembler: chatAssembler,
	body: (request, without, from) => bodyOf(request, without, from, without.has("max_tokens") ? "max_completion_tokens" : "max_tokens"),
	concessions: [
		{ name: "max_tokens", complaint: /max_completion_tokens/ },
		{
			name: "thinking missing",
			complaint: /(missing|must be passed back|required).*reasoning_content|reasoning_content.*(missing|must be passed back|required)/is,
		},
		{ name: "signatures missing", complaint: /thought_signature/i },
		{ name: "long call ids", complaint: /tool.?call.?id.{0,200}(length of 9|a-z, A-Z, 0-9)/is },
		{ name: "person after tool", complaint: /unexpected role ['"`]?user['"`]? after role ['"`]?tool/i },
		{ name: "stream_options", complaint: /stream_options/ },
		{ name: "effort", complaint: /reasoning_effort/ },
		{ name: "thinking", complaint: /reasoning_(content|details)|['"`]reasoning['"`]/ },
		{ name: "tool images", complaint: BAD_IMAGE, session: true },
		{
			name: "images",
			complaint:
				/(not|n't|no endpoints?\b.{0,40}) support.{0,60}(image|vision|multimodal)|(image|vision|multimodal).{0,60}(not|n't|un) ?support|image_url|required for image|must be a string/is,
		},
	],
};

/** OpenAI's own: newer models refuse the old name of the limit, which most other servers know alone. */
export const openAiChat: Wire = {
	...compatibleChat,
	body: async (request, without, from) => ({
		...(await bodyOf(request, without, from, "max_completion_tokens")),
		prompt_cache_key: sessionOf(request),
	}),
};

/** Stands in for the signature of a call that another model made, as Google documents it. */
const NO_SIGNATURE = { google: { thought_signature: "skip_thought_signature_validator" } };

async function bodyOf(request: ModelRequest, without: ReadonlySet<string>, from: string, limitName: string): Promise<object> {
	const { image, ...blind } = request;
	const seen = without.has("tool images") ? withoutToolImages(request) : request;
	const messages = await chatMessages(without.has("images") ? blind : seen, {
		from,
		thinking: without.has("thinking missing") ? "every" : without.has("thinking") ? "none" : "own",
		...(without.has("signatures missing") && { foreignExtra: NO_SIGNATURE }),
		shortIds: without.has("long call ids"),
		answersTools: without.has("person after tool"),
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
