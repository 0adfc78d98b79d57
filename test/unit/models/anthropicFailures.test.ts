// Failures of the Messages API over real HTTP, and features left out after a refusal.
import assert from "node:assert/strict";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { Fault, ScriptedAnswer } from "../../fakes/modelServer/script.ts";
import { answerTo, CALLS, KEY, provider } from "./anthropicFixture.ts";
import { gather, hello, requestOf, transcript } from "./helpers.ts";
import { closeServers, serve } from "./serving.ts";

describe("the Anthropic provider", () => {
	afterEach(closeServers);

	describe("failures", () => {
		const error = (type: string, message: string) => ({ type: "error", error: { type, message }, request_id: "req_1" });
		const table: [string, Fault, { kind: string; retryable: boolean; retryAfter?: number }, RegExp?][] = [
			["a wrong key", { status: 401, body: error("authentication_error", `invalid x-api-key ${KEY}`) }, { kind: "auth", retryable: false }],
			["a key without permission", { status: 403, body: error("permission_error", "No access") }, { kind: "auth", retryable: false }],
			["an unknown model", { status: 404, body: error("not_found_error", "model: claude-x") }, { kind: "not_found", retryable: false }],
			[
				"no credit",
				{ status: 400, body: error("invalid_request_error", "Your credit balance is too low to access the Anthropic API.") },
				{ kind: "credits", retryable: false },
			],
			["a bill", { status: 402, body: error("billing_error", "Pay") }, { kind: "credits", retryable: false }],
			[
				"a full context",
				{ status: 400, body: error("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum") },
				{ kind: "context", retryable: false },
			],
			[
				"a full context with its limit",
				{
					status: 400,
					body: error("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"),
				},
				{ kind: "context", retryable: false },
			],
			[
				"a request that is too large",
				{ status: 413, body: error("request_too_large", "Request exceeds the maximum size") },
				{ kind: "context", retryable: false },
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
			["an empty answer", { body: "" }, { kind: "protocol", retryable: true }, /empty response/],
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
				if (sentence) assert.match(failure.message, sentence);
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
				const silent = await answerTo({ ...answer, fault: { hang: at } }, hello, { idleTimeout: 150 });
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

		it("images of tools that cannot be read, for the rest of the session", async () => {
			const events = transcript(
				{ type: "user", text: "Look" },
				{ type: "assistant", text: "", calls: [{ id: "c", name: "look", input: {} }] },
				{ type: "result", call: "c", status: "ok", output: "[image 1]", images: [{ blob: "b", size: 3 }] },
			);
			const { said, bodies } = await fussy(
				(body) => (body.includes('"type":"image"') ? "messages.2.content.0.image.source.base64: Could not process image" : undefined),
				{ ...requestOf(events), image: async () => new Uint8Array([1]) },
			);
			assert.deepEqual([said, bodies.length], [["hi", "hi"], 3]);
			assert.match(JSON.stringify(bodies[2]), /1 image\(s\) of this result cannot be shown/);
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
});
