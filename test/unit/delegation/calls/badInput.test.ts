// Calls that go wrong at their edges: each ends with a sentence, and none holds anything up.

import assert from "node:assert/strict";
import { UserError } from "../../../../src/core/userError.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { agent, answersOf, calling, closeTestCalls, openTestCalls, outputsOf } from "./testCalls.ts";

const ASYNC = { mode: "async" };

describe("a bad call", () => {
	afterEach(closeTestCalls);

	it("of an agent that nobody knows names those that can be called, without the caller", async () => {
		const setup = await openTestCalls(
			{ a: [calling("nobody"), { text: "End." }], b: [] },
			{ agents: [agent("a"), agent("b"), agent("hidden", { uiVisible: false })] },
		);
		await setup.caller.send("Go");
		const [text] = outputsOf(setup.caller);
		assert.match(text ?? "", /^There is no agent "nobody" that can be called\. Nothing was sent\. Call one of: .*\bb\b/);
		assert.doesNotMatch(text ?? "", /hidden|: a,|, a[,.]/);
	});

	it("without a visible character sends nothing", async () => {
		const setup = await openTestCalls({ a: [calling("b", " \n\u200b\u{e0041}"), { text: "End." }], b: [] });
		await setup.caller.send("Go");
		assert.match(outputsOf(setup.caller)[0] ?? "", /The message has no visible text\. Nothing was sent/);
		assert.equal((await setup.app.sessions.list()).length, 1);
	});

	it("with arguments that do not fit says which", async () => {
		const setup = await openTestCalls({
			a: [
				calling("b", "x".repeat(100_001)),
				calling("b", "Do it", { timeout: -1 }),
				calling("b", "Do it", { mode: "later" }),
				{ text: "End." },
			],
			b: [],
		});
		await setup.caller.send("Go");
		for (const [index, field] of ["content", "timeout", "mode"].entries()) {
			assert.match(outputsOf(setup.caller)[index] ?? "", new RegExp(`do not fit agents_message: ${field}: .*Nothing ran`));
		}
	});

	it("with hidden characters reaches the agent without them", async () => {
		const setup = await openTestCalls({ a: [calling("b", "Do\u202e it\u{e0041}"), { text: "End." }], b: [{ text: "Hi." }] });
		await setup.caller.send("Go");
		assert.equal((await setup.event("b", "user")).text, "Do it");
	});

	it("to an agent whose session is full is an error that says so", async () => {
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [{ text: "Hi." }] });
		const { sessionId } = await setup.app.sessions.create({ agentId: "b" });
		const session = await setup.app.sessions.get(sessionId);
		session.enqueue = () => Promise.reject(new UserError("100 messages are already waiting in this session."));
		await setup.caller.send("Go");
		const [answer] = answersOf(setup.caller);
		assert.deepEqual(
			[answer?.["status"], answer?.["message"]],
			["error", "The message was not accepted. Nothing was done. 100 messages are already waiting in this session."],
		);
	});
});

describe("a called session", () => {
	afterEach(closeTestCalls);

	for (const [act, why] of [
		["delete", "deleted"],
		["clear", "cleared"],
	] as const) {
		it(`that is ${why} while it runs ends its call`, async () => {
			const { until } = createDeferred();
			const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [{ text: "Never.", until }] });
			const turn = setup.caller.send("Go");
			const called = await setup.sessionOfCalled("b");
			await setup.app.sessions[act](called.sessionId);
			assert.equal((await turn).outcome, "done");
			assert.equal(answersOf(setup.caller)[0]?.["status"], "error");
		});

		it(`that is ${why} while it waits for the user ends its call, and says so`, async () => {
			const ask = { calls: [{ name: "ask_question", input: { question: "Which?", severity: "minor", allow_custom: true } }] };
			const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [ask] });
			const turn = setup.caller.send("Go");
			const { session } = await setup.event("b", "ended");
			await setup.app.sessions[act](session);
			assert.equal((await turn).outcome, "done");
			assert.match(
				String(answersOf(setup.caller)[0]?.["message"]),
				new RegExp(`^Its session was ${why} before it answered\\. What it changed`),
			);
		});
	}
});

describe("a calling session", () => {
	afterEach(closeTestCalls);

	for (const act of ["delete", "clear"] as const) {
		it(`that is gone by "${act}" before the answer gets none, and the called one is free`, async () => {
			const { until, open } = createDeferred();
			const setup = await openTestCalls({ a: [calling("b", "Look", ASYNC), { text: "End." }], b: [{ text: "Found.", until }] });
			await setup.caller.send("Go");
			await setup.app.sessions[act](setup.caller.sessionId);
			open();
			const { session } = await setup.event("b", "ended");
			const called = await setup.app.sessions.get(session);
			assert.equal((await called.send("And now?")).outcome, "done");
			const known = (await setup.app.sessions.list()).map(({ agentId }) => agentId);
			assert.equal(known.includes("a"), act === "clear");
			if (act === "clear") assert.equal((await setup.app.sessions.get(setup.caller.sessionId)).state.messages, 0);
		});

		it(`that is gone by "${act}" while it waits stops the call`, async () => {
			const { until } = createDeferred();
			const setup = await openTestCalls({ a: [calling("b")], b: [{ text: "Never.", until }] });
			void setup.caller.send("Go");
			const called = await setup.sessionOfCalled("b");
			await setup.app.sessions[act](setup.caller.sessionId);
			await setup.event(called, "ended", ({ outcome }) => outcome === "cancelled");
		});
	}
});

describe("many at once", () => {
	afterEach(closeTestCalls);

	it("a thousand messages to one session: 100 wait, the others are told, and the calls of its agent go on", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [{ text: "Hi.", until }, { text: "Hi." }] });
		const { sessionId } = await setup.app.sessions.create({ agentId: "b" });
		const session = await setup.app.sessions.get(sessionId);
		const running = session.send("Work");
		await setup.event(session, "started");
		const sent = await Promise.allSettled(
			Array.from({ length: 1_000 }, (_, n) => session.enqueue({ text: `Mail ${n}` }, { by: "channel:mail", ceiling: [] })),
		);
		const refused = sent.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
		assert.equal(refused.length, 900);
		assert.match(refused[0] ?? "", /100 messages are already waiting in this session\. This one was not sent\./);
		await setup.caller.send("Go");
		assert.equal(answersOf(setup.caller)[0]?.["status"], "complete");
		assert.notEqual(answersOf(setup.caller)[0]?.["sessionId"], sessionId);
		open();
		await running;
		await setup.app.close();
	}).timeout(60_000);

	it("a window with 100 open calls closes, and leaves no timer behind", async () => {
		const { until } = createDeferred();
		const calls = Array.from({ length: 100 }, (_, n) => ({ name: "agents_message", input: { agentId: "b", content: `Part ${n}` } }));
		const setup = await openTestCalls({ a: [{ calls }], b: [{ text: "Never.", until }] });
		const turn = setup.caller.send("Go");
		const asked = new Promise<void>((resolve) => {
			let queued = 0;
			setup.app.sessions.listen({
				event(_, { type }) {
					if (type === "queued") queued += 1;
					if (queued === 100) resolve();
				},
			});
		});
		await asked;
		await setup.app.close();
		assert.equal((await turn).outcome, "interrupted");
		assert.ok(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length <= 5);
	}).timeout(60_000);
});
