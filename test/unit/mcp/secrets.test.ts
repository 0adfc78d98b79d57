// Secrets in variables and headers: each where its name stands, and in no words that anybody reads.
import assert from "node:assert/strict";
import { resolveSecrets } from "../../../src/mcp/startGuard.ts";

const known: Readonly<Record<string, string>> = { KEY: "k-1", ODD: "two\nlines", ZERO: "a\0b" };
const secret = async (name: string) => known[name];

describe("Secrets of MCP servers", () => {
	it("stand where they are named, as they are", async () => {
		assert.deepEqual(await resolveSecrets({ A: `Bearer \${secret:KEY}`, B: "$KEY", C: `\${secret:ODD}` }, secret), {
			A: "Bearer k-1",
			B: "$KEY",
			C: "two\nlines",
		});
	});

	for (const [what, name, use] of [
		["that is not set", "NONE", "variable"],
		["with a line end in a header", "ODD", "header"],
		["that no variable can hold", "ZERO", "variable"],
	] as const) {
		it(`one ${what} is named, and its value is not`, async () => {
			await assert.rejects(resolveSecrets({ A: `\${secret:${name}}` }, secret, use), ({ message }: Error) => {
				return message.includes(name) && !message.includes("lines") && !message.includes("a\0b");
			});
		});
	}
});
