// Thinking over the Messages API: its parameters, and its way back in later requests.
import assert from "node:assert/strict";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import { openTestApp } from "../../fakes/testApp.ts";
import { answerTo, bodyOf, CALLS, MARK, messagesIn, provider, TOOL } from "./anthropicFixture.ts";
import { hello, joined, requestOf, transcript } from "./helpers.ts";
import { closeServers, serve } from "./serving.ts";

describe("the Anthropic provider", () => {
	afterEach(closeServers);

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

		it("stays in its place through a long turn of the whole app, and each request only adds to the one before", async () => {
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
			const app = await openTestApp({ model: provider(server.url), files: { "a.ts": "x\n".repeat(50) } });
			try {
				const { sessionId } = await app.sessions.create({});
				const session = await app.sessions.get(sessionId);
				assert.equal((await session.send("Look around")).outcome, "done");
				assert.equal((await session.send("Again")).outcome, "done");
			} finally {
				await app.close();
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
});
