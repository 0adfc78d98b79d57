// Tests which session of the called agent a call goes to, and which sessions are taken.
import assert from "node:assert/strict";
import { formatSessionTitle } from "../../../../src/session/transcript/sessionTitle.ts";
import { PLAN } from "../../session/stage.ts";
import {
	agent,
	answersOf,
	calling,
	type DelegationStage,
	delegationStage,
	latch,
	newHome,
	outputsOf,
	strikeDelegation,
} from "./delegationStage.ts";

/** A session of `b` to which the user has sent a message; its first answer is the first of the script. */
async function usedSession(scene: DelegationStage, role = "planner"): Promise<string> {
	const { sessionId } = await scene.house.sessions.create({ agentId: "b", role });
	await (await scene.house.sessions.get(sessionId)).send("Hello");
	return sessionId;
}

const sessionsOf = async ({ house }: DelegationStage, agentId: string) =>
	(await house.sessions.list()).filter((session) => session.agentId === agentId).map(({ sessionId }) => sessionId);

/** What a call answers where that session is busy: a new one with `latest-or-create`, an error with its id. */
async function assertBusy(scene: DelegationStage, id: string): Promise<void> {
	await scene.caller.send("Ask b");
	const [free, latest, named] = answersOf(scene.caller);
	assert.equal(free?.["created"], true);
	assert.notEqual(free?.["sessionId"], id);
	assert.equal(latest?.["sessionId"], free?.["sessionId"]);
	assert.match(String(named?.["output"]), new RegExp(`The session ${id} is busy\\. Nothing was sent\\. Wait until it has ended`));
}

const busyCalls = (id: () => string) => (_: unknown, call: number) =>
	[calling("b"), calling("b", "Do it", { session: "latest" }), calling("b", "Do it", { session: id() })][call] ?? { text: "End." };

describe("the session that a call goes to", () => {
	afterEach(strikeDelegation);

	it("is the agent's most recently changed one, and keeps its history", async () => {
		const scene = await delegationStage({ a: [calling("b"), { text: "End." }], b: [{ text: "Hi." }] });
		await usedSession(scene);
		const newer = await usedSession(scene);
		await scene.caller.send("Ask b");
		const [answer] = answersOf(scene.caller);
		assert.deepEqual([answer?.["sessionId"], answer?.["created"], answer?.["sessionName"]], [newer, false, "Hello"]);
		const said = (await scene.house.sessions.get(newer)).state.events.flatMap((event) => (event.type === "user" ? [event.text] : []));
		assert.deepEqual(said, ["Hello", "Do it"]);
	});

	it("is a new one with `create`, which another agent's words do not name", async () => {
		const script = [calling("b", "Tidy up\nthe readme", { session: "create" }), { text: "End." }];
		const scene = await delegationStage({ a: script, b: [{ text: "Hi." }] });
		const known = await usedSession(scene);
		await scene.caller.send("Ask b");
		const [answer] = answersOf(scene.caller);
		assert.notEqual(answer?.["sessionId"], known);
		assert.deepEqual([answer?.["created"], answer?.["sessionName"]], [true, "Called by a"]);
		const sessionId = String(answer?.["sessionId"]);
		const { sessions } = scene.house;
		assert.equal((await sessions.find(sessionId))?.name, undefined);
		await (await sessions.get(sessionId)).send("Mine now");
		const mine = await sessions.find(sessionId);
		assert.equal(mine && formatSessionTitle(mine), "Mine now");
	});

	it("must exist with `latest`: the error says so, and nothing is created", async () => {
		const scene = await delegationStage({ a: [calling("b", "Do it", { session: "latest" }), { text: "End." }], b: [] });
		await scene.caller.send("Ask b");
		assert.match(outputsOf(scene.caller)[0] ?? "", /The agent b has no session yet\. Nothing was sent\. Use session "latest-or-create"/);
		assert.deepEqual(await sessionsOf(scene, "b"), []);
	});

	it("must be free with `latest`", async () => {
		const { until, open } = latch();
		const scene = await delegationStage({
			a: [calling("b", "Do it", { session: "latest" }), { text: "End." }],
			b: [{ text: "Hi.", until }],
		});
		const { sessionId } = await scene.house.sessions.create({ agentId: "b" });
		const running = (await scene.house.sessions.get(sessionId)).send("Work");
		await scene.event("b", "started");
		await scene.caller.send("Ask b");
		assert.match(outputsOf(scene.caller)[0] ?? "", /The agent b has no session that is free\. Nothing was sent/);
		open();
		await running;
	});

	it("is the one that the call names", async () => {
		let id = "";
		const a = (_: unknown, call: number) => (call === 0 ? calling("b", "Do it", { session: id }) : { text: "End." });
		const scene = await delegationStage({ a, b: [{ text: "Hi." }] });
		id = await usedSession(scene);
		await usedSession(scene);
		await scene.caller.send("Ask b");
		assert.equal(answersOf(scene.caller)[0]?.["sessionId"], id);
	});

	it("is refused if the agent has none with that id, as one of another agent or that nobody knows", async () => {
		let other = "";
		const a = (_: unknown, call: number) =>
			[calling("b", "Do it", { session: other }), calling("b", "Do it", { session: "no-such-session" })][call] ?? { text: "End." };
		const scene = await delegationStage({ a, b: [], c: [] });
		({ sessionId: other } = await scene.house.sessions.create({ agentId: "c" }));
		await scene.caller.send("Ask b");
		assert.deepEqual(
			outputsOf(scene.caller),
			[other, "no-such-session"].map(
				(id) => `The agent b has no session "${id}". Nothing was sent. Use session "latest-or-create" or "create".`,
			),
		);
		assert.deepEqual(await sessionsOf(scene, "b"), []);
	});

	it("is refused if it is the caller's own, or waits for the answer", async () => {
		const settings = { delegation: { maxDepth: 2, timeout: 300, maxConcurrent: 4, maxTokens: 1_000_000 } };
		let own = "";
		let above = "";
		const a = (_: unknown, call: number) => [calling("b", "Do it", { session: own }), calling("b")][call] ?? { text: "End." };
		const b = (_: unknown, call: number) => (call === 0 ? calling("c", "Do it", { session: above }) : { text: "End." });
		const scene = await delegationStage({ a, b, c: [] }, { settings });
		own = above = scene.caller.sessionId;
		await scene.caller.send("Ask b");
		assert.match(outputsOf(scene.caller)[0] ?? "", /is your own, and would wait for itself\. Nothing was sent/);
		assert.match(outputsOf(await scene.sessionOf("b"))[0] ?? "", /waits for the answer to a call that led here\. Nothing was sent/);
	});

	it("is never the same for calls of one agent at the same time", async () => {
		const three = { calls: [1, 2, 3].map((n) => ({ name: "agents_message", input: { agentId: "b", content: `Part ${n}` } })) };
		const { until, open } = latch();
		const scene = await delegationStage({ a: [three, { text: "End." }], b: [{ text: "Hi." }, { text: "Hi.", until }] });
		await usedSession(scene);
		const turn = scene.caller.send("Ask b");
		for (const part of ["Part 1", "Part 2", "Part 3"]) await scene.event("b", "user", ({ text }) => text === part);
		open();
		await turn;
		const used = answersOf(scene.caller).map(({ sessionId }) => sessionId);
		assert.equal(new Set(used).size, 3);
		assert.equal((await sessionsOf(scene, "b")).length, 3);
	});

	it("is free again for the next call once it has answered", async () => {
		const scene = await delegationStage({ a: [calling("b"), calling("b"), { text: "End." }], b: [{ text: "Hi." }] });
		await scene.caller.send("Ask b twice");
		const [first, second] = answersOf(scene.caller);
		assert.equal(first?.["sessionId"], second?.["sessionId"]);
	});
});

