// present_plan: shows the person a plan; the turn ends there.
import * as z from "zod";
import { defineTool } from "../core/ports/tool.ts";
import { planFields } from "../core/structured.ts";
import { t } from "../shared/l10n.ts";
import { resultCounts } from "./shared/resultCounts.ts";

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
