// The OpenAI-compatible provider over real HTTP: odd answers.
import assert from "node:assert/strict";
import { answerOf, delta, provider, raw } from "./compatibleFixture.ts";
import { gather, joined, requestOf, transcript } from "./helpers.ts";
import { closeServers, serve } from "./serving.ts";

describe("the OpenAI-compatible provider", () => {
	afterEach(closeServers);

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
});
