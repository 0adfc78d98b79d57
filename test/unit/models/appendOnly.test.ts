// Tests that each request of a turn starts with the previous one, in both OpenAI formats.

// Twenty calls in one turn, compared byte for byte.
import assert from "node:assert/strict";
import type { EventBody } from "../../../src/core/events.ts";
import { createOpenAiProvider } from "../../../src/models/openai/openai.ts";
import { startModelServer } from "../../fakes/modelServer/server.ts";
import { gather, requestOf, transcript } from "./helpers.ts";

const CALLS = 20;
const read = { name: "read_file", description: "Read.", parameters: { type: "object", properties: { path: { type: "string" } } } };

describe("requests of a turn", () => {
	for (const [api, list] of [
		["chat", "messages"],
		["responses", "input"],
	] as const) {
		it(`only ever grow at their end, as ${api}`, async () => {
			const server = await startModelServer({
				script: ({ number }) => ({
					thinking: number % 3 ? `Thought ${number}, größer.` : "",
					text: number % 2 ? `Step ${number}.` : "",
					calls: number < CALLS ? [{ name: "read_file", input: { path: `src/${number}.ts`, 日本: '"\\\n' } }] : [],
				}),
			});
			try {
				const provider = createOpenAiProvider({ id: "openai", baseUrl: server.url, apiKey: async () => undefined, api });
				const image = async () => new Uint8Array(5_000).fill(7);
				const events: EventBody[] = [{ type: "user", text: "Go", images: [{ blob: "b", size: 5_000, mime: "image/png" }] }];
				for (let step = 0; step <= CALLS; step++) {
					const got = await gather(provider, { ...requestOf(transcript(...events), [read]), image });
					assert.equal(got.error, undefined);
					const thinking = got.chunks.map((chunk) => (chunk.type === "thinking" ? chunk.text : "")).join("");
					const calls = got.calls.map(({ id, name, arguments: json }) => ({ id, name, input: JSON.parse(json) as unknown }));
					const opaque = got.chunks.find((chunk) => chunk.type === "opaque")?.value;
					events.push({ type: "assistant", text: got.text, thinking, ...(calls.length > 0 && { calls }), opaque });
					for (const { id } of calls) events.push({ type: "result", call: id, status: "ok", output: `Output ${step} of ${id}` });
				}
				assert.equal(server.requests.length, CALLS + 1);
				const parts = server.requests.map(({ body }) => {
					const { [list]: items, ...rest } = body;
					// Without the bracket that closes the list.
					return { items: JSON.stringify(items).slice(0, -1), rest: JSON.stringify(rest) };
				});
				for (const [index, { items, rest }] of parts.slice(1).entries()) {
					assert.equal(rest, parts[index]?.rest, `request ${index + 1}`);
					assert.ok(items.startsWith(parts[index]?.items ?? "?"), `request ${index + 1}`);
					assert.ok(items.length > (parts[index]?.items.length ?? 0));
				}
				if (api === "responses") {
					const items = server.requests.at(-1)?.body["input"] as { type: string }[];
					assert.equal(items.filter(({ type }) => type === "reasoning").length, 13);
				}
			} finally {
				await server.close();
			}
		});
	}
});
