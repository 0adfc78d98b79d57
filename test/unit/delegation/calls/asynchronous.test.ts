// Calls whose answers come as messages: where these go, with which limits, and how often.

import assert from "node:assert/strict";
import { StorageError } from "../../../../src/core/ports/sessions.ts";
import { UserError } from "../../../../src/core/userError.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { answersOf, calling, closeTestCalls, LIMITS, newHome, offered, openTestCalls, type TestCalls } from "./testCalls.ts";

const ASYNC = { mode: "async" };

const messagesOf = ({ caller }: TestCalls) =>
	caller.state.events.flatMap((event) => (event.type === "user" && event.by === "agent:b" ? [event] : []));

async function lateTurn({ event, caller }: TestCalls) {
	const queued = await event(caller, "queued");
	await event(caller, "ended", ({ turn }) => turn === queued.message);
	return event(caller, "started", ({ turn }) => turn === queued.message);
}

describe("an asynchronous call", () => {
	afterEach(closeTestCalls);

	it("returns its state at once", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestCalls({ a: [calling("b", "Look", ASYNC), { text: "End." }], b: [{ text: "Found.", until }] });
		await setup.caller.send("Ask b");
		const called = await setup.sessionOf("b");
		const [answer] = answersOf(setup.caller);
		const { responseId, ...rest } = answer ?? {};
		assert.deepEqual(rest, {
			mode: "async",
			status: "started",
			agentId: "b",
			sessionId: called.sessionId,
			sessionName: "Called by a",
			created: true,
		});
		const started = await setup.event(called, "started");
		assert.equal(started.turn, responseId);
		open();
		await lateTurn(setup);
	});

	it("is answered in the turn that made it, while that runs", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestCalls({
			a: [calling("b", "Look", ASYNC), { calls: [{ name: "list_directory", input: { path: "." } }], until }, { text: "End." }],
			b: [{ text: "Found." }],
		});
		const turn = setup.caller.send("Ask b");
		await setup.event(setup.caller, "queued");
		open();
		const { turn: id } = await turn;
		const [message] = messagesOf(setup);
		assert.equal(message?.turn, id);
		assert.equal(setup.caller.state.events.filter(({ type }) => type === "started").length, 1);
		assert.equal(messagesOf(setup).length, 1);
	});

	it("never joins another turn, such as the user's next one", async () => {
		const [child, other] = [createDeferred(), createDeferred()];
		const setup = await openTestCalls(
			{
				a: [calling("b", "Look", ASYNC), { text: "End." }, { text: "Yours.", until: other.until }, { text: "Late." }],
				b: [{ text: "Found.", until: child.until }],
			},
			{ role: "planner" },
		);
		await setup.caller.send("Ask b");
		await setup.caller.setRole("actor");
		const second = setup.caller.send("Now something else");
		await setup.event(setup.caller, "started", ({ role }) => role === "actor");
		child.open();
		await setup.event(setup.caller, "queued");
		other.open();
		const { turn } = await second;
		const started = await lateTurn(setup);
		assert.notEqual(messagesOf(setup)[0]?.turn, turn);
		assert.deepEqual(started.ceiling, ["ReadFiles", "Delegate"]);
		assert.equal(offered(setup, "a").at(-1)?.includes("update_file"), false);
	});

	it("has the limits of the turn that made it: a commander's are a commander's, not those of its agents", async () => {
		const setup = await openTestCalls(
			{ a: [calling("b", "Look", ASYNC), { text: "End." }, { text: "Late." }], b: [{ text: "Found." }] },
			{ role: "commander" },
		);
		await setup.caller.send("Ask b");
		await setup.caller.setRole("actor");
		assert.deepEqual((await lateTurn(setup)).ceiling, ["ReadFiles", "Delegate"]);
	});

	it("of a called turn is answered within that turn's limits", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestCalls(
			{
				a: [calling("b"), { text: "End." }],
				b: [calling("c", "Look", ASYNC), { text: "I asked." }, { text: "Late." }],
				c: [{ text: "Found.", until }],
			},
			{ settings: { delegation: { ...LIMITS, maxDepth: 2 } } },
		);
		await setup.app.sessions.create({ agentId: "b", role: "actor" });
		await setup.caller.send("Ask b");
		assert.equal(answersOf(setup.caller)[0]?.["response"], "I asked.");
		open();
		const called = await setup.sessionOf("b");
		const { message } = await setup.event(called, "queued", ({ from }) => from === "agent:c");
		const started = await setup.event(called, "started", ({ turn }) => turn === message);
		assert.deepEqual([started.caller?.agent, started.ceiling, started.role], ["a", ["ReadFiles", "Delegate"], "planner"]);
		await setup.event(called, "ended", ({ turn }) => turn === message);
		assert.equal(offered(setup, "b").at(-1)?.includes("update_file"), false);
	});

	it("of a called turn goes on waiting for its turn where the disk refuses that, and has it later", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestCalls(
			{
				a: [calling("b"), { text: "End." }],
				b: [calling("c", "Look", ASYNC), { text: "I asked." }, { text: "Late." }],
				c: [{ text: "Found.", until }],
			},
			{ settings: { delegation: { ...LIMITS, maxDepth: 2 } } },
		);
		await setup.caller.send("Ask b");
		const called = await setup.sessionOf("b");
		const { store } = setup.app;
		const { own } = store;
		const refused = new Promise<void>((resolve) => {
			store.own = async (id, how) => {
				if (id !== called.sessionId) return own(id, how);
				resolve();
				throw new StorageError("The disk does not answer.", "EIO");
			};
		});
		open();
		await refused;
		const { message } = await setup.event(called, "queued", ({ from }) => from === "agent:c");
		const isLost = () => called.state.events.some(({ type }) => type === "unqueued");
		while (called.waiting.length === 0 && !isLost()) await new Promise((resolve) => setImmediate(resolve));
		assert.equal(isLost(), false);
		store.own = own;
		await called.send("Go on");
		assert.ok(called.state.events.some((event) => event.type === "started" && event.turn === message && event.caller?.agent === "a"));
	});

	it("that fails is answered with why", async () => {
		const setup = await openTestCalls({
			a: [calling("b", "Look", ASYNC), { text: "End." }, { text: "Oh." }],
			b: [{ text: "I look.", error: new UserError("No network.") }],
		});
		await setup.caller.send("Ask b");
		await lateTurn(setup);
		const [message] = messagesOf(setup);
		assert.match(message?.text ?? "", /: It failed\. No network\. What it did until then was kept\..*\n\nIts last words:\nI look\.$/s);
		assert.equal([...setup.caller.state.delegations.values()][0]?.ended, "error");
	});

	it("reaches the model as another agent's words, not the user's", async () => {
		const setup = await openTestCalls({ a: [calling("b", "Look", ASYNC), { text: "End." }, { text: "Late." }], b: [{ text: "Found." }] });
		await setup.caller.send("Ask b");
		await lateTurn(setup);
		const last = setup.model.requests.findLast(({ system }) => system.includes("<a>"));
		const said = last?.events.findLast((event) => event.type === "user");
		assert.equal(said?.by, "agent:b");
	});

	it("leaves a question to the user open", async () => {
		const { until, open } = createDeferred();
		const ask = { calls: [{ name: "ask_question", input: { question: "Which?", severity: "minor", allow_custom: true } }] };
		const setup = await openTestCalls({ a: [calling("b", "Look", ASYNC), ask, { text: "Late." }], b: [{ text: "Found.", until }] });
		assert.equal((await setup.caller.send("Ask b")).outcome, "waiting");
		open();
		await lateTurn(setup);
		assert.deepEqual(await setup.app.sessions.waiting(), [setup.caller.sessionId]);
	});

	it("is marked as delivered once a turn has its answer, and its use counts with the caller", async () => {
		const setup = await openTestCalls({
			a: [calling("b", "Look", ASYNC), { text: "End." }, { text: "Late." }],
			b: [{ text: "Found.", usage: { input: 70, output: 7 } }],
		});
		await setup.caller.send("Ask b");
		await lateTurn(setup);
		const [delegation] = setup.caller.state.delegations.values();
		assert.deepEqual([delegation?.delivered, delegation?.ended], [true, "complete"]);
		assert.equal(setup.caller.state.calledUsage.input, 70);
	});

	it("is answered although a hundred messages wait at the caller", async () => {
		const [own, child] = [createDeferred(), createDeferred()];
		const look = { calls: [{ name: "list_directory", input: { path: "." } }], until: own.until };
		const setup = await openTestCalls({
			a: [calling("b", "Look", ASYNC), look, { text: "End." }],
			b: [{ text: "Found.", until: child.until }],
		});
		const turn = setup.caller.send("Ask b");
		await setup.event("b", "started");
		const outside = { by: "channel:mail" as const, ceiling: [] };
		for (let n = 0; n < 100; n += 1) await setup.caller.enqueue({ text: `Mail ${n}` }, outside);
		await assert.rejects(setup.caller.enqueue({ text: "One more" }, outside), /already waiting/);
		child.open();
		await setup.event(setup.caller, "queued", ({ about }) => about !== undefined);
		own.open();
		await turn;
		assert.equal(messagesOf(setup).length, 1);
		await setup.app.close();
	});

	/** A caller that another window has, whose turn there runs until `own`, while a hundred messages wait; `child` lets the agent answer. */
	async function fullElsewhere() {
		const [child, own] = [createDeferred(), createDeferred()];
		const home = newHome();
		const here = await openTestCalls(
			{ a: [calling("b", "Look", ASYNC), { text: "End." }], b: [{ text: "Found.", until: child.until }] },
			{ home },
		);
		await here.caller.send("Ask b");
		const there = await openTestCalls(
			{ a: (_, call) => (call === 0 ? { text: "Busy.", until: own.until } : { text: "I see." }), b: [] },
			{ home },
		);
		const turn = there.caller.send("Now here");
		await there.event(there.caller, "user", ({ text }) => text === "Now here");
		for (let n = 0; n < 100; n += 1) await there.caller.enqueue({ text: `Mail ${n}` }, { by: "channel:mail", ceiling: [] });
		return { here, there, turn, child: child.open, own: own.open };
	}

	it("is answered later where the window that has the caller takes no more messages", async () => {
		const { here, there, turn, child, own } = await fullElsewhere();
		const { services } = here.app.sessions;
		const refused = new Promise<string>((resolve) => {
			services.log = resolve;
		});
		child();
		assert.match(await refused, /^an answer did not reach the session .* yet: .*100 messages are already waiting/);
		own();
		await turn;
		const queued = await there.event(there.caller, "queued", ({ about }) => about !== undefined);
		await there.event(there.caller, "ended", ({ turn: id }) => id === queued.message);
		assert.match(messagesOf(there)[0]?.text ?? "", /:\n\nFound\.$/);
		assert.equal(messagesOf(there).length, 1);
	}).timeout(30_000);
});
