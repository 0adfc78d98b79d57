// Stopping a turn that has called others: what stops with it, what goes on, and what is left free.

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { createDeferred } from "../../../fakes/deferred.ts";
import { PLAN } from "../../session/testSession.ts";
import { answersOf, calling, closeTestCalls, LIMITS, openTestCalls } from "./testCalls.ts";

const both = { calls: ["b", "c"].map((agentId) => ({ name: "agents_message", input: { agentId, content: "Do it" } })) };

describe("Stop in the caller", () => {
	afterEach(closeTestCalls);

	it("stops a call whose message is being written", async () => {
		const setup = await openTestCalls({ a: [calling("b", "Look", { mode: "async" }), { text: "I asked." }], b: [{ text: "Never." }] });
		const { sessions } = setup.app;
		const called = await sessions.get((await sessions.create({ agentId: "b" })).sessionId);
		const enqueue = called.enqueue.bind(called);
		called.enqueue = async (...given) => {
			const { call } = await setup.event(setup.caller, "delegated");
			setup.app.delegation.calls.stopCall(setup.caller.sessionId, call).catch(assert.fail);
			// The stop comes as far as it can.
			await setImmediate();
			await enqueue(...given);
		};
		await setup.caller.send("Ask b");
		const answer = await setup.event(setup.caller, "queued");
		assert.equal(answer.about?.kind === "answer" && answer.about.status, "error");
		await Promise.race([setup.event(called, "ended"), setup.event(called, "unqueued")]);
		assert.notEqual(called.state.outcome, "done");
	});

	it("stops the called turn, and those that it called", async () => {
		const { until } = createDeferred();
		const setup = await openTestCalls(
			{ a: [calling("b")], b: [calling("c")], c: [{ text: "Never.", until }] },
			{ settings: { delegation: { ...LIMITS, maxDepth: 2 } } },
		);
		const turn = setup.caller.send("Go");
		await setup.event("c", "started");
		await setup.caller.cancel();
		assert.equal((await turn).outcome, "cancelled");
		for (const id of ["b", "c"]) assert.equal((await setup.sessionOf(id)).state.outcome, "cancelled");
		assert.equal([...setup.caller.state.calls.values()][0]?.result?.status, "cancelled");
		assert.equal(setup.app.policy.limits.free, 4);
	});

	it("counts what the stopped turns used with the caller", async () => {
		const { until } = createDeferred();
		const setup = await openTestCalls(
			{
				a: [calling("b")],
				b: [{ ...calling("c"), usage: { input: 20, output: 2 } }],
				c: [
					{ calls: [{ name: "list_directory", input: { path: "." } }], usage: { input: 400, output: 40 } },
					{ text: "Never.", until },
				],
			},
			{ settings: { delegation: { ...LIMITS, maxDepth: 2 } } },
		);
		const turn = setup.caller.send("Go");
		await setup.event("c", "result");
		await setup.caller.cancel();
		await turn;
		const { input, output } = setup.caller.state.calledUsage;
		assert.deepEqual([input, output], [420, 42]);
		const result = [...setup.caller.state.calls.values()][0]?.result;
		assert.match(result?.output ?? "", /this call was cancelled before it finished\.$/);
		assert.ok(result?.view?.kind === "agent" && result.view.outcome === "cancelled");
	});

	it("withdraws a message that waits for a place", async () => {
		const { until } = createDeferred();
		const setup = await openTestCalls(
			{ a: [both], b: [{ text: "Never.", until }], c: [{ text: "Never.", until }] },
			{ settings: { delegation: { ...LIMITS, maxConcurrent: 1 } } },
		);
		const turn = setup.caller.send("Go");
		await Promise.all([setup.event("b", "queued"), setup.event("c", "queued")]);
		await Promise.race([setup.event("b", "started"), setup.event("c", "started")]);
		await setup.caller.cancel();
		await turn;
		const sessions = [await setup.sessionOf("b"), await setup.sessionOf("c")];
		assert.equal(sessions.filter(({ state }) => state.events.some(({ type }) => type === "unqueued")).length, 1);
		assert.ok(sessions.every(({ waiting, isRunning }) => waiting.length === 0 && !isRunning));
		assert.equal(sessions.filter(({ state }) => state.events.some(({ type }) => type === "started")).length, 1);
	});

	it("stops a called turn that waits for an approval: the request expires", async () => {
		const run = { calls: [{ name: "execute_command", input: { command: "touch x" } }] };
		const setup = await openTestCalls({ a: [calling("b")], b: [run] }, { role: "actor", settings: { approval: "ask" } });
		const turn = setup.caller.send("Go");
		const called = await setup.sessionOfCalled("b");
		const { request } = await setup.event(called, "asked");
		await setup.caller.cancel();
		await turn;
		assert.equal(called.state.requests.get(request)?.state, "expired");
		assert.equal(called.state.outcome, "cancelled");
	});

	it("gives up the call of an agent that waits for the user, whose session is free once that is answered", async () => {
		const setup = await openTestCalls(
			{ a: [calling("b"), calling("b"), { text: "End." }], b: [{ calls: [{ name: "present_plan", input: PLAN }] }, { text: "Hi." }] },
			{},
		);
		const turn = setup.caller.send("Go");
		const { session } = await setup.event("b", "ended", ({ outcome }) => outcome === "waiting");
		await setup.caller.cancel();
		await turn;
		const called = await setup.app.sessions.get(session);
		await called.send("Never mind the plan");
		await setup.caller.send("Again");
		assert.equal(answersOf(setup.caller)[1]?.["sessionId"], session);
		assert.equal(setup.caller.state.events.filter(({ type }) => type === "queued").length, 0);
	});

	it("leaves asynchronous calls alone, and says how many go on", async () => {
		const { until, open } = createDeferred();
		const own = createDeferred();
		const calls = ["b", "c"].map((agentId) => ({ name: "agents_message", input: { agentId, content: "Do it", mode: "async" } }));
		const setup = await openTestCalls({
			a: [{ calls }, { text: "Never.", until: own.until }, { text: "Late." }],
			b: [{ text: "B.", until }],
			c: [{ text: "C.", until }],
		});
		const turn = setup.caller.send("Go");
		await Promise.all([setup.event("b", "started"), setup.event("c", "started")]);
		await setup.caller.cancel();
		assert.equal((await turn).outcome, "cancelled");
		const { text } = await setup.event(setup.caller, "status");
		assert.match(text, /^2 called agents go on: (B, C|C, B)\. Their answers come as messages\.$/);
		open();
		await setup.event(setup.caller, "queued", ({ from }) => from === "agent:b");
		await setup.event(setup.caller, "queued", ({ from }) => from === "agent:c");
	});

	it("leaves a call alone that has timed out, and names it", async () => {
		const { until, open } = createDeferred();
		const own = createDeferred();
		const setup = await openTestCalls({
			a: [calling("b", "Do it", { timeout: 0.05 }), { text: "Never.", until: own.until }, { text: "Late." }],
			b: [{ text: "B.", until }],
		});
		const turn = setup.caller.send("Go");
		await setup.event(setup.caller, "result");
		await setup.caller.cancel();
		await turn;
		assert.match((await setup.event(setup.caller, "status")).text, /^B goes on with its task\. Its answer comes as a message\.$/);
		open();
		assert.match((await setup.event(setup.caller, "queued")).text, /:\n\nB\.$/);
	});

	it("does not stop a turn that another message began in the called session", async () => {
		const { until, open } = createDeferred();
		const { until: first, open: openFirst } = createDeferred();
		const setup = await openTestCalls({
			a: [calling("b", "Do it", { timeout: 0.05 }), { text: "Hm." }],
			b: [
				{ text: "B.", until: first },
				{ text: "Mine.", until },
			],
		});
		await setup.caller.send("Go");
		const called = await setup.sessionOf("b");
		openFirst();
		await setup.event(setup.caller, "queued");
		const own = called.send("Mine");
		await setup.event(called, "started", ({ caller }) => caller === undefined);
		await setup.caller.cancel();
		open();
		assert.equal((await own).outcome, "done");
	});
});
