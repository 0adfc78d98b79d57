// Tests that a request uses the connection of the answer before it.
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ModelProvider } from "../../../src/core/ports/model.ts";
import { createAnthropicProvider } from "../../../src/models/anthropic/anthropic.ts";
import { createOpenAiProvider } from "../../../src/models/openai/openai.ts";
import { createDeferred } from "../../fakes/deferred.ts";
import { gather, hello } from "./helpers.ts";
import { closeServers, serve } from "./serving.ts";

const apiKey = async () => "key";
const formats: Record<string, (baseUrl: string) => ModelProvider> = {
	chat: (baseUrl) => createOpenAiProvider({ id: "x", baseUrl, apiKey, api: "chat" }),
	responses: (baseUrl) => createOpenAiProvider({ id: "x", baseUrl, apiKey, api: "responses" }),
	messages: (baseUrl) => createAnthropicProvider({ id: "x", baseUrl, apiKey }),
};

/** Resolves once the network has read a response to its end, or has given it up. */
function nextEnd(): Promise<void> {
	const names = ["undici:request:trailers", "undici:request:error"];
	return new Promise((resolve) => {
		const ended = () => {
			for (const name of names) unsubscribe(name, ended);
			// The connection becomes free in the next cycle of the event loop.
			setImmediate(() => setImmediate(resolve));
		};
		for (const name of names) subscribe(name, ended);
	});
}

describe("the connection of an answer", () => {
	after(closeServers);

	for (const [name, provider] of Object.entries(formats)) {
		it(`carries the next requests, too, as ${name}`, async () => {
			let body = createDeferred();
			const server = await serve(() => ({ text: "Hi", ending: body.until }));
			const model = provider(server.url);
			for (let request = 0; request < 4; request += 1) {
				body = createDeferred();
				const ended = nextEnd();
				// The answer is whole before its body ends.
				const got = await gather(model, hello);
				assert.deepEqual([got.text, got.error], ["Hi", undefined]);
				body.open();
				await ended;
			}
			assert.deepEqual([server.requests.length, server.connections()], [4, 1]);
		});
	}
});
