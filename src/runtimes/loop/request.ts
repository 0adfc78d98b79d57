// What the model is sent: system prompt, offered tools and visible events, each byte for byte as in the call before.
import * as z from "zod";
import type { ModelRequest, ToolSpec } from "../../core/model.ts";
import type { Turn } from "../../core/ports.ts";
import type { Tool } from "../../core/tool.ts";
import { visibleEvents } from "../../core/transcript.ts";

export function requestOf(turn: Turn): ModelRequest {
	const { name, info, effort } = turn.model;
	return {
		model: name,
		system: turn.system,
		tools: turn.tools().map(specOf),
		events: visibleEvents(turn.state),
		...(effort && { effort }),
		...(info.images !== false && { image: turn.image }),
	};
}

const specs = new WeakMap<Tool, ToolSpec>();

function specOf(tool: Tool): ToolSpec {
	const known = specs.get(tool);
	if (known) return known;
	const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: "input" }) as Record<string, unknown>;
	const spec = { name: tool.name, description: tool.description, parameters };
	specs.set(tool, spec);
	return spec;
}