describe("a session that is busy", () => {
	afterEach(strikeDelegation);

	it("runs", async () => {
		const { until, open } = latch();
		let id = "";
		const scene = await delegationStage({ a: busyCalls(() => id), b: [{ text: "Hi.", until }, { text: "Hi." }] });
		({ sessionId: id } = await scene.house.sessions.create({ agentId: "b" }));
		const running = (await scene.house.sessions.get(id)).send("Work");
		await scene.event("b", "started");
		await assertBusy(scene, id);
		open();
		await running;
	});

	it("waits for an answer to its question", async () => {
		let id = "";
		const ask = { calls: [{ name: "ask_question", input: { question: "Which?", severity: "minor", allow_custom: true } }] };
		const scene = await delegationStage({ a: busyCalls(() => id), b: [ask, { text: "Hi." }] });
		id = await usedSession(scene);
		await assertBusy(scene, id);
	});

	it("waits for the user's decision on its plan", async () => {
		let id = "";
		const scene = await delegationStage({
			a: busyCalls(() => id),
			b: [{ calls: [{ name: "present_plan", input: PLAN }] }, { text: "Hi." }],
		});
		id = await usedSession(scene);
		await assertBusy(scene, id);
	});

	it("waits for an approval", async () => {
		let id = "";
		const run = { calls: [{ name: "execute_command", input: { command: "touch one" } }] };
		const scene = await delegationStage({ a: busyCalls(() => id), b: [run, { text: "Hi." }] }, { settings: { approval: "ask" } });
		({ sessionId: id } = await scene.house.sessions.create({ agentId: "b", role: "actor" }));
		const session = await scene.house.sessions.get(id);
		const running = session.send("Work");
		await scene.event(session, "asked");
		await assertBusy(scene, id);
		await scene.answer(session, { allow: false });
		await running;
	});

	it("has a plan running", async () => {
		let id = "";
		const scene = await delegationStage({
			a: busyCalls(() => id),
			b: [{ calls: [{ name: "present_plan", input: PLAN }] }, { text: "Later." }, { text: "Hi." }],
		});
		id = await usedSession(scene);
		const session = await scene.house.sessions.get(id);
		await session.executePlan({});
		assert.ok(session.state.run);
		await assertBusy(scene, id);
	});

	it("has messages waiting", async () => {
		const home = newHome();
		let id = "";
		const { until } = latch();
		const before = await delegationStage({ a: [], b: [{ text: "Hi.", until }] }, { home });
		({ sessionId: id } = await before.house.sessions.create({ agentId: "b" }));
		const session = await before.house.sessions.get(id);
		void session.send("Work");
		await before.model.asked;
		void session.send("And this");
		await before.event("b", "queued");
		await before.house.close();
		const scene = await delegationStage({ a: busyCalls(() => id), b: [{ text: "Hi." }] }, { home });
		await assertBusy(scene, id);
	});

	it("belongs to another window", async () => {
		const home = newHome();
		let id = "";
		const agents = [agent("a"), agent("b")];
		const other = await delegationStage({ a: [], b: [{ text: "Hi." }] }, { home, agents });
		id = await usedSession(other);
		await other.caller.close();
		const scene = await delegationStage({ a: busyCalls(() => id), b: [{ text: "Hi." }] }, { home, agents });
		await assertBusy(scene, id);
	});
});
