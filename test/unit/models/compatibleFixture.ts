// The OpenAI-compatible provider against a fake model server, and a whole answer.
import { createOpenAiCompatibleProvider, type OpenAiCompatibleOptions } from "../../../src/models/openai/openai.ts";
import type { ScriptedAnswer } from "../../fakes/modelServer/script.ts";
import { type Gathered, gather, hello } from "./helpers.ts";
import { KEY, serve } from "./serving.ts";

export function provider(url: string, more: Partial<OpenAiCompatibleOptions> = {}) {
	return createOpenAiCompatibleProvider({ id: "fake", baseUrl: url, apiKey: async () => KEY, ...more });
}

export async function answerOf(answer: ScriptedAnswer, more: Partial<OpenAiCompatibleOptions> = {}): Promise<Gathered> {
	const server = await serve([answer]);
	return gather(provider(server.url, more), hello);
}

export const raw = (...events: unknown[]): ScriptedAnswer => ({
	fault: { body: events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("") },
});
export const delta = (fields: object, reason: string | null = null) => ({ choices: [{ delta: fields, finish_reason: reason }] });

export const whole: ScriptedAnswer = {
	text: "I will read it: größer → 日本 first.",
	calls: [
		{ name: "read_file", input: { path: "src/a.ts" }, id: "call_a" },
		{ name: "update_file", input: { path: "src/a.ts", old: 'x = "1"', new: "x = 2" }, id: "call_b" },
	],
	usage: { input: 120, output: 30 },
};
export const wholeChunks = [
	{ type: "text", text: "I will read it: größer → 日本 first." },
	{ type: "call", id: "call_a", name: "read_file", arguments: '{"path":"src/a.ts"}' },
	{ type: "call", id: "call_b", name: "update_file", arguments: '{"path":"src/a.ts","old":"x = \\"1\\"","new":"x = 2"}' },
	{ type: "usage", usage: { input: 120, output: 30 } },
	{ type: "stop", reason: "calls" },
];
