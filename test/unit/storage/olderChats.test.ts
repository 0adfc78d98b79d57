// Chats from before events had a type: every ordinary line loads as what it is, and reaches the model.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import { toConversationMessages } from "../../../src/models/wire/conversationMessages.ts";
import { cleanUp, newFolder, openStore, transcriptOf } from "./support.ts";

const OPENAI = { id: "c1", type: "function", function: { name: "read_file", arguments: '{"path":"a.ts"}' } };
const LINES = [
	{ role: "User", content: "Read a.ts", created_at: 1_700_000_000 },
	{ role: "Assistant", content: null, tool_calls: [OPENAI], created_at: 1_700_000_001_000 },
	{ role: "Tool", tool_call_id: "c1", content: "const a = 1;", created_at: "1700000002" },
	{ role: "assistant", content: [], tool_calls: [{ id: "c2", name: "search_code", arguments: "{broken" }] },
	{ role: "tool", content: [], tool_result: { tool_call_id: "c2", result: "no match", is_error: true } },
	{ role: "assistant", content: [{ type: "text", text: "It is one." }], message_type: "text" },
	{ role: "user", content: [{ type: "text", text: "And b?" }], agent_role: "planner" },
	{
		role: "assistant",
		content: [
			{ type: "thinking", thinking: "Two at once." },
			{ type: "tool_use", id: "c3", name: "read_file", input: { path: "b.ts" } },
			{ type: "tool_use", id: "c4", name: "read_file", input: { path: "c.ts" } },
		],
	},
	{
		role: "user",
		content: [
			{ type: "tool_result", tool_use_id: "c3", content: [{ type: "text", text: "b" }] },
			{ type: "tool_result", tool_use_id: "c4", content: "c", is_error: false },
		],
	},
	{ role: "SYSTEM", content: "You are helpful." },
	{ role: "assistant", content: "" },
	{ role: "assistant", content: "Both read.", createdAt: "2024-01-01T00:00:00Z" },
];

describe("a chat from before events", () => {
	cleanUp();

	async function load(lines: readonly object[]) {
		const root = await newFolder();
		const path = transcriptOf(root, "old");
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
		return openStore(root).read("old");
	}

	it("loads without a damaged line, each as what it is", async () => {
		const { events, damaged } = await load(LINES);
		assert.equal(damaged, 0);
		assert.deepEqual(
			events.map(({ seq }) => seq),
			events.map((_, index) => index + 1),
		);
		const kinds = events.map((event) => `${event.by} ${event.type}`);
		const call = ["model assistant", "host result"];
		assert.deepEqual(kinds, [
			...["person user", ...call, ...call, "model assistant", "person user", "model assistant", "host result", "host result"],
			...["host status", "model assistant", "model assistant"],
		]);
		assert.deepEqual(
			events.slice(0, 3).map(({ at }) => at),
			["2023-11-14T22:13:20.000Z", "2023-11-14T22:13:21.000Z", "2023-11-14T22:13:22.000Z"],
		);
		const state = events.reduce<ReturnType<typeof createTranscript>>(
			(before, event: TranscriptEvent) => applyEvent(before, event),
			createTranscript(),
		);
		const calls = [...state.calls.values()].map((entry) => [entry.call.name, entry.call.input, entry.result?.status, entry.result?.output]);
		assert.deepEqual(calls, [
			["read_file", { path: "a.ts" }, "ok", "const a = 1;"],
			["search_code", "{broken", "error", "no match"],
			["read_file", { path: "b.ts" }, "ok", "b"],
			["read_file", { path: "c.ts" }, "ok", "c"],
		]);
		assert.equal(state.role, "actor");
	});

	it("reaches the model: words, calls and their results in pairs", async () => {
		const said = toConversationMessages((await load(LINES)).events);
		assert.deepEqual(
			said.map((each) => (each.by === "tools" ? each.results.map(({ call }) => call).join() : `${each.by}: ${each.text}`)),
			[
				"person: Read a.ts",
				"model: ",
				"c1",
				"model: ",
				"c2",
				"model: It is one.",
				"person: And b?",
				"model: ",
				"c3,c4",
				"model: Both read.",
			],
		);
	});

	it("counts as damaged what is no message", async () => {
		const { events, damaged } = await load([{ role: "user" }, { role: 7, content: "x" }, { role: "user", content: 7 }, { hello: "x" }]);
		assert.deepEqual([events.length, damaged], [0, 4]);
	});
});
