// Stopping a turn that has called others: what stops with it, what goes on, and what is left free.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { PLAN } from "../../session/stage.ts";
import { answersOf, calling, delegationStage, LIMITS, latch, strikeDelegation } from "./delegationStage.ts";

const both = { calls: ["b", "c"].map((agentId) => ({ name: "agents_message", input: { agentId, content: "Do it" } })) };

describe("Stop in the caller", () => {
	afterEach(strikeDelegation);

	it("stops a call whose message is being written", async () => {
		const scene = await delegationStage({ a: [calling("b", "Look", { mode: "async" }), { text: "I asked." }], b: [{ text: "Never." }] });
		const { sessions } = scene.house;
		const called = await sessions.get((await sessions.create({ agentId: "b" })).sessionId);
		const enqueue = called.enqueue.bind(called);
		called.enqueue = async (...given) => {
			const { call } = await scene.event(scene.caller, "delegated");
			scene.house.delegation.calls.stopCall(scene.caller.sessionId, call).catch(assert.fail);
			// The stop comes as far as it can.
			await setImmediate();
			await enqueue(...given);
		};
		await scene.caller.send("Ask b");
		const answer = await scene.event(scene.caller, "queued");
		assert.equal(answer.about?.kind === "answer" && answer.about.status, "error");
		await Promise.race([scene.event(called, "ended"), scene.event(called, "unqueued")]);
		assert.notEqual(called.state.outcome, "done");
	});

	it("stops the called turn, and those that it called", async () => {
		const { until } = latch();
		const scene = await delegationStage(
			{ a: [calling("b")], b: [calling("c")], c: [{ text: "Never.", until }] },
			{ settings: { delegation: { ...LIMITS, maxDepth: 2 } } },
		);
		const turn = scene.caller.send("Go");
		await scene.event("c", "started");
		await scene.caller.cancel();
		assert.equal((await turn).outcome, "cancelled");
		for (const id of ["b", "c"]) assert.equal((await scene.sessionOf(id)).state.outcome, "cancelled");
		assert.equal([...scene.caller.state.calls.values()][0]?.result?.status, "cancelled");
		assert.equal(scene.house.policy.limits.free, 4);
	});

	it("counts what the stopped turns used with the caller", async () => {
		const { until } = latch();
		const scene = await delegationStage(
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
		const turn = scene.caller.send("Go");
		await scene.event("c", "result");
		await scene.caller.cancel();
		await turn;
		const { input, output } = scene.caller.state.calledUsage;
		assert.deepEqual([input, output], [420, 42]);
		const result = [...scene.caller.state.calls.values()][0]?.result;
		assert.match(result?.output ?? "", /this call was cancelled before it finished\.$/);
		assert.ok(result?.view?.kind === "agent" && result.view.outcome === "cancelled");
	});

	it("withdraws a message that waits for a place", async () => {
		const { until } = latch();
		const scene = await delegationStage(
			{ a: [both], b: [{ text: "Never.", until }], c: [{ text: "Never.", until }] },
			{ settings: { delegation: { ...LIMITS, maxConcurrent: 1 } } },
		);
		const turn = scene.caller.send("Go");
		await Promise.all([scene.event("b", "queued"), scene.event("c", "queued")]);
		await Promise.race([scene.event("b", "started"), scene.event("c", "started")]);
		await scene.caller.cancel();
		await turn;
		const sessions = [await scene.sessionOf("b"), await scene.sessionOf("c")];
		assert.equal(sessions.filter(({ state }) => state.events.some(({ type }) => type === "unqueued")).length, 1);
		assert.ok(sessions.every(({ waiting, isRunning }) => waiting.length === 0 && !isRunning));
		assert.equal(sessions.filter(({ state }) => state.events.some(({ type }) => type === "started")).length, 1);
	});

	it("stops a called turn that waits for an approval: the request expires", async () => {
		const run = { calls: [{ name: "execute_command", input: { command: "touch x" } }] };
		const scene = await delegationStage({ a: [calling("b")], b: [run] }, { role: "actor", settings: { approval: "ask" } });
		const turn = scene.caller.send("Go");
		const called = await scene.sessionOfCalled("b");
		const { request } = await scene.event(called, "asked");
		await scene.caller.cancel();
		await turn;
		assert.equal(called.state.requests.get(request)?.state, "expired");
		assert.equal(called.state.outcome, "cancelled");
	});

	it("gives up the call of an agent that waits for the user, whose session is free once that is answered", async () => {
		const scene = await delegationStage(
			{ a: [calling("b"), calling("b"), { text: "End." }], b: [{ calls: [{ name: "present_plan", input: PLAN }] }, { text: "Hi." }] },
			{},
		);
		const turn = scene.caller.send("Go");
		const { session } = await scene.event("b", "ended", ({ outcome }) => outcome === "waiting");
		await scene.caller.cancel();
		await turn;
		const called = await scene.house.sessions.get(session);
		await called.send("Never mind the plan");
		await scene.caller.send("Again");
		assert.equal(answersOf(scene.caller)[1]?.["sessionId"], session);
		assert.equal(scene.caller.state.events.filter(({ type }) => type === "queued").length, 0);
	});

	it("leaves asynchronous calls alone, and says how many go on", async () => {
		const { until, open } = latch();
		const own = latch();
		const calls = ["b", "c"].map((agentId) => ({ name: "agents_message", input: { agentId, content: "Do it", mode: "async" } }));
		const scene = await delegationStage({
			a: [{ calls }, { text: "Never.", until: own.until }, { text: "Late." }],
			b: [{ text: "B.", until }],
			c: [{ text: "C.", until }],
		});
		const turn = scene.caller.send("Go");
		await Promise.all([scene.event("b", "started"), scene.event("c", "started")]);
		await scene.caller.cancel();
		assert.equal((await turn).outcome, "cancelled");
		const { text } = await scene.event(scene.caller, "status");
		assert.match(text, /^2 called agents go on: (B, C|C, B)\. Their answers come as messages\.$/);
		open();
		await scene.event(scene.caller, "queued", ({ from }) => from === "agent:b");
		await scene.event(scene.caller, "queued", ({ from }) => from === "agent:c");
	});

	it("leaves a call alone that has timed out, and names it", async () => {
		const { until, open } = latch();
		const own = latch();
		const scene = await delegationStage({
			a: [calling("b", "Do it", { timeout: 0.05 }), { text: "Never.", until: own.until }, { text: "Late." }],
			b: [{ text: "B.", until }],
		});
		const turn = scene.caller.send("Go");
		await scene.event(scene.caller, "result");
		await scene.caller.cancel();
		await turn;
		assert.match((await scene.event(scene.caller, "status")).text, /^B goes on with its task\. Its answer comes as a message\.$/);
		open();
		assert.match((await scene.event(scene.caller, "queued")).text, /:\n\nB\.$/);
	});

	it("does not stop a turn that another message began in the called session", async () => {
		const { until, open } = latch();
		const { until: first, open: openFirst } = latch();
		const scene = await delegationStage({
			a: [calling("b", "Do it", { timeout: 0.05 }), { text: "Hm." }],
			b: [
				{ text: "B.", until: first },
				{ text: "Mine.", until },
			],
		});
		await scene.caller.send("Go");
		const called = await scene.sessionOf("b");
		openFirst();
		await scene.event(scene.caller, "queued");
		const own = called.send("Mine");
		await scene.event(called, "started", ({ caller }) => caller === undefined);
		await scene.caller.cancel();
		open();
		assert.equal((await own).outcome, "done");
	});
});
