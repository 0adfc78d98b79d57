// The OpenAI-compatible provider over real HTTP: whole answers, odd answers, broken answers.
import assert from "node:assert/strict";
import type { ModelError } from "../../../src/core/model.ts";
import { createOpenAiCompatible, type OpenAiCompatibleOptions } from "../../../src/models/openaiCompatible.ts";
import type { AskedRequest, Fault, Script, ScriptedAnswer } from "../../fakes/modelServer/script.ts";
import { type ModelServer, type ModelServerOptions, startModelServer } from "../../fakes/modelServer/server.ts";
import { type Gathered, gather, hello, joined, randomFrom, requestOf, transcript } from "./helpers.ts";

const KEY = "sk-secret-0123456789";
const whole: ScriptedAnswer = {
	text: "I will read it: größer → 日本 first.",
	calls: [
		{ name: "read_file", input: { path: "src/a.ts" }, id: "call_a" },
		{ name: "update_file", input: { path: "src/a.ts", old: 'x = "1"', new: "x = 2" }, id: "call_b" },
	],
	usage: { input: 120, output: 30 },
};
const wholeChunks = [
	{ type: "text", text: "I will read it: größer → 日本 first." },
	{ type: "call", id: "call_a", name: "read_file", arguments: '{"path":"src/a.ts"}' },
	{ type: "call", id: "call_b", name: "update_file", arguments: '{"path":"src/a.ts","old":"x = \\"1\\"","new":"x = 2"}' },
	{ type: "usage", usage: { input: 120, output: 30 } },
	{ type: "stop", reason: "calls" },
];

