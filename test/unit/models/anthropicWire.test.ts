// Tests recorded Messages API streams: the same chunks for any split, and no call from partial answers.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createAnthropicProvider } from "../../../src/models/anthropic/anthropic.ts";
import { cutsIn, fetchOf, gather, hello, joined, randomFrom } from "./helpers.ts";

const FOLDER = join("test", "fixtures", "wire", "anthropic");

interface Expected {
	chunks: unknown[];
	error?: { kind: string; retryable: boolean };
}

const REQUEST = { ...hello, model: "claude-opus-5" };

/** The bytes in the chunks given, through the SDK, without a network between. */
function replay(chunks: readonly Uint8Array[]) {
	return gather(createAnthropicProvider({ id: "anthropic", apiKey: async () => "key", fetch: fetchOf(chunks) }), REQUEST);
}

/** The seal stands for the request, which is not the fixture's affair. */
const withoutSeal = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replace(/"seal":"[0-9a-f]{16}"/, '"seal":"<seal>"'));

async function check(chunks: readonly Uint8Array[], expected: Expected, how: string): Promise<void> {
	const got = await replay(chunks);
	assert.deepEqual(withoutSeal(joined(got.chunks)), expected.chunks, how);
	assert.deepEqual(got.error && { kind: got.error.kind, retryable: got.error.retryable }, expected.error, how);
}

function pieces(bytes: Buffer, size: () => number): Uint8Array[] {
	const out: Uint8Array[] = [];
	for (let at = 0; at < bytes.length; ) {
		const length = size();
		out.push(bytes.subarray(at, at + length));
		at += length;
	}
	return out;
}

describe("recorded streams of the Messages API", () => {
	const names = readdirSync(FOLDER)
		.filter((name) => name.endsWith(".sse"))
		.map((name) => name.slice(0, -4));

	it("are there", () => assert.ok(names.length >= 10));

	for (const name of names) {
		const bytes = readFileSync(join(FOLDER, `${name}.sse`));
		const expected = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")) as Expected;
		const ends = (end: string) => Buffer.from(bytes.toString().replaceAll("\n", end));

		it(`${name}: the same chunks whole, byte by byte, at random and with other line ends`, async () => {
			await check([bytes], expected, "whole");
			const random = randomFrom(23);
			for (const [how, variant] of [
				["LF", bytes],
				["CRLF", ends("\r\n")],
				["CR", ends("\r")],
			] as const) {
				await check(
					pieces(variant, () => 1),
					expected,
					`${how}, byte by byte`,
				);
				for (let round = 0; round < 17; round += 1) {
					await check(
						pieces(variant, () => 1 + random(round < 8 ? 5 : 200)),
						expected,
						`${how}, round ${round}`,
					);
				}
			}
		});

		it(`${name}: cut anywhere it runs no call, and says that it broke off`, async () => {
			const text = bytes.toString();
			const told = text.indexOf('"type": "message_delta"');
			const whole = told < 0 ? Number.POSITIVE_INFINITY : Buffer.byteLength(text.slice(0, text.indexOf("\n", told)));
			const words = expected.chunks.map((chunk) => (chunk as { type: string; text?: string }).text ?? "").join("");
			for (const length of cutsIn(bytes)) {
				if (length >= whole) break;
				const got = await replay([bytes.subarray(0, length)]);
				assert.deepEqual(got.calls, [], `at ${length}`);
				assert.ok(
					got.error?.retryable && ["cut", "protocol", "overloaded"].includes(got.error.kind),
					`at ${length}: ${got.error?.message ?? "no error"}`,
				);
				assert.ok(words.includes(got.text.replace(/\ufffd/g, "").slice(-5)), `at ${length}`);
			}
		});
	}
});
