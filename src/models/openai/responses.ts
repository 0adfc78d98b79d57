// OpenAI's Responses API: nothing is stored there; reasoning goes along encrypted and comes back with the next request.
import type { Effort } from "../../core/ports/model.ts";
import { BAD_IMAGE, withoutToolImages } from "../wire/imageUrls.ts";
import { sessionOf, type Wire } from "./openAiServer.ts";
import { responsesInput } from "./responsesInput.ts";
import { responsesAssembler } from "./responsesStream.ts";

export const responses: Wire = {
	path: "/responses",
	assembler: responsesAssembler,
	async body(request, without, from) {
		const { image, ...blind } = request;
		const thinks = reasons(request.model) && !without.has("reasoning");
		const effort = effortOf(request.effort, without);
		const seen = without.has("tool images") ? withoutToolImages(request) : request;
		const input = await responsesInput(without.has("images") ? blind : seen, {
			from,
			reasoning: thinks && !without.has("past reasoning"),
		});
		return {
			model: request.model,
			...(request.system === "" ? {} : { instructions: request.system }),
			input,
			...(request.tools.length > 0 ? { tools: request.tools.map((tool) => ({ type: "function", ...tool, strict: false })) } : {}),
			...(request.maxOutput === undefined ? {} : { max_output_tokens: request.maxOutput }),
			...(thinks ? { reasoning: { ...(effort && { effort }), ...(!without.has("summary") && { summary: "auto" }) } } : {}),
			...(thinks && !without.has("encrypted") ? { include: ["reasoning.encrypted_content"] } : {}),
			...(without.has("prompt_cache_key") ? {} : { prompt_cache_key: sessionOf(request) }),
			store: false,
			stream: true,
		};
	},
	concessions: [
		{
			name: "past reasoning",
			complaint: /invalid_encrypted_content|could not be (verified|decrypted)|not persisted|without its required|\brs_\w+/i,
			session: true,
		},
		{ name: "summary", complaint: /reasoning[._ ]summar/i },
		{ name: "encrypted", complaint: /encrypted.content/i },
		{ name: "no effort", complaint: /['"`]none['"`].*reasoning|reasoning\.effort.*['"`]none['"`]|['"`]none['"`] is not supported/is },
		{ name: "effort", complaint: /reasoning[._]effort/i },
		{ name: "reasoning", complaint: /['"`]?reasoning/i },
		{ name: "prompt_cache_key", complaint: /prompt_cache_key/ },
		// Servers beside OpenAI's own may take text alone as a call's output.
		{ name: "tool images", complaint: new RegExp(`${BAD_IMAGE.source}|function_call_output|\\boutput\\b`, "i"), session: true },
		{
			name: "images",
			complaint: /(not|n't) support.{0,60}(image|vision|multimodal)|(image|vision|multimodal).{0,60}(not|n't|un) ?support/is,
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
