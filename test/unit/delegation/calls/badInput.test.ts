// Calls that go wrong at their edges: each ends with a sentence, and none holds anything up.
import assert from "node:assert/strict";
import { UserError } from "../../../../src/core/userError.ts";
import { agent, answersOf, calling, delegationStage, latch, outputsOf, strikeDelegation } from "./delegationStage.ts";

const ASYNC = { mode: "async" };

describe("a bad call", () => {
	afterEach(strikeDelegation);

	it("of an agent that nobody knows names those that can be called, without the caller", async () => {
		const scene = await delegationStage(
			{ a: [calling("nobody"), { text: "End." }], b: [] },
			{ agents: [agent("a"), agent("b"), agent("hidden", { uiVisible: false })] },
		);
		await scene.caller.send("Go");
		const [text] = outputsOf(scene.caller);
		assert.match(text ?? "", /^There is no agent "nobody" that can be called\. Nothing was sent\. Call one of: .*\bb\b/);
		assert.doesNotMatch(text ?? "", /hidden|: a,|, a[,.]/);
	});

	it("without a visible character sends nothing", async () => {
		const scene = await delegationStage({ a: [calling("b", " \n\u200b\u{e0041}"), { text: "End." }], b: [] });
		await scene.caller.send("Go");
		assert.match(outputsOf(scene.caller)[0] ?? "", /The message has no visible text\. Nothing was sent/);
		assert.equal((await scene.house.sessions.list()).length, 1);
	});

	it("with arguments that do not fit says which", async () => {
		const scene = await delegationStage({
			a: [
				calling("b", "x".repeat(100_001)),
				calling("b", "Do it", { timeout: -1 }),
				calling("b", "Do it", { mode: "later" }),
				{ text: "End." },
			],
			b: [],
		});
		await scene.caller.send("Go");
		for (const [index, field] of ["content", "timeout", "mode"].entries()) {
			assert.match(outputsOf(scene.caller)[index] ?? "", new RegExp(`do not fit agents_message: ${field}: .*Nothing ran`));
		}
	});

	it("with hidden characters reaches the agent without them", async () => {
		const scene = await delegationStage({ a: [calling("b", "Do\u202e it\u{e0041}"), { text: "End." }], b: [{ text: "Hi." }] });
		await scene.caller.send("Go");
		assert.equal((await scene.event("b", "user")).text, "Do it");
	});

	it("to an agent whose session is full is an error that says so", async () => {
		const scene = await delegationStage({ a: [calling("b"), { text: "End." }], b: [{ text: "Hi." }] });
		const { sessionId } = await scene.house.sessions.create({ agentId: "b" });
		const session = await scene.house.sessions.get(sessionId);
		session.enqueue = () => Promise.reject(new UserError("100 messages are already waiting in this session."));
		await scene.caller.send("Go");
		const [answer] = answersOf(scene.caller);
		assert.deepEqual(
			[answer?.["status"], answer?.["message"]],
			["error", "The message was not accepted. Nothing was done. 100 messages are already waiting in this session."],
		);
	});
});

describe("a called session", () => {
	afterEach(strikeDelegation);

	for (const [act, why] of [
		["delete", "deleted"],
		["clear", "cleared"],
	] as const) {
		it(`that is ${why} while it runs ends its call`, async () => {
			const { until } = latch();
			const scene = await delegationStage({ a: [calling("b"), { text: "End." }], b: [{ text: "Never.", until }] });
			const turn = scene.caller.send("Go");
			const called = await scene.sessionOfCalled("b");
			await scene.house.sessions[act](called.sessionId);
			assert.equal((await turn).outcome, "done");
			assert.equal(answersOf(scene.caller)[0]?.["status"], "error");
		});

		it(`that is ${why} while it waits for the user ends its call, and says so`, async () => {
			const ask = { calls: [{ name: "ask_question", input: { question: "Which?", severity: "minor", allow_custom: true } }] };
			const scene = await delegationStage({ a: [calling("b"), { text: "End." }], b: [ask] });
			const turn = scene.caller.send("Go");
			const { session } = await scene.event("b", "ended");
			await scene.house.sessions[act](session);
			assert.equal((await turn).outcome, "done");
			assert.match(
				String(answersOf(scene.caller)[0]?.["message"]),
				new RegExp(`^Its session was ${why} before it answered\\. What it changed`),
			);
		});
	}
});

describe("a calling session", () => {
	afterEach(strikeDelegation);

	for (const act of ["delete", "clear"] as const) {
		it(`that is gone by "${act}" before the answer gets none, and the called one is free`, async () => {
			const { until, open } = latch();
			const scene = await delegationStage({ a: [calling("b", "Look", ASYNC), { text: "End." }], b: [{ text: "Found.", until }] });
			await scene.caller.send("Go");
			await scene.house.sessions[act](scene.caller.sessionId);
			open();
			const { session } = await scene.event("b", "ended");
			const called = await scene.house.sessions.get(session);
			assert.equal((await called.send("And now?")).outcome, "done");
			const known = (await scene.house.sessions.list()).map(({ agentId }) => agentId);
			assert.equal(known.includes("a"), act === "clear");
			if (act === "clear") assert.equal((await scene.house.sessions.get(scene.caller.sessionId)).state.messages, 0);
		});

		it(`that is gone by "${act}" while it waits stops the call`, async () => {
			const { until } = latch();
			const scene = await delegationStage({ a: [calling("b")], b: [{ text: "Never.", until }] });
			void scene.caller.send("Go");
			const called = await scene.sessionOfCalled("b");
			await scene.house.sessions[act](scene.caller.sessionId);
			await scene.event(called, "ended", ({ outcome }) => outcome === "cancelled");
		});
	}
});

describe("many at once", () => {
	afterEach(strikeDelegation);

	it("a thousand messages to one session: 100 wait, the others are told, and the calls of its agent go on", async () => {
		const { until, open } = latch();
		const scene = await delegationStage({ a: [calling("b"), { text: "End." }], b: [{ text: "Hi.", until }, { text: "Hi." }] });
		const { sessionId } = await scene.house.sessions.create({ agentId: "b" });
		const session = await scene.house.sessions.get(sessionId);
		const running = session.send("Work");
		await scene.event(session, "started");
		const sent = await Promise.allSettled(
			Array.from({ length: 1_000 }, (_, n) => session.enqueue({ text: `Mail ${n}` }, { by: "channel:mail", ceiling: [] })),
		);
		const refused = sent.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
		assert.equal(refused.length, 900);
		assert.match(refused[0] ?? "", /100 messages are already waiting in this session\. This one was not sent\./);
		await scene.caller.send("Go");
		assert.equal(answersOf(scene.caller)[0]?.["status"], "complete");
		assert.notEqual(answersOf(scene.caller)[0]?.["sessionId"], sessionId);
		open();
		await running;
		await scene.house.close();
	}).timeout(60_000);

	it("a window with 100 open calls closes, and leaves no timer behind", async () => {
		const { until } = latch();
		const calls = Array.from({ length: 100 }, (_, n) => ({ name: "agents_message", input: { agentId: "b", content: `Part ${n}` } }));
		const scene = await delegationStage({ a: [{ calls }], b: [{ text: "Never.", until }] });
		const turn = scene.caller.send("Go");
		const asked = new Promise<void>((resolve) => {
			let queued = 0;
			scene.house.sessions.listen({
				event(_, { type }) {
					if (type === "queued") queued += 1;
					if (queued === 100) resolve();
				},
			});
		});
		await asked;
		await scene.house.close();
		assert.equal((await turn).outcome, "interrupted");
		assert.ok(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length <= 5);
	}).timeout(60_000);
});
