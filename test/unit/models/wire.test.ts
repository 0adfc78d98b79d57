// Tests recorded streams of both OpenAI formats: the same chunks for any split, no partial calls.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelChunk, ModelProvider } from "../../../src/core/ports/model.ts";
import { createOpenAiCompatibleProvider, createOpenAiProvider } from "../../../src/models/openai/openai.ts";
import { cutsIn, fetchOf, gather, hello, joined, randomFrom } from "./helpers.ts";

interface Expected {
	chunks?: ModelChunk[];
	/** What was said before it failed. */
	text?: string;
	error?: { kind: string; retryable: boolean };
}

const OPTIONS = { id: "wire", baseUrl: "http://127.0.0.1:9/v1", apiKey: async () => undefined };
const formats: Record<string, (fetch: typeof globalThis.fetch) => ModelProvider> = {
	chat: (fetch) => createOpenAiCompatibleProvider({ ...OPTIONS, fetch }),
	responses: (fetch) => createOpenAiProvider({ ...OPTIONS, fetch }),
};

/** The bytes in the chunks given, through the SDK, without a network between. */
function replay(format: string, chunks: readonly Uint8Array[]) {
	const create = formats[format] as (typeof formats)[string];
	return gather(create(fetchOf(chunks)), hello);
}

async function check(format: string, chunks: readonly Uint8Array[], expected: Expected, name: string): Promise<void> {
	const got = await replay(format, chunks);
	if (expected.chunks) {
		assert.deepEqual(got.error, undefined, name);
		assert.deepEqual(joined(got.chunks), expected.chunks, name);
		return;
	}
	assert.deepEqual(
		{ text: got.text, calls: got.calls, kind: got.error?.kind, retryable: got.error?.retryable },
		{ text: expected.text, calls: [], ...expected.error },
		name,
	);
}

for (const format of Object.keys(formats)) {
	const folder = join("test/fixtures/wire", format);
	for (const file of readdirSync(folder).filter((name) => name.endsWith(".sse"))) {
		describe(`the ${format} stream ${file}`, () => {
			const bytes = readFileSync(join(folder, file));
			const expected = JSON.parse(readFileSync(join(folder, file.replace(/sse$/, "json")), "utf8")) as Expected;

			it("gives these chunks", () => check(format, [bytes], expected, "whole"));

			it("gives them in any pieces and with any line ends", async () => {
				const random = randomFrom(11);
				const text = bytes.toString();
				const variants = ["\n", "\r\n", "\r"].map((end) => Buffer.from(text.replaceAll("\n", end)));
				variants.push(Buffer.from(`\ufeff${text}`));
				for (const [index, variant] of variants.entries()) {
					for (const most of [1, 2, 3, 17, 200]) {
						await check(
							format,
							cutAt(variant, () => 1 + random(most)),
							expected,
							`line end ${index}, pieces of up to ${most}`,
						);
					}
				}
			});

			it("cut anywhere, calls nothing that is not whole", async () => {
				const calls = (expected.chunks ?? []).filter(({ type }) => type === "call");
				const words = joined(expected.chunks ?? [])
					.flatMap((chunk) => (chunk.type === "text" ? [chunk.text] : []))
					.join("");
				let broken = 0;
				let cuts = 0;
				for (const length of cutsIn(bytes)) {
					cuts += 1;
					const got = await replay(format, [bytes.subarray(0, length)]);
					const at = `at ${length}`;
					assert.ok((expected.text ?? words).startsWith(got.text), at);
					if (!got.error) {
						assert.deepEqual(got.calls, calls, at);
						assert.equal(got.chunks.at(-1)?.type, "stop", at);
						continue;
					}
					broken += 1;
					assert.deepEqual(
						got.chunks.filter(({ type }) => type !== "text" && type !== "thinking"),
						[],
						at,
					);
				}
				assert.ok(broken > cuts / 3);
			});
		});
	}
}

function cutAt(bytes: Uint8Array, size: () => number): Uint8Array[] {
	const chunks: Uint8Array[] = [];
	for (let at = 0; at < bytes.length; ) {
		const length = size();
		chunks.push(bytes.subarray(at, at + length));
		at += length;
	}
	return chunks;
}
