// Calls of another agent: what comes back, where it is recorded, and what is refused.

import assert from "node:assert/strict";
import { createDeferred } from "../../../fakes/deferred.ts";
import { agent, answersOf, calling, closeTestCalls, openTestCalls } from "./testCalls.ts";

describe("a call of another agent", () => {
	afterEach(closeTestCalls);

	it("comes back as the seed describes it, and is part of the other agent's history", async () => {
		const setup = await openTestCalls(
			{
				a: [calling("b", "Draft it"), { text: "Here it is." }],
				b: [{ calls: [{ name: "list_directory", input: { path: "." } }] }, { text: "A draft" }],
			},
			{ files: { "one.txt": "1" } },
		);
		assert.equal((await setup.caller.send("Ask b")).outcome, "done");
		const called = await setup.sessionOf("b");
		const [answer] = answersOf(setup.caller);
		assert.ok(answer);
		const { responseId, durationMs, toolCalls, ...rest } = answer;
		assert.deepEqual(rest, {
			mode: "sync",
			status: "complete",
			agentId: "b",
			sessionId: called.sessionId,
			sessionName: "Called by a",
			created: true,
			response: "A draft",
			toolCallCount: 1,
		});
		assert.equal(typeof durationMs, "number");
		assert.deepEqual(
			(toolCalls as { name: string }[]).map(({ name }) => name),
			["list_directory"],
		);
		const started = await setup.event(called, "started");
		assert.equal(started.turn, responseId);
		assert.deepEqual([started.caller?.agent, started.caller?.depth, started.caller?.chain], ["a", 1, ["a"]]);
		const said = called.state.events.flatMap((event) =>
			event.type === "user" ? [[event.by, event.text, event.message === responseId]] : [],
		);
		assert.deepEqual(said, [["agent:a", "Draft it", true]]);
	});

	it("that is asynchronous returns at once, and its answer opens a turn with the limits of the turn that called", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestCalls({
			a: [calling("b", "Look", { mode: "async" }), { text: "I asked." }, { text: "It said so." }],
			b: [{ text: "Found it", until }],
		});
		assert.equal((await setup.caller.send("Ask b")).outcome, "done");
		assert.equal(answersOf(setup.caller)[0]?.["status"], "started");
		open();
		const queued = await setup.event(setup.caller, "queued");
		assert.deepEqual([queued.from, queued.about?.kind === "answer" && queued.about.status], ["agent:b", "complete"]);
		const started = await setup.event(setup.caller, "started", ({ turn }) => turn === queued.message);
		assert.deepEqual(started.ceiling, ["ReadFiles", "Delegate"]);
		await setup.event(setup.caller, "ended", ({ turn }) => turn === queued.message);
		assert.equal(setup.caller.state.delegations.get(queued.about?.call ?? "")?.delivered, true);
	});

	it("is refused with the chain where it would be a ring or too deep, and nothing is sent", async () => {
		const setup = await openTestCalls(
			{ a: [calling("a"), calling("b"), { text: "End." }], b: [calling("a"), calling("c"), { text: "No." }], c: [{ text: "Never." }] },
			{ settings: { delegation: { maxDepth: 1, timeout: 300, maxConcurrent: 4, maxTokens: 1_000_000 } } },
		);
		await setup.caller.send("Go");
		const called = await setup.sessionOf("b");
		const refusals = [...answersOf(setup.caller), ...answersOf(called)]
			.map(({ output }) => String(output))
			.filter((text) => text !== "undefined");
		assert.equal(refusals.length, 3);
		assert.match(refusals[0] ?? "", /a → a/);
		assert.match(refusals[1] ?? "", /a → b → a/);
		assert.match(refusals[2] ?? "", /a → b → c/);
		assert.equal(
			(await setup.app.sessions.list()).some(({ agentId }) => agentId === "c"),
			false,
		);
	});

	it("of an agent that is hidden or forbidden by the lists is refused", async () => {
		const setup = await openTestCalls(
			{ a: [calling("hidden"), calling("b"), { text: "End." }], b: [{ text: "No." }], hidden: [{ text: "No." }] },
			{ agents: [agent("a", { agentDenylist: ["b"] }), agent("b"), agent("hidden", { uiVisible: false })] },
		);
		await setup.caller.send("Go");
		assert.deepEqual(
			answersOf(setup.caller).map(({ status }) => status),
			["error", "denied"],
		);
		assert.equal((await setup.app.sessions.list()).length, 1);
	});
});
