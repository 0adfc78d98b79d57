// OpenAI's Responses API: nothing is stored there; reasoning goes along encrypted and comes back with the next request.
import type { Effort } from "../../core/ports/model.ts";
import { IMAGE_ERROR_PATTERN, withoutToolImages } from "../wire/imageUrls.ts";
import { type OpenAiWireFormat, sessionKey } from "./openAiServer.ts";
import { toResponsesInput } from "./responsesInput.ts";
import { createResponsesAssembler } from "./responsesStream.ts";

export const responsesFormat: OpenAiWireFormat = {
	path: "/responses",
	createAssembler: createResponsesAssembler,
	async createBody(request, without, from) {
		const { image, ...blind } = request;
		const thinks = reasons(request.model) && !without.has("reasoning");
		const effort = effortOf(request.effort, without);
		const seen = without.has("tool images") ? withoutToolImages(request) : request;
		const input = await toResponsesInput(without.has("images") ? blind : seen, {
			serverAndModel: from,
			sendsReasoning: thinks && !without.has("past reasoning"),
		});
		return {
			model: request.model,
			...(request.system === "" ? {} : { instructions: request.system }),
			input,
			...(request.tools.length > 0 ? { tools: request.tools.map((tool) => ({ type: "function", ...tool, strict: false })) } : {}),
			...(request.maxOutput === undefined ? {} : { max_output_tokens: request.maxOutput }),
			...(thinks ? { reasoning: { ...(effort && { effort }), ...(!without.has("summary") && { summary: "auto" }) } } : {}),
			...(thinks && !without.has("encrypted") ? { include: ["reasoning.encrypted_content"] } : {}),
			...(without.has("prompt_cache_key") ? {} : { prompt_cache_key: sessionKey(request) }),
			store: false,
			stream: true,
		};
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
		// Servers beside OpenAI's own may take text alone as a call's output.
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

/** Models from before reasoning, and those tuned for chat, refuse whatever has to do with it. */
const NOT_REASONING = /^(ft:)?(gpt-3|gpt-4|chatgpt)|-chat(-|$)/;

function reasons(model: string): boolean {
	return !NOT_REASONING.test(model);
}

/** Models that cannot do without thinking know a least amount of it. */
function effortOf(effort: Effort | undefined, without: ReadonlySet<string>): Effort | "minimal" | undefined {
	if (without.has("effort")) return undefined;
	return effort === "none" && without.has("no effort") ? "minimal" : effort;
}
