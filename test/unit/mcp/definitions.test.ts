// Tests validation of MCP tools and prompts, and the parts of a server that its approval covers.
import assert from "node:assert/strict";
import type { McpServerConfig } from "../../../src/core/ports/mcp.ts";
import { hashServer } from "../../../src/mcp/canonicalJson.ts";
import { checkPrompts, checkTools } from "../../../src/mcp/definitions.ts";

const same = { id: "a", name: "A", source: "settings" } as const;

describe("What is approved of an MCP server", () => {
	const program = { ...same, command: "node", args: ["x"], env: { KEY: "1" }, cwd: "/a" };
	const address = { ...same, url: "https://a.example/", headers: { key: "1" }, signIn: { clientId: "c" } };
	const others: [string, McpServerConfig, McpServerConfig][] = [
		["its command", program, { ...program, command: "deno" }],
		["its arguments", program, { ...program, args: ["y"] }],
		["the names of its variables", program, { ...program, env: { OTHER: "1" } }],
		["the workspace it runs for", program, { ...program, workspace: "w" }],
		["its folder", program, { ...program, cwd: "/b" }],
		["its address", address, { ...address, url: "https://b.example/" }],
		["the names of its headers", address, { ...address, headers: { other: "1" } }],
		["whose client it signs in as", address, { ...address, signIn: { clientId: "d" } }],
	];
	for (const [what, one, other] of others) {
		it(`is ${what}, too`, () => assert.notEqual(hashServer(one), hashServer(other)));
	}

	it("is not what it is called, nor the values of variables and headers", () => {
		assert.equal(hashServer(program), hashServer({ ...program, name: "B", env: { KEY: "2" } }));
		assert.equal(hashServer(address), hashServer({ ...address, name: "B", headers: { key: "2" } }));
	});
});

describe("What an MCP server offers", () => {
	it("is bounded: schemas of more than four megabytes together are not kept", () => {
		const inputSchema = { type: "object", properties: wide() };
		const tools = Array.from({ length: 120 }, (_, index) => ({ name: `t${index}`, inputSchema }));
		const { definitions, refused } = checkTools("far", tools);
		const kept = definitions.reduce((sum, { parameters }) => sum + JSON.stringify(parameters).length, 0);
		assert.ok(kept <= 4 * 1024 * 1024, String(kept));
		assert.ok(refused.length > 0 && definitions.length + refused.length === 120);
		assert.match(refused[0]?.why ?? "", /combined .* too large/);
	});

	it("are prompts whose arguments a person can write, each name once", () => {
		const wanted = (...names: string[]) => names.map((name) => ({ name }));
		const prompts = [
			{ name: "good", arguments: wanted("city") },
			{ name: "good" },
			{ name: "two_words", arguments: wanted("my city") },
			{ name: "equals", arguments: wanted("a=b") },
			{ name: "unseen", arguments: wanted("ci\u200bty") },
			{ name: "many", arguments: wanted(...Array.from({ length: 21 }, (_, index) => `a${index}`)) },
			{ name: "no name" },
		];
		assert.deepEqual(
			checkPrompts("far", prompts).map(({ name }) => name),
			["mcp__far__good"],
		);
		assert.equal(
			checkPrompts(
				"far",
				Array.from({ length: 300 }, (_, index) => ({ name: `p${index}` })),
			).length,
			200,
		);
	});
});

/** Texts of a schema are cut one by one: this one stays long. */
function wide(): Record<string, unknown> {
	return Object.fromEntries(
		Array.from({ length: 20 }, (_, index) => [`field_${index}`, { type: "string", description: "x".repeat(2_000) }]),
	);
}
