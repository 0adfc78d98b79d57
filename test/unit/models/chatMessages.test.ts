// Transcript → chat messages: pairs, notes, and append-only growth.
import assert from "node:assert/strict";
import type { EventBody } from "../../../src/core/events.ts";
import { type ChatCompatibility, type ChatMessage, writeChatMessages } from "../../../src/models/openai/chat.ts";
import { serializeBody } from "../../../src/models/wire/json.ts";
import { randomFrom, transcript } from "./helpers.ts";

/** What a server reads. */
async function toChatMessages(...given: Parameters<typeof writeChatMessages>): Promise<ChatMessage[]> {
	const messages = await writeChatMessages(...given);
	return JSON.parse(Buffer.from(serializeBody({ messages })).toString()).messages;
}

const habits: ChatCompatibility = { serverAndModel: "here m", thinkingPolicy: "own" };
const messagesOf = (...bodies: EventBody[]) => toChatMessages({ system: "", events: transcript(...bodies) }, habits);
const call = (id: string, input: unknown = { path: "a" }) => ({ id, name: "read_file", input });
const sent = (id: string, json = '{"path":"a"}') => ({ id, type: "function", function: { name: "read_file", arguments: json } });
const user = (text: string): EventBody => ({ type: "user", text });
const plan: EventBody = {
	type: "plan",
	planId: "p1",
	version: 2,
	hash: "h",
	basis: { files: [] },
	plan: { goal: "Do it", steps: [{ step_number: 1, action: "Edit" }] },
};

