// The tools that only tasks have: messages to whoever started them.
import * as z from "zod";
import { defineTool, type Tool, ToolError } from "../../core/ports/tool.ts";
import { withQuestionVersion } from "../../core/structured.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";
import { summaryAndDone } from "../../shared/toolWords.ts";
import type { Tasks } from "./tasks.ts";

const NotifySchema = z.object({ text: z.string().min(1).max(8_000) });
const InformationSchema = z.object({
	question: z.string().min(1).max(8_000),
	options: z.array(z.string().min(1).max(200)).max(10).optional(),
});

const shared = { plugin: "task", optIn: true as const, permissions: [] as const, capabilities: ["task.report"] as const };

export function createOwnTaskTools(tasks: Tasks): Tool[] {
	return [
		defineTool<z.infer<typeof NotifySchema>>({
			...shared,
			name: "notify",
			description: "Tell whoever started this task something before it is done. You go on.",
			input: NotifySchema,
			...summaryAndDone("notify"),
			async run({ text }, { caller, call }) {
				const said = requireVisible(text);
				if (!caller) throw new ToolError("Only a task's own turn can send messages. Nothing was sent.");
				await tasks.notify(caller.session, `${caller.turn}-${call}`, said);
				return { output: "Sent. Go on." };
			},
		}),
		defineTool<z.infer<typeof InformationSchema>>({
			...shared,
			name: "need_more_info",
			description: "Ask whoever started this task for what you cannot find out. The turn ends.",
			input: InformationSchema,
			...summaryAndDone("need_more_info"),
			async run({ question, options }) {
				const asked = requireVisible(question);
				const offered = options?.map((option) => ({ label: option, value: option }));
				return {
					output: "The question is on its way. The turn ends here; wait for the answer.",
					view: { kind: "text" },
					events: [
						{
							type: "question",
							question: withQuestionVersion({ question: asked, ...(offered && { options: offered }), allow_custom: true }),
							about: { kind: "information" },
						},
					],
				};
			},
		}),
	];
}

function requireVisible(text: string): string {
	const said = sanitizeForPrompt(text).trim();
	if (said === "") throw new ToolError("The text has nothing visible. Nothing was sent.");
	return said;
}
