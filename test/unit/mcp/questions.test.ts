// Tests MCP elicitation: forms are shown completely, and only answers that fit are sent.
import assert from "node:assert/strict";
import type { ElicitationContent, ElicitationField, McpHost } from "../../../src/core/ports/mcp.ts";
import { handleElicitation } from "../../../src/mcp/elicitation.ts";

/** What comes of a form when the person says that. */
async function asking(properties: Record<string, unknown>, says: ElicitationContent | undefined, required: string[] = []) {
	let shown: readonly ElicitationField[] | undefined;
	const host: Pick<McpHost, "answer"> = {
		async answer({ fields }) {
			shown = fields;
			return says;
		},
	};
	const params = { message: "Who?", requestedSchema: { type: "object", properties, required } };
	const config = { id: "far", name: "Far", source: "settings", url: "http://127.0.0.1/" } as const;
	const answer = await handleElicitation(host as McpHost, { session: "s", config, params }, new AbortController().signal);
	return { ...answer, shown: shown?.map(({ name }) => name) };
}

const FORM = {
	name: { type: "string" },
	age: { type: "integer" },
	color: { type: "string", enum: ["red", "blue"], default: "blue" },
	sure: { type: "boolean" },
};

describe("a question of an MCP server", () => {
	it("is answered with what fits its fields, and what is left alone is its default", async () => {
		const { shown, ...answer } = await asking(FORM, { name: "Ada", age: 36, sure: true }, ["name"]);
		assert.deepEqual(answer, { action: "accept", content: { name: "Ada", age: 36, color: "blue", sure: true } });
		assert.deepEqual(shown, ["name", "age", "color", "sure"]);
		assert.deepEqual(await asking(FORM, { color: undefined }).then(({ shown: _, ...rest }) => rest), { action: "accept", content: {} });
	});

	const unfit: [string, ElicitationContent][] = [
		["a text for a number", { name: "Ada", age: "36" }],
		["half of a whole number", { name: "Ada", age: 36.5 }],
		["a choice there is not", { name: "Ada", color: "green" }],
		["a number for a text", { name: 5 }],
		["nothing for what is required", { age: 36 }],
	];
	for (const [what, says] of unfit) {
		it(`is not answered with ${what}`, async () => assert.equal((await asking(FORM, says, ["name"])).action, "cancel"));
	}

	const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { type: "string" }]));
	const declined: [string, Record<string, unknown>][] = [
		["with more fields than anybody reads", many(21)],
		["with a name that cannot be seen", { "na\u200bme": { type: "string" } }],
		["with fields in fields", { name: { type: "object", properties: {} } }],
	];
	for (const [what, properties] of declined) {
		it(`${what} is not put to the person`, async () => {
			assert.deepEqual(await asking(properties, {}), { action: "decline", shown: undefined });
		});
	}

	it("of twenty fields is, and a person who does not want to answer declines", async () => {
		assert.equal((await asking(many(20), {})).shown?.length, 20);
		assert.equal((await asking(FORM, undefined)).action, "decline");
	});
});
