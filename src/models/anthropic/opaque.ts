// What an answer of the Messages API leaves for later requests: its thoughts with their signatures, and the order of its parts.
// Words and thoughts themselves are the event's; here are only the places where they stand in it.
import type { ConversationMessage } from "../wire/conversationMessages.ts";

/** From and up to, in characters of the event's text or thinking. */
export type TextRange = readonly [number, number];

export type AnthropicPart = { text: TextRange } | { call: true } | { thinking: TextRange; signature: string } | { redacted: string };

export interface AnthropicOpaque {
	format: "anthropic";
	/** Of the request that it answers. */
	seal: string;
	parts: AnthropicPart[];
}

/**
 * The parts in their order; undefined where the event is not of this format or has become another. Thoughts are left out
 * when the model, its instructions or anything before them has changed: the API refuses thoughts in another place than
 * where they were thought.
 */
export function readOpaque(value: unknown, said: Extract<ConversationMessage, { by: "model" }>, seal: string): AnthropicPart[] | undefined {
	if (!isOpaque(value)) return undefined;
	const texts = value.parts.flatMap((part) => ("text" in part ? [part.text] : []));
	if ((texts.at(-1)?.[1] ?? 0) !== said.text.length) return undefined;
	const thoughts = value.parts.flatMap((part) => ("thinking" in part ? [part.thinking] : []));
	const sound = value.seal === seal && (thoughts.at(-1)?.[1] ?? 0) === said.thinking.length;
	return sound ? value.parts : value.parts.filter((part) => "text" in part || "call" in part);
}

function isOpaque(value: unknown): value is AnthropicOpaque {
	const fields = value as Partial<AnthropicOpaque> | undefined | null;
	return typeof fields === "object" && fields?.format === "anthropic" && Array.isArray(fields.parts);
}
