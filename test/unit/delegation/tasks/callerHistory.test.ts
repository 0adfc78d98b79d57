// Tests what becomes of tasks, and of their news, when the session that started them loses its history.
import assert from "node:assert/strict";
import { openDelegations } from "../../../../src/core/transcript/delegations.ts";
import { findMessageIndex, rewindTo } from "../../../../src/session/history/rewind.ts";
import { latch, spawning, strikeTasks, type TaskStage, taskStage } from "./taskStage.ts";

const quick = { type: "quick" };
const NEWS = { by: "agent:other", ceiling: [] } as const;

/** A caller that is idle, and its task that works until `open`. */
async function working(): Promise<TaskStage & { taskId: string; open(): void }> {
	const { until, open } = latch();
	const stage = await taskStage({
		caller: [{ text: "Hello." }, spawning("count", quick), { text: "It runs." }, { text: "I see." }],
		count: [{ text: "There are three.", until }],
	});
	await stage.caller.send("Hello");
	await stage.caller.send("Count");
	return { ...stage, taskId: (await stage.state("running")).sessionId, open };
}

const newsIn = ({ caller }: TaskStage) => caller.state.events.filter(({ type }) => type === "queued");

describe("a task whose caller", () => {
	afterEach(strikeTasks);

	it("was cleared is stopped, stays to be read, and tells nothing", async () => {
		const stage = await working();
		await stage.house.sessions.clear(stage.caller.sessionId);
		await stage.state("cancelled");
		stage.open();
		const caller = await stage.house.sessions.get(stage.caller.sessionId);
		assert.deepEqual([caller.state.tasks.size, caller.state.queue.size, openDelegations(caller.state).length], [0, 0, 0]);
		assert.equal((await stage.house.sessions.get(stage.taskId)).state.outcome, "cancelled");
		assert.deepEqual(await stage.house.store.pendingTasks(), []);
	});

	it("was deleted is stopped and deleted with it", async () => {
		const stage = await working();
		await stage.house.sessions.delete(stage.caller.sessionId);
		stage.open();
		assert.deepEqual([await stage.tasks(), await stage.house.store.pendingTasks()], [[], []]);
		assert.equal(await stage.house.store.find(stage.caller.sessionId), undefined);
	});

	it("was rewound to before it is stopped, and tells nothing", async () => {
		const stage = await working();
		const { events } = stage.caller.state;
		const before = events.find((event) => event.type === "user" && event.text === "Count");
		assert.ok(before);
		await rewindTo(stage.caller, findMessageIndex(stage.caller, before.id), true);
		await stage.state("cancelled");
		stage.open();
		assert.deepEqual([newsIn(stage), stage.caller.state.tasks.get(stage.taskId)?.state], [[], "cancelled"]);
	});

	it("was rewound to after it goes on, and tells its end", async () => {
		const stage = await working();
		await stage.caller.send("Thanks");
		const { events } = stage.caller.state;
		const after = events.find((event) => event.type === "user" && event.text === "Thanks");
		assert.ok(after);
		await rewindTo(stage.caller, findMessageIndex(stage.caller, after.id), true);
		stage.open();
		await stage.state("done");
		assert.match((await stage.event(stage.caller.sessionId, "queued")).text, /is done\.[\s\S]*There are three\.$/);
	});

	it("was compacted still has its card, and hears its end", async () => {
		const stage = await working();
		await stage.caller.compact();
		assert.equal(stage.caller.state.tasks.get(stage.taskId)?.state, "running");
		stage.open();
		await stage.state("done");
		const news = await stage.event(stage.caller.sessionId, "queued");
		assert.match(news.text, /is done\.[\s\S]*There are three\.$/);
		await stage.event(stage.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		assert.equal(stage.caller.state.tasks.get(stage.taskId)?.state, "done");
	});

	it("was compacted after its end says, if it goes on, that nobody hears it", async () => {
		const stage = await working();
		stage.open();
		await stage.state("done");
		await stage.event(stage.caller.sessionId, "queued");
		await stage.caller.send("Thanks");
		await stage.caller.compact();
		const task = await stage.house.sessions.get(stage.taskId);
		await task.send("Count again");
		await stage.house.delegation.tasks.settled();
		const notes = task.state.events.flatMap((event) => (event.type === "status" ? [event.text] : []));
		assert.deepEqual(notes, ["The session that started this task no longer knows it, so it doesn't hear how the task goes on."]);
		assert.match(stage.house.logged.join("\n"), /news of the task .* reached nobody/);
		assert.deepEqual([newsIn(stage), task.state.outcome], [[], "done"]);
	});

	it("has 100 waiting messages is told its end all the same, and may not be told more before", async () => {
		const [task, busy] = [latch(), latch()];
		const stage = await taskStage({
			caller: (_, index) => {
				if (index === 0) return spawning("count", quick);
				return index === 2 ? { text: "At last.", until: busy.until } : { text: "I see." };
			},
			count: [{ text: "Counting", until: task.until, calls: [{ name: "notify", input: { text: "Two so far." } }] }, { text: "Three." }],
		});
		await stage.caller.send("Count");
		const { sessionId } = await stage.state("running");
		void stage.caller.send("Think");
		for (let index = 0; index < 100; index += 1) await stage.caller.enqueue({ text: `m${index}` }, NEWS);
		task.open();
		await stage.state("done");
		const [told] = [...(await stage.house.sessions.get(sessionId)).state.calls.values()];
		assert.match(told?.result?.output ?? "", /100 messages wait at your caller already\. Nothing was sent/);
		const news = [...stage.caller.state.queue.values()].filter(({ about }) => about?.kind === "task");
		assert.deepEqual([stage.caller.state.queue.size, news.length], [101, 1]);
		busy.open();
		await stage.event(stage.caller.sessionId, "ended", ({ turn }) => turn === news[0]?.message);
	});
});

describe("what a task tells", () => {
	afterEach(strikeTasks);

	it("joins the turn that started it while that goes on", async () => {
		const { until, open } = latch();
		const stage = await taskStage({
			caller: [
				spawning("count", quick),
				{ text: "Looking", calls: [{ name: "list_directory", input: { path: "." } }], until },
				{ text: "Three." },
			],
			count: [{ text: "There are three." }],
		});
		const turn = stage.caller.send("Count");
		const news = await stage.event(stage.caller.sessionId, "queued");
		open();
		await turn;
		const taken = await stage.event(stage.caller.sessionId, "user", ({ message }) => message === news.message);
		const first = await stage.event(stage.caller.sessionId, "started");
		assert.equal(taken.turn, first.turn);
	});

	it("begins a turn with no more permissions than the call had that started it", async () => {
		const { until, open } = latch();
		const write = { calls: [{ name: "create_file", input: { path: "a.txt", content: "x" } }] };
		const stage = await taskStage(
			{ caller: [spawning("count", quick), { text: "It runs." }, write, { text: "No." }], count: [{ text: "Three.", until }] },
			{ role: "planner", settings: { approval: "auto" } },
		);
		await stage.caller.send("Count");
		await stage.caller.setRole("actor");
		open();
		const news = await stage.event(stage.caller.sessionId, "queued");
		await stage.event(stage.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		const { result } = [...stage.caller.state.calls.values()].at(-1) ?? {};
		assert.equal(result?.status, "denied");
	});

	it("is not what it does: three steps are one message, and notify is one more while it works", async () => {
		const { until, open } = latch();
		const look = { text: "Looking", calls: [{ name: "list_directory", input: { path: "." } }] };
		const stage = await taskStage({
			caller: [spawning("count", quick), { text: "It runs." }, { text: "I see." }],
			count: [look, { calls: [{ name: "notify", input: { text: "Two so far.\u200b" } }] }, { ...look, until }, { text: "Three." }],
		});
		await stage.caller.send("Count");
		const early = await stage.event(stage.caller.sessionId, "queued");
		assert.match(early.text, /has a message for you\.\n\nTwo so far\.$/);
		await stage.event(stage.caller.sessionId, "ended", ({ turn }) => turn === early.message);
		const card = await stage.event(stage.caller.sessionId, "task", ({ text }) => text === "Two so far.");
		assert.equal(card.state, "running");
		assert.equal((await stage.tasks())[0]?.task?.state, "running");
		open();
		await stage.state("done");
		const last = await stage.event(stage.caller.sessionId, "queued", ({ message }) => message !== early.message);
		assert.match(last.text, /is done\./);
		assert.equal(newsIn(stage).length, 2);
	});
});
