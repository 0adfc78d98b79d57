// present_plan: shows the person a plan; the turn ends there.
import * as z from "zod";
import { planFields } from "../core/schemas.ts";
import { defineTool } from "../core/tool.ts";
import { counted } from "./limits.ts";

export const presentPlan = defineTool({
	name: "present_plan",
	plugin: "plan",
	description: "Show the person your plan. They run, revise or drop it; the turn ends.",
	permissions: [],
	capabilities: ["plan.write"],
	input: z.object(planFields),
	summary: ({ goal }) => `Present plan: ${goal}`,
	done: ({ goal }) => `Presented plan: ${goal}`,
	async run(plan) {
		return {
			output: "The plan is shown to the person. The turn ends here; wait for their answer.",
			view: { kind: "text", figure: counted(plan.steps.length, "step") },
			events: [{ type: "plan", plan }],
		};
	},
});
