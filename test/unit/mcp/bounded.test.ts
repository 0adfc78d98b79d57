// Tests that HTTP responses of MCP servers are bounded in memory.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { limitBody } from "../../../src/mcp/wire/limitBody.ts";

/** What is read of an answer that comes in these pieces, with a bound of a hundred bytes. */
async function reading(type: string, ...pieces: string[]): Promise<string> {
	const server = createServer((_, response) => {
		response.writeHead(200, { "content-type": type });
		for (const piece of pieces) response.write(piece);
		response.end();
	}).listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	try {
		return await limitBody(await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), 100).text();
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

describe("an answer over HTTP", () => {
	const full = "x".repeat(100);

	it("is read up to its bound, and not beyond", async () => {
		assert.equal(await reading("application/json", full), full);
		await assert.rejects(reading("application/json", full, "y"), /more than 100 bytes at once/);
	});

	it("that is a stream may go on for ever, but none of its events", async () => {
		for (const end of ["\n\n", "\r\n\r\n"]) {
			const event = `data: ${"x".repeat(50)}${end}`;
			assert.equal(await reading("text/event-stream; charset=utf-8", ...Array(20).fill(event)), event.repeat(20));
			await assert.rejects(reading("text/event-stream", event, `data: ${full}`), /more than 100 bytes at once/);
			await assert.rejects(reading("text/event-stream", ...Array(20).fill("data: x\n")), /more than 100 bytes at once/);
		}
	});
});
