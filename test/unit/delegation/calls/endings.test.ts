// Called turns that end before they have started: each is an answer, also after a crash.
import assert from "node:assert/strict";
import { UserError } from "../../../../src/core/userError.ts";
import { scriptedModel } from "../../../fakes/scriptedModel.ts";
import { openTestApp } from "../../../fakes/testApp.ts";
import { cleanUp, newHome, newWindow, recorded, story } from "../../session/queue/support.ts";
import { agent, answersOf, calling, closeTestCalls, openTestCalls } from "./testCalls.ts";

describe("a message", () => {
	afterEach(closeTestCalls);

	it("is answered even if the title of its session can't be saved", async () => {
		const { app, caller } = await openTestCalls({ a: [{ text: "Hello." }] });
		app.store.update = async () => {
			throw new Error("The disk is gone.");
		};
		assert.equal((await caller.send("Hello")).outcome, "done");
	});
});

describe("a called turn that ends before it has started", () => {
	afterEach(async () => {
		await closeTestCalls();
		await cleanUp();
	});

	it("because there is no model for it is an error with the reason, at once", async () => {
		const setup = await openTestCalls(
			{ a: [calling("b", "Draft it", { timeout: 3 }), { text: "Then not." }], b: [{ text: "Never." }] },
			{
				runtime({ agentId }) {
					if (agentId === "b") throw new UserError("No model is set up.");
					return undefined;
				},
			},
		);
		await setup.caller.send("Ask b");
		const [answer] = answersOf(setup.caller);
		assert.equal(answer?.["status"], "error");
		assert.match(String(answer?.["message"]), /It failed\. No model is set up\./);
	});

	it("because its session's disk fails is an error at once, and the message does not wait on", async () => {
		const setup = await openTestCalls({ a: [calling("b", "Draft it", { timeout: 3 }), { text: "Then not." }], b: [{ text: "Never." }] });
		const { store } = setup.app;
		const { own } = store;
		store.own = (sessionId, how) => {
			if (how === "ask" && sessionId !== setup.caller.sessionId) throw new Error("The disk is gone.");
			return own(sessionId, how);
		};
		await setup.caller.send("Ask b");
		const [answer] = answersOf(setup.caller);
		assert.equal(answer?.["status"], "error");
		assert.match(String(answer?.["message"]), /The message was not accepted/);
		assert.equal((await setup.sessionOf("b")).state.queue.size, 0);
	});

	/** A window that died after it had queued `a`'s call at `b`, before the turn; the next one, when the message has left the queue. */
	async function afterCrash(mode: "sync" | "async") {
		const home = newHome();
		const agents = [agent("a"), agent("b")];
		const app = await openTestApp({ home, agents, model: scriptedModel([]) });
		const [caller, called] = [await app.sessions.create({ agentId: "a" }), await app.sessions.create({ agentId: "b" })];
		const [calling, answering] = [await app.sessions.get(caller.sessionId), await app.sessions.get(called.sessionId)];
		for (const session of [calling, answering]) await session.lease.take();
		const { eventLog } = calling;
		await eventLog.emit({ type: "user", text: "Ask b" }, "person", "t");
		await eventLog.emit({ type: "started", agent: "a", definitionHash: "", role: "planner", model: "m" }, "host", "t");
		await eventLog.emit({ type: "assistant", text: "", calls: [{ id: "c", name: "agents_message", input: {} }] }, "model", "t");
		await eventLog.emit(
			{ type: "delegated", call: "c", session: called.sessionId, agent: "b", mode, depth: 1, responseId: "r" },
			"host",
			"t",
		);
		const made = { session: caller.sessionId, turn: "t", call: "c", agent: "a", role: "planner", ceiling: [], depth: 1, chain: ["a"] };
		if (mode === "async")
			await eventLog.emit({ type: "result", call: "c", status: "ok", output: "", view: begun(called.sessionId) }, "host", "t");
		const message = { type: "queued", message: "r", from: "agent:a", text: "Look", caller: made, session: caller.sessionId } as const;
		await answering.eventLog.emit(message, "agent:a");
		await app.close();

		const next = await newWindow(home, [{ text: "I looked." }], { agents });
		await next.sessions.recover();
		const session = await next.sessions.get(called.sessionId);
		await recorded(next, session, ({ type }) => type === "unqueued" || type === "ended");
		return { next, session, calling: await next.sessions.get(caller.sessionId) };
	}

	const begun = (session: string) => ({ kind: "agent", agent: "b", session, turn: "r", mode: "async", status: "started" }) as const;

	it("because its window died before its turn is withdrawn if its caller waited: nobody would get the answer", async () => {
		const { next, session, calling } = await afterCrash("sync");
		assert.deepEqual(story(session.state.events), ["queued Look", "unqueued takenBack"]);
		assert.equal(next.model.requests.length, 0);
		assert.deepEqual(
			[...calling.state.delegations.values()].map(({ ended }) => ended),
			["unknown"],
		);
	});

	it("runs after the crash if it is asynchronous, and its answer is delivered", async () => {
		const { next, session, calling } = await afterCrash("async");
		assert.deepEqual(story(session.state.events), ["queued Look", "user Look"]);
		await recorded(next, calling, (event) => event.type === "queued" && event.text.endsWith("I looked."));
	});

	it("because its window died after it had taken the message is interrupted, and the caller is told", async () => {
		const home = newHome();
		const agents = [agent("a"), agent("b")];
		const app = await openTestApp({ home, agents, model: scriptedModel([]) });
		const [caller, called] = [await app.sessions.create({ agentId: "a" }), await app.sessions.create({ agentId: "b" })];
		const [calling, answering] = [await app.sessions.get(caller.sessionId), await app.sessions.get(called.sessionId)];
		for (const session of [calling, answering]) await session.lease.take();
		const to = { session: called.sessionId, agent: "b", mode: "async" as const, depth: 1, responseId: "r" };
		await calling.eventLog.emit({ type: "delegated", call: "c", ...to }, "host", "t");
		await answering.eventLog.emit({ type: "queued", message: "r", from: "agent:a", text: "Look" }, "agent:a");
		await answering.eventLog.emit({ type: "user", message: "r", text: "Look" }, "agent:a", "r");
		await app.close();

		const next = await newWindow(home, [{ text: "I see." }], { agents });
		const opened = await next.sessions.recover();
		const session = opened.find(({ sessionId }) => sessionId === caller.sessionId);
		assert.ok(session);
		await recorded(next, session, (event) => event.type === "queued" && event.about?.kind === "answer" && event.about.status === "error");
		const { state } = await next.sessions.get(called.sessionId);
		assert.deepEqual([state.outcome, state.turn], ["interrupted", undefined]);
	});
});
