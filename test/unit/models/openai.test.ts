// OpenAI's Responses API over real HTTP: requests and answers.
import assert from "node:assert/strict";
import type { ModelError, ModelRequest } from "../../../src/core/ports/model.ts";
import { createOpenAiProvider } from "../../../src/models/openai/openai.ts";
import type { Fault } from "../../fakes/modelServer/script.ts";
import { gather, hello, joined, requestOf, transcript } from "./helpers.ts";
import { answerOf, provider, read, says, whole } from "./openaiFixture.ts";
import { closeServers, KEY, serve } from "./serving.ts";

describe("the OpenAI provider", () => {
	afterEach(closeServers);

	it("asks the Responses API to store nothing, and for its reasoning", async () => {
		const server = await serve([{ text: "hi" }], { key: KEY });
		const request = { ...requestOf(transcript(says("Hello")), [read]), maxOutput: 99, effort: "high" as const };
		await gather(provider(server.url), request);
		assert.deepEqual(server.requests[0]?.body, {
			model: "m",
			instructions: "You are a test.",
			input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
			tools: [{ type: "function", ...read, strict: false }],
			max_output_tokens: 99,
			reasoning: { effort: "high", summary: "auto" },
			include: ["reasoning.encrypted_content"],
			prompt_cache_key: "e1",
			store: false,
			stream: true,
		});
		assert.equal(server.requests[0]?.path, "/v1/responses");
		assert.equal(server.requests[0]?.headers["authorization"], `Bearer ${KEY}`);
	});

	it("speaks Chat Completions where that is asked for", async () => {
		const server = await serve([{ text: "hi" }]);
		const got = await gather(provider(server.url, { api: "chat" }), { ...hello, maxOutput: 5, effort: "low" });
		assert.equal(got.text, "hi");
		const { messages: _, ...body } = server.requests[0]?.body ?? {};
		assert.deepEqual(body, {
			model: "m",
			max_completion_tokens: 5,
			reasoning_effort: "low",
			prompt_cache_key: "e1",
			stream: true,
			stream_options: { include_usage: true },
		});
	});

	it("says nothing of reasoning to models that know none", async () => {
		const server = await serve(() => ({ text: "hi" }));
		for (const model of ["gpt-4.1-mini", "ft:gpt-4o:team", "gpt-5-chat-latest"])
			await gather(provider(server.url), { ...hello, model, effort: "low" });
		for (const { body } of server.requests) assert.deepEqual([body["reasoning"], body["include"]], [undefined, undefined]);
	});

	it("gives thinking, text, whole calls, reasoning to keep, usage and the reason to stop", async () => {
		const { url } = await serve([whole]);
		assert.deepEqual(joined((await gather(provider(url), hello)).chunks), [
			{ type: "thinking", text: whole.thinking },
			{ type: "text", text: whole.text },
			{ type: "call", id: "call_a", name: "read_file", arguments: '{"path":"src/a.ts"}' },
			{ type: "call", id: "call_b", name: "read_file", arguments: '{"path":"b \\"2\\".ts"}' },
			{
				type: "opaque",
				value: {
					format: "responses",
					from: `${new URL(url).origin} m`,
					items: [
						{
							type: "reasoning",
							id: "rs_0",
							summary: [{ type: "summary_text", text: whole.thinking }],
							encrypted_content: "m:0:SSBzaG91bGQgbG9vayBmaXJzdC4=",
						},
						{ type: "message", from: 0, to: whole.text?.length },
						{ type: "function_call" },
						{ type: "function_call" },
					],
				},
			},
			{ type: "usage", usage: { input: 120, output: 30, cached: 64 } },
			{ type: "stop", reason: "calls" },
		]);
	});

	describe("leaves out what a server does not know, and asks again", () => {
		const table: [string, object, (body: Record<string, unknown>) => unknown, unknown][] = [
			[
				"summaries of an account that is not verified",
				{
					message: "Your organization must be verified to generate reasoning summaries.",
					param: "reasoning.summary",
					code: "unsupported_value",
				},
				(body) => body["reasoning"],
				{ effort: "none" },
			],
			[
				"encrypted reasoning",
				{ message: "Encrypted content is not supported with this model.", param: "include" },
				(body) => body["include"],
				undefined,
			],
			[
				"thinking that cannot be switched off",
				{ message: "Unsupported value: 'none' is not supported with the 'm' model.", param: "reasoning.effort" },
				(body) => body["reasoning"],
				{ effort: "minimal", summary: "auto" },
			],
			[
				"an effort",
				{ message: "Unsupported parameter: 'reasoning.effort' is not supported with this model.", param: "reasoning.effort" },
				(body) => body["reasoning"],
				{ summary: "auto" },
			],
			["a key for its cache", { message: "Unknown parameter: prompt_cache_key" }, (body) => body["prompt_cache_key"], undefined],
		];
		for (const [name, error, part, expected] of table) {
			it(`${name}: once for all requests`, async () => {
				const server = await serve((request) =>
					request.number === 0 ? { fault: { status: 400, body: { error: { type: "invalid_request_error", ...error } } } } : { text: "hi" },
				);
				const asked = provider(server.url);
				for (let turn = 0; turn < 2; turn++) assert.equal((await gather(asked, { ...hello, effort: "none" })).text, "hi");
				assert.equal(server.requests.length, 3);
				assert.notDeepEqual(part(server.requests[0]?.body ?? {}), expected);
				for (const { body } of server.requests.slice(1)) assert.deepEqual(part(body), expected);
			});
		}

		it("but gives up where it complains all the same", async () => {
			const error = { message: "Unsupported parameter: 'reasoning.effort'", param: "reasoning.effort" };
			const server = await serve(() => ({ fault: { status: 400, body: { error } } }));
			const got = await gather(provider(server.url), { ...hello, effort: "low" });
			assert.equal(got.error?.kind, "invalid_request");
			assert.ok(server.requests.length <= 3);
		});
	});

	describe("images", () => {
		const bytes = new Uint8Array([137, 80, 78, 71, 1, 2]);
		const ref = { blob: "b1", size: 6, mime: "image/png" };
		const request = requestOf(transcript({ type: "user", text: "What is this?", images: [ref, { ...ref, blob: "gone" }] }));
		const image: NonNullable<ModelRequest["image"]> = async ({ blob }) => (blob === "b1" ? bytes : undefined);

		it("go as data, and those that are gone as a line that says so", async () => {
			const server = await serve([{ text: "A cat." }]);
			await gather(provider(server.url), { ...request, image });
			assert.deepEqual(server.requests[0]?.body["input"], [
				{
					type: "message",
					role: "user",
					content: [
						{ type: "input_text", text: "[1 attached image(s) are not kept any more and cannot be shown.]\n\nWhat is this?" },
						{ type: "input_image", image_url: "data:image/png;base64,iVBORwEC", detail: "auto" },
					],
				},
			]);
		});

		it("of a tool go with its result, and without it once the server refuses them there", async () => {
			const server = await serve([
				{ text: "A cat." },
				{ fault: { status: 400, body: { error: { message: "Invalid type for 'input[2].output': expected a string." } } } },
				{ text: "No cat." },
			]);
			const events = transcript(
				says("Look"),
				{ type: "assistant", text: "", calls: [{ id: "c", name: "look", input: {} }] },
				{ type: "result", call: "c", status: "ok", output: "[image 1]", images: [ref] },
			);
			const seeing = provider(server.url);
			const outputs = async () => {
				await gather(seeing, { ...requestOf(events), image });
				const input = (server.requests.at(-1)?.body["input"] ?? []) as { output?: unknown }[];
				return input.flatMap(({ output }) => (output ? [output] : []));
			};
			assert.deepEqual(await outputs(), [
				[
					{ type: "input_text", text: "[image 1]" },
					{ type: "input_image", image_url: "data:image/png;base64,iVBORwEC", detail: "auto" },
				],
			]);
			assert.deepEqual(await outputs(), ["[image 1]\n[1 image(s) of this result cannot be shown.]"]);
		});

		it("are told of where the model takes none", async () => {
			const server = await serve([{ text: "I cannot see." }]);
			await gather(provider(server.url), request);
			assert.match(JSON.stringify(server.requests[0]?.body["input"]), /\[2 attached image\(s\) cannot be shown to this model\.\]/);
		});
	});

	it("sends no half of a surrogate pair, which strict servers refuse", async () => {
		const server = await serve([{ text: "hi" }]);
		await gather(provider(server.url), requestOf(transcript(says("a\ud83d b 😀"))));
		assert.equal(server.requests[0]?.messages.at(-1)?.text, "a\ufffd b 😀");
	});

	describe("a refusal", () => {
		const table: [string, Fault, Partial<ModelError>][] = [
			["a wrong key", { status: 401, body: { error: { message: `Bad key ${KEY}` } } }, { kind: "auth", retryable: false }],
			["too many requests", { status: 429, headers: { "retry-after": "3" } }, { kind: "rate_limit", retryable: true, retryAfter: 3000 }],
			["a web page", { body: "<!doctype html>", contentType: "text/html" }, { kind: "protocol", retryable: false }],
			["an empty answer", { body: "" }, { kind: "protocol", retryable: true }],
			["an end mark alone", { body: "data: [DONE]\n\n" }, { kind: "protocol", retryable: true }],
			["an event that is not JSON", { body: "data: {oops\n\n" }, { kind: "protocol", retryable: false }],
			[
				"an answer that failed",
				{ body: '{"object":"response","status":"failed","error":{"code":"server_error","message":"x"},"output":[]}' },
				{ kind: "overloaded", retryable: true },
			],
		];
		for (const [name, fault, expected] of table) {
			it(`for ${name} is a ModelError without the key`, async () => {
				const { error, chunks } = await answerOf({ text: "never", fault });
				assert.ok(error);
				assert.deepEqual(chunks, []);
				for (const [field, value] of Object.entries(expected))
					assert.equal(error[field as keyof ModelError], value, `${field}: ${error.message}`);
				assert.ok(!JSON.stringify([error.message, error.stack, error.cause]).includes(KEY));
			});
		}
	});

	describe("broken at each point", () => {
		for (const point of ["start", "text", "arguments", "stop"] as const) {
			it(`a connection cut at ${point} runs no call`, async () => {
				const got = await answerOf({ ...whole, fault: { cut: point } });
				assert.deepEqual(got.calls, []);
				assert.equal(got.error?.kind, point === "start" ? "network" : "cut");
				assert.ok(whole.text?.startsWith(got.text));
			});

			it(`an error inside the stream at ${point} is told`, async () => {
				const got = await answerOf({ ...whole, fault: { at: point, error: { message: "Overloaded, sorry", type: "overloaded_error" } } });
				assert.deepEqual(got.calls, []);
				assert.equal(got.error?.kind, "overloaded");
				assert.match(got.error?.message ?? "", /Overloaded, sorry/);
			});

			it(`a silence at ${point} ends at the idle limit`, async () => {
				const got = await answerOf({ ...whole, fault: { hang: point } }, { idleTimeout: 150 });
				assert.deepEqual(got.calls, []);
				assert.equal(got.error?.kind, "timeout");
			});
		}
	});

	it("takes an answer that is not streamed", async () => {
		const output = [
			{ type: "message", content: [{ type: "output_text", text: "Hi" }] },
			{ type: "function_call", call_id: "c", name: "read_file", arguments: { path: "a" } },
		];
		const got = await answerOf({ fault: { body: JSON.stringify({ object: "response", status: "completed", output }) } });
		assert.deepEqual(got.chunks, [
			{ type: "text", text: "Hi" },
			{ type: "call", id: "c", name: "read_file", arguments: '{"path":"a"}' },
			{ type: "stop", reason: "calls" },
		]);
	});

	it("lists its models, of OpenAI's own those that talk", async () => {
		const names = ["gpt-5", "text-embedding-3-small", "gpt-4o-realtime-preview", "o3", "whisper-1"];
		const server = await serve([], { models: names });
		const toServer: typeof fetch = (_, init) => fetch(`${server.url}/models`, init);
		const signal = new AbortController().signal;
		const own = createOpenAiProvider({ id: "openai", apiKey: async () => KEY, fetch: toServer });
		assert.deepEqual(
			(await own.models(signal)).map(({ id }) => id),
			["openai/gpt-5", "openai/o3"],
		);
		assert.equal((await provider(server.url).models(signal)).length, names.length);
	});
});
