// The OpenAI-compatible provider over real HTTP: requests, whole answers, the list of models.
import assert from "node:assert/strict";
import { answerOf, provider, whole, wholeChunks } from "./compatibleFixture.ts";
import { fetchOf, gather, hello, joined, randomFrom, requestOf, transcript } from "./helpers.ts";
import { closeServers, KEY, serve } from "./serving.ts";

describe("the OpenAI-compatible provider", () => {
	afterEach(closeServers);

	it("gives text, whole calls, usage and the reason to stop", async () => {
		assert.deepEqual(joined((await answerOf(whole)).chunks), wholeChunks);
	});

	it("sends the key, the headers given, and nothing about the machine", async () => {
		const server = await serve([{ text: "hi" }], { key: KEY });
		await gather(provider(server.url, { headers: { "x-team": "blue" } }), hello);
		const headers = server.requests[0]?.headers ?? {};
		assert.equal(headers["authorization"], `Bearer ${KEY}`);
		assert.equal(headers["x-team"], "blue");
		assert.deepEqual(
			Object.keys(headers).filter((name) => name.startsWith("x-stainless") || name.startsWith("openai-")),
			[],
		);
	});

	it("sends no authorization where no key is set", async () => {
		const server = await serve([{ text: "hi" }]);
		await gather(provider(server.url, { apiKey: async () => undefined }), hello);
		assert.equal(server.requests[0]?.headers["authorization"], undefined);
	});

	it("sends system, messages, tools and the limit", async () => {
		const server = await serve([{ text: "hi" }]);
		const tool = { name: "read_file", description: "Read.", parameters: { type: "object", properties: {} } };
		await gather(provider(server.url), { ...requestOf(transcript({ type: "user", text: "Hello" }), [tool]), maxOutput: 99 });
		assert.deepEqual(server.requests[0]?.body, {
			model: "m",
			messages: [
				{ role: "system", content: "You are a test." },
				{ role: "user", content: "Hello" },
			],
			tools: [{ type: "function", function: tool }],
			max_tokens: 99,
			stream: true,
			stream_options: { include_usage: true },
		});
	});

	it("shows text the moment it arrives", async () => {
		let release = () => {};
		const held = new Promise<void>((resolve) => {
			release = resolve;
		});
		const server = await serve([{ text: "first piece, second piece", pace: async (piece) => (piece === 2 ? held : undefined) }]);
		const stream = provider(server.url).stream(hello, new AbortController().signal)[Symbol.asyncIterator]();
		assert.deepEqual((await stream.next()).value, { type: "text", text: "first piece," });
		release();
		assert.deepEqual((await stream.next()).value, { type: "text", text: " second piec" });
		await stream.return?.();
	});

	it("asks once only, whatever the status", async () => {
		let asked = 0;
		const server = await serve(() => {
			asked += 1;
			return { fault: { status: 503 } };
		});
		await gather(provider(server.url), hello);
		assert.equal(asked, 1);
	});

	describe("recorded bytes", () => {
		let recorded: Buffer;
		before(async () => {
			const server = await serve([whole]);
			const response = await fetch(`${server.url}/chat/completions`, {
				method: "POST",
				body: JSON.stringify({ model: "m", messages: [] }),
			});
			recorded = Buffer.from(await response.arrayBuffer());
		});

		/** The bytes in the chunks given, without a network between. */
		const replay = (chunks: Uint8Array[]) => provider("http://127.0.0.1:9/v1", { fetch: fetchOf(chunks) });

		it("cut at any byte give a call only when the answer was whole", async () => {
			const end = recorded.indexOf('"finish_reason":"tool_calls"') + '"finish_reason":"tool_calls"}]}'.length;
			let cuts = 0;
			for (let length = 0; length < recorded.length; length++) {
				const got = await gather(replay([recorded.subarray(0, length)]), hello);
				if (length >= end) {
					assert.equal(got.error, undefined, `at ${length}`);
					assert.equal(got.calls.length, 2, `at ${length}`);
					continue;
				}
				cuts += 1;
				assert.deepEqual(got.calls, [], `at ${length}`);
				assert.equal(
					got.error?.kind,
					length === 0 || !recorded.subarray(0, length).includes("\n\n") ? got.error?.kind : "cut",
					`at ${length}`,
				);
				assert.equal(got.error?.retryable, true, `at ${length}`);
			}
			assert.ok(cuts > 1000);
		});

		it("in any chunks give the same answer, also with other line ends", async () => {
			const random = randomFrom(7);
			const variants = [
				recorded,
				Buffer.from(recorded.toString().replaceAll("\n", "\r\n")),
				Buffer.from(recorded.toString().replaceAll("\n", "\r")),
			];
			for (let round = 0; round < 60; round++) {
				const bytes = variants[round % variants.length] as Buffer;
				const chunks: Uint8Array[] = [];
				for (let at = 0; at < bytes.length; ) {
					const size = round < 3 ? 1 : 1 + random(40);
					chunks.push(bytes.subarray(at, at + size));
					at += size;
				}
				assert.deepEqual(joined((await gather(replay(chunks), hello)).chunks), wholeChunks, `round ${round}`);
			}
		});

		it("with comments, other fields and no blank before the data are understood", async () => {
			const odd = recorded.toString().replaceAll("data: ", ": ping\nevent: message\nid: 7\ndata:");
			assert.deepEqual(joined((await gather(replay([Buffer.from(odd)]), hello)).chunks), wholeChunks);
		});

		it("of one endless event are refused", async () => {
			const chunks = Array.from({ length: 18 }, () => Buffer.alloc(1024 * 1024, "x"));
			const got = await gather(replay([Buffer.from("data: "), ...chunks]), hello);
			assert.equal(got.error?.kind, "protocol");
			assert.match(got.error?.message ?? "", /16 MB/);
		});
	});

	describe("the list of models", () => {
		const signal = new AbortController().signal;

		it("comes from the server", async () => {
			const server = await serve([], { models: ["small", "org/large"] });
			assert.deepEqual(await provider(server.url).models(signal), [
				{ id: "fake/small", name: "small" },
				{ id: "fake/org/large", name: "org/large" },
			]);
		});

		it("falls back to the configured names", async () => {
			const server = await serve([]);
			assert.deepEqual(await provider(server.url, { models: ["mine"] }).models(signal), [{ id: "fake/mine", name: "mine" }]);
		});

		it("fails with a sentence where there are none, and always for a wrong key", async () => {
			const server = await serve([], { models: ["small"], key: "another" });
			await assert.rejects(provider(server.url, { models: ["mine"] }).models(signal), { kind: "auth" });
			const bare = await serve([]);
			await assert.rejects(provider(bare.url).models(signal), /baseUrl/);
		});
	});
});
