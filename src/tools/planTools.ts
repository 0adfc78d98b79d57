// The plan tools: present_plan, ask_question, update_step and offer_switch.
import * as z from "zod";
import { defineTool, ToolError } from "../core/ports/tool.ts";
import { planFields, QuestionSchema, questionFields } from "../core/structured.ts";
import { t } from "../shared/l10n.ts";
import { resultCounts } from "./shared/toolHelpers.ts";

export const presentPlan = defineTool({
	name: "present_plan",
	plugin: "plan",
	description: "Show the person your plan. They run, revise or drop it; the turn ends.",
	permissions: [],
	capabilities: ["plan.write"],
	input: z.object(planFields),
	summary: ({ goal }) => t("Present plan: {0}", goal),
	done: ({ goal }) => t("Presented plan: {0}", goal),
	async run(plan) {
		return {
			output: "The plan is shown to the person. The turn ends here; wait for their answer.",
			view: { kind: "text", figure: resultCounts.steps(plan.steps.length) },
			events: [{ type: "plan", plan }],
		};
	},
});

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
			events: [{ type: "question", question: parsed.data }],
		};
	},
});

const stepLabels = {
	running: (step: number) => ({ now: t("Start step {0}", step), done: t("Started step {0}", step) }),
	done: (step: number) => ({ now: t("Finish step {0}", step), done: t("Finished step {0}", step) }),
	failed: (step: number) => ({ now: t("Mark step {0} as failed", step), done: t("Marked step {0} as failed", step) }),
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
	summary: ({ step_number, status }) => stepLabels[status](step_number).now,
	done: ({ step_number, status }) => stepLabels[status](step_number).done,
	async run({ step_number, status, note }) {
		return {
			output: `Step ${step_number} is ${status}.${note ? ` ${note}` : ""}`,
			view: { kind: "text" },
			events: [{ type: "step", step_number, status }],
		};
	},
});

export const proposeRoleSwitch = defineTool({
	name: "offer_switch",
	plugin: "plan",
	description: "Offer to switch to the role that acts, for a small change wanted at once.",
	permissions: [],
	capabilities: ["plan.ask"],
	input: z.object({ reason: z.string().min(1).max(500).describe("What you would then do") }),
	suits: (role) => role.acts !== undefined,
	summary: () => t("Propose a role switch"),
	done: () => t("Proposed a role switch"),
	async run({ reason }) {
		return {
			output: "The offer is shown to the person. The turn ends here; wait for their answer.",
			events: [{ type: "switch", reason }],
		};
	},
});
