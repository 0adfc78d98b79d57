// Specifications of known models (context windows, prices, capabilities), for lists that omit them.
import type { ModelInfo } from "../../core/ports/model.ts";

/** A model's specifications in the table. */
type ModelSpecs = Pick<ModelInfo, "window" | "maxOutput" | "price" | "images" | "reasoning">;

/** `provider` is a preset's ID; returns undefined for unknown models. */
export function findModelSpecs(provider: string, name: string): ModelSpecs | undefined {
	const models = TABLE[provider];
	const plain = name.replace(/^models\//, "");
	return models?.[plain] ?? models?.[withoutSnapshotDate(plain)];
}

/** Names of a provider's models in the table. */
export function knownModelNames(provider: string): string[] {
	return Object.keys(TABLE[provider] ?? {});
}

/** "claude-sonnet-4-5-20250929" and "gpt-4o-2024-08-06" are snapshots of "claude-sonnet-4-5" and "gpt-4o". */
export function withoutSnapshotDate(name: string): string {
	return name.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
}

/**
 * Source and date of the figures. Anthropic's, Groq's and OpenAI's newest were compared with the providers' own pages. DeepSeek's
 * prices are for peak hours.
 */
export const MODEL_TABLE_SOURCE = { from: "models.dev", read: "2026-11-22" } as const;

function model(able: string, window: number, maxOutput: number, ...price: number[]): ModelSpecs {
	const [input = 0, output = 0, cached, written] = price;
	return {
		window,
		maxOutput,
		price: { input, output, ...(cached !== undefined && { cached }), ...(written !== undefined && { written }) },
		images: able.includes("images"),
		reasoning: able.includes("thinks"),
	};
}

/** A prompt longer than `over` tokens multiplies the prices of the whole request. */
function rising(over: number, input: number, output: number, figures: ModelSpecs): ModelSpecs {
	return { ...figures, ...(figures.price && { price: { ...figures.price, long: { over, input, output } } }) };
}

/** Provider → name → capabilities, context window, maximum output, and prices: input, output, cached input, cache writes. */
const TABLE: Readonly<Record<string, Readonly<Record<string, ModelSpecs>>>> = {
	openai: {
		"gpt-6.1-sol": rising(272_000, 2, 1.5, model("images thinks", 1_050_000, 128_000, 2, 10, 0.1, 2.5)),
		"gpt-6.1-terra": rising(272_000, 2, 1.5, model("images thinks", 1_050_000, 128_000, 1, 5, 0.05, 1.25)),
		"gpt-6-sol": rising(272_000, 2, 1.5, model("images thinks", 1_050_000, 128_000, 2, 10, 0.2, 2.5)),
		"gpt-6-astra": rising(272_000, 2, 1.5, model("images thinks", 1_050_000, 128_000, 10, 50, 1, 12.5)),
		"gpt-5.6": rising(272_000, 2, 1.5, model("images thinks", 1_050_000, 128_000, 4, 20, 0.4, 5)),
		"gpt-5.6-sol": rising(272_000, 2, 1.5, model("images thinks", 1_050_000, 128_000, 4, 20, 0.4, 5)),
		"gpt-5.6-terra": rising(272_000, 2, 1.5, model("images thinks", 1_050_000, 128_000, 2, 12, 0.2, 2.5)),
		"gpt-5.6-luna": rising(272_000, 2, 1.5, model("images thinks", 1_050_000, 128_000, 0.2, 1.2, 0.02, 0.25)),
		"gpt-5.5": rising(272_000, 2, 1.5, model("images thinks", 1_050_000, 128_000, 5, 30, 0.5)),
		"gpt-5.5-pro": model("images thinks", 1_050_000, 128_000, 30, 180),
		"gpt-5.4": model("images thinks", 1_050_000, 128_000, 2.5, 15, 0.25),
		"gpt-5.4-mini": model("images thinks", 400_000, 128_000, 0.75, 4.5, 0.075),
		"gpt-5.4-nano": model("images thinks", 400_000, 128_000, 0.2, 1.25, 0.02),
		"gpt-5.4-pro": model("images thinks", 1_050_000, 128_000, 30, 180),
		"gpt-5.3-codex": model("images thinks", 400_000, 128_000, 1.75, 14, 0.175),
		"gpt-5.2": model("images thinks", 400_000, 128_000, 1.75, 14, 0.175),
		"gpt-5.2-pro": model("images thinks", 400_000, 128_000, 21, 168),
		"gpt-5.1": model("images thinks", 400_000, 128_000, 1.25, 10, 0.125),
		"gpt-5": model("images thinks", 400_000, 128_000, 1.25, 10, 0.125),
		"gpt-5-mini": model("images thinks", 400_000, 128_000, 0.25, 2, 0.025),
		"gpt-5-nano": model("images thinks", 400_000, 128_000, 0.05, 0.4, 0.005),
		"gpt-5-pro": model("images thinks", 400_000, 128_000, 15, 120),
		"gpt-4.1": model("images", 1_047_576, 32_768, 2, 8, 0.5),
		"gpt-4.1-mini": model("images", 1_047_576, 32_768, 0.4, 1.6, 0.1),
		"gpt-4.1-nano": model("images", 1_047_576, 32_768, 0.1, 0.4, 0.025),
		"gpt-4o": model("images", 128_000, 16_384, 2.5, 10, 1.25),
		"gpt-4o-mini": model("images", 128_000, 16_384, 0.15, 0.6, 0.075),
		o3: model("images thinks", 200_000, 100_000, 2, 8, 0.5),
		"o3-mini": model("thinks", 200_000, 100_000, 1.1, 4.4, 0.55),
		"o3-pro": model("images thinks", 200_000, 100_000, 20, 80),
		"o4-mini": model("images thinks", 200_000, 100_000, 1.1, 4.4, 0.275),
	},
	anthropic: {
		"claude-fable-5-1": model("images thinks", 1_000_000, 128_000, 10, 50, 0.25, 12.5),
		"claude-fable-5": model("images thinks", 1_000_000, 128_000, 10, 50, 1, 12.5),
		"claude-opus-5-5": model("images thinks", 1_000_000, 128_000, 4, 20, 0.2, 5),
		"claude-opus-5": model("images thinks", 1_000_000, 128_000, 5, 25, 0.5, 6.25),
		"claude-opus-4-8": model("images thinks", 1_000_000, 128_000, 5, 25, 0.5, 6.25),
		"claude-opus-4-7": model("images thinks", 1_000_000, 128_000, 5, 25, 0.5, 6.25),
		"claude-opus-4-6": model("images thinks", 1_000_000, 128_000, 5, 25, 0.5, 6.25),
		"claude-opus-4-5": model("images thinks", 200_000, 64_000, 5, 25, 0.5, 6.25),
		"claude-sonnet-5-5": model("images thinks", 1_000_000, 128_000, 2, 10, 0.1, 2.5),
		"claude-sonnet-5": model("images thinks", 1_000_000, 128_000, 2, 10, 0.2, 2.5),
		"claude-sonnet-4-6": model("images thinks", 1_000_000, 128_000, 3, 15, 0.3, 3.75),
		"claude-sonnet-4-5": model("images thinks", 200_000, 64_000, 3, 15, 0.3, 3.75),
		"claude-haiku-5-5": rising(100_000, 5, 5, model("images thinks", 1_000_000, 128_000, 0.1, 0.5, 0.01, 0.125)),
		"claude-haiku-4-5": model("images thinks", 200_000, 64_000, 1, 5, 0.1, 1.25),
	},
	deepseek: {
		"deepseek-v4-pro": model("thinks", 1_000_000, 384_000, 1.32, 3.96, 0.044),
		"deepseek-flash": model("images thinks", 1_000_000, 384_000, 0.3, 1.2, 0.006),
	},
	groq: {
		"openai/gpt-oss-120b": model("thinks", 131_072, 65_536, 0.15, 0.6, 0.075),
		"openai/gpt-oss-20b": model("thinks", 131_072, 65_536, 0.075, 0.3, 0.0375),
		"qwen/qwen3.6-27b": model("images thinks", 131_072, 16_384, 0.6, 3, 0.3),
		"qwen/qwen3.8-27b": model("images thinks", 131_072, 16_384, 0.8, 4),
		"llama-3.3-70b-versatile": model("", 131_072, 32_768, 0.59, 0.79),
		"llama-3.1-8b-instant": model("", 131_072, 131_072, 0.05, 0.08),
	},
	mistral: {
		"mistral-large-4": model("images thinks", 1_048_576, 262_144, 0.7, 2.1, 0.07),
		"mistral-medium-latest": model("images thinks", 262_144, 262_144, 1.5, 7.5, 0.15),
		"mistral-medium-2604": model("images thinks", 262_144, 262_144, 1.5, 7.5, 0.15),
		"mistral-small-latest": model("images thinks", 262_144, 256_000, 0.15, 0.6, 0.015),
		"devstral-latest": model("", 262_144, 262_144, 0.4, 2, 0.04),
		"devstral-medium-latest": model("", 262_144, 262_144, 0.4, 2, 0.04),
		"devstral-2512": model("", 262_144, 262_144, 0.4, 2, 0.04),
		"codestral-latest": model("", 256_000, 4_096, 0.3, 0.9, 0.03),
		"codestral-2508": model("", 256_000, 8_192, 0.3, 0.9, 0.03),
	},
	gemini: {
		"gemini-4-argon": model("images thinks", 1_048_576, 32_768, 4, 20, 0.2),
		"gemini-3.8-flash": model("images thinks", 1_048_576, 65_536, 0.75, 3.75, 0.075),
		"gemini-3.7-flash": model("images thinks", 1_048_576, 65_536, 0.75, 3.75, 0.075),
		"gemini-3.5-flash": model("images thinks", 1_048_576, 65_536, 1.5, 9, 0.15),
		"gemini-3.1-pro-preview": rising(200_000, 2, 1.5, model("images thinks", 1_048_576, 65_536, 2, 12, 0.2)),
		"gemini-3.1-flash-lite": model("images thinks", 1_048_576, 65_536, 0.25, 1.5, 0.025),
		"gemini-2.5-pro": rising(200_000, 2, 1.5, model("images thinks", 1_048_576, 65_536, 1.25, 10, 0.125)),
		"gemini-2.5-flash": model("images thinks", 1_048_576, 65_536, 0.3, 2.5, 0.03),
		"gemini-2.5-flash-lite": model("images thinks", 1_048_576, 65_536, 0.1, 0.4, 0.01),
	},
	xai: {
		"grok-4.7": rising(200_000, 2, 2, model("images thinks", 500_000, 500_000, 2, 6, 0.5)),
		"grok-4.6": rising(200_000, 2, 2, model("images thinks", 500_000, 500_000, 2, 6, 0.5)),
		"grok-4.5": rising(200_000, 2, 2, model("images thinks", 500_000, 500_000, 2, 6, 0.5)),
		"grok-4.3": rising(200_000, 2, 2, model("images thinks", 1_000_000, 30_000, 1.25, 2.5, 0.2)),
	},
};
