// A tool as a model is told of it. The same bytes every time, so that prompt caches hold.
import * as z from "zod";
import type { ToolSpec } from "./ports/model.ts";
import type { Tool } from "./ports/tool.ts";

const specs = new WeakMap<Tool, ToolSpec>();

export function toToolSpec(tool: Tool): ToolSpec {
	const known = specs.get(tool);
	if (known) return known;
	const { $schema: _, ...parameters } = tool.parameters ?? (z.toJSONSchema(tool.input, { io: "input" }) as Record<string, unknown>);
	const spec = { name: tool.name, description: tool.description, parameters };
	specs.set(tool, spec);
	return spec;
}
