// Tests what becomes of tasks when their window closes, and in the next one.

import assert from "node:assert/strict";
import { createDeferred } from "../../../fakes/deferred.ts";
import { closeTestTasks, closeWindow, newHome, openTestTasks, outputsOf, spawning, taskIdIn } from "./testTasks.ts";

const quick = { type: "quick" };

describe("a task whose window closed", () => {
	afterEach(closeTestTasks);

	it("is interrupted in the next window, which tells its caller once and starts nothing", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const first = await openTestTasks(
			{ caller: [spawning("count", quick), { text: "It runs." }], count: [{ text: "Three.", until }] },
			{ home },
		);
		await first.caller.send("Count");
		const { sessionId } = await first.state("running");
		await closeWindow(first);
		open();

		const second = await openTestTasks({ caller: [{ text: "I see." }], count: [{ text: "Never." }] }, { home });
		await second.app.sessions.recover();
		const { task } = await second.state("interrupted");
		assert.equal(task?.spent.steps, 0);
		const news = await second.event(second.caller.sessionId, "queued");
		assert.match(news.text, /was interrupted\. The window that ran it is gone.*resume_task/);
		await second.event(second.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		assert.ok(!second.model.requests.some(({ system }) => system.includes("quick task")));
		await closeWindow(second);

		const third = await openTestTasks({ caller: [{ text: "I see." }] }, { home });
		await third.app.sessions.recover();
		const { events } = (await third.app.sessions.get(third.caller.sessionId)).state;
		assert.equal(events.filter(({ type }) => type === "queued").length, 1);
		assert.equal((await third.app.sessions.get(sessionId)).state.outcome, "interrupted");
	});

	it("goes on when the user continues it", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const first = await openTestTasks(
			{ caller: [spawning("count", quick), { text: "It runs." }], count: [{ text: "Three.", until }] },
			{ home },
		);
		await first.caller.send("Count");
		const { sessionId } = await first.state("running");
		await closeWindow(first);
		open();

		const second = await openTestTasks({ caller: [{ text: "I see." }], count: [{ text: "Four." }] }, { home });
		await second.app.sessions.recover();
		await second.state("interrupted");
		await second.app.delegation.tasks.continue(sessionId);
		await second.state("done");
		const news = await second.event(second.caller.sessionId, "queued", ({ text }) => text.includes("is done"));
		assert.match(news.text, /Four\.$/);
	});

	it("begins with its first message if it had still waited for its place", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const tasks = { maxConcurrent: 1, maxSteps: 60, maxTokens: 400_000, maxMinutes: 60, isolation: "never" as const, copyIgnored: [] };
		const calls = [spawning("one", quick), spawning("two", quick)].flatMap(({ calls = [] }) => calls);
		const scripts = { caller: [{ calls }, { text: "They run." }], one: [{ text: "One.", until }], two: [{ text: "Two." }] };
		const first = await openTestTasks(scripts, { home, settings: { tasks } });
		await first.caller.send("Count");
		await first.state("running", "one");
		const { sessionId } = await first.state("queued", "two");
		await closeWindow(first);
		open();

		const second = await openTestTasks({ caller: [{ text: "I see." }], one: [{ text: "One." }], two: [{ text: "Two." }] }, { home });
		await second.app.sessions.recover();
		await second.state("interrupted", "two");
		assert.ok(!second.model.requests.some(({ system }) => system.includes("quick task")));
		await second.app.delegation.tasks.continue(sessionId);
		await second.state("done", "two");
		const { events } = (await second.app.sessions.get(sessionId)).state;
		assert.deepEqual(
			events.flatMap((event) => (event.type === "user" ? [event.text] : [])),
			["two"],
		);
	});

	it("that waited for information still waits, and takes the answer", async () => {
		const home = newHome();
		const choose = [{ calls: [{ name: "need_more_info", input: { question: "Which one?" } }] }];
		const first = await openTestTasks({ caller: [spawning("choose", quick), { text: "It runs." }], choose }, { home });
		await first.caller.send("Choose");
		await first.state("waiting");
		await closeWindow(first);

		const second = await openTestTasks(
			{
				caller: (request, call) =>
					call === 0 ? { calls: [{ name: "resume_task", input: { taskId: taskIdIn(request), input: "Red." } }] } : { text: "I see." },
				choose: [{ text: "Red it is." }],
			},
			{ home },
		);
		await second.app.sessions.recover();
		assert.deepEqual([(await second.tasks())[0]?.task?.state, second.caller.state.queue.size], ["waiting", 0]);
		await second.caller.send("Tell it to take the red one");
		const { sessionId } = await second.state("done");
		assert.deepEqual(outputsOf(second.caller, "resume_task"), [{ taskId: sessionId, state: "queued" }]);
	});
});

describe("tasks over the limit", () => {
	afterEach(closeTestTasks);

	it("wait in order, and one that waits for a user holds no place", async () => {
		const tasks = { maxConcurrent: 1, maxSteps: 60, maxTokens: 400_000, maxMinutes: 60, isolation: "never" as const, copyIgnored: [] };
		const calls = ["one", "two", "three"].flatMap((name) => spawning(name, quick).calls ?? []);
		const { until, open } = createDeferred();
		const setup = await openTestTasks(
			{
				caller: [{ calls }, { text: "They run." }],
				one: [{ calls: [{ name: "create_file", input: { path: "one.txt", content: "1" } }] }, { text: "One." }],
				two: [{ text: "Two.", until }],
				three: [{ text: "Three." }],
			},
			{ settings: { tasks, approval: "ask" } },
		);
		await setup.caller.send("Go");
		const one = await setup.app.sessions.get((await setup.state("running", "one")).sessionId);
		await setup.event(one.sessionId, "asked");
		await setup.state("running", "two");
		assert.equal((await setup.state("queued", "three")).task?.state, "queued");
		open();
		await setup.state("done", "three");
		await setup.answer(one, { allow: true });
		await setup.state("done", "one");
	});
});
