// Tests tasks with a second window on the same folder, which has the task, or the session that started it.

import assert from "node:assert/strict";
import { toShownRefusal } from "../../../../src/delegation/tasks/taskRefusal.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { closeTestTasks, closeWindow, newHome, openTestTasks, outputsOf, spawning, type TestTasks, taskIdIn } from "./testTasks.ts";

const quick = { type: "quick" };
const NEWS = { by: "agent:other", ceiling: [] } as const;

/** A window whose task works until `open`, and a second window that has opened the same caller. */
async function windows(second: Parameters<typeof openTestTasks>[0]) {
	const home = newHome();
	const { until, open } = createDeferred();
	const here = await openTestTasks(
		{ caller: [spawning("count", quick), { text: "It runs." }, { text: "I see." }], count: [{ text: "There are three.", until }] },
		{ home },
	);
	await here.caller.send("Count");
	const { sessionId: taskId } = await here.state("running");
	const there = await openTestTasks(second, { home });
	return { here, there, taskId, open };
}

const newsIn = ({ caller }: TestTasks) =>
	caller.state.events.flatMap((event) => (event.type === "queued" && event.about?.kind === "task" ? [event] : []));

describe("a task of another window", () => {
	afterEach(closeTestTasks);

	it("is not marked, stopped, continued or resumed, and its caller is told so", async () => {
		const { here, there, taskId } = await windows({
			caller: (request, index) => {
				const calls = ["resume_task", "task_stop", "task_status"].map((name) => ({
					name,
					input: { taskId: taskIdIn(request), input: "Go on" },
				}));
				return index === 0 ? { calls } : { text: "I see." };
			},
		});
		await there.app.sessions.recover();
		assert.equal((await there.state("running")).sessionId, taskId);
		const { tasks } = there.app.delegation;
		await assert.rejects(tasks.stop(taskId), /[Aa]nother window/);
		await assert.rejects(tasks.continue(taskId), /task is running/);
		await assert.rejects(
			toShownRefusal("stop", tasks.stop(taskId)),
			/^UserError: Another window has this task open\. The task wasn't stopped\. Stop it there\.$/,
		);
		await assert.rejects(toShownRefusal("continue", tasks.continue(taskId)), /^UserError: The task is already running/);
		await there.caller.send("Look after it");
		const [resumed, stopped, status] = ["resume_task", "task_stop", "task_status"].map((name) => outputsOf(there.caller, name)[0]);
		assert.match(String(resumed), /The task is running\. Nothing was sent/);
		assert.match(String(stopped), /Another window runs this task/);
		assert.equal((status as { state: string }).state, "running");
		assert.equal((await here.tasks())[0]?.task?.state, "running");
	});

	it("is reported to a caller that this window has read before the task was started", async () => {
		const home = newHome();
		const here = await openTestTasks(
			{ caller: [spawning("count", quick), { text: "It runs." }], count: [{ text: "Never.", until: createDeferred().until }] },
			{ home },
		);
		const there = await openTestTasks({ caller: [{ text: "I see." }] }, { home });
		await here.caller.send("Count");
		await here.state("running");
		await closeWindow(here);
		await there.app.sessions.recover();
		await there.state("interrupted");
		assert.deepEqual(
			newsIn(there).map(({ about }) => about?.kind === "task" && about.state),
			["interrupted"],
		);
	});

	it("goes on waiting for its answer, where this window has read it while it still worked", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const asking = { calls: [{ name: "need_more_info", input: { question: "Which one?", options: ["red", "blue"] } }], until };
		const here = await openTestTasks(
			{ caller: [spawning("count", quick), { text: "It runs." }, { text: "The person knows." }], count: [asking] },
			{ home },
		);
		const there = await openTestTasks({ caller: [{ text: "I see." }] }, { home });
		await here.caller.send("Count");
		const { sessionId: taskId } = await here.state("running");
		await here.event(taskId, "started");
		await there.app.sessions.get(taskId);
		open();
		await here.state("waiting");
		await here.event(here.caller.sessionId, "assistant", ({ text }) => text === "The person knows.");
		await closeWindow(here);
		await there.app.sessions.recover();
		assert.equal((await there.tasks())[0]?.task?.state, "waiting");
	});

	it("brings its end to the caller that this window has, once", async () => {
		const { here, there, taskId, open } = await windows({ caller: [{ text: "Hello." }, { text: "I see." }] });
		await there.caller.send("Hello");
		open();
		await here.state("done");
		const news = await there.event(there.caller.sessionId, "queued");
		assert.match(news.text, /is done\.[\s\S]*There are three\.$/);
		await there.event(there.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		await there.caller.resume();
		assert.equal(newsIn(there).length, 1);
		assert.equal(there.caller.state.tasks.get(taskId)?.state, "done");
		assert.deepEqual(await there.app.store.inbox(there.caller.sessionId), []);
	});

	it("that is stopped there is shown as stopped here, and begins no turn", async () => {
		const { here, there, taskId } = await windows({ caller: [{ text: "Hello." }, { text: "Never." }] });
		await there.caller.send("Hello");
		await here.app.delegation.tasks.stop(taskId);
		const { state, name } = await there.event(there.caller.sessionId, "task", (event) => event.state === "cancelled");
		assert.deepEqual([state, name], ["cancelled", "count"]);
		await there.caller.resume();
		assert.deepEqual([newsIn(there).length, there.model.requests.length], [0, 1]);
		assert.deepEqual(await there.app.store.inbox(there.caller.sessionId), []);
	});

	it("brings its end later where too many messages wait, once", async () => {
		const busy = createDeferred();
		const { here, there, taskId, open } = await windows({
			caller: (_, index) => (index === 0 ? { text: "Hello.", until: busy.until } : { text: "I see." }),
		});
		const { sessionId } = there.caller;
		const turn = there.caller.send("Hello");
		await there.event(sessionId, "started", ({ turn: one }) => one !== there.caller.state.events[0]?.turn && there.caller.isRunning);
		for (let index = 0; index < 100; index += 1) await there.caller.enqueue({ text: `m${index}` }, NEWS);
		open();
		await here.event(taskId, "ended");
		await here.app.delegation.tasks.whenSettled();
		assert.equal((await here.tasks())[0]?.task?.state, "running");
		assert.match(here.app.logged.join("\n"), /was not reported or saved yet/);
		busy.open();
		await turn;
		await here.state("done");
		const news = await there.event(sessionId, "queued", ({ about }) => about?.kind === "task");
		await there.event(sessionId, "ended", ({ turn: one }) => one === news.message);
		assert.deepEqual([newsIn(there).length, there.caller.state.tasks.get(taskId)?.state], [1, "done"]);
	});

	it("keeps its end for the next window if its own one closes before it could bring it", async () => {
		const busy = createDeferred();
		const { here, there, taskId, open } = await windows({
			caller: (_, index) => (index === 0 ? { text: "Hello.", until: busy.until } : { text: "I see." }),
		});
		const { sessionId } = there.caller;
		const turn = there.caller.send("Hello");
		await there.event(sessionId, "started", () => there.caller.isRunning);
		for (let index = 0; index < 100; index += 1) await there.caller.enqueue({ text: `m${index}` }, NEWS);
		open();
		await here.event(taskId, "ended");
		await here.app.delegation.tasks.whenSettled();
		await closeWindow(here);
		busy.open();
		await turn;
		await there.event(sessionId, "ended", () => there.caller.state.queue.size === 0);
		await there.app.sessions.recover();
		await there.state("done");
		const news = await there.event(sessionId, "queued", ({ about }) => about?.kind === "task");
		assert.match(news.text, /is done\.[\s\S]*There are three\.$/);
		assert.equal(newsIn(there).length, 1);
	});
});
