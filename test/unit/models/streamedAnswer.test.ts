// Streams as servers send them beside the standard, through both SDKs.
import assert from "node:assert/strict";
import type { ModelProvider } from "../../../src/core/ports/model.ts";
import { createAnthropicProvider } from "../../../src/models/anthropic/anthropic.ts";
import { createOpenAiCompatibleProvider, createOpenAiProvider } from "../../../src/models/openai/openai.ts";
import { fetchOf, gather, hello } from "./helpers.ts";

interface Options {
	fetch: typeof fetch;
	idleTimeout?: number;
}

const own = { id: "x", apiKey: async () => undefined };
const baseUrl = "http://127.0.0.1:9/v1";

/** For each wire format: its provider, an answer of these words as the data of its events, and as one document. */
const formats: Record<
	string,
	{ provider(options: Options): ModelProvider; events(text: string): object[]; document(text: string): object }
> = {
	chat: {
		provider: (options) => createOpenAiCompatibleProvider({ ...own, baseUrl, ...options }),
		events: (text) => [{ choices: [{ delta: { content: text } }] }, { choices: [{ delta: {}, finish_reason: "stop" }] }],
		document: (text) => ({ choices: [{ message: { content: text } }] }),
	},
	responses: {
		provider: (options) => createOpenAiProvider({ ...own, baseUrl, ...options }),
		events: (text) => [
			{ type: "response.output_text.delta", output_index: 0, delta: text },
			{ type: "response.completed", response: { status: "completed", output: [] } },
		],
		document: (text) => ({
			object: "response",
			status: "completed",
			output: [{ type: "message", content: [{ type: "output_text", text }] }],
		}),
	},
	anthropic: {
		provider: (options) => createAnthropicProvider({ ...own, baseUrl, ...options }),
		events: (text) => [
			{ type: "content_block_start", index: 0, content_block: { type: "text", text } },
			{ type: "message_delta", delta: { stop_reason: "end_turn" } },
			{ type: "message_stop" },
		],
		document: (text) => ({ type: "message", content: [{ type: "text", text }], stop_reason: "end_turn" }),
	},
};

function toWire(events: readonly object[]): string {
	const named = events as readonly { type?: string }[];
	return named.map((event) => `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`).join("");
}

/** A network whose answer begins with this text and then stays open; `cancelled` resolves once nobody listens any more. */
function openConnection(text: string) {
	let tell = () => {};
	const cancelled = new Promise<void>((resolve) => {
		tell = resolve;
	});
	const body = new ReadableStream<Uint8Array>({
		start: (controller) => controller.enqueue(Buffer.from(text)),
		cancel: () => tell(),
	});
	return { fetch: async () => new Response(body), cancelled };
}

for (const [name, { provider, events, document }] of Object.entries(formats)) {
	const answerTo = (text: string, size = text.length) => {
		const bytes = Buffer.from(text);
		const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
		return gather(provider({ fetch: fetchOf(chunks) }), hello);
	};
	const isWhole = (got: Awaited<ReturnType<typeof gather>>, text: string) => {
		assert.equal(got.error, undefined);
		assert.deepEqual([got.text, got.chunks.at(-1)], [text, { type: "stop", reason: "end" }]);
	};

	describe(`an answer as ${name}`, () => {
		it("is whole where the last event is not closed by a blank line", async () =>
			isWhole(await answerTo(toWire(events("Hi")).trimEnd()), "Hi"));

		it("is whole where it comes as one document, after white space and in any pieces", async () => {
			for (const size of [1, 7, 1_000]) isWhole(await answerTo(`\ufeff\n  ${JSON.stringify(document("Größe"))}`, size), "Größe");
		});

		it("is cut where that document is", async () => {
			const { error, chunks } = await answerTo(JSON.stringify(document("Hi")).slice(0, -1));
			assert.deepEqual([error?.kind, chunks], ["cut", []]);
		});

		it("may quote the end mark, in any pieces", async () => {
			const text = 'A stream ends with\ndata: [DONE]\n\nor "data: [DONE]".';
			for (const size of [1, 2, 3, 5, 14, 1_000]) isWhole(await answerTo(toWire(events(text)), size), text);
		});

		it("is whole once it says why it stopped, though the connection stays open", async () => {
			const { fetch, cancelled } = openConnection(toWire(events("Hi")));
			isWhole(await gather(provider({ fetch, idleTimeout: 50 }), hello), "Hi");
			await cancelled;
		});

		it("frees the connection when nobody reads on", async () => {
			const { fetch, cancelled } = openConnection(toWire(events("Hi").slice(0, 1)));
			for await (const chunk of provider({ fetch }).stream(hello, new AbortController().signal)) {
				assert.deepEqual(chunk, { type: "text", text: "Hi" });
				break;
			}
			await cancelled;
		});

		it("with a complaint that is a sentence says it", async () => {
			const { error } = await answerTo(`event: error\ndata: ${JSON.stringify({ type: "error", error: "Slow down" })}\n\n`);
			assert.deepEqual([error?.kind, error?.message.includes("Slow down")], ["overloaded", true]);
		});

		it("that is not JSON is no answer, and no cut one", async () => {
			const { error } = await answerTo(`event: message_start\ndata: {oops\n\n${toWire(events("Hi"))}`);
			assert.deepEqual([error?.kind, error?.retryable], ["protocol", false]);
		});
	});
}

describe("an end mark", () => {
	it("ends the answer at once, though the connection stays open", async () => {
		const { fetch, cancelled } = openConnection('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n');
		const got = await gather((formats["chat"] as (typeof formats)[string]).provider({ fetch }), hello);
		assert.deepEqual([got.text, got.error], ["Hi", undefined]);
		await cancelled;
	});
});
