// Exposes a server's resources as two tools, one to list and one to read.

// They need approval and follow the agent's tool lists like the server's other tools.
import * as z from "zod";
import { type Tool, ToolError } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";
import { hashJson, hashServer } from "./canonicalJson.ts";
import type { ServerConnection } from "./connection.ts";
import type { ServerToolDefinition } from "./definitions.ts";
import { anyObjectSchema, formatResource, runServerCall, wrapExternalContent } from "./tools.ts";
import { cleanLine } from "./wire/sanitize.ts";

const Contents = z.looseObject({ contents: z.array(z.unknown()) });
/** Maximum resources in one result. */
const SHOWN = 200;

interface ResourceTool {
	definition: ServerToolDefinition;
	build(readOnly: boolean): Tool;
}

export function createResourceTools(connection: ServerConnection): ResourceTool[] {
	const { config } = connection;
	const server = cleanLine(config.name, 80);
	const list = definitionOf(connection, "list_resources", `List the resources that ${server} offers: their URIs and names.`, z.object({}));
	const wanted = z.object({ uri: z.string().min(1).max(4_096) });
	const read = definitionOf(connection, "read_resource", `Read one resource of ${server} by its URI.`, wanted);
	const same = { plugin: config.id, permissions: [], capabilities: config.capabilities ?? [] };
	const both: ResourceTool[] = [
		{
			definition: list,
			build: (readOnly) => ({
				...same,
				...spoken(list, readOnly),
				input: anyObjectSchema,
				summary: () => t("List resources from {0}", server),
				done: () => t("Listed resources from {0}", server),
				run: (_, context) =>
					runServerCall(connection, list.toolName, context, async () => {
						const lines = await listed(connection, context.signal);
						return { output: wrapExternalContent(server, list.toolName, lines.join("\n")) };
					}),
			}),
		},
		{
			definition: read,
			build: (readOnly) => ({
				...same,
				...spoken(read, readOnly),
				input: anyObjectSchema,
				summary: (input) => t("Read {0} from {1}", cleanLine(String((input as { uri?: unknown }).uri ?? ""), 200), server),
				run: (input, context) =>
					runServerCall(connection, read.toolName, context, async () => {
						const parsed = wanted.safeParse(input);
						if (!parsed.success) throw new ToolError("`uri` is missing: name the resource as list_resources shows it.");
						const { uri } = parsed.data;
						const { contents } = await connection.request("resources/read", { uri }, Contents, { signal: context.signal });
						return formatResource(server, uri, contents);
					}),
			}),
		},
	];
	return both.filter(({ definition }) => definition.name.length <= 64);
}

function spoken(definition: ServerToolDefinition, readOnly: boolean) {
	const { name, description, parameters, hash } = definition;
	return { name, description, parameters, external: { definitionHash: hash, readOnly } };
}

async function listed(connection: ServerConnection, signal: AbortSignal): Promise<string[]> {
	const resources = await connection.listAll("resources/list", signal);
	const templates = await connection.listAll("resources/templates/list", signal).catch(() => []);
	const all = [...resources, ...templates] as { uri?: unknown; uriTemplate?: unknown; name?: unknown; mimeType?: unknown }[];
	const lines = all.slice(0, SHOWN).map(({ uri, uriTemplate, name, mimeType }) => {
		const words = [uri ?? uriTemplate, name, mimeType].flatMap((word) => (typeof word === "string" ? [cleanLine(word, 500)] : []));
		return words.join(" · ");
	});
	return all.length > SHOWN ? [...lines, `[${all.length - SHOWN} more]`] : lines;
}

function definitionOf(connection: ServerConnection, tool: string, description: string, input: z.ZodType): ServerToolDefinition {
	const { config } = connection;
	const { $schema: _, ...parameters } = z.toJSONSchema(input) as Record<string, unknown>;
	// Bound to the server's hash, since there is no definition from the server.
	const hash = hashJson({ tool, server: hashServer(config), id: config.id });
	const shown = { hash, description, inputSchema: JSON.stringify(parameters, null, 2), annotations: "{}" };
	return { toolName: tool, name: `mcp__${config.id}__${tool}`, description, parameters, hash, claims: [], displayDefinition: shown };
}
