// A plan as Markdown, for "Save plan" and exports.
import type { Plan, PlanStep } from "../core/events.ts";
import { t } from "../shared/l10n.ts";

export function formatPlanAsMarkdown(plan: Plan): string {
	return [
		`### ${plan.goal}`,
		plan.steps.map(stepLines).join("\n"),
		...list(t("Prerequisites"), plan.prerequisites),
		...list(t("Risks"), plan.risks),
		...(plan.estimated_total_time ? [t("Estimate: {0}", plan.estimated_total_time)] : []),
	].join("\n\n");
}

function stepLines(step: PlanStep): string {
	const details = [
		step.reason,
		step.tools_needed?.length ? t("Tools: {0}", step.tools_needed.join(", ")) : undefined,
		step.files?.length ? t("Files: {0}", step.files.join(", ")) : undefined,
		step.estimated_time,
	].filter((line) => line !== undefined);
	return [`${step.step_number}. ${step.action}`, ...details.map((line) => `   - ${line}`)].join("\n");
}

function list(title: string, items: readonly string[] | undefined): string[] {
	return items?.length ? [`**${title}**\n${items.map((item) => `- ${item}`).join("\n")}`] : [];
}
