// Makes inputs of tools from their JSON schemas: a new tool needs no entry of its own.
import assert from "node:assert/strict";
import * as z from "zod";
import { type Tool, toToolSpec } from "../../src/core/ports/tool.ts";

export interface Schema {
	type?: string | undefined;
	const?: unknown;
	enum?: unknown[] | undefined;
	anyOf?: Schema[] | undefined;
	pattern?: string | undefined;
	minimum?: number | undefined;
	exclusiveMinimum?: number | undefined;
	maximum?: number | undefined;
	items?: Schema | undefined;
	minItems?: number | undefined;
	properties?: Record<string, Schema> | undefined;
	required?: string[] | undefined;
}

const SchemaShape: z.ZodType<Schema> = z.lazy(() =>
	z.object({
		type: z.string().optional(),
		const: z.unknown().optional(),
		enum: z.array(z.unknown()).optional(),
		anyOf: z.array(SchemaShape).optional(),
		pattern: z.string().optional(),
		minimum: z.number().optional(),
		exclusiveMinimum: z.number().optional(),
		maximum: z.number().optional(),
		items: SchemaShape.optional(),
		minItems: z.number().optional(),
		properties: z.record(z.string(), SchemaShape).optional(),
		required: z.array(z.string()).optional(),
	}),
);

/** A value for a property of that name; undefined if whatever the schema allows will do, and nothing for an optional one. */
export type Choose = (property: string, schema: Schema) => unknown;

const schemas = new WeakMap<Tool, Schema>();

/** The input that a model would make of the tool's schema, with chosen values, whether they fit or not. */
export function inputOf(tool: Tool, choose: Choose): Record<string, unknown> {
	const schema = schemas.get(tool) ?? SchemaShape.parse(toToolSpec(tool).parameters);
	schemas.set(tool, schema);
	return objectOf(schema, choose);
}

/** An input that the tool takes: the values of `known` where they fit. */
export function fittingInput(tool: Tool, known: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const input = inputOf(tool, (property, schema) =>
		Object.hasOwn(known, property) && fits(known[property], schema) ? known[property] : undefined,
	);
	const { success, error } = tool.input.safeParse(input);
	const why = `${tool.name} needs more than its JSON schema says, so its input can't be made from that.`;
	assert.ok(success, `${why} Add the values of these properties to the known ones of this test: ${error?.message}`);
	return input;
}

function objectOf({ properties = {}, required = [] }: Schema, choose: Choose): Record<string, unknown> {
	const entries = Object.entries(properties).map(([name, schema]): [string, unknown] => {
		const chosen = choose(name, schema);
		return [name, chosen === undefined && required.includes(name) ? generate(schema, choose) : chosen];
	});
	return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Some strings of usual shapes, for schemas with a pattern. */
const SHAPES = ["x", "1", "a.md", "2026-01-01", "2026-01-01T00:00:00Z", "a@b.example", "00000000-0000-4000-8000-000000000000", "#fff"];

function generate(schema: Schema, choose: Choose): unknown {
	const { const: only, enum: [first] = [], anyOf: [one] = [], pattern } = schema;
	if (only !== undefined || first !== undefined) return only ?? first;
	if (one) return generate(one, choose);
	const { minimum, exclusiveMinimum, maximum = Number.POSITIVE_INFINITY, items = {}, minItems = 1 } = schema;
	switch (schema.type) {
		case "integer":
		case "number":
			return Math.min(maximum, minimum ?? (exclusiveMinimum ?? 0) + 1);
		case "boolean":
			return false;
		case "null":
			return null;
		case "array":
			return Array.from({ length: minItems }, () => generate(items, choose));
		case "object":
			return objectOf(schema, choose);
		default:
			return pattern === undefined ? "x" : (SHAPES.find((shape) => new RegExp(pattern, "u").test(shape)) ?? noShape(pattern));
	}
}

function noShape(pattern: string): never {
	throw new Error(`No known string matches ${pattern}. Add one to SHAPES in test/attack/fittingInput.ts.`);
}

function fits(value: unknown, schema: Schema): boolean {
	const { const: only, enum: values, anyOf, pattern, items, properties = {}, required = [] } = schema;
	if (only !== undefined) return value === only;
	if (values) return values.includes(value);
	if (anyOf) return anyOf.some((one) => fits(value, one));
	switch (schema.type) {
		case "integer":
			return Number.isInteger(value);
		case "array":
			return Array.isArray(value) && (!items || value.every((one) => fits(one, items)));
		case "object":
			return (
				isObject(value) &&
				required.every((name) => Object.hasOwn(value, name)) &&
				Object.entries(value).every(([name, one]) => fits(one, properties[name] ?? {}))
			);
		case "string":
			return typeof value === "string" && (pattern === undefined || new RegExp(pattern, "u").test(value));
		default:
			return schema.type === undefined || typeof value === schema.type;
	}
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
