// Tests that a body from what was written before is the body of the same request written anew.
import assert from "node:assert/strict";
import type { EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import type { ModelProvider, ModelRequest } from "../../../src/core/ports/model.ts";
import { createAnthropicProvider } from "../../../src/models/anthropic/anthropic.ts";
import { createOpenAiCompatibleProvider, createOpenAiProvider } from "../../../src/models/openai/openai.ts";
import { gather, randomFrom, requestOf, transcript } from "./helpers.ts";

/** The last body that was sent. */
let sent = "";
const network: typeof fetch = async (_, init) => {
	sent = Buffer.from(init?.body as Uint8Array).toString();
	return new Response("{}", { status: 503 });
};
const options = { id: "x", baseUrl: "http://127.0.0.1:9/v1", apiKey: async () => "key", fetch: network };
const formats: Record<string, ModelProvider> = {
	"chat of OpenAI": createOpenAiProvider({ ...options, api: "chat" }),
	"compatible chat": createOpenAiCompatibleProvider(options),
	responses: createOpenAiProvider(options),
	messages: createAnthropicProvider(options),
};

async function bodyOf(provider: ModelProvider, request: ModelRequest): Promise<string> {
	sent = "";
	await gather(provider, request);
	return sent;
}

type Random = (below: number) => number;

/** The n-th event of a transcript that may hold anything. */
function eventAt(n: number, random: Random): EventBody {
	const pick = <T>(...given: T[]): T => given[random(given.length)] as T;
	const text = pick("x", "größer 日本", "cut \ud800 off", "  ", "", 'q"\\\n', "long ".repeat(random(30)));
	const image = () => ({ blob: `b${random(30)}`, size: 10, mime: pick("image/png", "image/tiff") });
	const images = random(3) === 0 ? Array.from({ length: 1 + random(2) }, image) : [];
	const signed = { format: "anthropic", seal: "s", parts: [{ thinking: [0, 2], signature: "s" }, { text: [0, text.length] }] };
	const own = { format: "chat", from: "http://127.0.0.1:9 m", field: "reasoning" };
	const call = (id: string) => ({ id: `${id}${n}`, name: "read file", input: pick<unknown>({ path: text }, "raw", {}) });
	const kinds: EventBody[] = [
		{ type: "user", text, images },
		{ type: "assistant", text, thinking: "th", opaque: pick<unknown>(signed, own, undefined) },
		{ type: "assistant", text, calls: [call("c"), call("d")] },
		{ type: "result", call: `c${n - 1}`, status: "ok", output: text, images },
		{ type: "result", call: `${pick("c", "d")}${n - 1 - random(2)}`, status: "error", output: text },
		{ type: "result", call: `d${n - 2}`, status: "ok", output: text },
		{ type: "started", agent: pick("default", "default", "other"), definitionHash: "", role: "planner", model: "m" },
		{ type: "status", level: "warning", text },
		{ type: "compacted", archive: "a", summary: text },
		{ type: "ended", outcome: "done" },
	];
	return pick(...kinds);
}

describe("a body from what was written before", () => {
	it("is the body of the same request written anew, through edits, rewinds, images and switches", async () => {
		let compared = 0;
		for (let round = 1; round <= 60; round += 1) {
			const random = randomFrom(round);
			let events: TranscriptEvent[] = transcript(...Array.from({ length: 50 }, (_, n) => eventAt(n, random)));
			let gone = new Set<string>();
			let request = requestOf([]);
			const tools = [{ name: "t", description: "“d”", parameters: { messages: [], input: [] } }];
			const changes: ((at: number) => void)[] = [
				() => (gone = new Set([...gone, `b${random(30)}`])),
				() => (gone = new Set()),
				() => (request = { ...request, model: request.model === "m" ? "claude-sonnet-4-6" : "m" }),
				() => (request = { ...request, effort: request.effort === "low" ? "none" : "low" }),
				() => (request = { ...request, tools: request.tools.length === 0 ? tools : [] }),
				() => (request = { ...request, system: request.system === "" ? "Another\ud800." : "" }),
				// A branch is hidden.
				(at) => (events = events.filter((_, index) => index < at - 3 || index >= at)),
				// Output is trimmed.
				(at) => (events = events.map((event, index) => (index < at && event.type === "result" ? { ...event, output: "-" } : event))),
			];
			for (let length = 1; length <= events.length; length += 1 + random(3)) {
				if (random(6) === 0) changes[random(changes.length)]?.(random(length));
				const image = async ({ blob }: { blob: string }) => (gone.has(blob) ? undefined : Buffer.from(blob));
				const now: ModelRequest = { ...request, events: events.slice(0, length), ...(random(8) > 0 && { image }) };
				for (const [name, provider] of Object.entries(formats).filter(() => random(2) === 0)) {
					const continued = await bodyOf(provider, now);
					// Copies are new to everything that remembers.
					const anew = await bodyOf(provider, { ...now, events: structuredClone(now.events) });
					assert.equal(continued, anew, `round ${round}, ${length} events, ${name}`);
					assert.equal(continued, JSON.stringify(JSON.parse(continued)), name);
					compared += 1;
				}
			}
		}
		assert.ok(compared > 1_000, `${compared} were compared`);
	});

	for (const [name, provider] of Object.entries(formats)) {
		it(`holds each event's text from its first request on, as ${name}`, async () => {
			const reads = new Map<string, number>();
			/** An event that counts how often its text is read. */
			const watch = (event: TranscriptEvent): TranscriptEvent =>
				Object.defineProperty({ ...event }, "text", {
					enumerable: true,
					get() {
						reads.set(event.id, (reads.get(event.id) ?? 0) + 1);
						return `Said in ${event.id}.`;
					},
				}) as TranscriptEvent;
			const said = (n: number): EventBody => ({ type: n % 2 ? "assistant" : "user", text: "" });
			const events = transcript(...Array.from({ length: 40 }, (_, n) => said(n))).map(watch);
			let read: Map<string, number> | undefined;
			for (let length = 21; length <= 39; length += 2) {
				const body = await bodyOf(provider, requestOf(events.slice(0, length)));
				for (const { id } of events.slice(0, length)) assert.equal(body.split(`"Said in ${id}."`).length, 2);
				for (const [id, times] of read ?? []) assert.equal(reads.get(id), times, `${id} with ${length} events`);
				read = new Map(reads);
			}
			assert.equal(read?.size, 39);
		});
	}
});
