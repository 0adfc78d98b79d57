// The JSON schema that the editor checks definitions by is made of the same fields as our own check.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { AGENT_FIELD_NAMES } from "../../../src/agents/agentSchema.ts";

describe("the schema of agents", () => {
	it("is what the sources make of it: run `node scripts/schema.mjs --write`", async () => {
		const { stdout } = await promisify(execFile)(process.execPath, ["scripts/schema.mjs"]).catch((error: { stdout: string }) => error);
		assert.equal(stdout, "");
	});

	it("is used for files and settings, and knows every field by what it is for", async () => {
		const manifest = JSON.parse(await readFile("package.json", "utf8")) as {
			contributes: { jsonValidation: { url: string }[] };
		};
		const [used] = manifest.contributes.jsonValidation.map(({ url }) => url);
		const schema = JSON.parse(await readFile(used ?? "", "utf8")) as {
			definitions: { agent: { properties: Record<string, { description?: string }> } };
		};
		const { properties } = schema.definitions.agent;
		assert.deepEqual(
			AGENT_FIELD_NAMES.filter((field) => !properties[field]?.description),
			[],
		);
		assert.match(await readFile(".vscodeignore", "utf8"), /^!schemas\/\*\.json$/m);
	});
});
