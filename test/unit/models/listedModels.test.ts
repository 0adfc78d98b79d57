// Tests parsing of provider model lists, entry by entry as each provider documents them.
import assert from "node:assert/strict";
import { parseListedModel } from "../../../src/models/wire/listedModels.ts";

describe("a model of a provider's list", () => {
	const table: [string, Record<string, unknown>, object | undefined][] = [
		[
			"OpenRouter",
			{
				id: "anthropic/claude-sonnet-4.5",
				name: "Anthropic: Claude Sonnet 4.5",
				context_length: 1_000_000,
				pricing: {
					prompt: "0.000003",
					completion: "0.000015",
					input_cache_read: "0.0000003",
					input_cache_write: "0.00000375",
					request: "0",
				},
				architecture: { input_modalities: ["text", "image"] },
				top_provider: { context_length: 1_000_000, max_completion_tokens: 64_000 },
				supported_parameters: ["tools", "reasoning"],
			},
			{
				id: "p/anthropic/claude-sonnet-4.5",
				name: "Anthropic: Claude Sonnet 4.5",
				window: 1_000_000,
				maxOutput: 64_000,
				price: { input: 3, output: 15, cached: 0.3, written: 3.75 },
				images: true,
				tools: true,
				reasoning: true,
			},
		],
		[
			"OpenRouter, where the price depends",
			{ id: "openrouter/auto", context_length: 2_000_000, pricing: { prompt: "-1", completion: "-1" } },
			{ id: "p/openrouter/auto", name: "openrouter/auto", window: 2_000_000 },
		],
		[
			"Groq",
			{ id: "llama-3.1-8b-instant", active: true, context_window: 131_072, max_completion_tokens: 131_072 },
			{ id: "p/llama-3.1-8b-instant", name: "llama-3.1-8b-instant", window: 131_072, maxOutput: 131_072 },
		],
		["vLLM", { id: "mine", max_model_len: 8_192 }, { id: "p/mine", name: "mine", window: 8_192 }],
		[
			"Mistral",
			{ id: "pixtral", max_context_length: 128_000, capabilities: { vision: true } },
			{ id: "p/pixtral", name: "pixtral", window: 128_000, images: true },
		],
		[
			"Anthropic",
			{
				id: "claude-sonnet-5-5",
				display_name: "Claude Sonnet 5.5",
				lifecycle: "active",
				max_input_tokens: 1_000_000,
				max_tokens: 128_000,
				capabilities: { image_input: { supported: true }, thinking: { supported: true } },
			},
			{
				id: "p/claude-sonnet-5-5",
				name: "Claude Sonnet 5.5",
				window: 1_000_000,
				maxOutput: 128_000,
				images: true,
				reasoning: true,
			},
		],
		["Anthropic, of a model that is gone", { id: "claude-2", lifecycle: "retired" }, undefined],
		["OpenAI", { id: "gpt-5", object: "model", owned_by: "openai" }, { id: "p/gpt-5", name: "gpt-5" }],
		["somebody who sends nonsense", { id: 7, context_length: "large" }, undefined],
	];
	for (const [provider, entry, expected] of table) {
		it(`is read as ${provider} writes it`, () => assert.deepEqual(parseListedModel("p", entry), expected));
	}
});
