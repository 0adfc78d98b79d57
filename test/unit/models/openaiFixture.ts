// OpenAI's provider against a fake model server.
import type { EventBody } from "../../../src/core/events.ts";
import { createOpenAiProvider, type OpenAiOptions } from "../../../src/models/openai/openai.ts";
import type { ScriptedAnswer } from "../../fakes/modelServer/script.ts";
import { gather, hello } from "./helpers.ts";
import { KEY, serve } from "./serving.ts";

export const provider = (url: string, more: Partial<OpenAiOptions> = {}) =>
	createOpenAiProvider({ id: "openai", baseUrl: url, apiKey: async () => KEY, ...more });

export const answerOf = async (answer: ScriptedAnswer, more: Partial<OpenAiOptions> = {}) =>
	gather(provider((await serve([answer])).url, more), hello);

export const read = { name: "read_file", description: "Read.", parameters: { type: "object", properties: { path: { type: "string" } } } };
export const whole: ScriptedAnswer = {
	thinking: "I should look first.",
	text: "I will read it: größer → 日本 first.",
	calls: [
		{ name: "read_file", input: { path: "src/a.ts" }, id: "call_a" },
		{ name: "read_file", input: { path: 'b "2".ts' }, id: "call_b" },
	],
	usage: { input: 120, output: 30, cached: 64 },
};
export const says = (text: string): EventBody => ({ type: "user", text });
