// A model provider that answers from a script: the next answer, or a function of the request.
import type { Usage } from "../../src/core/events.ts";
import type { ModelChunk, ModelProvider, ModelRequest } from "../../src/core/ports/model.ts";

export interface ScriptedAnswer {
	text?: string;
	/** Sent before the text. */
	thinking?: string;
	calls?: { name: string; input: unknown; id?: string }[];
	/** Arguments as raw text, for calls that are not valid JSON. */
	raw?: { name: string; arguments: string }[];
	/** Thrown after what stands above has been sent, and the usage if there is any. */
	error?: Error;
	/** `null`: the provider reports none. */
	usage?: Usage | null;
	stop?: Extract<ModelChunk, { type: "stop" }>["reason"];
	/** Awaited before the answer begins. */
	until?: Promise<unknown>;
}

export type Script = readonly ScriptedAnswer[] | ((request: ModelRequest, call: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

export interface ScriptedModel extends ModelProvider {
	requests: ModelRequest[];
	/** Resolves once it is asked for the first time: what is said from then on waits for the turn's next step. */
	asked: Promise<void>;
}

export function scriptedModel(script: Script): ScriptedModel {
	const requests: ModelRequest[] = [];
	let calls = 0;
	let tell: () => void = () => undefined;
	const asked = new Promise<void>((resolve) => {
		tell = resolve;
	});
	return {
		id: "scripted",
		requests,
		asked,
		models: async () => [{ id: "scripted/one", name: "Scripted" }],
		async *stream(request, signal) {
			requests.push({ ...request, events: structuredClone([...request.events]) });
			tell();
			const number = requests.length - 1;
			const answer = typeof script === "function" ? await script(request, number) : (script[number] ?? { text: "Done." });
			if (answer.until) await Promise.race([answer.until, aborted(signal)]);
			signal.throwIfAborted();
			if (answer.thinking !== undefined) yield { type: "thinking", text: answer.thinking };
			for (const word of answer.text ? answer.text.split(/(?<=\s)(?=\S)/) : []) yield { type: "text", text: word };
			for (const { id, name, input } of answer.calls ?? []) {
				calls += 1;
				yield { type: "call", id: id ?? `call_${calls}`, name, arguments: JSON.stringify(input) };
			}
			for (const { name, arguments: raw } of answer.raw ?? []) {
				calls += 1;
				yield { type: "call", id: `call_${calls}`, name, arguments: raw };
			}
			const usage = answer.usage === undefined && !answer.error ? { input: 100, output: 10 } : answer.usage;
			if (usage) yield { type: "usage", usage };
			if (answer.error) throw answer.error;
			yield { type: "stop", reason: answer.stop ?? (answer.calls || answer.raw ? "calls" : "end") };
		},
	};
}

function aborted(signal: AbortSignal): Promise<never> | undefined {
	if (signal.aborted) return undefined;
	return new Promise((_, reject) => {
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
	});
}
