// Tells a model that may have no tool calls how it writes plans and questions: as JSON that ends its message.
import type { Role } from "./permissions.ts";

const PLAN = `{"type":"plan","format_version":"1.0","goal":"what it is for","steps":[{"step_number":1,"action":"what you will do","reason":"why","tools_needed":["read_file"],"estimated_time":"rough","files":["src/**"]}],"estimated_total_time":"rough","risks":["what may go wrong"],"prerequisites":["what the person prepares"]}`;

const QUESTION = `{"type":"question","format_version":"1.0","question":"what you ask","context":"why, what you found","severity":"critical|major|minor","options":[{"label":"short","value":"internal","description":"longer"}],"default":"the value you recommend","allow_custom":false}`;

const FORMATS = { plan: ["present a plan", PLAN], question: ["ask a question", QUESTION] } as const;

/** A section of the system prompt. */
export function formatJsonInstructions({ formats = ["plan", "question"] }: Role): string {
	const shown = formats.map((kind) => `To ${FORMATS[kind][0]}:\n${FORMATS[kind][1]}`);
	return `# Formats\n\nIf you cannot call tools, end your message with exactly one JSON object, bare or in one fence, and nothing after it.\n\n${shown.join("\n\n")}`;
}
