// Anthropic's provider against a fake model server: a gathered answer, or the body of the request.
import assert from "node:assert/strict";
import type { ModelProvider, ModelRequest } from "../../../src/core/ports/model.ts";
import { type AnthropicOptions, createAnthropicProvider } from "../../../src/models/anthropic/anthropic.ts";
import type { ScriptedAnswer } from "../../fakes/modelServer/script.ts";
import { type Gathered, gather, hello } from "./helpers.ts";
import { serve } from "./serving.ts";

export const provider = (url: string, more: Partial<AnthropicOptions> = {}): ModelProvider =>
	createAnthropicProvider({ id: "anthropic", baseUrl: url, apiKey: async () => KEY, ...more });

export async function answerTo(answer: ScriptedAnswer, request = hello, more: Partial<AnthropicOptions> = {}): Promise<Gathered> {
	const server = await serve([answer]);
	return gather(provider(server.url, more), request);
}

/** What goes out for a request, without an answer that matters. */
export async function bodyOf(request: ModelRequest, more: Partial<AnthropicOptions> = {}) {
	const server = await serve([{ text: "hi" }]);
	const got = await gather(provider(server.url, more), request);
	assert.equal(got.error, undefined);
	return { body: server.requests[0]?.body ?? {}, headers: server.requests[0]?.headers ?? {} };
}

type Content = Record<string, unknown>;
export const messagesIn = (body: Record<string, unknown>) => body["messages"] as { role: string; content: Content[] }[];

export const KEY = "sk-ant-secret-0123456789";
export const MARK = { type: "ephemeral" };
export const TOOL = { name: "read_file", description: "Read.", parameters: { type: "object", properties: { path: { type: "string" } } } };
export const CALLS = [
	{ name: "read_file", input: { path: "src/a.ts" }, id: "toolu_a" },
	{ name: "list", input: {}, id: "toolu_b" },
];
