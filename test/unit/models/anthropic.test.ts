// The Messages API over real HTTP: what goes out, what comes back, what is kept between turns.
import assert from "node:assert/strict";
import type { EventBody } from "../../../src/core/events.ts";
import type { ModelProvider, ModelRequest } from "../../../src/core/model.ts";
import { type AnthropicOptions, createAnthropic } from "../../../src/models/anthropic.ts";
import { buildHouse } from "../../fakes/house.ts";
import type { Fault, Script, ScriptedAnswer } from "../../fakes/modelServer/script.ts";
import { type ModelServer, type ModelServerOptions, startModelServer } from "../../fakes/modelServer/server.ts";
import { type Gathered, gather, hello, joined, requestOf, transcript } from "./helpers.ts";

const KEY = "sk-ant-secret-0123456789";
const MARK = { type: "ephemeral" };
const TOOL = { name: "read_file", description: "Read.", parameters: { type: "object", properties: { path: { type: "string" } } } };
const CALLS = [
	{ name: "read_file", input: { path: "src/a.ts" }, id: "toolu_a" },
	{ name: "list", input: {}, id: "toolu_b" },
];

describe("the Anthropic provider", () => {
	const servers: ModelServer[] = [];
	afterEach(async () => {
		await Promise.all(servers.splice(0).map((server) => server.close()));
	});

	async function serve(script: Script, more: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
		const server = await startModelServer({ script, ...more });
		servers.push(server);
		return server;
	}

	const provider = (url: string, more: Partial<AnthropicOptions> = {}): ModelProvider =>
		createAnthropic({ id: "anthropic", baseUrl: url, key: async () => KEY, ...more });

	async function answerTo(answer: ScriptedAnswer, request = hello, more: Partial<AnthropicOptions> = {}): Promise<Gathered> {
		const server = await serve([answer]);
		return gather(provider(server.url, more), request);
	}

	/** What goes out for a request, without an answer that matters. */
	async function bodyOf(request: ModelRequest, more: Partial<AnthropicOptions> = {}) {
		const server = await serve([{ text: "hi" }]);
		const got = await gather(provider(server.url, more), request);
		assert.equal(got.error, undefined);
		return { body: server.requests[0]?.body ?? {}, headers: server.requests[0]?.headers ?? {} };
	}

	type Content = Record<string, unknown>;
	const messagesIn = (body: Record<string, unknown>) => body["messages"] as { role: string; content: Content[] }[];

	it("gives text, whole calls, usage and the reason to stop", async () => {
		const usage = { input: 120, output: 30, cached: 80, written: 15 };
		const got = await answerTo({ text: "I will read it: größer → 日本.", calls: CALLS, usage });
		assert.deepEqual(joined(got.chunks), [
			{ type: "usage", usage: { ...usage, output: 1 } },
			{ type: "text", text: "I will read it: größer → 日本." },
			{ type: "call", id: "toolu_a", name: "read_file", arguments: '{"path":"src/a.ts"}' },
			{ type: "call", id: "toolu_b", name: "list", arguments: "{}" },
			{ type: "usage", usage },
			{ type: "stop", reason: "calls" },
		]);
	});

	it("sends the key, the version, the headers given, and nothing about the machine", async () => {
		const server = await serve([{ text: "hi" }], { key: KEY });
		await gather(provider(server.url, { headers: { "x-team": "blue" } }), hello);
		const { host: _, connection: __, ...headers } = server.requests[0]?.headers ?? {};
		assert.equal(headers["x-api-key"], KEY);
		assert.equal(headers["anthropic-version"], "2023-06-01");
		assert.equal(headers["x-team"], "blue");
		assert.deepEqual(
			Object.keys(headers).filter((name) => /stainless|user-agent-|os|arch|runtime|anthropic-beta/.test(name)),
			[],
		);
	});

	it("takes a base URL with and without /v1, and asks once only", async () => {
		let asked = 0;
		const server = await serve(() => {
			asked += 1;
			return { fault: { status: 503 } };
		});
		await gather(provider(server.url), hello);
		await gather(provider(server.url.replace(/v1$/, "")), hello);
		assert.equal(asked, 2);
	});

	it("sends system, tools and messages with cache points, and a limit", async () => {
		const { body } = await bodyOf(requestOf(transcript({ type: "user", text: "Hello" }), [TOOL, { ...TOOL, name: "list" }]));
		const { parameters: input_schema, ...tool } = TOOL;
		assert.deepEqual(body, {
			model: "m",
			max_tokens: 8192,
			system: [{ type: "text", text: "You are a test.", cache_control: MARK }],
			tools: [
				{ ...tool, input_schema },
				{ ...tool, name: "list", input_schema, cache_control: MARK },
			],
			messages: [{ role: "user", content: [{ type: "text", text: "Hello", cache_control: MARK }] }],
			stream: true,
		});
	});

	it("merges what the person says in a row, results first, and tells errors", async () => {
		const events = transcript(
			{ type: "user", text: "One" },
			{ type: "user", text: "Two" },
			{
				type: "assistant",
				text: "  ",
				calls: [
					{ id: "call:1", name: "read_file", input: { path: "a" } },
					{ id: "x", name: "list", input: "{oops" },
				],
			},
			{ type: "result", call: "x", status: "error", output: "No JSON." },
			{ type: "result", call: "call:1", status: "ok", output: "half \ud83d" },
			{ type: "user", text: "Three" },
		);
		const { body } = await bodyOf(requestOf(events));
		assert.deepEqual(messagesIn(body), [
			{
				role: "user",
				content: [
					{ type: "text", text: "One" },
					{ type: "text", text: "Two", cache_control: MARK },
				],
			},
			{
				role: "assistant",
				content: [
					{ type: "tool_use", id: "call_3a_1", name: "read_file", input: { path: "a" } },
					{ type: "tool_use", id: "x", name: "list", input: {} },
				],
			},
			{
				role: "user",
				content: [
					{ type: "tool_result", tool_use_id: "call_3a_1", content: "half \ufffd" },
					{ type: "tool_result", tool_use_id: "x", content: "No JSON.", is_error: true },
					{ type: "text", text: "Three", cache_control: MARK },
				],
			},
		]);
	});

	it("sends pictures as they are, and words in the place of those it cannot", async () => {
		const images = [
			{ blob: "a", size: 3, mime: "image/png" },
			{ blob: "b", size: 3, mime: "image/tiff" },
			{ blob: "gone", size: 3, mime: "image/png" },
		];
		const request = requestOf(transcript({ type: "user", text: "Look", images }));
		const image = async ({ blob }: { blob: string }) => (blob === "gone" ? undefined : new Uint8Array([1, 2, 3]));
		const { body } = await bodyOf({ ...request, image });
		assert.deepEqual(messagesIn(body)[0]?.content, [
			{ type: "image", source: { type: "base64", media_type: "image/png", data: "AQID" } },
			{ type: "text", text: "[An attached image could not be read.]" },
			{ type: "text", text: "[An attached image could not be read.]" },
			{ type: "text", text: "Look", cache_control: MARK },
		]);
		const blind = await bodyOf(request);
		assert.match(JSON.stringify(blind.body), /cannot be shown to this model/);
	});

	it("only ever adds to what it has sent, the cache marks aside, and sets four of them at most", async () => {
		const bodies: EventBody[] = [{ type: "user", text: "Go" }];
		let before = "";
		for (let round = 0; round < 6; round += 1) {
			const { body } = await bodyOf(requestOf(transcript(...bodies), [TOOL]));
			const marks = JSON.stringify(body).split("cache_control").length - 1;
			assert.equal(marks, round === 0 ? 3 : 4);
			const plain = JSON.stringify(body["messages"]).replaceAll(`,"cache_control":${JSON.stringify(MARK)}`, "");
			assert.ok(plain.startsWith(before.slice(0, -1)), `round ${round}`);
			before = plain;
			const id = `toolu_${round}`;
			bodies.push(
				{ type: "assistant", text: `Round ${round}`, calls: [{ id, name: "read_file", input: { path: "a" } }] },
				{ type: "result", call: id, status: "ok", output: "x" },
			);
		}
	});

	describe("thinking", () => {
		const bodyWith = async (model: string, effort: ModelRequest["effort"], maxOutput?: number) => {
			const request = { ...hello, model, ...(effort && { effort }), ...(maxOutput && { maxOutput }) };
			const { body, headers } = await bodyOf(request);
			const { thinking, output_config, max_tokens } = body;
			return { thinking, output_config, max_tokens, beta: headers["anthropic-beta"] };
		};
		const adaptive = { type: "adaptive", display: "summarized" };
		const table: [string, ModelRequest["effort"], object][] = [
			["claude-3-5-haiku-latest", "high", { max_tokens: 8192 }],
			["claude-sonnet-4-20250514", undefined, { max_tokens: 32_000 }],
			["claude-sonnet-4-20250514", "low", { thinking: { type: "enabled", budget_tokens: 2048 } }],
			["claude-haiku-4-5", "high", { thinking: { type: "enabled", budget_tokens: 16_384 }, beta: "interleaved-thinking-2025-05-14" }],
			["anthropic/claude-sonnet-4.5", "none", { thinking: undefined }],
			["claude-opus-4-6", undefined, { thinking: undefined, output_config: undefined }],
			["claude-opus-4-6", "high", { thinking: adaptive, output_config: { effort: "high" }, beta: undefined }],
			["claude-sonnet-4-6", "none", { thinking: undefined }],
			["claude-opus-5", undefined, { thinking: adaptive, output_config: undefined }],
			["claude-opus-5", "none", { thinking: { type: "disabled" } }],
			["claude-opus-5-5", "none", { thinking: adaptive, output_config: { effort: "low" } }],
			["claude-sonnet-5-5", "none", { thinking: { type: "between_tools" } }],
			["claude-mythos-preview", "medium", { thinking: adaptive, output_config: { effort: "medium" } }],
			["some-other-model", "medium", { thinking: { type: "enabled", budget_tokens: 7168 }, max_tokens: 8192, beta: undefined }],
		];
		for (const [model, effort, expected] of table) {
			it(`of ${model} with effort ${effort ?? "unsaid"} is asked for in its words`, async () => {
				const sent = await bodyWith(model, effort);
				for (const [field, value] of Object.entries(expected)) assert.deepEqual(sent[field as keyof typeof sent], value, field);
			});
		}

		it("stays below a limit of the answer, and away where there is no room for it", async () => {
			assert.deepEqual((await bodyWith("claude-haiku-4-5", "high", 4_000)).thinking, { type: "enabled", budget_tokens: 2_976 });
			assert.equal((await bodyWith("claude-haiku-4-5", "high", 2_000)).thinking, undefined);
		});

		const request = { ...hello, model: "claude-opus-4-6", effort: "high" as const };

		/** An answer with thoughts and a call, as the events it leaves. */
		async function thought() {
			const got = await answerTo({ thinking: "Let me see. It is a test.", text: "I look.", calls: CALLS.slice(0, 1) }, request);
			const opaque = got.chunks.find(({ type }) => type === "opaque");
			assert.ok(opaque?.type === "opaque");
			const events = transcript(
				{ type: "user", text: "Hello" },
				{
					type: "assistant",
					text: got.text,
					thinking: "Let me see. It is a test.",
					calls: [{ id: "toolu_a", name: "read_file", input: { path: "src/a.ts" } }],
					opaque: JSON.parse(JSON.stringify(opaque.value)),
				},
				{ type: "result", call: "toolu_a", status: "ok", output: "const a = 1;" },
			);
			return { got, events };
		}

		it("is shown, and goes back verbatim and signed, in its place", async () => {
			const { got, events } = await thought();
			assert.deepEqual(joined(got.chunks)[1], { type: "thinking", text: "Let me see. It is a test." });
			const { body } = await bodyOf({ ...request, events });
			assert.deepEqual(messagesIn(body)[1]?.content, [
				{ type: "thinking", thinking: "Let me see. It is a test.", signature: "signed:25" },
				{ type: "text", text: "I look." },
				{ type: "tool_use", id: "toolu_a", name: "read_file", input: { path: "src/a.ts" } },
			]);
		});

		for (const [what, change] of [
			["another model", { model: "claude-opus-4-7" }],
			["another system prompt", { system: "You are another." }],
			["other tools", { tools: [TOOL] }],
			["another effort", { effort: "low" }],
		] as const) {
			it(`stays away from ${what}`, async () => {
				const { events } = await thought();
				const { body } = await bodyOf({ ...request, events, ...change });
				assert.deepEqual(
					messagesIn(body)[1]?.content.map(({ type }) => type),
					["text", "tool_use"],
				);
			});
		}

		it("stays away where what came before it has changed", async () => {
			const { events } = await thought();
			const changed = events.map((event) => (event.type === "user" ? { ...event, text: "Hello you" } : event));
			const { body } = await bodyOf({ ...request, events: changed });
			assert.equal(messagesIn(body)[1]?.content[0]?.["type"], "text");
		});

		it("stays in its place through a long turn of the real house, and each request only adds to the one before", async () => {
			const rounds = 8;
			const server = await serve(({ number }) =>
				number % (rounds + 1) === rounds
					? { thinking: "That was all.", text: "Done." }
					: {
							thinking: `Round ${number}?`,
							text: `I look, ${number}.`,
							calls: [{ name: "read_file", input: { path: "a.ts", start: number + 1 } }],
						},
			);
			const house = await buildHouse({ model: provider(server.url), files: { "a.ts": "x\n".repeat(50) } });
			try {
				const { sessionId } = await house.conversations.create({});
				const conversation = await house.conversations.get(sessionId);
				assert.equal((await conversation.send("Look around")).outcome, "done");
				assert.equal((await conversation.send("Again")).outcome, "done");
			} finally {
				await house.close();
			}
			const plain = server.requests.map(({ body }) =>
				JSON.stringify(body["messages"]).replaceAll(`,"cache_control":${JSON.stringify(MARK)}`, ""),
			);
			for (const [index, sent] of plain.entries()) {
				assert.ok(index === 0 || sent.startsWith((plain[index - 1] ?? "").slice(0, -1)), `request ${index}`);
				assert.equal(sent.split('"type":"thinking"').length - 1, index);
			}
			assert.equal(plain.length, 2 * (rounds + 1));
		});

		it("by a budget is not asked for where the calls that are answered came without", async () => {
			const events = transcript(
				{ type: "user", text: "Hello" },
				{ type: "assistant", text: "", calls: [{ id: "toolu_a", name: "read_file", input: {} }] },
				{ type: "result", call: "toolu_a", status: "ok", output: "x" },
			);
			const { body } = await bodyOf({ ...requestOf(events), model: "claude-haiku-4-5", effort: "high" });
			assert.equal(body["thinking"], undefined);
		});
	});

	describe("failures", () => {
		const error = (type: string, message: string) => ({ type: "error", error: { type, message }, request_id: "req_1" });
		const table: [string, Fault, { kind: string; retryable: boolean; retryAfter?: number }, RegExp][] = [
			[
				"a wrong key",
				{ status: 401, body: error("authentication_error", `invalid x-api-key ${KEY}`) },
				{ kind: "auth", retryable: false },
				/Set the key anew/,
			],
			[
				"a key without permission",
				{ status: 403, body: error("permission_error", "No access") },
				{ kind: "auth", retryable: false },
				/key/,
			],
			[
				"an unknown model",
				{ status: 404, body: error("not_found_error", "model: claude-x") },
				{ kind: "not_found", retryable: false },
				/no model “m”/,
			],
			[
				"no credit",
				{ status: 400, body: error("invalid_request_error", "Your credit balance is too low to access the Anthropic API.") },
				{ kind: "credits", retryable: false },
				/credit/,
			],
			["a bill", { status: 402, body: error("billing_error", "Pay") }, { kind: "credits", retryable: false }, /credit/],
			[
				"a full context",
				{ status: 400, body: error("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum") },
				{ kind: "context", retryable: false },
				/too long/,
			],
			[
				"a full context with its limit",
				{
					status: 400,
					body: error("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"),
				},
				{ kind: "context", retryable: false },
				/too long/,
			],
			[
				"a request that is too large",
				{ status: 413, body: error("request_too_large", "Request exceeds the maximum size") },
				{ kind: "context", retryable: false },
				/too long/,
			],
			[
				"a bad request",
				{ status: 400, body: error("invalid_request_error", "tools.0: wrong") },
				{ kind: "invalid_request", retryable: false },
				/tools\.0: wrong/,
			],
			[
				"too many requests",
				{ status: 429, body: error("rate_limit_error", "Slow"), headers: { "retry-after": "7" } },
				{ kind: "rate_limit", retryable: true, retryAfter: 7000 },
				/Wait/,
			],
			[
				"an overloaded server",
				{ status: 529, body: error("overloaded_error", "Overloaded") },
				{ kind: "overloaded", retryable: true },
				/529/,
			],
			[
				"a broken server",
				{ status: 500, body: error("api_error", "Internal server error") },
				{ kind: "overloaded", retryable: true },
				/500/,
			],
			["a server that gave up", { status: 504, body: error("timeout_error", "Timed out") }, { kind: "overloaded", retryable: true }, /504/],
			[
				"a web page",
				{ body: "<!doctype html><p>Sign in</p>", contentType: "text/html" },
				{ kind: "protocol", retryable: false },
				/web page.*Anthropic API/,
			],
			["an empty answer", { body: "" }, { kind: "protocol", retryable: true }, /empty answer/],
			[
				"an error under status 200",
				{ body: JSON.stringify(error("overloaded_error", "Overloaded")), contentType: "application/json" },
				{ kind: "overloaded", retryable: true },
				/Overloaded/,
			],
			[
				"an error event at once",
				{ at: "start", error: { type: "rate_limit_error", message: "Slow down" } },
				{ kind: "rate_limit", retryable: true },
				/Slow down/,
			],
		];
		for (const [name, fault, expected, sentence] of table) {
			it(`for ${name} say what happened and what to do`, async () => {
				const { error: failure, chunks } = await answerTo({ text: "never", fault });
				assert.ok(failure);
				assert.deepEqual(
					chunks.filter(({ type }) => type !== "usage"),
					[],
				);
				assert.deepEqual(
					{ kind: failure.kind, retryable: failure.retryable, ...(expected.retryAfter && { retryAfter: failure.retryAfter }) },
					expected,
				);
				assert.match(failure.message, sentence);
				assert.ok(!JSON.stringify([failure.message, failure.stack, failure.cause]).includes(KEY));
			});
		}

		for (const at of ["text", "arguments", "stop"] as const) {
			it(`in the middle, at ${at}, run no call and keep the words`, async () => {
				const answer = { text: "I will read it first.", calls: CALLS };
				const broken = await answerTo({ ...answer, fault: { at, error: { type: "overloaded_error", message: "Overloaded" } } });
				assert.deepEqual([broken.calls, broken.error?.kind], [[], "overloaded"]);
				assert.ok(answer.text.startsWith(broken.text) && broken.text !== "");
				const cut = await answerTo({ ...answer, fault: { cut: at } });
				assert.deepEqual([cut.calls, cut.error?.kind, cut.error?.retryable], [[], "cut", true]);
				const silent = await answerTo({ ...answer, fault: { hang: at } }, hello, { idleLimit: 150 });
				assert.deepEqual([silent.calls, silent.error?.kind], [[], "timeout"]);
			});
		}
	});

	describe("leaves out what a server refuses:", () => {
		const complain = (message: string): ScriptedAnswer => ({
			fault: { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } },
		});
		const fussy = async (refused: (body: string) => string | undefined, request: ModelRequest) => {
			const server = await serve(({ body }) => {
				const complaint = refused(JSON.stringify(body));
				return complaint === undefined ? { text: "hi" } : complain(complaint);
			});
			const model = provider(server.url);
			const got = [await gather(model, request), await gather(model, request)];
			return { said: got.map(({ text, error }) => text || error?.message), bodies: server.requests.map(({ body }) => body) };
		};

		it("thinking that the model does not know, remembered for the next request", async () => {
			const { said, bodies } = await fussy(
				(body) => (body.includes("adaptive") ? '"thinking.type.adaptive" is not supported for this model.' : undefined),
				{ ...hello, model: "claude-opus-5" },
			);
			assert.deepEqual(
				[said, bodies.map(({ thinking }) => thinking !== undefined)],
				[
					["hi", "hi"],
					[true, false, false],
				],
			);
		});

		it("an effort that is not known, but not the thinking", async () => {
			const { said, bodies } = await fussy(
				(body) => (body.includes("output_config") ? "output_config: Extra inputs are not permitted" : undefined),
				{ ...hello, model: "claude-sonnet-4-6", effort: "low" },
			);
			assert.deepEqual(
				[said, bodies.map(({ thinking }) => thinking !== undefined)],
				[
					["hi", "hi"],
					[true, true, true],
				],
			);
		});

		it("cache marks", async () => {
			const { said, bodies } = await fussy(
				(body) => (body.includes("cache_control") ? "cache_control is not supported" : undefined),
				hello,
			);
			assert.deepEqual([said, bodies.length], [["hi", "hi"], 3]);
		});

		it("nothing where that would not help", async () => {
			const { said, bodies } = await fussy(() => "thinking is wrong here", hello);
			assert.deepEqual([said.every((line) => line?.includes("thinking is wrong here")), bodies.length], [true, 2]);
		});
	});

	it("sends back arguments of any kind as what the API takes", async () => {
		const deep = JSON.parse(`${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`) as unknown;
		const inputs = ["{oops", [1], null, 3, deep, JSON.parse('{"__proto__":{"x":1},"half":"\\ud800"}')];
		const calls = inputs.map((input, index) => ({ id: `c${index}`, name: "read_file", input }));
		const events = transcript({ type: "user", text: "Go" }, { type: "assistant", text: "", calls }, { type: "user", text: "On" });
		const { body } = await bodyOf(requestOf(events));
		const sent = messagesIn(body)[1]?.content.map(({ input }) => input) ?? [];
		assert.deepEqual(sent.slice(0, 4), [{}, {}, {}, {}]);
		assert.equal(JSON.stringify(sent[5]), '{"__proto__":{"x":1},"half":"\ufffd"}');
	});

	it("tells pieces of a call from pings: the one is a sign of life, the other is not", async () => {
		let signs = 0;
		const alive = () => {
			signs += 1;
		};
		const input = { path: "src/a.ts", content: "x".repeat(70) };
		await answerTo({ calls: [{ name: "create_file", input }] }, { ...hello, alive });
		assert.ok(signs > 10, `${signs}`);
		signs = 0;
		const pings = `event: ping\ndata: {"type": "ping"}\n\n`.repeat(20);
		await answerTo({ text: "never", fault: { tail: pings, at: "start" } }, { ...hello, alive });
		assert.equal(signs, 0);
	});

	it("lists the server's models with their sizes, or the configured names", async () => {
		const signal = new AbortController().signal;
		const server = await serve([], { models: ["claude-opus-5-5"] });
		assert.deepEqual(await provider(server.url).models(signal), [{ id: "anthropic/claude-opus-5-5", name: "claude-opus-5-5" }]);
		const list = {
			data: [
				{
					type: "model",
					id: "claude-x",
					display_name: "Claude X",
					max_input_tokens: 200_000,
					max_tokens: 64_000,
					capabilities: { image_input: { supported: true }, thinking: { supported: true } },
				},
				{ id: "old", lifecycle: "retired" },
			],
		};
		const listing = provider("http://127.0.0.1:9", { fetch: async () => Response.json(list) });
		assert.deepEqual(await listing.models(signal), [
			{ id: "anthropic/claude-x", name: "Claude X", window: 200_000, maxOutput: 64_000, images: true, reasoning: true },
		]);
		const bare = await serve([]);
		assert.deepEqual(await provider(bare.url, { models: ["mine"] }).models(signal), [{ id: "anthropic/mine", name: "mine" }]);
		await assert.rejects(provider(bare.url).models(signal), /baseUrl/);
	});

	it("counts a request's tokens at the server", async () => {
		const server = await serve([]);
		const count = await provider(server.url).count?.(hello, new AbortController().signal);
		assert.ok((count ?? 0) > 20);
	});

	it("ends with the signal's reason when the person stops it", async () => {
		const stop = new AbortController();
		const reason = new Error("stopped by the person");
		const server = await serve(() => {
			setImmediate(() => stop.abort(reason));
			return { text: "never ends", fault: { hang: "text" } };
		});
		await assert.rejects(gather(provider(server.url), hello, stop.signal), reason);
	});
});