describe("messages of a transcript", () => {
	it("pair every call with its result, in the order of the calls", async () => {
		const got = await messagesOf(
			user("Go"),
			{ type: "assistant", text: "Reading.", calls: [call("1"), call("2")] },
			{ type: "result", call: "2", status: "ok", output: "two" },
			{ type: "result", call: "1", status: "denied", output: "" },
			{ type: "assistant", text: "Done." },
		);
		assert.deepEqual(got, [
			{ role: "user", content: "Go" },
			{ role: "assistant", content: "Reading.", tool_calls: [sent("1"), sent("2")] },
			{ role: "tool", tool_call_id: "1", content: "The person did not allow it." },
			{ role: "tool", tool_call_id: "2", content: "two" },
			{ role: "assistant", content: "Done." },
		]);
	});

	it("show the images of results behind all of them, named by their calls, and say in words what cannot be shown", async () => {
		const events = transcript(
			user("Go"),
			{ type: "assistant", text: "", calls: [call("1"), call("2")] },
			{ type: "result", call: "1", status: "ok", output: "[image 1]", images: [{ blob: "b", size: 3, mime: "image/png" }] },
			{ type: "result", call: "2", status: "ok", output: "two" },
		);
		const image = async () => new Uint8Array([1, 2, 3]);
		const got = await toChatMessages({ system: "", events, image }, habits);
		assert.deepEqual(got.slice(2), [
			{ role: "tool", tool_call_id: "1", content: "[image 1]" },
			{ role: "tool", tool_call_id: "2", content: "two" },
			{
				role: "user",
				content: [
					{ type: "text", text: "[1 image(s) of the result of 1:]" },
					{ type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
				],
			},
		]);
		const blind = await toChatMessages({ system: "", events }, habits);
		assert.deepEqual(blind.slice(2), [
			{ role: "tool", tool_call_id: "1", content: "[image 1]\n\n[1 attached image(s) cannot be shown to this model.]" },
			{ role: "tool", tool_call_id: "2", content: "two" },
		]);
	});

	it("hold back calls that are still open, and close them as unknown once something follows", async () => {
		const open: EventBody[] = [user("Go"), { type: "assistant", text: "", calls: [call("1")] }];
		assert.deepEqual(await messagesOf(...open), [{ role: "user", content: "Go" }]);
		const [, assistant, tool, next] = await messagesOf(...open, user("And?"));
		assert.deepEqual(assistant, { role: "assistant", content: null, tool_calls: [sent("1")] });
		assert.match((tool as { content: string }).content, /Outcome unknown/);
		assert.deepEqual(next, { role: "user", content: "And?" });
	});

	it("send malformed input back as it came", async () => {
		const got = await messagesOf(
			{ type: "assistant", text: "", calls: [call("1", '{"path": oops')] },
			{ type: "result", call: "1", status: "error", output: "Not JSON." },
		);
		assert.deepEqual(got[0], { role: "assistant", content: null, tool_calls: [sent("1", '{"path": oops')] });
	});

	it("put notes and context before the person's next words", async () => {
		const got = await messagesOf(
			plan,
			{ type: "role", role: "actor", plan: { planId: "p1", version: 2, hash: "h" } },
			{ type: "user", text: "Execute the plan", context: "Open file: src/a.ts" },
		);
		assert.deepEqual(got, [
			{
				role: "user",
				content: [
					"[Plan p1, version 2, was shown to the person.]",
					"[The person switched your role to actor.]",
					'[The person approved version 2 of plan p1. Carry out its steps in order and report each with update_step.]\n{"goal":"Do it","steps":[{"step_number":1,"action":"Edit"}]}',
					"Open file: src/a.ts",
					"Execute the plan",
				].join("\n\n"),
			},
		]);
	});

	it("tell of dismissed questions, not of approvals", async () => {
		const got = await messagesOf(
			{ type: "question", request: "q", question: { question: "Which?", allow_custom: true } },
			{ type: "asked", request: "a", call: "1", summary: "Edit", hash: "h", reason: "asks" },
			{ type: "answered", request: "a", answer: { allow: true } },
			{ type: "answered", request: "q", answer: { allow: false } },
			user("Never mind"),
		);
		assert.deepEqual(got, [
			{ role: "user", content: "[Your question was shown to the person: Which?]\n\n[The person dismissed your question]\n\nNever mind" },
		]);
	});

	it("never change what was sent before, whatever happens next", async () => {
		const random = randomFrom(42);
		const kinds: ((n: number) => EventBody)[] = [
			(n) => user(`user ${n}`),
			(n) => ({ type: "assistant", text: n % 3 ? `said ${n}` : "" }),
			(n) => ({ type: "assistant", text: "", calls: [call(`c${n}`), call(`d${n}`)] }),
			(n) => ({ type: "result", call: `${n % 2 ? "c" : "d"}${Math.max(0, n - 1 - random(2))}`, status: "ok", output: `out ${n}` }),
			(n) => ({ type: "result", call: `${n % 2 ? "d" : "c"}${Math.max(0, n - 1 - random(2))}`, status: "error", output: "" }),
			() => ({ type: "started", agent: "default", definitionHash: "", role: "planner", model: "m" }),
			() => plan,
			() => ({ type: "role", role: "actor", plan: { planId: "p1", version: 2, hash: "h" } }),
			(n) => ({ type: "status", level: n % 2 ? "warning" : "info", text: `status ${n}` }),
			(n) => ({ type: "question", request: `q${n}`, question: { question: "?" } }),
			(n) => ({ type: "answered", request: `q${n - 1}`, answer: { value: "yes" } }),
			() => ({ type: "compacted", archive: "a", summary: "before" }),
			() => ({ type: "ended", outcome: "done" }),
		];
		let compared = 0;
		for (let round = 0; round < 100; round++) {
			const events = transcript(...Array.from({ length: 30 }, (_, n) => (kinds[random(kinds.length)] as (n: number) => EventBody)(n)));
			let before: ChatMessage[] = [];
			for (let length = 1; length <= events.length; length++) {
				const now = await toChatMessages({ system: "S", events: events.slice(0, length) }, habits);
				assert.equal(JSON.stringify(now.slice(0, before.length)), JSON.stringify(before), `round ${round}, ${length} events`);
				compared += before.length;
				before = now;
			}
			const answered = new Set(before.flatMap((message) => (message as { tool_call_id?: string }).tool_call_id ?? []));
			const called = before.flatMap((message) => (message as { tool_calls?: { id: string }[] }).tool_calls ?? []).map(({ id }) => id);
			assert.deepEqual(
				called.filter((id) => !answered.has(id)),
				[],
			);
		}
		assert.ok(compared > 10_000);
	});
});
