// Tests what becomes of tasks, and of their news, when the session that started them loses its history.

import assert from "node:assert/strict";
import { openDelegations } from "../../../../src/core/transcript/delegations.ts";
import { findMessageIndex, rewindTo } from "../../../../src/session/history/rewind.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { closeTestTasks, openTestTasks, spawning, type TestTasks } from "./testTasks.ts";

const quick = { type: "quick" };
const NEWS = { by: "agent:other", ceiling: [] } as const;

/** A caller that is idle, and its task that works until `open`. */
async function working(): Promise<TestTasks & { taskId: string; open(): void }> {
	const { until, open } = createDeferred();
	const setup = await openTestTasks({
		caller: [{ text: "Hello." }, spawning("count", quick), { text: "It runs." }, { text: "I see." }],
		count: [{ text: "There are three.", until }],
	});
	await setup.caller.send("Hello");
	await setup.caller.send("Count");
	return { ...setup, taskId: (await setup.state("running")).sessionId, open };
}

const newsIn = ({ caller }: TestTasks) => caller.state.events.filter(({ type }) => type === "queued");

describe("a task whose caller", () => {
	afterEach(closeTestTasks);

	it("was cleared is stopped, stays to be read, and tells nothing", async () => {
		const setup = await working();
		await setup.app.sessions.clear(setup.caller.sessionId);
		await setup.state("cancelled");
		setup.open();
		const caller = await setup.app.sessions.get(setup.caller.sessionId);
		assert.deepEqual([caller.state.tasks.size, caller.state.queue.size, openDelegations(caller.state).length], [0, 0, 0]);
		assert.equal((await setup.app.sessions.get(setup.taskId)).state.outcome, "cancelled");
		assert.deepEqual(await setup.app.store.pendingTasks(), []);
	});

	it("was deleted is stopped and deleted with it", async () => {
		const setup = await working();
		await setup.app.sessions.delete(setup.caller.sessionId);
		setup.open();
		assert.deepEqual([await setup.tasks(), await setup.app.store.pendingTasks()], [[], []]);
		assert.equal(await setup.app.store.find(setup.caller.sessionId), undefined);
	});

	it("was rewound to before it is stopped, and tells nothing", async () => {
		const setup = await working();
		const { events } = setup.caller.state;
		const before = events.find((event) => event.type === "user" && event.text === "Count");
		assert.ok(before);
		await rewindTo(setup.caller, findMessageIndex(setup.caller, before.id), true);
		await setup.state("cancelled");
		setup.open();
		assert.deepEqual([newsIn(setup), setup.caller.state.tasks.get(setup.taskId)?.state], [[], "cancelled"]);
	});

	it("was rewound to after it goes on, and tells its end", async () => {
		const setup = await working();
		await setup.caller.send("Thanks");
		const { events } = setup.caller.state;
		const after = events.find((event) => event.type === "user" && event.text === "Thanks");
		assert.ok(after);
		await rewindTo(setup.caller, findMessageIndex(setup.caller, after.id), true);
		setup.open();
		await setup.state("done");
		assert.match((await setup.event(setup.caller.sessionId, "queued")).text, /is done\.[\s\S]*There are three\.$/);
	});

	it("was compacted still has its card, and hears its end", async () => {
		const setup = await working();
		await setup.caller.compact();
		assert.equal(setup.caller.state.tasks.get(setup.taskId)?.state, "running");
		setup.open();
		await setup.state("done");
		const news = await setup.event(setup.caller.sessionId, "queued");
		assert.match(news.text, /is done\.[\s\S]*There are three\.$/);
		await setup.event(setup.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		assert.equal(setup.caller.state.tasks.get(setup.taskId)?.state, "done");
	});

	it("was compacted after its end says, if it goes on, that nobody hears it", async () => {
		const setup = await working();
		setup.open();
		await setup.state("done");
		await setup.event(setup.caller.sessionId, "queued");
		await setup.caller.send("Thanks");
		await setup.caller.compact();
		const task = await setup.app.sessions.get(setup.taskId);
		await task.send("Count again");
		await setup.app.delegation.tasks.whenSettled();
		const notes = task.state.events.flatMap((event) => (event.type === "status" ? [event.text] : []));
		assert.deepEqual(notes, ["The session that started this task no longer knows it, so it doesn't hear how the task goes on."]);
		assert.match(setup.app.logged.join("\n"), /news of the task .* reached nobody/);
		assert.deepEqual([newsIn(setup), task.state.outcome], [[], "done"]);
	});

	it("was compacted after its end is told, if it sends a message, that nobody hears it", async () => {
		const setup = await openTestTasks({
			caller: [spawning("count", quick), { text: "It runs." }, { text: "I see." }, { text: "Gladly." }],
			count: [{ text: "Three." }, { text: "Counting", calls: [{ name: "notify", input: { text: "Four." } }] }, { text: "Four." }],
		});
		await setup.caller.send("Count");
		const { sessionId } = await setup.state("done");
		await setup.event(setup.caller.sessionId, "queued");
		await setup.caller.send("Thanks");
		await setup.caller.compact();
		const task = await setup.app.sessions.get(sessionId);
		await task.send("Count again");
		const [told] = [...task.state.calls.values()];
		assert.equal(told?.result?.status, "error");
		assert.match(told?.result?.output ?? "", /Nothing was sent: the session that started this task no longer knows it/);
		assert.deepEqual([newsIn(setup), task.state.outcome], [[], "done"]);
	});

	it("has 100 waiting messages is told its end all the same, and may not be told more before", async () => {
		const [task, busy] = [createDeferred(), createDeferred()];
		const setup = await openTestTasks({
			caller: (_, index) => {
				if (index === 0) return spawning("count", quick);
				return index === 2 ? { text: "At last.", until: busy.until } : { text: "I see." };
			},
			count: [{ text: "Counting", until: task.until, calls: [{ name: "notify", input: { text: "Two so far." } }] }, { text: "Three." }],
		});
		await setup.caller.send("Count");
		const { sessionId } = await setup.state("running");
		void setup.caller.send("Think");
		for (let index = 0; index < 100; index += 1) await setup.caller.enqueue({ text: `m${index}` }, NEWS);
		task.open();
		await setup.state("done");
		const [told] = [...(await setup.app.sessions.get(sessionId)).state.calls.values()];
		assert.match(told?.result?.output ?? "", /100 messages wait at your caller already\. Nothing was sent/);
		const news = [...setup.caller.state.queue.values()].filter(({ about }) => about?.kind === "task");
		assert.deepEqual([setup.caller.state.queue.size, news.length], [101, 1]);
		busy.open();
		await setup.event(setup.caller.sessionId, "ended", ({ turn }) => turn === news[0]?.message);
	});
});

describe("what a task tells", () => {
	afterEach(closeTestTasks);

	it("joins the turn that started it while that goes on", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestTasks({
			caller: [
				spawning("count", quick),
				{ text: "Looking", calls: [{ name: "list_directory", input: { path: "." } }], until },
				{ text: "Three." },
			],
			count: [{ text: "There are three." }],
		});
		const turn = setup.caller.send("Count");
		const news = await setup.event(setup.caller.sessionId, "queued");
		open();
		await turn;
		const taken = await setup.event(setup.caller.sessionId, "user", ({ message }) => message === news.message);
		const first = await setup.event(setup.caller.sessionId, "started");
		assert.equal(taken.turn, first.turn);
	});

	it("begins a turn with no more permissions than the call had that started it", async () => {
		const { until, open } = createDeferred();
		const write = { calls: [{ name: "create_file", input: { path: "a.txt", content: "x" } }] };
		const setup = await openTestTasks(
			{ caller: [spawning("count", quick), { text: "It runs." }, write, { text: "No." }], count: [{ text: "Three.", until }] },
			{ role: "planner", settings: { approval: "auto" } },
		);
		await setup.caller.send("Count");
		await setup.caller.setRole("actor");
		open();
		const news = await setup.event(setup.caller.sessionId, "queued");
		await setup.event(setup.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		const { result } = [...setup.caller.state.calls.values()].at(-1) ?? {};
		assert.equal(result?.status, "denied");
	});

	it("is not what it does: three steps are one message, and notify is one more while it works", async () => {
		const { until, open } = createDeferred();
		const look = { text: "Looking", calls: [{ name: "list_directory", input: { path: "." } }] };
		const setup = await openTestTasks({
			caller: [spawning("count", quick), { text: "It runs." }, { text: "I see." }],
			count: [look, { calls: [{ name: "notify", input: { text: "Two so far.\u200b" } }] }, { ...look, until }, { text: "Three." }],
		});
		await setup.caller.send("Count");
		const early = await setup.event(setup.caller.sessionId, "queued");
		assert.match(early.text, /has a message for you\.\n\nTwo so far\.$/);
		await setup.event(setup.caller.sessionId, "ended", ({ turn }) => turn === early.message);
		const card = await setup.event(setup.caller.sessionId, "task", ({ text }) => text === "Two so far.");
		assert.equal(card.state, "running");
		assert.equal((await setup.tasks())[0]?.task?.state, "running");
		open();
		await setup.state("done");
		const last = await setup.event(setup.caller.sessionId, "queued", ({ message }) => message !== early.message);
		assert.match(last.text, /is done\./);
		assert.equal(newsIn(setup).length, 2);
	});
});
