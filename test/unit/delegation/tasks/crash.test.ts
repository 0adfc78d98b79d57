// Tests the recoveries of sessions and of tasks after a window died, at the moments between two writes.
import assert from "node:assert/strict";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TranscriptEvent } from "../../../../src/core/events.ts";
import { openCalls } from "../../../../src/core/transcript/state.ts";
import type { ScriptedAnswer } from "../../../fakes/scriptedModel.ts";
import { closeTestTasks, closeWindow, newHome, openTestTasks, type Scripts, spawning, type TestTasks, taskIdIn } from "./testTasks.ts";

const quick = { type: "quick" };
const COUNT: Scripts = {
	caller: [spawning("count", quick), { text: "It runs." }, { text: "I see." }],
	count: [{ text: "There are three." }],
};

/** What is on the disk once such an event was written, as if the window had died then. `task`: an event of the task. */
async function dieAt(
	scripts: Scripts,
	isMoment: (event: TranscriptEvent, isTask: boolean) => boolean,
	settings = {},
	home?: string,
): Promise<string> {
	const again = home !== undefined;
	home ??= newHome();
	const left = newHome();
	const setup = await openTestTasks(scripts, { home, settings });
	await new Promise<void>((resolve) => {
		let isDead = false;
		setup.app.sessions.listen({
			event(id, event) {
				if (isDead || !isMoment(event, id !== setup.caller.sessionId)) return;
				isDead = true;
				cpSync(home, left, { recursive: true });
				for (const name of readdirSync(left, { recursive: true, encoding: "utf8" }))
					if (/owner\.json|\.lock$/.test(name)) rmSync(join(left, name), { force: true });
				resolve();
			},
		});
		void (again ? setup.app.sessions.recover() : setup.caller.send("Count"));
	});
	return left;
}

/** The next window, once it has reported what the dead one left. */
async function nextWindow(home: string, scripts: Scripts = { caller: [{ text: "I see." }], count: [] }): Promise<TestTasks> {
	const setup = await openTestTasks(scripts, { home });
	await setup.app.sessions.recover();
	return setup;
}

const newsIn = ({ caller }: TestTasks) =>
	caller.state.events.flatMap((event) => (event.type === "queued" && event.about?.kind === "task" ? [event] : []));

/** The caller's next turn is answered, so its transcript is in order. */
async function assertGoesOn({ caller }: TestTasks): Promise<void> {
	assert.equal((await caller.send("Go on")).outcome, "done");
	assert.deepEqual(openCalls(caller.state), []);
}

