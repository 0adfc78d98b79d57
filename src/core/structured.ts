// Plans and questions as JSON: their schemas, their version, and messages that end with one.
import * as z from "zod";
import type { Plan, Question } from "./events.ts";
import type { Role } from "./role.ts";
import { parseTrailingJson } from "./trailingJson.ts";

/** The supported version of both formats. */
export const FORMAT_VERSION = "1.0";

/** A plan as stored and exported. */
export function withPlanVersion(plan: Plan): Plan {
	return { ...plan, type: "plan", format_version: FORMAT_VERSION };
}

/** A question as stored and exported. */
export function withQuestionVersion(question: Question): Question {
	return { ...question, type: "question", format_version: FORMAT_VERSION };
}

const version = z.literal(FORMAT_VERSION, { error: `only version "${FORMAT_VERSION}" is known` }).optional();

export const planFields = {
	type: z.literal("plan").optional(),
	format_version: version,
	goal: z.string().min(1).describe("What it accomplishes, in one line"),
	steps: z
		.array(
			z.object({
				step_number: z.number().int().min(0).max(999),
				action: z.string().min(1),
				reason: z.string().optional(),
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
	type: z.literal("question").optional(),
	format_version: version,
	question: z.string().min(1),
	context: z.string().optional().describe("Why you ask, what you found"),
	severity: z.enum(["critical", "major", "minor"]).optional(),
	options: z.array(z.object({ label: z.string().min(1), value: z.string(), description: z.string().optional() })).optional(),
	default: z.string().optional().describe("The value of the option you recommend"),
	allow_custom: z.boolean().optional().describe("The person may answer in their own words"),
};

export const PlanSchema = z.object(planFields);

export const QuestionSchema = z
	.object(questionFields)
	.refine((question) => (question.options?.length ?? 0) > 0 || question.allow_custom === true, {
		message: "a question needs options or allow_custom",
	});

type StructuredMessage = { plan: Plan } | { question: Question } | { unknownVersion: string };

/**
 * Parses a message that is a plan or a question: it ends with exactly one such JSON object, bare or in one fence. Returns undefined
 * for other text. An object with an unsupported version is neither.
 */
export function parseStructuredMessage(text: string): StructuredMessage | undefined {
	const ending = parseTrailingJson(text);
	if (!ending || ending.others.some((other) => toStructuredMessage(other))) return undefined;
	return toStructuredMessage(ending.value);
}

function toStructuredMessage({
	format_version: version = FORMAT_VERSION,
	...value
}: Record<string, unknown>): StructuredMessage | undefined {
	const plan = PlanSchema.safeParse(value);
	const question = QuestionSchema.safeParse(value);
	if (version !== FORMAT_VERSION) {
		// The shape of a later version is unknown, so its type decides.
		return plan.success || question.success || KINDS.has(value["type"]) ? { unknownVersion: String(version) } : undefined;
	}
	if (plan.success) return { plan: withPlanVersion(plan.data) };
	return question.success ? { question: withQuestionVersion(question.data) } : undefined;
}

const KINDS: ReadonlySet<unknown> = new Set(["plan", "question"]);

const PLAN = `{"type":"plan","format_version":"1.0","goal":"what it is for","steps":[{"step_number":1,"action":"what you will do","reason":"why","tools_needed":["read_file"],"estimated_time":"rough","files":["src/**"]}],"estimated_total_time":"rough","risks":["what may go wrong"],"prerequisites":["what the person prepares"]}`;

const QUESTION = `{"type":"question","format_version":"1.0","question":"what you ask","context":"why, what you found","severity":"critical|major|minor","options":[{"label":"short","value":"internal","description":"longer"}],"default":"the value you recommend","allow_custom":false}`;

const FORMATS = { plan: ["present a plan", PLAN], question: ["ask a question", QUESTION] } as const;

/** A section of the system prompt. */
export function formatJsonInstructions({ formats = ["plan", "question"] }: Role): string {
	const sections = formats.map((kind) => `To ${FORMATS[kind][0]}:\n${FORMATS[kind][1]}`);
	return `# Formats\n\nIf you cannot call tools, end your message with exactly one JSON object, bare or in one fence, and nothing after it.\n\n${sections.join("\n\n")}`;
}
