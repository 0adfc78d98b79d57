// Tests which session of the called agent a call goes to, and which sessions are taken.

import assert from "node:assert/strict";
import { formatSessionTitle } from "../../../../src/session/transcript/sessionTitle.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { PLAN } from "../../session/testSession.ts";
import { agent, answersOf, calling, closeTestCalls, newHome, openTestCalls, outputsOf, type TestCalls } from "./testCalls.ts";

/** A session of `b` to which the user has sent a message; its first answer is the first of the script. */
async function usedSession(setup: TestCalls, role = "planner"): Promise<string> {
	const { sessionId } = await setup.app.sessions.create({ agentId: "b", role });
	await (await setup.app.sessions.get(sessionId)).send("Hello");
	return sessionId;
}

const sessionsOf = async ({ app }: TestCalls, agentId: string) =>
	(await app.sessions.list()).filter((session) => session.agentId === agentId).map(({ sessionId }) => sessionId);

/** What a call answers where that session is busy: a new one with `latest-or-create`, an error with its id. */
async function assertBusy(setup: TestCalls, id: string): Promise<void> {
	await setup.caller.send("Ask b");
	const [free, latest, named] = answersOf(setup.caller);
	assert.equal(free?.["created"], true);
	assert.notEqual(free?.["sessionId"], id);
	assert.equal(latest?.["sessionId"], free?.["sessionId"]);
	assert.match(String(named?.["output"]), new RegExp(`The session ${id} is busy\\. Nothing was sent\\. Wait until it has ended`));
}

const busyCalls = (id: () => string) => (_: unknown, call: number) =>
	[calling("b"), calling("b", "Do it", { session: "latest" }), calling("b", "Do it", { session: id() })][call] ?? { text: "End." };

describe("the session that a call goes to", () => {
	afterEach(closeTestCalls);

	it("is the agent's most recently changed one, and keeps its history", async () => {
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [{ text: "Hi." }] });
		await usedSession(setup);
		const newer = await usedSession(setup);
		await setup.caller.send("Ask b");
		const [answer] = answersOf(setup.caller);
		assert.deepEqual([answer?.["sessionId"], answer?.["created"], answer?.["sessionName"]], [newer, false, "Hello"]);
		const said = (await setup.app.sessions.get(newer)).state.events.flatMap((event) => (event.type === "user" ? [event.text] : []));
		assert.deepEqual(said, ["Hello", "Do it"]);
	});

	it("is a new one with `create`, which another agent's words do not name", async () => {
		const script = [calling("b", "Tidy up\nthe readme", { session: "create" }), { text: "End." }];
		const setup = await openTestCalls({ a: script, b: [{ text: "Hi." }] });
		const known = await usedSession(setup);
		await setup.caller.send("Ask b");
		const [answer] = answersOf(setup.caller);
		assert.notEqual(answer?.["sessionId"], known);
		assert.deepEqual([answer?.["created"], answer?.["sessionName"]], [true, "Called by a"]);
		const sessionId = String(answer?.["sessionId"]);
		const { sessions } = setup.app;
		assert.equal((await sessions.find(sessionId))?.name, undefined);
		await (await sessions.get(sessionId)).send("Mine now");
		const mine = await sessions.find(sessionId);
		assert.equal(mine && formatSessionTitle(mine), "Mine now");
	});

	it("must exist with `latest`: the error says so, and nothing is created", async () => {
		const setup = await openTestCalls({ a: [calling("b", "Do it", { session: "latest" }), { text: "End." }], b: [] });
		await setup.caller.send("Ask b");
		assert.match(outputsOf(setup.caller)[0] ?? "", /The agent b has no session yet\. Nothing was sent\. Use session "latest-or-create"/);
		assert.deepEqual(await sessionsOf(setup, "b"), []);
	});

	it("must be free with `latest`", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestCalls({
			a: [calling("b", "Do it", { session: "latest" }), { text: "End." }],
			b: [{ text: "Hi.", until }],
		});
		const { sessionId } = await setup.app.sessions.create({ agentId: "b" });
		const running = (await setup.app.sessions.get(sessionId)).send("Work");
		await setup.event("b", "started");
		await setup.caller.send("Ask b");
		assert.match(outputsOf(setup.caller)[0] ?? "", /The agent b has no session that is free\. Nothing was sent/);
		open();
		await running;
	});

	it("is the one that the call names", async () => {
		let id = "";
		const a = (_: unknown, call: number) => (call === 0 ? calling("b", "Do it", { session: id }) : { text: "End." });
		const setup = await openTestCalls({ a, b: [{ text: "Hi." }] });
		id = await usedSession(setup);
		await usedSession(setup);
		await setup.caller.send("Ask b");
		assert.equal(answersOf(setup.caller)[0]?.["sessionId"], id);
	});

	it("is refused if the agent has none with that id, as one of another agent or that nobody knows", async () => {
		let other = "";
		const a = (_: unknown, call: number) =>
			[calling("b", "Do it", { session: other }), calling("b", "Do it", { session: "no-such-session" })][call] ?? { text: "End." };
		const setup = await openTestCalls({ a, b: [], c: [] });
		({ sessionId: other } = await setup.app.sessions.create({ agentId: "c" }));
		await setup.caller.send("Ask b");
		assert.deepEqual(
			outputsOf(setup.caller),
			[other, "no-such-session"].map(
				(id) => `The agent b has no session "${id}". Nothing was sent. Use session "latest-or-create" or "create".`,
			),
		);
		assert.deepEqual(await sessionsOf(setup, "b"), []);
	});

	it("is refused if it is the caller's own, or waits for the answer", async () => {
		const settings = { delegation: { maxDepth: 2, timeout: 300, maxConcurrent: 4, maxTokens: 1_000_000 } };
		let own = "";
		let above = "";
		const a = (_: unknown, call: number) => [calling("b", "Do it", { session: own }), calling("b")][call] ?? { text: "End." };
		const b = (_: unknown, call: number) => (call === 0 ? calling("c", "Do it", { session: above }) : { text: "End." });
		const setup = await openTestCalls({ a, b, c: [] }, { settings });
		own = above = setup.caller.sessionId;
		await setup.caller.send("Ask b");
		assert.match(outputsOf(setup.caller)[0] ?? "", /is your own, and would wait for itself\. Nothing was sent/);
		assert.match(outputsOf(await setup.sessionOf("b"))[0] ?? "", /waits for the answer to a call that led here\. Nothing was sent/);
	});

	it("is never the same for calls of one agent at the same time", async () => {
		const three = { calls: [1, 2, 3].map((n) => ({ name: "agents_message", input: { agentId: "b", content: `Part ${n}` } })) };
		const { until, open } = createDeferred();
		const setup = await openTestCalls({ a: [three, { text: "End." }], b: [{ text: "Hi." }, { text: "Hi.", until }] });
		await usedSession(setup);
		const turn = setup.caller.send("Ask b");
		for (const part of ["Part 1", "Part 2", "Part 3"]) await setup.event("b", "user", ({ text }) => text === part);
		open();
		await turn;
		const used = answersOf(setup.caller).map(({ sessionId }) => sessionId);
		assert.equal(new Set(used).size, 3);
		assert.equal((await sessionsOf(setup, "b")).length, 3);
	});

	it("is free again for the next call once it has answered", async () => {
		const setup = await openTestCalls({ a: [calling("b"), calling("b"), { text: "End." }], b: [{ text: "Hi." }] });
		await setup.caller.send("Ask b twice");
		const [first, second] = answersOf(setup.caller);
		assert.equal(first?.["sessionId"], second?.["sessionId"]);
	});
});

