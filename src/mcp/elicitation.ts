// Handles MCP elicitation: shows flat forms in full, rejects other forms and mismatched answers.
import * as z from "zod";
import type { ElicitationField, McpHost, McpServerConfig } from "../core/ports/mcp.ts";
import { cleanBlock, cleanLine, cleanText } from "./wire/sanitize.ts";

export type ElicitationResult = { action: "accept"; content: Record<string, string | number | boolean> } | { action: "decline" | "cancel" };

const Choice = z.looseObject({ const: z.string(), title: z.string().optional() });

const Property = z.looseObject({
	type: z.enum(["string", "number", "integer", "boolean"]),
	title: z.string().optional(),
	description: z.string().optional(),
	default: z.union([z.string(), z.number(), z.boolean()]).optional(),
	enum: z.array(z.string()).max(200).optional(),
	enumNames: z.array(z.string()).optional(),
	oneOf: z.array(Choice).max(200).optional(),
});

const Form = z.looseObject({
	mode: z.literal("form").optional(),
	message: z.string(),
	requestedSchema: z.looseObject({
		type: z.literal("object"),
		properties: z.record(z.string(), Property),
		required: z.array(z.string()).optional(),
	}),
});

/** Maximum fields in a form. */
const FIELDS = 20;

export async function handleElicitation(
	host: McpHost,
	{ session, config, params }: { session: string; config: McpServerConfig; params: unknown },
	signal: AbortSignal,
): Promise<ElicitationResult> {
	const form = Form.safeParse(params);
	const fields = form.success ? fieldsOf(form.data.requestedSchema) : undefined;
	if (!form.success || !fields) return { action: "decline" };
	const server = { id: config.id, name: cleanLine(config.name, 80) };
	const given = await host.answer?.({ session, server, message: cleanBlock(form.data.message, 4_096), fields }, signal);
	if (!given) return { action: "decline" };
	const content: Record<string, string | number | boolean> = {};
	for (const field of fields) {
		const value = Object.hasOwn(given, field.name) ? given[field.name] : field.default;
		if (value === undefined && !field.required) continue;
		if (!fits(value, field)) return { action: "cancel" };
		content[field.name] = value;
	}
	return { action: "accept", content };
}

function fieldsOf({ properties, required = [] }: z.output<typeof Form>["requestedSchema"]): ElicitationField[] | undefined {
	const entries = Object.entries(properties);
	if (entries.length > FIELDS || entries.some(([name]) => name !== cleanText(name) || name.length > 200)) return undefined;
	return entries.map(([name, { type, title = name, description = "", default: preset, enum: values, enumNames = [], oneOf }]) => {
		const choices =
			values?.map((value, at) => ({ value, title: cleanLine(enumNames[at] ?? value) })) ??
			oneOf?.map((one) => ({ value: one.const, title: cleanLine(one.title ?? one.const) }));
		return {
			name,
			title: cleanLine(title),
			description: cleanLine(description, 1_000),
			type,
			required: required.includes(name),
			...(preset !== undefined && { default: preset }),
			...(choices && { choices }),
		};
	});
}

function fits(value: unknown, { type, choices }: ElicitationField): value is string | number | boolean {
	if (type === "integer") return Number.isSafeInteger(value);
	if (type === "number") return Number.isFinite(value);
	if (typeof value !== type) return false;
	return !choices || choices.some((choice) => choice.value === value);
}
