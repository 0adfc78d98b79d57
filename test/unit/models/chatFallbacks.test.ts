// Chat servers that refuse or require something: thinking, signatures, images, parameters.
import assert from "node:assert/strict";
import type { EventBody } from "../../../src/core/events.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import { createOpenAiCompatibleProvider } from "../../../src/models/openai/openai.ts";
import type { AskedRequest, Script, ScriptedAnswer } from "../../fakes/modelServer/script.ts";
import { gather, hello, requestOf, transcript } from "./helpers.ts";
import { closeServers, serve } from "./serving.ts";

type Body = Record<string, unknown>;
const messagesIn = (request: AskedRequest | undefined) => (request?.body["messages"] ?? []) as Body[];
const refusing = (status: number, message: string): ScriptedAnswer => ({ fault: { status, body: { error: { message } } } });
const streamed = (...deltas: object[]): ScriptedAnswer => ({
	fault: {
		body: [...deltas.map((delta) => JSON.stringify({ choices: [{ delta }] })), "[DONE]"].map((data) => `data: ${data}\n\n`).join(""),
	},
});

describe("a chat server", () => {
	afterEach(closeServers);

	async function chat(script: Script) {
		const server = await serve(script);
		return { server, provider: createOpenAiCompatibleProvider({ id: "fake", baseUrl: server.url, apiKey: async () => undefined }) };
	}

	/** An answer and the results of its calls as the loop keeps them. */
	async function kept(provider: ReturnType<typeof createOpenAiCompatibleProvider>, request: ModelRequest): Promise<EventBody[]> {
		const got = await gather(provider, request);
		const thinking = got.chunks.map((chunk) => (chunk.type === "thinking" ? chunk.text : "")).join("");
		const opaque = got.chunks.find((chunk) => chunk.type === "opaque")?.value;
		const calls = got.calls.map(({ id, name, arguments: json }) => ({ id, name, input: JSON.parse(json) as unknown }));
		const assistant: EventBody = { type: "assistant", text: got.text, thinking, ...(calls.length > 0 && { calls }), opaque };
		return [assistant, ...calls.map(({ id }): EventBody => ({ type: "result", call: id, status: "ok", output: "ok" }))];
	}

	const call = (more: object = {}) => ({ id: "c", function: { name: "list", arguments: "{}" }, ...more });

	for (const field of ["reasoning_content", "reasoning"]) {
		it(`gets its thinking back as ${field}, word for word`, async () => {
			const { server, provider } = await chat([streamed({ [field]: "Hm" }, { [field]: "m." }, { tool_calls: [call()] }), { text: "ok" }]);
			const events = transcript({ type: "user", text: "Hello" }, ...(await kept(provider, hello)));
			await gather(provider, requestOf(events));
			assert.deepEqual(messagesIn(server.requests[1])[2], {
				role: "assistant",
				content: null,
				[field]: "Hmm.",
				tool_calls: [{ id: "c", type: "function", function: { name: "list", arguments: "{}" } }],
			});
		});
	}

	it("that structures its thinking gets it back with the signature", async () => {
		const detail = { type: "reasoning.text", index: 0 };
		const { server, provider } = await chat([
			streamed(
				{ reasoning: "Hm", reasoning_details: [{ ...detail, text: "Hm" }] },
				{ reasoning: "m", reasoning_details: [{ ...detail, text: "m" }] },
				{ reasoning_details: [{ ...detail, signature: "sig" }] },
				{ content: "Hi" },
			),
			{ text: "ok" },
		]);
		const events = transcript({ type: "user", text: "Hello" }, ...(await kept(provider, hello)));
		await gather(provider, requestOf(events));
		assert.deepEqual(messagesIn(server.requests[1])[2], {
			role: "assistant",
			content: "Hi",
			reasoning_details: [{ ...detail, text: "Hmm", signature: "sig" }],
		});
	});

	it("gets nothing of another model's thinking or signatures", async () => {
		const { server, provider } = await chat([
			streamed({ reasoning: "Hm" }, { tool_calls: [call({ extra_content: { s: 1 } })] }),
			{ text: "ok" },
		]);
		const events = transcript({ type: "user", text: "Hello" }, ...(await kept(provider, hello)));
		await gather(provider, { ...requestOf(events), model: "other" });
		const { reasoning, tool_calls } = messagesIn(server.requests[1])[2] as { reasoning?: string; tool_calls: Body[] };
		assert.equal(reasoning, undefined);
		assert.deepEqual(Object.keys(tool_calls[0] ?? {}), ["id", "type", "function"]);
	});

	it("gets the signature of a call back with the call", async () => {
		const extra = { google: { thought_signature: "sig" } };
		const { server, provider } = await chat([
			streamed({ tool_calls: [call({ extra_content: extra }), call({ id: "d" })] }),
			{ text: "ok" },
		]);
		const events = transcript({ type: "user", text: "Hello" }, ...(await kept(provider, hello)));
		await gather(provider, requestOf(events));
		const calls = messagesIn(server.requests[1])[2]?.["tool_calls"] as Body[];
		assert.deepEqual(
			calls.map((made) => made["extra_content"]),
			[extra, undefined],
		);
	});

	const before: EventBody[] = [
		{ type: "user", text: "Hello", images: [{ blob: "b", size: 3 }] },
		{ type: "assistant", text: "", thinking: "Elsewhere.", calls: [{ id: "c", name: "list", input: {} }] },
		{ type: "result", call: "c", status: "ok", output: "ok", images: [{ blob: "t", size: 3 }] },
	];
	const request: ModelRequest = { ...requestOf(transcript(...before)), effort: "low", image: async () => new Uint8Array([255, 216, 255]) };

	const table: [string, ScriptedAnswer, (body: Body) => unknown, unknown][] = [
		[
			"misses thinking is given it with every answer",
			refusing(400, "The `reasoning_content` in the thinking mode must be passed back to the API."),
			(body) => (body["messages"] as Body[])[2]?.["reasoning_content"],
			"Elsewhere.",
		],
		[
			"misses a signature is given the one that stands for none",
			refusing(400, "Function call is missing a thought_signature in functionCall parts."),
			(body) => ((body["messages"] as { tool_calls: Body[] }[])[2] as { tool_calls: Body[] }).tool_calls[0]?.["extra_content"],
			{ google: { thought_signature: "skip_thought_signature_validator" } },
		],
		[
			"cannot read a tool's image is asked without those of tools",
			refusing(400, "Failed to decode image: invalid data"),
			(body) => (body["messages"] as Body[]).map(({ content }) => JSON.stringify(content)).filter((content) => /image/.test(content)),
			[
				'[{"type":"text","text":"Hello"},{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,/9j/"}}]',
				'"ok\\n[1 image(s) of this result cannot be shown.]"',
			],
		],
		[
			"takes no images is told of them in words",
			refusing(404, "No endpoints found that support image input"),
			(body) => (body["messages"] as Body[])[1]?.["content"],
			"[1 attached image(s) cannot be shown to this model.]\n\nHello",
		],
		[
			"knows no effort is asked without",
			refusing(400, "property 'reasoning_effort' is unsupported"),
			(body) => body["reasoning_effort"],
			undefined,
		],
		[
			"knows no stream_options is asked without",
			refusing(422, "Extra inputs are not permitted: stream_options"),
			(body) => body["stream_options"],
			undefined,
		],
	];
	it("that wants short call ids and an answer between a result and the person, as Mistral does, gets both", async () => {
		const mistral = (message: string): ScriptedAnswer => ({
			fault: { status: 400, body: { object: "error", message, type: "invalid_request_error", param: null, code: "3280" } },
		});
		const { server, provider } = await chat(({ number }) =>
			number === 0
				? mistral("Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.")
				: number === 1
					? mistral("Unexpected role 'user' after role 'tool'")
					: { text: "hi" },
		);
		const calls = ["call_abc", "fitsSoAs1"].map((id) => ({ id, name: "list", input: {} }));
		const plan = requestOf(
			transcript(
				{ type: "user", text: "Plan" },
				{ type: "assistant", text: "", calls },
				...calls.map(({ id }): EventBody => ({ type: "result", call: id, status: "ok", output: "shown" })),
				{ type: "user", text: "Other" },
			),
		);
		assert.equal((await gather(provider, plan)).text, "hi");
		assert.equal(server.requests.length, 3);
		const messages = messagesIn(server.requests[2]);
		assert.deepEqual(
			messages.map(({ role }) => role),
			["system", "user", "assistant", "tool", "tool", "assistant", "user"],
		);
		const made = ((messages[2]?.["tool_calls"] ?? []) as Body[]).map(({ id }) => String(id));
		assert.deepEqual(
			messages.slice(3, 5).map((message) => message["tool_call_id"]),
			made,
		);
		assert.match(made[0] ?? "", /^[a-zA-Z0-9]{9}$/);
		assert.equal(made[1], "fitsSoAs1");
	});

	it("that complains without an envelope, as vLLM and Mistral do, is heard", async () => {
		const message = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.";
		const { provider } = await chat([{ fault: { status: 400, body: { object: "error", message, type: "BadRequestError", code: 400 } } }]);
		const { error } = await gather(provider, hello);
		assert.equal(error?.kind, "context");
		assert.match(error?.message ?? "", /maximum context length is 8192/);
	});

	for (const [name, answer, part, expected] of table) {
		it(`that ${name}`, async () => {
			const { server, provider } = await chat(({ number }) => (number === 0 ? answer : { text: "hi" }));
			assert.equal((await gather(provider, request)).text, "hi");
			assert.equal((await gather(provider, request)).text, "hi");
			assert.equal(server.requests.length, 3);
			assert.notDeepEqual(part(server.requests[0]?.body ?? {}), expected);
			for (const { body } of server.requests.slice(1)) assert.deepEqual(part(body), expected);
		});
	}

	it("that does not know the field gets no thinking", async () => {
		const { server, provider } = await chat(({ number }) =>
			number === 0
				? streamed({ reasoning: "Hm" }, { content: "Hi" })
				: number === 1
					? refusing(400, "property 'reasoning' is unsupported")
					: { text: "ok" },
		);
		const events = transcript({ type: "user", text: "Hello" }, ...(await kept(provider, hello)));
		assert.equal((await gather(provider, requestOf(events))).text, "ok");
		assert.deepEqual(messagesIn(server.requests[2])[2], { role: "assistant", content: "Hi" });
	});

	it("that wants the limit by its new name gets it so", async () => {
		const { server, provider } = await chat(({ number }) =>
			number === 0
				? refusing(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
				: { text: "ok" },
		);
		await gather(provider, { ...hello, maxOutput: 7 });
		assert.deepEqual([server.requests[1]?.body["max_completion_tokens"], server.requests[1]?.body["max_tokens"]], [7, undefined]);
	});

	it("is shown images as data", async () => {
		const { server, provider } = await chat([{ text: "hi" }]);
		await gather(provider, request);
		assert.deepEqual(messagesIn(server.requests[0])[1], {
			role: "user",
			content: [
				{ type: "text", text: "Hello" },
				{ type: "image_url", image_url: { url: "data:image/jpeg;base64,/9j/" } },
			],
		});
	});

	it("that fails for another reason is not asked again", async () => {
		const { server, provider } = await chat(() => refusing(503, "stream_options"));
		assert.equal((await gather(provider, request)).error?.kind, "overloaded");
		assert.equal(server.requests.length, 1);
	});

	it("that leaves thinking out of its output counts it in the total", async () => {
		const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 114, completion_tokens_details: { reasoning_tokens: 100 } };
		const { provider } = await chat([
			{ fault: { body: `data: ${JSON.stringify({ choices: [{ delta: { content: "Hi" }, finish_reason: "stop" }], usage })}\n\n` } },
		]);
		assert.deepEqual((await gather(provider, hello)).chunks.at(-2), { type: "usage", usage: { input: 10, output: 104 } });
	});
});
