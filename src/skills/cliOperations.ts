// A tool as an operation of a command-line program: its name there, and a flag for each of its fields.
import { type Tool, toToolSpec } from "../core/ports/tool.ts";
import { toSingleLine } from "./frontmatter.ts";

export type CliFlagType = "string" | "number" | "boolean" | "list" | "json";

export interface CliFlag {
	/** The field's name, as in the schema. */
	name: string;
	type: CliFlagType;
	required: boolean;
	description: string;
	values?: string[];
}

export interface CliOperation {
	/** What stands after the program's name. */
	name: string;
	tool: string;
	description: string;
	flags: CliFlag[];
}

/** Characters of one description. */
const LIMIT = 500;

/** Sorted by name, each name once: what the plugin's tools have in common is left out of it. */
export function operationsOf(tools: readonly Tool[]): CliOperation[] {
	const short = new Map<string, number>();
	const sorted = [...tools].sort((left, right) => (left.name < right.name ? -1 : 1));
	for (const tool of sorted) short.set(shortName(tool), (short.get(shortName(tool)) ?? 0) + 1);
	return sorted.map((tool) => ({
		name: short.get(shortName(tool)) === 1 ? shortName(tool) : dashed(tool.name),
		tool: tool.name,
		description: bounded(tool.description),
		flags: flagsOf(toToolSpec(tool).parameters),
	}));
}

/** `notes_list` of notes is `list`, `mcp__files__read_text` is `read-text`. */
function shortName({ name, plugin }: Tool): string {
	const [, , ...rest] = name.split("__");
	if (name.startsWith("mcp__") && rest.length > 0) return dashed(rest.join("__"));
	return dashed(name.startsWith(`${plugin}_`) ? name.slice(plugin.length + 1) : name);
}

function dashed(name: string): string {
	return (
		name
			.toLowerCase()
			.replace(/[^a-z0-9]+/g, "-")
			.replace(/^-+|-+$/g, "") || "call"
	);
}

function flagsOf(schema: Readonly<Record<string, unknown>>): CliFlag[] {
	const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
	const required = Array.isArray(schema["required"]) ? schema["required"] : [];
	return Object.entries(properties)
		.filter(([name]) => /^[A-Za-z_][\w-]{0,63}$/.test(name) && name !== "__proto__")
		.map(([name, field]) => {
			const shape = isRecord(field) ? field : {};
			const values = Array.isArray(shape["enum"]) ? shape["enum"].filter((value) => typeof value === "string").map(toSingleLine) : [];
			return {
				name,
				type: typeOf(shape),
				required: required.includes(name),
				description: typeof shape["description"] === "string" ? bounded(shape["description"]) : "",
				...(values.length > 0 && { values }),
			};
		});
}

/** What cannot be told is JSON. */
function typeOf(shape: Record<string, unknown>): CliFlagType {
	if (Array.isArray(shape["enum"]) && shape["enum"].every((value) => typeof value === "string")) return "string";
	const options = [shape["anyOf"], shape["oneOf"]].find(Array.isArray)?.filter((option) => isRecord(option) && option["type"] !== "null");
	if (options?.length === 1) return typeOf(options[0] as Record<string, unknown>);
	const types = (Array.isArray(shape["type"]) ? shape["type"] : [shape["type"]]).filter((type) => type !== "null");
	const [type] = types;
	if (types.length !== 1) return "json";
	if (type === "string" || type === "boolean") return type;
	if (type === "number" || type === "integer") return "number";
	return type === "array" && isRecord(shape["items"]) && shape["items"]["type"] === "string" ? "list" : "json";
}

function bounded(text: string): string {
	const characters = [...toSingleLine(text)];
	return characters.length > LIMIT ? `${characters.slice(0, LIMIT).join("")}…` : characters.join("");
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
