// update_step: marks a step of the running plan.
import * as z from "zod";
import { defineTool } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";

const words = {
	running: (step: number) => ({ now: t("Start step {0}", step), done: t("Started step {0}", step) }),
	done: (step: number) => ({ now: t("Finish step {0}", step), done: t("Finished step {0}", step) }),
	failed: (step: number) => ({ now: t("Fail step {0}", step), done: t("Failed step {0}", step) }),
	skipped: (step: number) => ({ now: t("Skip step {0}", step), done: t("Skipped step {0}", step) }),
};

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
	summary: ({ step_number, status }) => words[status](step_number).now,
	done: ({ step_number, status }) => words[status](step_number).done,
	async run({ step_number, status, note }) {
		return {
			output: `Step ${step_number} is ${status}.${note ? ` ${note}` : ""}`,
			view: { kind: "text" },
			events: [{ type: "step", step_number, status }],
		};
	},
});
