// ask_question: asks the person; the turn ends there.

import * as z from "zod";
import { defineTool, ToolError } from "../core/ports/tool.ts";
import { QuestionSchema, questionFields } from "../core/structured.ts";
import { t } from "../shared/l10n.ts";

export const askQuestion = defineTool({
	name: "ask_question",
	plugin: "plan",
	description: "Ask the person something you cannot find out. Give options or allow_custom; the turn ends.",
	permissions: [],
	capabilities: ["plan.ask"],
	input: z.object(questionFields),
	summary: ({ question }) => t("Ask: {0}", question),
	done: ({ question }) => t("Asked: {0}", question),
	async run(input) {
		const parsed = QuestionSchema.safeParse(input);
		if (!parsed.success) throw new ToolError("A question needs options or allow_custom, so it was not asked. Ask again with one of them.");
		return {
			output: "The question is shown to the person. The turn ends here; wait for their answer.",
			view: { kind: "text" },
			events: [{ type: "question", request: crypto.randomUUID(), question: parsed.data }],
		};
	},
});
