// Parses what a call would do: the tool of ours, its input, and placeholders of secrets in it.

import type { Tool } from "../../../core/ports/tool.ts";
import { findTool } from "../../agent/sessionAgent.ts";
import { REDACTED_VALUE } from "../../transcript/redactedValues.ts";
import type { TurnContext } from "../../turnContext.ts";

/** Something that a call does, as a use of a tool of ours. A call of our tools is one use, of the tool that it names. */
export interface ToolUse {
	as: string;
	input: unknown;
}

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

/** Why a call is denied that would write the placeholder instead of the secret; undefined if it would not. */
export function redactedWriteReason({ edits, command, external, capabilities, plugin }: Tool, input: unknown): string | undefined {
	const writes = edits || command || external || (plugin !== "plan" && capabilities.some((capability) => capability.endsWith(".write")));
	if (!writes || !containsPlaceholder(input)) return undefined;
	return `“${REDACTED_VALUE}” stands for a secret that you are not shown: written down it would destroy it. Nothing ran. Leave the lines with the secret as they are, or ask the person.`;
}

function containsPlaceholder(value: unknown): boolean {
	if (typeof value === "string") return value.includes(REDACTED_VALUE);
	return typeof value === "object" && value !== null && Object.values(value).some(containsPlaceholder);
}
