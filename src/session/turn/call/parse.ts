// Parses what a call would do: the tool of ours, its input, and placeholders of secrets in it.

import type { ToolCall } from "../../../core/events.ts";
import type { ToolUse } from "../../../core/ports/runtime.ts";
import type { Tool } from "../../../core/ports/tool.ts";
import { findTool } from "../../agent/sessionAgent.ts";
import { REDACTED_VALUE } from "../../transcript/redactedValues.ts";
import type { TurnContext } from "../../turnContext.ts";

export interface ParsedUse {
	called: string;
	tool: Tool | undefined;
	/** `why`: for the model. */
	input: { fits: true; value: unknown } | { fits: false; why: string };
}

export function parseUse(turn: TurnContext, { as, input }: ToolUse): ParsedUse {
	const tool = findTool(turn, turn.agent, as);
	return { called: as, tool, input: parseInput(tool, input) };
}

function parseInput(tool: Tool | undefined, input: unknown): ParsedUse["input"] {
	if (!tool || typeof input === "string")
		return { fits: false, why: "The arguments are not valid JSON. Nothing ran. Send the call again with one JSON object." };
	const parsed = tool.input.safeParse(input);
	if (parsed.success) return { fits: true, value: parsed.data };
	const issues = parsed.error.issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`);
	return { fits: false, why: `The arguments do not fit ${tool.name}: ${issues.join("; ")}. Nothing ran. Correct them and call again.` };
}

/** Returns why a use is denied that would write the placeholder instead of the secret; undefined if it would not. */
export function redactedWriteReason(turn: Pick<TurnContext, "foreign" | "unclear">, tool: Tool, given: RedactedInput): string | undefined {
	const { edits, command, external, capabilities, plugin } = tool;
	// Another agent may do more with its own arguments than they say as ours.
	const input = turn.foreign === undefined ? given.input : [given.input, given.call.input];
	const writes =
		turn.unclear !== undefined ||
		edits ||
		command ||
		external ||
		(plugin !== "plan" && capabilities.some((capability) => capability.endsWith(".write")));
	if (!writes || !containsPlaceholder(input)) return undefined;
	return `“${REDACTED_VALUE}” stands for a secret that you are not shown: written down it would destroy it. Nothing ran. Leave the lines with the secret as they are, or ask the person.`;
}

interface RedactedInput {
	call: ToolCall;
	input: unknown;
}

function containsPlaceholder(value: unknown): boolean {
	if (typeof value === "string") return value.includes(REDACTED_VALUE);
	return typeof value === "object" && value !== null && Object.values(value).some(containsPlaceholder);
}
