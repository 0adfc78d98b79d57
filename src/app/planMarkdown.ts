// A plan as Markdown, for "Save plan" and exports.
import type { Plan, PlanStep } from "../core/events.ts";

export function planMarkdown(plan: Plan): string {
	return [
		`### ${plan.goal}`,
		plan.steps.map(stepLines).join("\n"),
		...list("Prerequisites", plan.prerequisites),
		...list("Risks", plan.risks),
		...(plan.estimated_total_time ? [`Estimate: ${plan.estimated_total_time}`] : []),
	].join("\n\n");
}

function stepLines(step: PlanStep): string {
	const details = [
		step.reason,
		step.tools_needed?.length ? `Tools: ${step.tools_needed.join(", ")}` : undefined,
		step.files?.length ? `Files: ${step.files.join(", ")}` : undefined,
		step.estimated_time,
	].filter((line) => line !== undefined);
	return [`${step.step_number}. ${step.action}`, ...details.map((line) => `   - ${line}`)].join("\n");
}

function list(title: string, items: readonly string[] | undefined): string[] {
	return items?.length ? [`**${title}**\n${items.map((item) => `- ${item}`).join("\n")}`] : [];
}