describe("a session that is busy", () => {
	afterEach(closeTestCalls);

	it("runs", async () => {
		const { until, open } = createDeferred();
		let id = "";
		const setup = await openTestCalls({ a: busyCalls(() => id), b: [{ text: "Hi.", until }, { text: "Hi." }] });
		({ sessionId: id } = await setup.app.sessions.create({ agentId: "b" }));
		const running = (await setup.app.sessions.get(id)).send("Work");
		await setup.event("b", "started");
		await assertBusy(setup, id);
		open();
		await running;
	});

	it("waits for an answer to its question", async () => {
		let id = "";
		const ask = { calls: [{ name: "ask_question", input: { question: "Which?", severity: "minor", allow_custom: true } }] };
		const setup = await openTestCalls({ a: busyCalls(() => id), b: [ask, { text: "Hi." }] });
		id = await usedSession(setup);
		await assertBusy(setup, id);
	});

	it("waits for the user's decision on its plan", async () => {
		let id = "";
		const setup = await openTestCalls({
			a: busyCalls(() => id),
			b: [{ calls: [{ name: "present_plan", input: PLAN }] }, { text: "Hi." }],
		});
		id = await usedSession(setup);
		await assertBusy(setup, id);
	});

	it("waits for an approval", async () => {
		let id = "";
		const run = { calls: [{ name: "execute_command", input: { command: "touch one" } }] };
		const setup = await openTestCalls({ a: busyCalls(() => id), b: [run, { text: "Hi." }] }, { settings: { approval: "ask" } });
		({ sessionId: id } = await setup.app.sessions.create({ agentId: "b", role: "actor" }));
		const session = await setup.app.sessions.get(id);
		const running = session.send("Work");
		await setup.event(session, "asked");
		await assertBusy(setup, id);
		await setup.answer(session, { allow: false });
		await running;
	});

	it("has a plan running", async () => {
		let id = "";
		const setup = await openTestCalls({
			a: busyCalls(() => id),
			b: [{ calls: [{ name: "present_plan", input: PLAN }] }, { text: "Later." }, { text: "Hi." }],
		});
		id = await usedSession(setup);
		const session = await setup.app.sessions.get(id);
		await session.executePlan({});
		assert.ok(session.state.run);
		await assertBusy(setup, id);
	});

	it("has messages waiting", async () => {
		const home = newHome();
		let id = "";
		const { until } = createDeferred();
		const before = await openTestCalls({ a: [], b: [{ text: "Hi.", until }] }, { home });
		({ sessionId: id } = await before.app.sessions.create({ agentId: "b" }));
		const session = await before.app.sessions.get(id);
		void session.send("Work");
		await before.model.asked;
		void session.send("And this");
		await before.event("b", "queued");
		await before.app.close();
		const setup = await openTestCalls({ a: busyCalls(() => id), b: [{ text: "Hi." }] }, { home });
		await assertBusy(setup, id);
	});

	it("belongs to another window", async () => {
		const home = newHome();
		let id = "";
		const agents = [agent("a"), agent("b")];
		const other = await openTestCalls({ a: [], b: [{ text: "Hi." }] }, { home, agents });
		id = await usedSession(other);
		await other.caller.close();
		const setup = await openTestCalls({ a: busyCalls(() => id), b: [{ text: "Hi." }] }, { home, agents });
		await assertBusy(setup, id);
	});
});
