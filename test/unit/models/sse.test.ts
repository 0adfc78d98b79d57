// Server-sent events as the standard has them, cut anywhere.
import assert from "node:assert/strict";
import { readServerSentEvents } from "../../../src/models/wire/sse.ts";

async function read(chunks: readonly Uint8Array[]): Promise<string[]> {
	async function* bytes() {
		yield* chunks;
	}
	const out: string[] = [];
	for await (const { data, isComplete: whole } of readServerSentEvents(bytes())) out.push(whole ? data : `${data} (cut)`);
	return out;
}

const table: [string, string, string[]][] = [
	["one event", "data: a\n\n", ["a"]],
	["lines that belong together", "data: a\ndata: b\ndata:\ndata: c\n\n", ["a\nb\n\nc"]],
	["one blank after the colon", "data:  a\n\ndata:b\n\n", [" a", "b"]],
	["comments and other fields", ": ping\nevent: x\nid: 7\nretry: 10\ndata: a\nunknown: b\n\n:\n\n", ["a"]],
	["events without data", "event: ping\n\ndata\n\ndata:\n\ndata: a\n\n", ["a"]],
	["a field that only begins like data", "data2: a\ndatas\ndata: b\n\n", ["b"]],
	["a byte order mark", "\ufeffdata: a\n\n", ["a"]],
	["more than one empty line", "\n\n\ndata: a\n\n\n\ndata: b\n\n", ["a", "b"]],
	["characters of more than a byte", "data: größe 日本 👩‍👩‍👧\ndata: \u2028\u0085é\n\n", ["größe 日本 👩‍👩‍👧\n\u2028\u0085é"]],
	["an event that is not closed", "data: a\n\ndata: b\ndata: c", ["a", "b\nc (cut)"]],
	["colons in the data", "data: a: b:c\n\n", ["a: b:c"]],
	["nothing", "", []],
];

describe("a stream of server-sent events", () => {
	for (const [name, text, expected] of table) {
		for (const [end, called] of [
			["\n", "LF"],
			["\r\n", "CRLF"],
			["\r", "CR"],
		] as const) {
			it(`with ${name} and ${called}, cut at any byte`, async () => {
				const bytes = Buffer.from(text.replaceAll("\n", end));
				assert.deepEqual(await read([bytes]), expected);
				assert.deepEqual(await read([...bytes].map((byte) => Uint8Array.of(byte))), expected);
				for (let at = 0; at <= bytes.length; at++)
					assert.deepEqual(await read([bytes.subarray(0, at), bytes.subarray(at)]), expected, `at ${at}`);
			});
		}
	}

	it("with a line end of each kind in one stream", async () => {
		assert.deepEqual(await read([Buffer.from("data: a\r\n\rdata: b\n\r\ndata: c\r\r")]), ["a", "b", "c"]);
	});

	it("in single bytes of one long line", async () => {
		const chunks = Array.from(Buffer.from(`data: ${"x".repeat(160_000)}\n\n`), (byte) => Uint8Array.of(byte));
		assert.equal((await read(chunks))[0]?.length, 160_000);
	});
});
