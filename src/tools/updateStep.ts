// update_step: marks a step of the running plan.
import * as z from "zod";
import { defineTool } from "../core/tool.ts";

const words = { running: "Start", done: "Finish", failed: "Fail", skipped: "Skip" } as const;
const pastWords = { running: "Started", done: "Finished", failed: "Failed", skipped: "Skipped" } as const;

export const updateStep = defineTool({
	name: "update_step",
	plugin: "plan",
	description: "Mark a step of the running plan: running before you begin it, then done, failed or skipped.",
	permissions: [],
	capabilities: ["plan.write"],
	input: z.object({
		step_number: z.number().int(),
		status: z.enum(["running", "done", "failed", "skipped"]),
		note: z.string().optional(),
	}),
	summary: ({ step_number, status }) => `${words[status]} step ${step_number}`,
	done: ({ step_number, status }) => `${pastWords[status]} step ${step_number}`,
	async run({ step_number, status, note }) {
		return {
			output: `Step ${step_number} is ${status}.${note ? ` ${note}` : ""}`,
			view: { kind: "text" },
			events: [{ type: "step", step_number, status }],
		};
	},
});
