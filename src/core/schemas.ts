// Plans and questions as they may come from a model: what is required, and text that counts as one.
import * as z from "zod";
import type { Plan, Question } from "./events.ts";

export const planFields = {
	goal: z.string().min(1).describe("What we are trying to accomplish, in one line"),
	steps: z
		.array(
			z.object({
				step_number: z.number().int(),
				action: z.string().min(1).describe("What you will do"),
				reason: z.string().optional().describe("Why this is necessary"),
				tools_needed: z.array(z.string()).optional(),
				estimated_time: z.string().optional(),
				files: z.array(z.string()).optional().describe("Globs of the files this step changes; configuration by its exact path"),
			}),
		)
		.min(1),
	estimated_total_time: z.string().optional(),
	risks: z.array(z.string()).optional(),
	prerequisites: z.array(z.string()).optional(),
};

export const questionFields = {
	question: z.string().min(1),
	context: z.string().optional().describe("Why you ask, what you found"),
	severity: z.enum(["critical", "major", "minor"]).optional(),
	options: z.array(z.object({ label: z.string().min(1), value: z.string(), description: z.string().optional() })).optional(),
	default: z.string().optional().describe("The value of the option you recommend"),
	allow_custom: z.boolean().optional().describe("The person may answer in their own words"),
};

export const PlanSchema = z.object({
	type: z.literal("plan").optional(),
	format_version: z.literal("1.0").optional(),
	...planFields,
});

export const QuestionSchema = z
	.object({ type: z.literal("question").optional(), format_version: z.literal("1.0").optional(), ...questionFields })
	.refine((question) => (question.options?.length ?? 0) > 0 || question.allow_custom === true, {
		message: "a question needs options or allow_custom",
	});

/** A message that is a plan or a question: the whole of it is that JSON, or one fence around it. Anything else is text. */
export function parseStructured(text: string): { plan: Plan } | { question: Question } | undefined {
	const json = unfence(text.trim());
	if (!json.startsWith("{")) return undefined;
	let value: unknown;
	try {
		value = JSON.parse(json);
	} catch {
		return undefined;
	}
	const plan = PlanSchema.safeParse(value);
	if (plan.success) return { plan: plan.data };
	const question = QuestionSchema.safeParse(value);
	return question.success ? { question: question.data } : undefined;
}

function unfence(text: string): string {
	const fence = /^(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n\1$/.exec(text);
	return fence?.[2]?.trim() ?? text;
}
