// Reasoning over the Responses API: its way back in later requests.
import assert from "node:assert/strict";
import type { EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { ModelServer } from "../../fakes/modelServer/server.ts";
import { gather, hello, transcript } from "./helpers.ts";
import { provider, says, whole } from "./openaiFixture.ts";
import { closeServers, serve } from "./serving.ts";

describe("the OpenAI provider", () => {
	afterEach(closeServers);

	describe("reasoning", () => {
		/** The answer as the loop keeps it, then a result for each of its calls. */
		async function kept(server: ModelServer, request: ModelRequest): Promise<EventBody[]> {
			const got = await gather(provider(server.url), request);
			assert.equal(got.error, undefined);
			const calls = got.calls.map(({ id, name, arguments: json }) => ({ id, name, input: JSON.parse(json) as unknown }));
			const opaque = got.chunks.find((chunk) => chunk.type === "opaque")?.value;
			const results = calls.map(({ id }): EventBody => ({ type: "result", call: id, status: "ok", output: `of ${id}` }));
			return [
				{ type: "assistant", text: got.text, ...(calls.length > 0 && { calls }), ...(opaque !== undefined && { opaque }) },
				...results,
			];
		}

		async function twoTurns(change: (events: TranscriptEvent[]) => Partial<ModelRequest> = () => ({})) {
			const server = await serve([whole, { text: "Done." }, { text: "Done." }]);
			const first = await kept(server, hello);
			const events = transcript(says("Hello"), ...first);
			const got = await gather(provider(server.url), { ...hello, events, ...change(events) });
			return { got, input: server.requests.at(-1)?.body["input"] as { type: string }[], server };
		}

		it("goes back in its place, encrypted as it came", async () => {
			const { got, input } = await twoTurns();
			assert.equal(got.text, "Done.");
			assert.deepEqual(input, [
				{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] },
				{
					type: "reasoning",
					id: "rs_0",
					summary: [{ type: "summary_text", text: whole.thinking }],
					encrypted_content: "m:0:SSBzaG91bGQgbG9vayBmaXJzdC4=",
				},
				{ type: "message", role: "assistant", content: [{ type: "output_text", text: whole.text }] },
				{ type: "function_call", call_id: "call_a", name: "read_file", arguments: '{"path":"src/a.ts"}' },
				{ type: "function_call", call_id: "call_b", name: "read_file", arguments: '{"path":"b \\"2\\".ts"}' },
				{ type: "function_call_output", call_id: "call_a", output: "of call_a" },
				{ type: "function_call_output", call_id: "call_b", output: "of call_b" },
			]);
		});

		const plain = ["message", "message", "function_call", "function_call", "function_call_output", "function_call_output"];

		it("stays away from another model", async () => {
			const { got, input } = await twoTurns(() => ({ model: "other" }));
			assert.equal(got.error, undefined);
			assert.deepEqual(
				input.map(({ type }) => type),
				plain,
			);
		});

		for (const [name, opaque] of Object.entries({
			"of another format": { format: "anthropic", from: "x m", items: [{ type: "reasoning", encrypted_content: "m:x" }] },
			"that fits another answer": {
				format: "responses",
				items: [{ type: "reasoning", encrypted_content: "m:x" }, { type: "function_call" }],
			},
			"that was damaged on disk": { format: "responses", items: [null, { type: "message", from: "a" }] },
			"that is no object": "x",
		})) {
			it(`${name} is left out`, async () => {
				const { got, input } = await twoTurns((events) => ({
					events: events.map((event, index) => {
						if (event.type !== "assistant" || index !== 1) return event;
						const from = (event.opaque as { from: string }).from;
						return { ...event, opaque: typeof opaque === "string" ? opaque : { from, ...opaque } };
					}),
				}));
				assert.equal(got.error, undefined);
				assert.deepEqual(
					input.map(({ type }) => type),
					plain,
				);
			});
		}

		it("that the server cannot read any more is left out for the rest of the session", async () => {
			const { got, input, server } = await twoTurns((events) => ({
				events: events.map((event) => JSON.parse(JSON.stringify(event).replace("m:0:", "lost:")) as TranscriptEvent),
			}));
			assert.equal(got.text, "Done.");
			assert.equal(server.requests.length, 3);
			assert.deepEqual(
				input.map(({ type }) => type),
				plain,
			);
		});
	});
});
