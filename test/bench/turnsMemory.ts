// Runs turns in one session of the real app with a chat attached, and reports the remaining memory.

// Needs `--expose-gc`.

import type { ChatHost } from "../../src/chat/chatHost.ts";
import { createChatController } from "../../src/chat/controller.ts";
import type { ModelChunk, ModelProvider } from "../../src/core/ports/model.ts";
import { openTestApp } from "../fakes/testApp.ts";

const TURNS = Number(process.argv[2]);
/** Until code is compiled and pools are filled. */
const WARMING = 50;
const FILE = Array.from({ length: 60 }, (_, line) => `export const line${line} = "some words";`).join("\n");

const collect = (globalThis as { gc?: () => void }).gc;
if (!collect) throw new Error("Run it with --expose-gc.");

/** Reads a file, then says so. */
const model: ModelProvider = {
	id: "bench",
	models: async () => [],
	async *stream({ events }): AsyncGenerator<ModelChunk> {
		const reads = events.at(-1)?.type === "started";
		if (reads) yield { type: "call", id: `read_${events.length}`, name: "read_file", arguments: '{"path":"src/lines.ts"}' };
		else for (let word = 0; word < 40; word += 1) yield { type: "text", text: `word${word} ` };
		yield { type: "usage", usage: { input: events.length * 200, output: 60 } };
		yield { type: "stop", reason: reads ? "calls" : "end" };
	},
};

const app = await openTestApp({ model, files: { "src/lines.ts": FILE } });
let posted = 0;
const host = {
	post: () => (posted += 1),
	shown: () => undefined,
	health: () => undefined,
	notify: () => undefined,
	pageFocus: () => undefined,
} as unknown as ChatHost;
const chat = createChatController(app, host);
await chat.handle({ type: "ready" });
const session = await app.sessions.get(chat.sessionId as string);
for (let turn = 0; turn < WARMING; turn += 1) await session.send(`Read it, ${turn}`);
const start = await resident();
const began = Date.now();
for (let turn = 0; turn < TURNS; turn += 1) {
	const { outcome } = await session.send(`Read it once more, ${turn}`);
	if (outcome !== "done") throw new Error(`turn ${turn} ended: ${outcome}`);
}
const seconds = Math.round((Date.now() - began) / 1_000);
const end = await resident();
const heap = { start: start.heap, end: end.heap };
console.log(JSON.stringify({ start: start.size, end: end.size, heap, events: session.state.events.length, posted, seconds }));
chat.dispose();
await app.close();
process.exit();

/** In MB, once what is not needed is gone. */
async function resident(): Promise<{ size: number; heap: number }> {
	for (let round = 0; round < 5; round += 1) {
		collect?.();
		await new Promise((resolve) => setImmediate(resolve));
	}
	const { rss, heapUsed, external } = process.memoryUsage();
	return { size: rss / 1_000_000, heap: (heapUsed + external) / 1_000_000 };
}
