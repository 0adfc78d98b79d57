// Tests what a call returns: the answer, how it was made, and how it failed.

import assert from "node:assert/strict";
import type { CallView } from "../../../../src/core/caller.ts";
import { UserError } from "../../../../src/core/userError.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { type AgentScript, answersOf, calling, closeTestCalls, LIMITS, openTestCalls } from "./testCalls.ts";

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const read = { calls: [{ name: "list_directory", input: { path: "." } }] };

/** What a call answers, and the view of its card. */
async function callB(b: AgentScript, options: Parameters<typeof openTestCalls>[1] = {}) {
	const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b }, options);
	assert.equal((await setup.caller.send("Ask b")).outcome, "done");
	const [answer] = answersOf(setup.caller);
	const [call] = [...setup.caller.state.calls.values()];
	assert.ok(answer && call?.result?.view?.kind === "agent");
	const view: CallView = call.result.view;
	return { setup, answer, view, status: call.result.status, output: call.result.output };
}

/** The seconds of b's tool calls, where so many go by after each event of b; what it asks is allowed. */
async function secondsOf(b: AgentScript, passing: (event: { type: string; results: number; begun: number }) => number) {
	const setup = await openTestCalls(
		{ a: [calling("b"), { text: "End." }], b, c: [{ text: "C." }], d: [{ text: "D." }] },
		{ role: "actor", settings: { approval: "ask", delegation: { ...LIMITS, maxDepth: 2 } } },
	);
	let [results, begun, called] = [0, 0, ""];
	setup.app.sessions.listen({
		event(id, { type }) {
			if (called === "" && type === "started" && id !== setup.caller.sessionId) called = id;
			if (id !== called) return;
			if (type === "result") results += 1;
			if (type === "delegated") begun += 1;
			setup.clock.ahead += passing({ type, results, begun }) * 1_000;
			if (type === "asked") void setup.app.sessions.get(id).then((session) => setup.answer(session, { allow: true }));
		},
	});
	await setup.caller.send("Ask b");
	const calls = answersOf(setup.caller).flatMap((answer) => answer["toolCalls"] as { durationMs: number }[]);
	return calls.map(({ durationMs }) => Math.round(durationMs / 1_000));
}

