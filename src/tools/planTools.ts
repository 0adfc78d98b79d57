// The plan tools: present_plan, ask_question, update_step and offer_switch.
import * as z from "zod";
import { defineTool, ToolError } from "../core/ports/tool.ts";
import type { AgentDefinition } from "../core/role.ts";
import { planFields, QuestionSchema, questionFields } from "../core/structured.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import { resultCounts } from "./shared/toolHelpers.ts";

/** A background task ends with its answer: it presents no plan, and has one role. */
const idle = ({ optIn }: AgentDefinition) => optIn?.includes("task") === true;

export const presentPlan = defineTool({
	name: "present_plan",
	plugin: "plan",
	description: "Show the person your plan. They run, revise or drop it; the turn ends.",
	permissions: [],
	capabilities: ["plan.write"],
	input: z.object(planFields),
	isIdle: idle,
	...summaryAndDone("present_plan"),
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
	...summaryAndDone("ask_question"),
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
	isIdle: idle,
	...summaryAndDone("update_step"),
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
	isIdle: idle,
	...summaryAndDone("offer_switch"),
	async run({ reason }) {
		return {
			output: "The offer is shown to the person. The turn ends here; wait for their answer.",
			events: [{ type: "switch", reason }],
		};
	},
});