describe("the OpenAI-compatible provider", () => {
	const servers: ModelServer[] = [];
	afterEach(async () => {
		await Promise.all(servers.splice(0).map((server) => server.close()));
	});

	async function serve(script: Script, more: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
		const server = await startModelServer({ script, ...more });
		servers.push(server);
		return server;
	}

	function provider(url: string, more: Partial<OpenAiCompatibleOptions> = {}) {
		return createOpenAiCompatible({ id: "fake", baseUrl: url, key: async () => KEY, ...more });
	}

	async function answerOf(answer: ScriptedAnswer, more: Partial<OpenAiCompatibleOptions> = {}): Promise<Gathered> {
		const server = await serve([answer]);
		return gather(provider(server.url, more), hello);
	}

	const raw = (...events: unknown[]): ScriptedAnswer => ({
		fault: { body: events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("") },
	});
	const delta = (fields: object, reason: string | null = null) => ({ choices: [{ delta: fields, finish_reason: reason }] });

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
		await gather(provider(server.url, { key: async () => undefined }), hello);
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
		const replay = (chunks: Uint8Array[]) =>
			provider("http://127.0.0.1:9/v1", {
				fetch: async () => {
					const body = new ReadableStream<Uint8Array>({
						start(controller) {
							for (const chunk of chunks) controller.enqueue(chunk);
							controller.close();
						},
					});
					return new Response(body, { headers: { "content-type": "text/event-stream" } });
				},
			});

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

	describe("takes what servers leave out or add:", () => {
		it("no usage and no end mark", async () => {
			const got = await answerOf(raw(delta({ content: "Hi" }), delta({}, "stop")));
			assert.deepEqual(got, {
				chunks: [
					{ type: "text", text: "Hi" },
					{ type: "stop", reason: "end" },
				],
				text: "Hi",
				calls: [],
			});
		});

		it("an end mark and no reason to stop", async () => {
			const got = await answerOf(raw(delta({ content: "Hi" }), "[DONE]"));
			assert.deepEqual(got.chunks.at(-1), { type: "stop", reason: "end" });
		});

		it("reasoning under either name", async () => {
			const got = await answerOf(
				raw(delta({ reasoning_content: "Hm" }), delta({ reasoning: "m" }), delta({ content: "Hi" }, "stop"), "[DONE]"),
			);
			assert.deepEqual(joined(got.chunks)[0], { type: "thinking", text: "Hmm" });
		});

		it("empty chunks, null fields, chunks without choices", async () => {
			const got = await answerOf(
				raw({}, { choices: [] }, delta({ content: null, tool_calls: null }), delta({ content: "Hi" }), delta({}, "stop")),
			);
			assert.equal(got.text, "Hi");
			assert.equal(got.error, undefined);
		});

		it("whole calls in one chunk without ids, indices, and with the arguments as an object", async () => {
			const calls = [
				{ function: { name: "read_file", arguments: '{"path":"a"}' } },
				{ function: { name: "read_file", arguments: { path: "b" } } },
				{ function: { name: "list", arguments: "" } },
			];
			const got = await answerOf(raw(delta({ tool_calls: calls }, "stop"), "[DONE]"));
			assert.deepEqual(got.chunks, [
				{ type: "call", id: "call_1_0", name: "read_file", arguments: '{"path":"a"}' },
				{ type: "call", id: "call_1_1", name: "read_file", arguments: '{"path":"b"}' },
				{ type: "call", id: "call_1_2", name: "list", arguments: "{}" },
				{ type: "stop", reason: "calls" },
			]);
		});

		it("pieces of a call that name neither id nor index after the first", async () => {
			const piece = (fields: object) => delta({ tool_calls: [fields] });
			const got = await answerOf(
				raw(
					piece({ id: "a", function: { name: "one", arguments: '{"x"' } }),
					piece({ function: { arguments: ":1}" } }),
					piece({ id: "b", function: { name: "two", arguments: "{}" } }),
					delta({}, "tool_calls"),
				),
			);
			assert.deepEqual(
				got.calls.map((call) => [call.id, call.name, call.arguments]),
				[
					["a", "one", '{"x":1}'],
					["b", "two", "{}"],
				],
			);
		});

		it("index 0 for every call, told apart by their ids", async () => {
			const piece = (id: string, name: string) => delta({ tool_calls: [{ index: 0, id, function: { name, arguments: "{}" } }] });
			const got = await answerOf(raw(piece("a", "one"), piece("b", "two"), delta({}, "stop")));
			assert.deepEqual(
				got.calls.map((call) => call.name),
				["one", "two"],
			);
		});

		it("ids that were used before in the session or twice in one answer", async () => {
			const call = (id: string) => ({ id, function: { name: "list", arguments: "{}" } });
			const server = await serve([
				raw(delta({ tool_calls: [call("0"), call("x")] }), delta({ tool_calls: [{ ...call("x"), index: 5 }] }, "stop")),
			]);
			const events = transcript(
				{ type: "user", text: "Hello" },
				{ type: "assistant", text: "", calls: [{ id: "0", name: "list", input: {} }] },
				{ type: "result", call: "0", status: "ok", output: "" },
			);
			const got = await gather(provider(server.url), requestOf(events));
			assert.deepEqual(
				got.calls.map(({ id }) => id),
				["call_3_0", "x", "call_3_2"],
			);
		});

		it("an answer that is not streamed", async () => {
			const message = { content: "Hi", tool_calls: [{ id: "a", function: { name: "one", arguments: "{}" } }] };
			const got = await answerOf({
				fault: { body: JSON.stringify({ choices: [{ message, finish_reason: "tool_calls" }] }), contentType: "application/json" },
			});
			assert.equal(got.text, "Hi");
			assert.deepEqual(got.chunks.at(-1), { type: "stop", reason: "calls" });
		});

		for (const [given, reason] of Object.entries({ length: "length", content_filter: "refused", eos: "end", MAX_TOKENS: "length" })) {
			it(`the reason “${given}”`, async () => {
				const got = await answerOf(raw(delta({ content: "Hi" }), delta({}, given)));
				assert.deepEqual(got.chunks.at(-1), { type: "stop", reason });
			});
		}

		it("cached tokens", async () => {
			const usage = { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 8 } };
			const got = await answerOf(raw(delta({ content: "Hi" }, "stop"), { choices: [], usage }));
			assert.deepEqual(got.chunks.at(-2), { type: "usage", usage: { input: 10, output: 2, cached: 8 } });
		});
	});

	describe("a refusal", () => {
		const table: [string, Fault, Partial<ModelError>, RegExp][] = [
			["a wrong key", { status: 401, body: { error: { message: `Bad key ${KEY}` } } }, { kind: "auth", retryable: false }, /Set the key/],
			["a forbidden thing", { status: 403 }, { kind: "auth", retryable: false }, /Set the key/],
			[
				"an unknown model",
				{ status: 404, body: { error: { message: "The model `m` does not exist", code: "model_not_found" } } },
				{ kind: "not_found", retryable: false },
				/no model “m”.*[Pp]ick another/,
			],
			[
				"no credit",
				{ status: 429, body: { error: { code: "insufficient_quota", message: "You exceeded your current quota" } } },
				{ kind: "credits", retryable: false },
				/credit/,
			],
			[
				"a full context",
				{ status: 400, body: { error: { message: "This model's maximum context length is 8192 tokens" } } },
				{ kind: "context", retryable: false },
				/too long/,
			],
			[
				"a bad request",
				{ status: 400, body: { error: { message: "tools[0] is wrong" } } },
				{ kind: "invalid_request", retryable: false },
				/tools\[0\] is wrong/,
			],
			[
				"too many requests",
				{ status: 429, headers: { "retry-after": "7" } },
				{ kind: "rate_limit", retryable: true, retryAfter: 7000 },
				/Wait/,
			],
			[
				"too many, in milliseconds",
				{ status: 429, headers: { "retry-after-ms": "150", "retry-after": "7" } },
				{ kind: "rate_limit", retryAfter: 150 },
				/Wait/,
			],
			[
				"nonsense in Retry-After",
				{ status: 503, headers: { "retry-after": "soon" } },
				{ kind: "overloaded", retryable: true, retryAfter: undefined },
				/again/,
			],
			[
				"a Retry-After that has passed",
				{ status: 503, headers: { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" } },
				{ retryAfter: undefined },
				/again/,
			],
			["an endless Retry-After", { status: 503, headers: { "retry-after": "99999999999" } }, { retryAfter: 2 ** 31 - 1 }, /again/],
			[
				"a broken server",
				{ status: 500, body: "<html><h1>Oops</h1></html>" },
				{ kind: "overloaded", retryable: true },
				/status 500\. Send again/,
			],
			["a bad gateway", { status: 502 }, { kind: "overloaded", retryable: true }, /502/],
			["an overloaded server", { status: 529 }, { kind: "overloaded", retryable: true }, /529/],
			["a timeout of the server", { status: 408 }, { kind: "timeout", retryable: true }, /408/],
			["a redirect", { status: 307, headers: { location: "http://127.0.0.1:1/" } }, { kind: "protocol", retryable: false }, /baseUrl/],
			[
				"a web page",
				{ body: "<!doctype html><p>Sign in</p>", contentType: "text/html" },
				{ kind: "protocol", retryable: false },
				/web page/,
			],
			["an empty answer", { body: "" }, { kind: "protocol", retryable: true }, /empty answer/],
			["an end mark alone", { body: "data: [DONE]\n\n" }, { kind: "protocol", retryable: true }, /empty answer/],
			[
				"an error under status 200",
				{ body: '{"error":{"message":"Slow down","type":"rate_limit_error"}}' },
				{ kind: "rate_limit", retryable: true },
				/Slow down/,
			],
			["an event that is not JSON", { body: "data: {oops\n\ndata: [DONE]\n\n" }, { kind: "protocol", retryable: false }, /not JSON/],
			[
				"a reason that is an error",
				{ body: 'data: {"choices":[{"delta":{},"finish_reason":"error"}]}\n\n' },
				{ kind: "overloaded", retryable: true },
				/again/,
			],
		];
		for (const [name, fault, expected, sentence] of table) {
			it(`for ${name} says what happened and what to do`, async () => {
				const { error, chunks } = await answerOf({ text: "never", fault });
				assert.ok(error);
				assert.deepEqual(chunks, []);
				for (const [field, value] of Object.entries(expected))
					assert.equal(error[field as keyof ModelError], value, `${field}: ${error.message}`);
				assert.match(error.message, sentence);
				assert.ok(!JSON.stringify([error.message, error.stack, error.cause]).includes(KEY));
			});
		}

		it("reads a Retry-After date", async () => {
			const { error } = await answerOf({
				fault: { status: 429, headers: { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() } },
			});
			assert.ok((error?.retryAfter ?? 0) > 3_500_000 && (error?.retryAfter ?? 0) <= 3_600_000);
		});

		it("where no key is set says so", async () => {
			const { error } = await answerOf({ fault: { status: 401 } }, { key: async () => undefined });
			assert.match(error?.message ?? "", /none is set/);
		});
	});

	it("names the origin of a server that is not there", async () => {
		const server = await startModelServer({ script: [] });
		await server.close();
		const { error } = await gather(provider(server.url), hello);
		assert.equal(error?.kind, "network");
		assert.equal(error?.retryable, true);
		assert.match(error?.message ?? "", new RegExp(`^${new URL(server.url).origin} could not be reached \\(ECONNREFUSED\\)`));
	});

	describe("broken at each point", () => {
		const points = ["start", "text", "arguments", "stop"] as const;
		for (const point of points) {
			it(`a connection cut at ${point} runs no call`, async () => {
				const got = await answerOf({ ...whole, fault: { cut: point } });
				assert.deepEqual(got.calls, []);
				assert.equal(got.error?.kind, point === "start" ? "network" : "cut");
				assert.equal(got.error?.retryable, true);
				assert.ok(whole.text?.startsWith(got.text));
			});

			it(`an error inside the stream at ${point} is told`, async () => {
				const got = await answerOf({ ...whole, fault: { at: point, error: { message: "Overloaded, sorry", type: "overloaded_error" } } });
				assert.deepEqual(got.calls, []);
				assert.equal(got.error?.kind, "overloaded");
				assert.match(got.error?.message ?? "", /Overloaded, sorry/);
			});

			it(`a silence at ${point} ends at the idle limit`, async () => {
				const got = await answerOf({ ...whole, fault: { hang: point } }, { idleLimit: 150 });
				assert.deepEqual(got.calls, []);
				assert.equal(got.error?.kind, "timeout");
				assert.equal(got.error?.retryable, true);
			});

			it(`a Stop during a silence at ${point} ends it with the signal's reason`, async () => {
				const stop = new AbortController();
				const reason = new Error("stopped by the person");
				let tell = (_: AskedRequest) => {};
				const asked = new Promise<AskedRequest>((resolve) => {
					tell = resolve;
				});
				const server = await serve((request) => {
					tell(request);
					return { ...whole, fault: { hang: point } };
				});
				const answer = gather(provider(server.url), hello, stop.signal);
				await asked;
				stop.abort(reason);
				await assert.rejects(answer, reason);
			});
		}
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
			await assert.rejects(provider(server.url, { models: ["mine"] }).models(signal), /Set the key/);
			const bare = await serve([]);
			await assert.rejects(provider(bare.url).models(signal), /baseUrl/);
		});
	});
});
