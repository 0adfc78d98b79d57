// Test fixture: a tool from outside with a definition that can change.
import * as z from "zod";
import { defineTool, type Tool, type ToolSource } from "../../../src/core/ports/tool.ts";

/** `ran` gets the hash at each run. */
export function outside(definitionHash: string, ran: string[]): Tool {
	return defineTool<Record<string, never>>({
		name: "mcp__things__list",
		plugin: "mcp",
		description: "Lists things",
		permissions: ["ExternalTools"],
		capabilities: ["mcp.things"],
		input: z.object({}),
		external: { definitionHash, readOnly: false },
		summary: () => "List things",
		run: async () => {
			ran.push(definitionHash);
			return { output: "things" };
		},
	});
}

export const sourceOf = (tools: () => Tool[]): ToolSource => ({ tools, prepare: async () => [], release: async () => undefined });