describe("a window that died", () => {
	afterEach(closeTestTasks);

	it("before the calls of an answer ran: each gets the result that its outcome is unknown, and nothing was started", async () => {
		const calls = [...(spawning("count", quick).calls ?? []), { name: "current_time", input: {} }];
		const home = await dieAt({ ...COUNT, caller: [{ calls }] }, ({ type }, isTask) => type === "assistant" && !isTask);
		const setup = await nextWindow(home);
		const results = [...setup.caller.state.calls.values()].map(({ call, result }) => [call.name, result?.status]);
		assert.deepEqual(results, [
			["spawn_subagent", "unknown"],
			["current_time", "unknown"],
		]);
		assert.deepEqual([await setup.tasks(), newsIn(setup)], [[], []]);
		await assertGoesOn(setup);
	});

	it("before a started task had begun: the task is interrupted with its input, and its caller is told", async () => {
		const home = await dieAt(COUNT, ({ type }, isTask) => type === "delegated" && !isTask);
		const setup = await nextWindow(home);
		const { sessionId } = await setup.state("interrupted");
		assert.match((await setup.event(setup.caller.sessionId, "queued")).text, /was interrupted\..*resume_task/);
		const { queue } = (await setup.app.sessions.get(sessionId)).state;
		assert.deepEqual(
			[...queue.values()].map(({ text }) => text),
			["count"],
		);
		await assertGoesOn(setup);
		assert.equal(newsIn(setup).length, 1);
	});

	it("before the call that starts a task was recorded: the task is interrupted, and no news without a call", async () => {
		const home = await dieAt(COUNT, ({ type }, isTask) => type === "queued" && isTask);
		const setup = await nextWindow(home);
		await setup.state("interrupted");
		assert.deepEqual(newsIn(setup), []);
		await assertGoesOn(setup);
	});

	it("in a call of a task: its outcome is unknown, it does not run again, and the caller is told once", async () => {
		const write: ScriptedAnswer = { text: "Counting", calls: [{ name: "create_file", input: { path: "a.txt", content: "x" } }] };
		// Both are on the disk, in whatever order.
		const seen = new Set<string>();
		const isMoment = (event: TranscriptEvent, isTask: boolean): boolean => {
			if (event.type === "asked" && isTask) seen.add("asked");
			if (event.type === "task" && event.state === "running") seen.add("running");
			return seen.size === 2;
		};
		const home = await dieAt({ ...COUNT, count: [write] }, isMoment, { approval: "ask" });
		const setup = await nextWindow(home);
		const { sessionId, task } = await setup.state("interrupted");
		assert.equal(task?.spent.steps, 1);
		const { calls, requests, outcome } = (await setup.app.sessions.get(sessionId)).state;
		assert.deepEqual(
			[[...calls.values()].map(({ result }) => result?.status), [...requests.values()].map(({ state }) => state), outcome],
			[["unknown"], ["expired"], "interrupted"],
		);
		const news = await setup.event(setup.caller.sessionId, "queued");
		assert.match(news.text, /was interrupted\.[\s\S]*Its last words:\n\nCounting$/);
		await setup.event(setup.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		await setup.app.sessions.recover();
		await assertGoesOn(setup);
		assert.equal(newsIn(setup).length, 1);
		assert.ok(!setup.model.requests.some(({ system }) => system.includes("quick task")));
	});

	it("after a task had ended and before that was reported: its answer arrives, once", async () => {
		const home = await dieAt(COUNT, ({ type }, isTask) => type === "ended" && isTask);
		const setup = await nextWindow(home);
		await setup.state("done");
		const news = await setup.event(setup.caller.sessionId, "queued");
		assert.match(news.text, /is done\.[\s\S]*There are three\.$/);
		await setup.event(setup.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		await assertGoesOn(setup);
		assert.equal(newsIn(setup).length, 1);
	});

	it("after the answer had reached the caller and before the record said so: it does not arrive again", async () => {
		const home = await dieAt(COUNT, (event, isTask) => event.type === "queued" && event.about?.kind === "task" && !isTask);
		const setup = await nextWindow(home);
		await setup.state("done");
		await assertGoesOn(setup);
		assert.equal(newsIn(setup).length, 1);
		assert.deepEqual(await setup.app.store.pendingTasks(), []);
	});

	it("while a task asked for information: the question waits, and the caller's answer goes on", async () => {
		const ask: ScriptedAnswer = { calls: [{ name: "need_more_info", input: { question: "Which one?" } }] };
		const home = await dieAt({ ...COUNT, count: [ask] }, ({ type }, isTask) => type === "ended" && isTask);
		const setup = await nextWindow(home, {
			caller: (request, index) =>
				index === 0 ? { calls: [{ name: "resume_task", input: { taskId: taskIdIn(request), input: "Red." } }] } : { text: "I see." },
			count: [{ text: "Red it is." }],
		});
		const news = await setup.event(setup.caller.sessionId, "queued");
		assert.match(news.text, /needs information\.[\s\S]*Which one\?$/);
		await setup.state("done");
		assert.match((await setup.event(setup.caller.sessionId, "queued", ({ message }) => message !== news.message)).text, /Red it is\.$/);
	});

	it("while a task that waits is stopped, after its caller read that: it is stopped", async () => {
		const stopping: Scripts = {
			caller: (request, index) => {
				if (index === 0) return spawning("count", quick);
				return index === 2 ? { calls: [{ name: "task_stop", input: { taskId: taskIdIn(request) } }] } : { text: "I see." };
			},
			count: [{ calls: [{ name: "need_more_info", input: { question: "Which one?" } }] }],
		};
		const home = await dieAt(stopping, (event, isTask) => event.type === "task" && event.state === "cancelled" && !isTask);
		const setup = await nextWindow(home);
		await setup.state("cancelled");
		await assertGoesOn(setup);
		assert.equal(newsIn(setup).length, 1, "it hears no more of it");
	});

	it("after a task had asked its caller, while a message waits in it: it is interrupted, so that the message goes on", async () => {
		const ask: ScriptedAnswer = { calls: [{ name: "need_more_info", input: { question: "Which one?" } }] };
		const isNews = (event: TranscriptEvent) => event.type === "queued" && event.about?.kind === "task";
		const home = await dieAt({ ...COUNT, count: [ask] }, isNews);
		const writing = await openTestTasks({ caller: [], count: [] }, { home });
		const [{ sessionId } = assert.fail()] = await writing.app.store.list("task");
		const { events } = await writing.app.store.read(sessionId);
		const [seq, at] = [events.length + 1, new Date().toISOString()];
		await writing.app.store.append(sessionId, {
			id: "q1",
			seq,
			at,
			by: "person",
			type: "queued",
			message: "m1",
			from: "person",
			text: "Red.",
		});
		await closeWindow(writing);
		const setup = await nextWindow(home);
		const { task } = await setup.state("interrupted");
		assert.equal(task?.state, "interrupted");
		await assertGoesOn(setup);
		assert.deepEqual(
			newsIn(setup).map(({ about }) => about?.kind === "task" && about.state),
			["waiting", "interrupted"],
		);
	});

	it("while it reported an interruption: the next one does not report it again", async () => {
		const first = await dieAt(COUNT, ({ type }, isTask) => type === "started" && isTask);
		const home = await dieAt({ caller: [{ text: "I see." }], count: [] }, ({ type }, isTask) => type === "queued" && !isTask, {}, first);
		const setup = await nextWindow(home);
		await setup.state("interrupted");
		await assertGoesOn(setup);
		assert.equal(newsIn(setup).length, 1);
	});

	it("leaves a list of pending tasks that is rebuilt when it is missing or damaged", async () => {
		const home = await dieAt(COUNT, ({ type }, isTask) => type === "started" && isTask);
		rmSync(join(home, "storage", "tasks", "pending.json"), { force: true });
		const setup = await nextWindow(home);
		await setup.state("interrupted");
		assert.match((await setup.event(setup.caller.sessionId, "queued")).text, /was interrupted/);
	});

	it("leaves tasks alone while the workspace is not trusted, and reports them afterwards", async () => {
		const home = await dieAt(COUNT, ({ type }, isTask) => type === "started" && isTask);
		const setup = await openTestTasks({ caller: [{ text: "I see." }], count: [] }, { home, restricted: "Trust the workspace first." });
		await setup.app.sessions.recover();
		assert.deepEqual(
			(await setup.tasks()).map(({ task }) => task?.state),
			["running"],
		);
		await closeWindow(setup);
		await (await nextWindow(home)).state("interrupted");
	});
});
