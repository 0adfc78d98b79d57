// Parses a model in a provider's list, whose property names vary by provider.
import type { ModelInfo, Price } from "../../core/ports/model.ts";

/** Returns undefined if the entry is not a usable model. */
export function parseListedModel(provider: string, entry: unknown): ModelInfo | undefined {
	const name = at(entry, "id");
	if (typeof name !== "string" || name === "" || at(entry, "lifecycle") === "retired") return undefined;
	const title = at(entry, "display_name") ?? at(entry, "name");
	const window = firstNumber(entry, WINDOWS);
	const maxOutput = firstNumber(entry, OUTPUTS);
	const price = priceOf(at(entry, "pricing"));
	const images = takesImages(entry);
	const reasoning = thinks(entry);
	const tools = callsTools(entry);
	return {
		id: `${provider}/${name}`,
		name: typeof title === "string" && title !== "" ? title.slice(0, 100) : name,
		...(window !== undefined && { window }),
		...(maxOutput !== undefined && { maxOutput }),
		...(price && { price }),
		...(images !== undefined && { images }),
		...(tools !== undefined && { tools }),
		...(reasoning !== undefined && { reasoning }),
	};
}

/** Fields of OpenRouter, Groq, vLLM, Mistral and Anthropic, and LM Studio's loaded size. */
const WINDOWS = ["loaded_context_length", "context_length", "context_window", "max_model_len", "max_context_length", "max_input_tokens"];
const OUTPUTS = ["top_provider.max_completion_tokens", "max_completion_tokens", "max_output_tokens", "max_output_length", "max_tokens"];
const IMAGES = ["capabilities.vision", "capabilities.image_input.supported"];
const INPUTS = ["architecture.input_modalities", "input_modalities"];

/** OpenRouter's prices are strings in dollars per token; "-1" means a variable price. */
function priceOf(pricing: unknown): Price | undefined {
	const dollars = (name: string): number | undefined => {
		const given = at(pricing, name);
		const value = typeof given === "string" && given !== "" ? Number(given) : Number.NaN;
		return value >= 0 ? Math.round(value * 1e12) / 1e6 : undefined;
	};
	const [input, output] = [dollars("prompt"), dollars("completion")];
	if (input === undefined || output === undefined) return undefined;
	const [cached, written] = [dollars("input_cache_read"), dollars("input_cache_write")];
	return { input, output, ...(cached !== undefined && { cached }), ...(written !== undefined && { written }) };
}

function takesImages(entry: unknown): boolean | undefined {
	for (const path of INPUTS) {
		const inputs = at(entry, path);
		if (Array.isArray(inputs)) return inputs.includes("image");
	}
	for (const path of IMAGES) {
		const said = at(entry, path);
		if (typeof said === "boolean") return said;
	}
	return undefined;
}

function thinks(entry: unknown): boolean | undefined {
	const parameters = at(entry, "supported_parameters");
	if (Array.isArray(parameters)) return parameters.includes("reasoning");
	const said = at(entry, "capabilities.thinking.supported");
	return typeof said === "boolean" ? said : undefined;
}

/** Reads the fields of OpenRouter, Mistral and LM Studio. */
function callsTools(entry: unknown): boolean | undefined {
	const parameters = at(entry, "supported_parameters");
	if (Array.isArray(parameters)) return parameters.includes("tools");
	const capabilities = at(entry, "capabilities");
	if (Array.isArray(capabilities)) return capabilities.includes("tool_use") || undefined;
	const said = at(entry, "capabilities.function_calling");
	return typeof said === "boolean" ? said : undefined;
}

function firstNumber(entry: unknown, paths: readonly string[]): number | undefined {
	for (const path of paths) {
		const value = at(entry, path);
		if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
	}
	return undefined;
}

function at(value: unknown, path: string): unknown {
	let found = value;
	for (const part of path.split(".")) {
		if (typeof found !== "object" || found === null) return undefined;
		found = (found as Record<string, unknown>)[part];
	}
	return found;
}
