// Generates the agent JSON schemas: schemas/agent.schema.json and the schema of the `troupe.agents` setting.

// The source is the agent fields in src/agents. `node scripts/schema.mjs` lists the differences; `--write` writes both schemas.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./install.mjs";

const FILE = "schemas/agent.schema.json";

/** Returns the expected schemas. */
export async function agentSchemas() {
	const folder = await mkdtemp(join(tmpdir(), "troupe-schema-"));
	try {
		const outfile = join(folder, "schema.mjs");
		await build({
			stdin: {
				contents:
					'export { AgentSchema, PRESERVED_FIELDS, AGENT_FIELD_ALIASES } from "./src/agents/agentSchema.ts"; export { toJSONSchema } from "zod";',
				resolveDir: root,
			},
			outfile,
			bundle: true,
			format: "esm",
			platform: "node",
			alias: { "@vscode/l10n": "@vscode/l10n/dist/browser.js" },
			logLevel: "warning",
		});
		const { AgentSchema, PRESERVED_FIELDS, AGENT_FIELD_ALIASES, toJSONSchema } = await import(pathToFileURL(outfile).href);
		const agent = plain(toJSONSchema(AgentSchema, { target: "draft-7", io: "input" }));
		agent.required = [];
		for (const [alias, field] of Object.entries(AGENT_FIELD_ALIASES)) {
			agent.properties[alias] = { ...agent.properties[field], description: `The same as ${field}.` };
		}
		for (const name of PRESERVED_FIELDS) agent.properties[name] ??= { description: "Kept, and no part of the definition." };
		const { properties } = agent;
		const one = { type: "object", properties, additionalProperties: false };
		const file = {
			$schema: "http://json-schema.org/draft-07/schema#",
			title: "Agent",
			description: "An agent of Troupe, or several under `agents`.",
			anyOf: [
				{ $ref: "#/definitions/agent" },
				{
					type: "object",
					properties: { $schema: {}, agents: { type: "array", items: { $ref: "#/definitions/agent" } } },
					required: ["agents"],
					additionalProperties: false,
				},
			],
			definitions: { agent: one },
		};
		return {
			file,
			setting: { type: "object", properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== "$schema")) },
		};
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Simplifies `anyOf` with null to a list of types. */
function plain(schema) {
	if (Array.isArray(schema)) return schema.map(plain);
	if (typeof schema !== "object" || schema === null) return schema;
	const { anyOf, $schema: _, ...rest } = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, plain(value)]));
	if (!anyOf) return rest;
	const [one, other] = anyOf;
	const nullable = anyOf.length === 2 && other.type === "null";
	if (nullable && one.anyOf) return { ...rest, anyOf: [...one.anyOf, other] };
	if (!nullable || !one.type) return { ...rest, anyOf };
	return { ...one, ...rest, type: [one.type, "null"].flat(), ...(one.enum && { enum: [...one.enum, null] }) };
}

/** Returns each file's current and expected text. */
export async function schemaFiles() {
	const { file, setting } = await agentSchemas();
	const manifest = await readFile(join(root, "package.json"), "utf8");
	const changed = JSON.parse(manifest);
	const configurations = [changed.contributes.configuration].flat();
	const holder = configurations.find(({ properties }) => properties["troupe.agents"]);
	holder.properties["troupe.agents"].items = setting;
	return [
		{ path: FILE, is: await readFile(join(root, FILE), "utf8").catch(() => ""), should: `${JSON.stringify(file, undefined, "\t")}\n` },
		{ path: "package.json", is: manifest, should: `${JSON.stringify(changed, undefined, "\t")}\n` },
	];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	for (const { path, is, should } of await schemaFiles()) {
		if (is === should) continue;
		console.log(`${path} differs`);
		if (process.argv.includes("--write")) {
			await mkdir(dirname(join(root, path)), { recursive: true });
			await writeFile(join(root, path), should);
		} else process.exitCode = 1;
	}
}
