// Host side of the chat for benchmarks: the real app over a real folder, with a session on disk.

import type { ChatHost } from "../../../src/chat/chatHost.ts";
import type { ChatController } from "../../../src/chat/controller.ts";
import { createChatController } from "../../../src/chat/controller.ts";
import type { EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import type { ModelProvider } from "../../../src/core/ports/model.ts";
import type { TaskRecord } from "../../../src/core/task.ts";
import { IntentSchema, type Update } from "../../../src/shared/protocol/chat.ts";
import { type Acknowledgment, readNumbered } from "../../../src/shared/protocol/numbered.ts";
import { scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp } from "../../fakes/testApp.ts";
import { LAST_WORDS, mixedMarkdown } from "./text.ts";

export { LAST_WORDS, mixedMarkdown };

export interface BenchHost {
	chat: ChatController;
	/** A message of the page. */
	receive(message: unknown): void;
	session: string;
	say(text: string): Promise<unknown>;
	close(): Promise<void>;
}

/** A chat on the newest session of `home`, or on a new one. */
export async function openHost(
	home: string,
	post: (update: Update | Acknowledgment) => void,
	model: ModelProvider = scriptedModel([]),
): Promise<BenchHost> {
	const app = await openTestApp({ home, model });
	const known = await app.sessions.list();
	const small = known.find(({ messageCount }) => messageCount === 0) ?? (await app.sessions.create({}));
	const host = new Proxy({ post } as unknown as ChatHost, {
		// Dialogues and editors have no part in this.
		get: (target, name) => (name === "post" ? target.post : () => (name === "focusedFor" ? Promise.resolve(10_000) : undefined)),
	});
	const chat = createChatController(app, host, small.sessionId);
	return {
		chat,
		receive(message) {
			const { number = 0, intent } = readNumbered(message) ?? {};
			const parsed = IntentSchema.safeParse(intent);
			if (parsed.success) void chat.handle(parsed.data, () => post({ type: "acknowledged", number }));
		},
		session: small.sessionId,
		say: async (text) => (await app.sessions.get(small.sessionId)).send(text),
		async close() {
			chat.dispose();
			await app.close();
		},
	};
}

/** 250 turns: 1,000 messages, 200 of them with a block of code, and 1,000 tool calls with 2 KB of output. Returns its id. */
export function writeSession(home: string): Promise<string> {
	return writeTurns(
		home,
		Array.from({ length: 250 }, (_, turn) => [...turnOf(turn)]),
	);
}

/** 500 turns, each with a background task that has finished. Returns its id. */
export async function writeTaskSession(home: string): Promise<string> {
	const tasks = Array.from({ length: 500 }, (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`);
	const sessionId = await writeTurns(
		home,
		tasks.map((task, index) => [...taskTurnOf(task, index)]),
	);
	const app = await openTestApp({ home, model: scriptedModel([]) });
	const at = new Date(Date.UTC(2025, 0, 15)).toISOString();
	const ceiling = ["ReadFiles", "WriteFiles"] as const;
	for (const [index, task] of tasks.entries()) {
		const [turn, call] = [`t${index}`, `c${index}`];
		const caller = { session: sessionId, turn, call, agent: "default", role: "actor", ceiling, depth: 1, chain: ["default"] };
		const spent = { steps: 12, tokens: 40_000, minutes: 3 };
		const record: TaskRecord = { state: "done", caller, type: "general", ceiling, budget: spent, spent, isolation: "never" };
		const summary = { agentId: "task-general", role: "actor", messageCount: 2, name: `Task ${index}`, createdAt: at, updatedAt: at };
		await app.store.create({ ...summary, sessionId: task, kind: "task", task: record });
		const said: EventBody[] = [
			{ type: "user", text: `Do part ${index}.` },
			{ type: "assistant", text: answer(index) },
		];
		for (const [seq, body] of said.entries())
			await app.store.append(task, { id: `e${seq}`, seq: seq + 1, at, by: "host", ...body } as TranscriptEvent);
	}
	await app.close();
	return sessionId;
}

async function writeTurns(home: string, turns: readonly EventBody[][]): Promise<string> {
	const app = await openTestApp({ home, model: scriptedModel([]) });
	const { sessionId } = await app.sessions.create({ name: "Long session" });
	let seq = (await app.store.read(sessionId)).events.length;
	const append = async (body: EventBody, turn: string): Promise<void> => {
		seq += 1;
		const by = body.type === "user" ? "person" : body.type === "assistant" ? "model" : "host";
		const at = new Date(Date.UTC(2025, 0, 15) + seq * 1_000).toISOString();
		await app.store.append(sessionId, { id: `e${seq}`, seq, at, turn, by, ...body } as TranscriptEvent);
	};
	for (const [turn, bodies] of turns.entries()) for (const body of bodies) await append(body, `t${turn}`);
	await app.close();
	return sessionId;
}

function* taskTurnOf(task: string, index: number): Generator<EventBody> {
	const [call, name] = [`c${index}`, `Task ${index}`];
	yield { type: "user", text: `Do part ${index} in the background.` };
	yield { type: "started", agent: "default", definitionHash: "h", role: "actor", model: "scripted/one" };
	yield {
		type: "assistant",
		text: "",
		calls: [{ id: call, name: "spawn_subagent", input: { description: name, input: `Do part ${index}.` } }],
	};
	yield { type: "delegated", call, task, agent: "task-general", depth: 1 };
	yield { type: "task", task, state: "running", name };
	yield {
		type: "result",
		call,
		status: "ok",
		output: JSON.stringify({ taskId: task }),
		view: { kind: "task", task, name, type: "general" },
	};
	yield { type: "task", task, state: "done", name, text: answer(index) };
	yield { type: "assistant", text: index === 499 ? LAST_WORDS : `Part ${index} is done.`, usage: { input: 8_000, output: 300 } };
	yield { type: "ended", outcome: "done" };
}

function* turnOf(turn: number): Generator<EventBody> {
	yield { type: "user", text: `Please look into part ${turn} and tell me what it does and what could be better there.` };
	yield { type: "started", agent: "default", definitionHash: "h", role: "planner", model: "scripted/one" };
	for (const half of [0, 1]) {
		const calls = [0, 1].map((index) => {
			const id = `c${turn}-${half}-${index}`;
			return { id, name: index ? "search_code" : "read_file", input: index ? { pattern: `part${turn}` } : { path: `src/part${turn}.ts` } };
		});
		yield { type: "assistant", text: `I look at **part ${turn}** first, then at who uses \`part${turn}\`.`, calls };
		for (const { id } of calls) {
			const output = `src/part${turn}.ts: export function part(value: number) { return value; }\n`.repeat(40).slice(0, 2_048);
			yield { type: "result", call: id, status: "ok", output, view: { kind: "text", figure: "28 lines" } };
		}
	}
	yield { type: "assistant", text: turn === 249 ? LAST_WORDS : answer(turn), usage: { input: 8_000, output: 300 } };
	yield { type: "ended", outcome: "done" };
}

function answer(turn: number): string {
	const words = `Part ${turn} adds up what it is given and keeps the **last result** in \`cache\`. It is called from three places.\n\n- \`src/cart.ts\` uses it for totals\n- \`src/invoice.ts\` for every line\n`;
	const lines = Array.from({ length: 14 }, (_, index) => `\tconst value${index} = await load("part${turn}", ${index}); // step ${index}`);
	return turn % 5 === 4 ? words : `${words}\n\`\`\`ts\nexport async function part${turn}() {\n${lines.join("\n")}\n}\n\`\`\`\n`;
}

/** Says a text at so many tokens a second; `said` gets the time at which its last piece was given. */
export function pacedModel(text: string, tokensPerSecond: number, said: (at: number) => void): ModelProvider {
	const tokens = text.match(/\s*\S{1,5}/g) ?? [];
	return {
		id: "paced",
		models: async () => [{ id: "paced/one", name: "Paced" }],
		async *stream() {
			const began = performance.now();
			for (let given = 0; given < tokens.length; ) {
				const due = Math.min(tokens.length, Math.ceil(((performance.now() - began) / 1_000) * tokensPerSecond));
				if (due > given) yield { type: "text", text: tokens.slice(given, due).join("") };
				given = Math.max(given, due);
				await new Promise((resolve) => setTimeout(resolve, 10));
			}
			said(Date.now());
			yield { type: "usage", usage: { input: 100, output: tokens.length } };
			yield { type: "stop", reason: "end" };
		},
	};
}
