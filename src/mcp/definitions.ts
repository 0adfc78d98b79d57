// Validates the tool and prompt definitions that a server sends.

// Invalid definitions are rejected with a reason, never modified.
import * as z from "zod";
import type { McpToolDefinition } from "../core/ports/mcp.ts";
import type { ServerPrompt } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";
import { canonicalJson, hashJson } from "./canonicalJson.ts";
import { cleanBlock, cleanJson, cleanLine, cleanStart, cleanText } from "./wire/sanitize.ts";

/** A server's tool that passed validation. */
export interface ServerToolDefinition {
	/** The server's name for the tool. */
	toolName: string;
	/** Name in the form `mcp__server__tool`. */
	name: string;
	/** Description, sanitized and truncated. */
	description: string;
	/** JSON Schema of an object, with sanitized strings. */
	parameters: Readonly<Record<string, unknown>>;
	/** Hash of what the server sent. */
	hash: string;
	/** The tool's annotations, for display only. */
	claims: readonly string[];
	displayDefinition: McpToolDefinition;
}

export interface RefusedTool {
	name: string;
	why: string;
}

export interface ToolListing {
	definitions: ServerToolDefinition[];
	refused: RefusedTool[];
}

/** Maximum tools per server, and bytes of all their schemas. */
const TOOLS = 1_000;
const SCHEMAS = 4 * 1024 * 1024;
/** Maximum bytes of a schema and of a description. */
const SCHEMA = 65_536;
export const DESCRIPTION_LIMIT = 2_048;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Maximum number of recorded rejections. */
const REFUSALS = 100;

const ToolShape = z.looseObject({
	name: z.string(),
	description: z.string().optional(),
	inputSchema: z.looseObject({ type: z.literal("object") }),
	annotations: z.record(z.string(), z.unknown()).optional(),
});

export function checkTools(server: string, raw: readonly unknown[]): ToolListing {
	const listed: ToolListing = { definitions: [], refused: [] };
	const names = new Set<string>();
	let size = 0;
	for (const value of raw) {
		const checked = checkTool(server, value);
		if ("why" in checked) refuse(checked);
		else if (names.has(checked.name)) refuse({ name: checked.toolName, why: t("another tool has the same name") });
		else if (listed.definitions.length >= TOOLS) refuse({ name: checked.toolName, why: t("the server has more than {0} tools", TOOLS) });
		else {
			size += JSON.stringify(checked.parameters).length;
			names.add(checked.name);
			if (size > SCHEMAS) refuse({ name: checked.toolName, why: t("the combined tool schemas of the server are too large") });
			else listed.definitions.push(checked);
		}
	}
	return listed;

	function refuse(what: RefusedTool): void {
		if (listed.refused.length < REFUSALS) listed.refused.push(what);
	}
}

function checkTool(server: string, value: unknown): ServerToolDefinition | RefusedTool {
	const parsed = ToolShape.safeParse(value);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		return { name: nameIn(value), why: t("the definition is invalid at {0}", cleanLine(issue?.path.join(".") || "tool", 80)) };
	}
	const { name: tool, description = "", inputSchema, annotations = {} } = parsed.data;
	const name = `mcp__${server}__${tool}`;
	if (!NAME.test(name))
		return { name: cleanLine(tool, 80), why: t("the server and tool names together must be 1 to 64 letters, digits, - or _") };
	try {
		if (Buffer.byteLength(JSON.stringify(inputSchema)) > SCHEMA)
			return { name: tool, why: t("the schema is larger than {0} bytes", SCHEMA) };
		const hash = hashJson({ name: tool, description, inputSchema, annotations });
		return {
			toolName: tool,
			name,
			description: cleanStart(description, DESCRIPTION_LIMIT),
			parameters: cleanJson(inputSchema) as Record<string, unknown>,
			hash,
			claims: claimsOf(annotations),
			displayDefinition: {
				hash,
				description: cleanBlock(description, 8_192),
				inputSchema: cleanBlock(JSON.stringify(JSON.parse(canonicalJson(inputSchema)), null, 2), 16_384),
				annotations: cleanBlock(canonicalJson(annotations), 2_048),
			},
		};
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		return { name: tool, why: t("the schema is nested too deeply or contains hidden characters in a name") };
	}
}

function nameIn(value: unknown): string {
	const name = typeof value === "object" && value !== null && "name" in value ? value.name : undefined;
	return typeof name === "string" ? cleanLine(name, 80) : "?";
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

function claimsOf(annotations: Readonly<Record<string, unknown>>): string[] {
	return HINTS.flatMap((hint) => (typeof annotations[hint] === "boolean" ? [`${hint}: ${annotations[hint]}`] : []));
}

const PromptShape = z.looseObject({
	name: z.string(),
	description: z.string().optional(),
	arguments: z.array(z.looseObject({ name: z.string(), description: z.string().optional(), required: z.boolean().optional() })).optional(),
});

/** Maximum prompts per server, and arguments per prompt. */
const PROMPTS = 200;
const ARGUMENTS = 20;

export function checkPrompts(server: string, raw: readonly unknown[]): (ServerPrompt & { prompt: string })[] {
	const names = new Set<string>();
	return raw.slice(0, PROMPTS).flatMap((value) => {
		const parsed = PromptShape.safeParse(value);
		if (!parsed.success) return [];
		const { name: prompt, description = "", arguments: wanted = [] } = parsed.data;
		const name = `mcp__${server}__${prompt}`;
		const odd = wanted.length > ARGUMENTS || wanted.some((one) => one.name !== cleanText(one.name) || /\s|=/.test(one.name));
		if (!NAME.test(name) || names.has(name) || odd) return [];
		names.add(name);
		const named = wanted.map((one) => ({ name: one.name, description: cleanLine(one.description ?? ""), required: one.required ?? false }));
		return [{ prompt, name, description: cleanLine(description), arguments: named }];
	});
}