describe("the answer of a call", () => {
	afterEach(closeTestCalls);

	it("is whole up to 16,000 characters", async () => {
		const text = `${"x".repeat(15_999)}.`;
		const { answer } = await callB([{ text }]);
		assert.deepEqual([answer["response"], answer["truncated"]], [text, undefined]);
	});

	it("keeps its beginning and end beyond them, and says that it is truncated", async () => {
		const { answer } = await callB([{ text: `Begin${"x".repeat(15_993)}End` }]);
		const response = String(answer["response"]);
		assert.equal(answer["truncated"], true);
		assert.match(response, /^Beginx{7995}\n\[… 1 characters left out …\]\nx{7997}End$/);
	});

	it("of 10 MB is shortened as well, without a broken character", async () => {
		const { answer, output } = await callB([{ text: `Begin${"😀x".repeat(3_500_000)}End` }]);
		const response = String(answer["response"]);
		assert.equal(answer["status"], "complete", output.slice(0, 2_000));
		assert.ok(response.length < 16_100, `${response.length} characters`);
		assert.match(response, /^Begin😀[\s\S]*xEnd$/u);
		assert.doesNotMatch(response, LONE);
		assert.ok(Buffer.byteLength(output) <= 96_000);
	}).timeout(30_000);

	it("is whole up to 16,000 characters, whatever the language", async () => {
		const text = `始${"漢".repeat(15_998)}終`;
		const { answer } = await callB([{ text }]);
		assert.deepEqual([answer["response"], answer["truncated"]], [text, undefined]);
	});

	it("stays JSON, with a shorter response, where it is as large as it can be", async () => {
		const calls = Array.from({ length: 100 }, (_, n) => ({ name: "漢".repeat(200), input: { n } }));
		const { answer, output } = await callB([{ calls, thinking: "漢".repeat(3_000) }, { text: `始${"漢".repeat(20_000)}終` }]);
		const response = String(answer["response"]);
		assert.equal(answer["truncated"], true, output.slice(0, 2_000));
		assert.ok(response.startsWith("始漢") && response.endsWith("漢終") && response.length > 9_000, `${response.length}`);
		assert.ok(Buffer.byteLength(output) <= 96_000, `${Buffer.byteLength(output)} bytes`);
	});

	it("has no hidden characters", async () => {
		const { answer } = await callB([{ text: "Visible\u{e0041}\u202e text", thinking: "Th\u200bought" }]);
		assert.deepEqual([answer["response"], answer["thinkingText"]], ["Visible text", "Thought"]);
	});

	it("is the last text of the turn, with its tool calls, their durations, and the turn's id", async () => {
		const { setup, answer, view } = await callB([{ text: "I look.", ...read }, { ...read }, { text: "Two files." }]);
		const calls = answer["toolCalls"] as { name: string; durationMs: number }[];
		assert.deepEqual([answer["response"], answer["toolCallCount"]], ["Two files.", 2]);
		assert.ok(calls.every(({ name, durationMs }) => name === "list_directory" && durationMs >= 0));
		assert.equal(typeof answer["durationMs"], "number");
		const { turn } = await setup.event("b", "started");
		assert.equal(answer["responseId"], turn);
		assert.deepEqual([view.turn, view.tools?.length, view.text], [turn, 2, "Two files."]);
	});

	it("has the beginning of the thinking, at most 2,000 characters", async () => {
		const { answer } = await callB([
			{ ...read, thinking: "First. " },
			{ text: "Done.", thinking: "y".repeat(1_000_000) },
		]);
		assert.equal(answer["thinkingText"], `First. ${"y".repeat(1_993)}`);
	});

	it("has the time of each tool call alone, where one follows the other", async () => {
		const both = { calls: [".", "../../session/delegation/"].map((path) => ({ name: "list_directory", input: { path } })) };
		const seconds = await secondsOf([both, { text: "Done." }], ({ type, results }) =>
			type === "assistant" && results === 0 ? 10 : type === "result" && results === 1 ? 1 : 0,
		);
		assert.deepEqual(seconds, [10, 1]);
	});

	it("has the time of tool calls that run at the same time", async () => {
		const both = { calls: ["c", "d"].map((agentId) => ({ name: "agents_message", input: { agentId, content: "Do it" } })) };
		const seconds = await secondsOf([both, { text: "Done." }], ({ type, results, begun }) =>
			type === "delegated" && begun === 2 ? 10 : type === "result" && results === 1 ? 1 : 0,
		);
		assert.deepEqual(seconds, [10, 11]);
	});

	it("has the time of a tool call without that in which it waits for the user", async () => {
		const touch = { calls: [{ name: "execute_command", input: { command: "touch made" } }] };
		const seconds = await secondsOf([touch, { text: "Done." }], ({ type }) => (type === "asked" ? 60 : type === "answered" ? 5 : 0));
		assert.deepEqual(seconds, [5]);
	});

	it("lists at most 100 tool calls, and counts all of them", async () => {
		const many = { calls: Array.from({ length: 101 }, (_, n) => ({ name: "read_file", input: { path: `${n}.txt` } })) };
		const { answer } = await callB([many, { text: "Done." }]);
		assert.deepEqual([answer["toolCallCount"], (answer["toolCalls"] as unknown[]).length], [101, 100]);
	});

	it("has short names of tool calls without hidden characters, whatever the model called", async () => {
		const [hidden, long, wide] = ["\u{e0041}no\u202ene", "x".repeat(20_000), "漢".repeat(20_000)];
		const names = [hidden, long, ...Array.from({ length: 98 }, () => wide)];
		const many = { calls: names.map((name, n) => ({ name, input: { n } })) };
		const { answer, view, output } = await callB([many, { text: `Begin${"z".repeat(12_000)}End` }]);
		const listed = answer["toolCalls"] as { name: string }[];
		const shown = ["none", "x".repeat(128), "漢".repeat(128)];
		assert.deepEqual([answer["toolCallCount"], listed.slice(0, 3).map(({ name }) => name)], [100, shown]);
		assert.deepEqual(
			view.tools?.slice(0, 3).map(({ name }) => name),
			shown,
		);
		assert.ok(Buffer.byteLength(output) <= 96_000, `${Buffer.byteLength(output)} bytes`);
	});

	it("may be empty", async () => {
		const { answer } = await callB([{ text: "" }]);
		assert.deepEqual([answer["status"], answer["response"]], ["complete", ""]);
	});

	it("counts what the called turn used, with what it called itself, at the calling session", async () => {
		const setup = await openTestCalls(
			{
				a: [calling("b"), { text: "End." }],
				b: [
					{ ...calling("c"), usage: { input: 10, output: 1 } },
					{ text: "B.", usage: { input: 20, output: 2 } },
				],
				c: [{ text: "C.", usage: { input: 400, output: 40 } }],
			},
			{ settings: { delegation: { maxDepth: 2, timeout: 300, maxConcurrent: 4, maxTokens: 1_000_000 } } },
		);
		await setup.caller.send("Ask b");
		const { input, output } = setup.caller.state.calledUsage;
		assert.deepEqual([input, output], [430, 43]);
	});
});

describe("a call that fails", () => {
	afterEach(closeTestCalls);

	it("says why, what was kept, and how to go on", async () => {
		const { setup, answer, view, status } = await callB([
			{ text: "I begin.", ...read },
			{ error: new UserError("The server is on fire.") },
		]);
		const { sessionId } = await setup.sessionOf("b");
		assert.deepEqual([answer["status"], status, view.status, view.outcome], ["error", "error", "error", "failed"]);
		assert.equal(
			answer["message"],
			`It failed. The server is on fire. What it did until then was kept. To go on from there, call it with session "${sessionId}".`,
		);
		assert.deepEqual([answer["response"], answer["sessionId"], answer["toolCallCount"]], ["I begin.", sessionId, 1]);
	});

	it("says that the person stopped it", async () => {
		const { until } = createDeferred();
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [{ text: "Hi.", until }] });
		const turn = setup.caller.send("Ask b");
		await (await setup.sessionOfCalled("b")).cancel();
		assert.equal((await turn).outcome, "done");
		assert.match(String(answersOf(setup.caller)[0]?.["message"]), /^It was stopped by the person\. What it did until then was kept/);
	});

	it("says that it reached a limit", async () => {
		const { answer, view } = await callB([read], { settings: { maxSteps: 2 } });
		assert.match(String(answer["message"]), /^It reached its limit before it was done\. This turn reached the limit of 2 model calls/);
		assert.equal(view.outcome, "limit");
	});

	it("says that the model refused", async () => {
		const { answer } = await callB([{ text: "", stop: "refused" }]);
		assert.match(String(answer["message"]), /^It failed\. The model's provider refused/);
	});

	it("of a role that the agent may not have anymore says so", async () => {
		const agents = [
			{ agentId: "a", displayName: "A", systemPrompt: "You are the agent <a>." },
			{ agentId: "b", displayName: "B", roles: ["gone"] },
		];
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [] }, { agents });
		assert.equal((await setup.caller.send("Ask b")).outcome, "done");
		assert.equal(answersOf(setup.caller)[0]?.["status"], "error");
	});
});
