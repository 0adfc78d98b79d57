// The OpenAI-compatible provider over real HTTP: refusals, unreachable servers, broken answers.
import assert from "node:assert/strict";
import type { ModelError } from "../../../src/core/ports/model.ts";
import type { AskedRequest, Fault } from "../../fakes/modelServer/script.ts";
import { startModelServer } from "../../fakes/modelServer/server.ts";
import { answerOf, provider, whole } from "./compatibleFixture.ts";
import { gather, hello } from "./helpers.ts";
import { closeServers, KEY, serve } from "./serving.ts";

describe("the OpenAI-compatible provider", () => {
	afterEach(closeServers);

	describe("a refusal", () => {
		const table: [string, Fault, Partial<ModelError>, RegExp][] = [
			["a wrong key", { status: 401, body: { error: { message: `Bad key ${KEY}` } } }, { kind: "auth", retryable: false }, /Set a new key/],
			["a forbidden thing", { status: 403 }, { kind: "auth", retryable: false }, /Set a new key/],
			[
				"an unknown model",
				{ status: 404, body: { error: { message: "The model `m` does not exist", code: "model_not_found" } } },
				{ kind: "not_found", retryable: false },
				/doesn't offer the model “m”.*[Ss]elect another/,
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
				/status 500\).*Try again/,
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
			["an empty answer", { body: "" }, { kind: "protocol", retryable: true }, /empty response/],
			["an end mark alone", { body: "data: [DONE]\n\n" }, { kind: "protocol", retryable: true }, /empty response/],
			[
				"an error under status 200",
				{ body: '{"error":{"message":"Slow down","type":"rate_limit_error"}}' },
				{ kind: "rate_limit", retryable: true },
				/Slow down/,
			],
			["an event that is not JSON", { body: "data: {oops\n\ndata: [DONE]\n\n" }, { kind: "protocol", retryable: false }, /isn't JSON/],
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
			const { error } = await answerOf({ fault: { status: 401 } }, { apiKey: async () => undefined });
			assert.match(error?.message ?? "", /none is set/);
		});
	});

	it("names the origin of a server that is not there", async () => {
		const server = await startModelServer({ script: [] });
		await server.close();
		const { error } = await gather(provider(server.url), hello);
		assert.equal(error?.kind, "network");
		assert.equal(error?.retryable, true);
		assert.match(error?.message ?? "", new RegExp(`^Couldn't reach ${new URL(server.url).origin} \\(ECONNREFUSED\\)`));
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
				const got = await answerOf({ ...whole, fault: { hang: point } }, { idleTimeout: 150 });
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
});
