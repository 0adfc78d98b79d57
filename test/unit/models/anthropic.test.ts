// The Messages API over real HTTP: requests and answers.
import assert from "node:assert/strict";
import type { EventBody } from "../../../src/core/events.ts";
import { PNG } from "../../fakes/pictures.ts";
import { answerTo, bodyOf, CALLS, KEY, MARK, messagesIn, provider, TOOL } from "./anthropicFixture.ts";
import { gather, hello, joined, requestOf, transcript } from "./helpers.ts";
import { closeServers, serve } from "./serving.ts";

describe("the Anthropic provider", () => {
	afterEach(closeServers);

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

	it("sends pictures of results within them, the largest not where there are many", async () => {
		const call = (id: string): EventBody => ({ type: "assistant", text: "", calls: [{ id, name: "look", input: {} }] });
		const result = (id: string, count: number): EventBody => ({
			type: "result",
			call: id,
			status: "ok",
			output: "[image 1]",
			images: Array.from({ length: count }, () => ({ blob: "a", size: 3, mime: "image/png" })),
		});
		const wide = Buffer.from(PNG);
		wide.writeUInt32BE(2_001, 16);
		const shown = async (count: number) => {
			const request = requestOf(transcript({ type: "user", text: "Look" }, call("c"), result("c", count)));
			const { body } = await bodyOf({ ...request, image: async () => wide });
			const [block] = messagesIn(body)[2]?.content ?? [];
			assert.deepEqual([block?.["type"], block?.["tool_use_id"]], ["tool_result", "c"]);
			const content = (block?.["content"] ?? []) as { type: string; text?: string }[];
			return content.map((part) => part.text ?? part.type);
		};
		assert.deepEqual(await shown(1), ["[image 1]", "image"]);
		assert.equal((await shown(20)).filter((each) => each === "image").length, 20);
		assert.match((await shown(21)).at(-1) ?? "", /too many for one so large/);
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
