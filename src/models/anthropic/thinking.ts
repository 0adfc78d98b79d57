// Thinking parameters and answer limits by generation of Anthropic's models.
import type Anthropic from "@anthropic-ai/sdk";
import type { Effort } from "../../core/ports/model.ts";

export type ThinkingParameters = Pick<Anthropic.MessageCreateParamsStreaming, "thinking" | "output_config">;

/**
 * Thinking of one generation of models. Sources: https://platform.claude.com/docs/en/build-with-claude/thinking and the models' migration
 * guides, November 2026.
 */
interface Generation {
	thinks: "never" | "budget" | "adaptive";
	/** Thinks unless disabled; the text of its thinking is sent only on request. */
	thinksByDefault?: boolean;
	/** Disables thinking; models without this can only think less. */
	off?: "disabled" | "between_tools";
	/** Default answer limit in tokens, including thinking; within the generation's limit. */
	maxTokens: number;
}

const BUDGETS: Record<Exclude<Effort, "none">, number> = { low: 2_048, medium: 8_192, high: 16_384 };

/** Smallest budget, and the tokens reserved for text and calls. */
const MIN_BUDGET = 1_024;

export function thinkingParameters(model: string, effort: Effort | undefined, maxTokens: number): ThinkingParameters {
	const { thinks, thinksByDefault, off } = generationOf(model);
	if (thinks === "never") return {};
	if (thinks === "budget") {
		if (effort === undefined || effort === "none") return {};
		const budget = Math.min(BUDGETS[effort], maxTokens - MIN_BUDGET);
		return budget < MIN_BUDGET ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
	}
	const adaptive = { thinking: { type: "adaptive", display: "summarized" } } as const;
	if (effort === undefined) return thinksByDefault ? adaptive : {};
	if (effort !== "none") return { ...adaptive, output_config: { effort } };
	if (!thinksByDefault) return {};
	return off ? { thinking: { type: off } } : { ...adaptive, output_config: { effort: "low" } };
}

export function defaultMaxTokens(model: string): number {
	return generationOf(model).maxTokens;
}

/** Returns the header that some models need to think between calls; undefined for the others. */
export function betaHeader(model: string, { thinking }: ThinkingParameters): string | undefined {
	return thinking?.type === "enabled" && versionOf(model) !== undefined ? "interleaved-thinking-2025-05-14" : undefined;
}

/** Claude models sign their thinking; Anthropic rejects thinking without a signature. */
export function signsThinking(model: string): boolean {
	return /claude/i.test(model);
}

function generationOf(model: string): Generation {
	const line = /opus|sonnet|haiku|fable|mythos/i.exec(model)?.[0].toLowerCase() ?? "";
	const version = versionOf(model);
	if (version === undefined) {
		// A preview without a number belongs to the newest generation; other vendors' models use budgets and shorter answers.
		return signsThinking(model) ? { thinks: "adaptive", thinksByDefault: true, maxTokens: 32_000 } : { thinks: "budget", maxTokens: 8_192 };
	}
	if (version < 3.05) return { thinks: "never", maxTokens: 4_096 };
	if (version < 3.07) return { thinks: "never", maxTokens: 8_192 };
	if (version < 4.06) return { thinks: "budget", maxTokens: 32_000 };
	if (version < 5) return { thinks: "adaptive", maxTokens: 32_000 };
	const newest = { thinks: "adaptive", thinksByDefault: true, maxTokens: 32_000 } as const;
	if (line === "fable" || line === "mythos" || (line === "opus" && version >= 5.05)) return newest;
	return { ...newest, off: line === "sonnet" && version >= 5.05 ? "between_tools" : "disabled" };
}

/** Reads "claude-opus-4-6", "claude-3-7-sonnet-20250219" and "anthropic/claude-sonnet-4.5" as 4.06, 3.07 and 4.05. */
function versionOf(model: string): number | undefined {
	const found = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2})(?!\d))?(?!\d)/i.exec(model);
	return found ? Number(found[1]) + Number(found[2] ?? 0) / 100 : undefined;
}
