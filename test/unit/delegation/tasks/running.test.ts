// Tests the life of a task: it starts at once, works, and reports to whoever started it.

import assert from "node:assert/strict";
import { pendingRequests } from "../../../../src/core/transcript/state.ts";
import { UserError } from "../../../../src/core/userError.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { closeTestTasks, openTestTasks, outputsOf, spawning, taskIdIn } from "./testTasks.ts";

const quick = { type: "quick" };

describe("a background task", () => {
	afterEach(closeTestTasks);

	it("starts at once: the caller gets its id while it works, and later its answer as a message", async () => {
		const { until, open } = createDeferred();
		const { caller, tasks, state, event } = await openTestTasks({
			caller: [spawning("count", quick), { text: "It runs." }, { text: "I see." }],
			count: [{ text: "There are three.", until }],
		});
		assert.equal((await caller.send("Count")).outcome, "done");
		const [task] = await tasks();
		assert.ok(task);
		assert.deepEqual(outputsOf(caller, "spawn_subagent"), [{ taskId: task.sessionId }]);
		await state("running");
		open();
		const queued = await event(caller.sessionId, "queued");
		assert.equal(queued.from, "agent:task-quick");
		assert.match(queued.text, /is done\.\n\nIts answer:\n\nThere are three\.$/);
		const done = await state("done");
		assert.equal(done.sessionId, task.sessionId);
		await event(caller.sessionId, "ended", ({ turn }) => turn === queued.message);
		await event(caller.sessionId, "task", (one) => one.state === "done");
		assert.deepEqual(
			caller.state.events.flatMap((one) => (one.type === "task" ? [one.state] : [])),
			["queued", "running", "done"],
		);
	});

	it("checks its answer once before it is done, and says what it has used", async () => {
		const { caller, model, state, event } = await openTestTasks({
			caller: [spawning("think"), { text: "It runs." }, { text: "I see." }],
			think: [{ text: "First." }, { text: "Checked." }, { text: "Too much." }],
		});
		await caller.send("Think");
		const { task } = await state("done");
		assert.equal(task?.reflected, true);
		const last = await event(caller.sessionId, "task", (one) => one.state === "done");
		assert.equal(last.spent?.steps, 2);
		assert.ok(last.spent.tokens > 0);
		const asked = model.requests.filter(({ system }) => !system.includes("<caller>"));
		assert.equal(asked.length, 2);
		assert.match(JSON.stringify(asked[1]?.events.findLast(({ type }) => type === "user")), /Check this against the task/);
	});

	it("keeps its place until its answer is checked", async () => {
		const tasks = { maxConcurrent: 1, maxSteps: 60, maxTokens: 400_000, maxMinutes: 60, isolation: "never" as const, copyIgnored: [] };
		const calls = ["one", "two"].flatMap((name) => spawning(name).calls ?? []);
		const answers: string[] = [];
		const { until, open } = createDeferred();
		const work = (name: string) => () => {
			answers.push(name);
			return { text: "Done.", until };
		};
		const { caller, state } = await openTestTasks(
			{ caller: [{ calls }, { text: "They run." }], one: work("one"), two: work("two") },
			{ settings: { tasks } },
		);
		await caller.send("Go");
		open();
		await state("done", "one");
		await state("done", "two");
		assert.deepEqual(answers, ["one", "one", "two", "two"]);
	});

	it("of the type explore does not check its answer", async () => {
		const { caller, model, state } = await openTestTasks({
			caller: [spawning("look", { type: "explore" }), { text: "It runs." }, { text: "I see." }],
			look: [{ text: "First." }, { text: "Too much." }],
		});
		await caller.send("Look");
		const { task } = await state("done");
		assert.equal(task?.reflected, undefined);
		assert.equal(model.requests.filter(({ system }) => !system.includes("<caller>")).length, 1);
	});

	it("fails with the reason, and with what it said until then", async () => {
		const { caller, state, event } = await openTestTasks({
			caller: [spawning("break", quick), { text: "It runs." }, { text: "I see." }],
			break: [
				{ text: "Looking", calls: [{ name: "list_directory", input: { path: "." } }] },
				{ error: new UserError("The disk is on fire.") },
			],
		});
		await caller.send("Go");
		await state("failed");
		const { text } = await event(caller.sessionId, "queued");
		assert.match(text, /failed\. The disk is on fire\..*resume_task[\s\S]*Its last words:\n\nLooking$/);
	});

	it("ends its background commands when it is done, not while it waits for information", async () => {
		const run = { calls: [{ name: "execute_command", input: { command: "sleep 600 & echo $! > pid; wait", background: true } }] };
		const ask = { calls: [{ name: "need_more_info", input: { question: "Which?" } }] };
		const { caller, app, state, clock, event, answer } = await openTestTasks({
			caller: [spawning("serve", quick), { text: "It runs." }, { text: "I see." }],
			serve: [run, ask, { text: "Done." }],
		});
		await caller.send("Serve");
		const { sessionId } = await state("running");
		const task = await app.sessions.get(sessionId);
		await answer(task, { allow: true });
		await state("waiting");
		await app.delegation.tasks.whenSettled();
		const [view] = [...task.state.calls.values()].map(({ result }) => result?.view);
		assert.ok(view?.kind === "command" && view.background);
		const runs = async () => (await app.services.window.workspace.output(view.output, 0)).running === true;
		assert.ok(await runs());
		const { request } = await event(sessionId, "question");
		clock.ahead += 1_000;
		await task.answer(request, { value: "That one" }, "person");
		await state("done");
		while (await runs()) await new Promise((resolve) => setImmediate(resolve));
	});

	it("asks for information, and goes on with the caller's answer, which names who gave it", async () => {
		const { caller, state, event } = await openTestTasks({
			caller: (request, call) => {
				if (call === 0) return spawning("choose", quick);
				if (call === 2) return { calls: [{ name: "resume_task", input: { taskId: taskIdIn(request), input: "The red one." } }] };
				return { text: "Good." };
			},
			choose: [
				{ calls: [{ name: "need_more_info", input: { question: "Which one?", options: ["red", "blue"] } }] },
				{ text: "Red it is." },
			],
		});
		await caller.send("Choose");
		const news = await event(caller.sessionId, "queued");
		assert.match(news.text, /needs information\..*resume_task[\s\S]*Its question:\n\nWhich one\?\n- red\n- blue$/);
		const { sessionId } = await state("done");
		const question = await event(sessionId, "question");
		assert.equal(question.about?.kind, "information");
		const answered = await event(sessionId, "answered");
		assert.deepEqual([answered.by, answered.answer], ["agent:caller", { value: "The red one." }]);
		assert.deepEqual(outputsOf(caller, "resume_task"), [{ taskId: sessionId, state: "queued" }]);
	});
});

describe("the user's answer to a task", () => {
	afterEach(closeTestTasks);

	it("continues it as well", async () => {
		const { caller, app, state, event, clock } = await openTestTasks({
			caller: [spawning("choose", quick), { text: "It runs." }, { text: "I see." }],
			choose: [{ calls: [{ name: "need_more_info", input: { question: "Which one?" } }] }, { text: "Red it is." }],
		});
		await caller.send("Choose");
		const { sessionId } = await state("waiting");
		const task = await app.sessions.get(sessionId);
		const [request] = pendingRequests(task.state);
		assert.ok(request);
		clock.ahead += 1_000;
		await task.answer(request.event.request, { value: "The red one." }, "person");
		await state("done");
		const answered = await event(sessionId, "answered");
		assert.equal(answered.by, "person");
	});
});
