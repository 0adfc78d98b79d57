// Tests what bounds a task: its permissions, its budgets, and the person who writes to it or stops it.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { config } from "../../../../src/shared/l10n.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import type { ScriptedAnswer } from "../../../fakes/scriptedModel.ts";
import { closeTestTasks, openTestTasks, outputsOf, spawning, taskIdIn } from "./testTasks.ts";

const quick = { type: "quick" };
const LIMITS = { maxConcurrent: 3, maxSteps: 60, maxTokens: 400_000, maxMinutes: 60, isolation: "never" as const, copyIgnored: [] };
const look: ScriptedAnswer = { text: "Looking", calls: [{ name: "list_directory", input: { path: "." } }] };
const write = (path: string): ScriptedAnswer => ({ calls: [{ name: "create_file", input: { path, content: "x" } }] });

describe("the permissions of a task", () => {
	afterEach(closeTestTasks);

	it("are at most its caller's, whatever its type asks for, also when the person goes on in it by typing", async () => {
		const setup = await openTestTasks(
			{
				caller: [spawning("work", quick), { text: "It runs." }, { text: "I see." }],
				work: [write("a.txt"), { text: "No." }, write("b.txt"), { text: "No." }],
			},
			{ role: "planner", settings: { approval: "auto" } },
		);
		await setup.caller.send("Go");
		const { sessionId, task } = await setup.state("done");
		assert.ok(task && !task.ceiling.includes("CreateFiles"));
		const session = await setup.app.sessions.get(sessionId);
		await session.send("Write it now");
		const results = [...session.state.calls.values()].map(({ result }) => result?.status);
		assert.deepEqual(results, ["denied", "denied"]);
		assert.deepEqual(
			["a.txt", "b.txt"].map((name) => existsSync(join(setup.app.folder, name))),
			[false, false],
		);
	});

	it("are those of both the task and the agent that resumes it", async () => {
		const setup = await openTestTasks(
			{
				caller: (request, index) => {
					if (index === 0) return spawning("work", quick);
					if (index !== 3) return { text: "Good." };
					return { calls: [{ name: "resume_task", input: { taskId: taskIdIn(request), input: "Write it" } }] };
				},
				work: [{ text: "Half." }, write("a.txt"), { text: "No." }],
			},
			{ settings: { approval: "auto" } },
		);
		await setup.caller.send("Go");
		const news = await setup.event(setup.caller.sessionId, "queued");
		await setup.event(setup.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		await setup.caller.receive("It is a planner from now on.", "host");
		await setup.caller.setRole("planner");
		await setup.caller.send("Let it write");
		assert.deepEqual(
			(outputsOf(setup.caller, "resume_task") as { state: string }[]).map(({ state }) => state),
			["queued"],
		);
		await setup.event(setup.caller.sessionId, "queued", ({ message }) => message !== news.message);
		assert.equal(existsSync(join(setup.app.folder, "a.txt")), false);
	});
});

describe("the budget of a task", () => {
	afterEach(closeTestTasks);

	for (const [what, settings, reason] of [["steps", { maxSteps: 2 }, /It reached its limit of 2 steps/]] as const)
		it(`of ${what} ends it with what there is, and says so`, async () => {
			const setup = await openTestTasks(
				{ caller: [spawning("work", quick), { text: "It runs." }, { text: "I see." }], work: [look] },
				{ settings: { tasks: { ...LIMITS, ...settings } } },
			);
			await setup.caller.send("Go");
			await setup.state("failed");
			const { text } = await setup.event(setup.caller.sessionId, "queued");
			assert.match(text, reason);
			assert.match(text, /Its last words:\n\nLooking$/);
		});

	it("is told to the person in their language, and to the model in English", async () => {
		config({ contents: { "It reached its limit of {0} steps.": "Nach {0} Schritten war Schluss." } });
		try {
			const setup = await openTestTasks(
				{ caller: [spawning("work", quick), { text: "It runs." }, { text: "I see." }], work: [look] },
				{ settings: { tasks: { ...LIMITS, maxSteps: 2 } } },
			);
			await setup.caller.send("Go");
			await setup.state("failed");
			assert.match((await setup.event(setup.caller.sessionId, "queued")).text, /It reached its limit of 2 steps/);
			assert.equal([...setup.caller.state.tasks.values()][0]?.text, "Nach 2 Schritten war Schluss.");
		} finally {
			config({ contents: {} });
		}
	});

	it("of tokens counts for all of its turns together", async () => {
		const step = (index: number): ScriptedAnswer => ({
			text: `Step ${index}`,
			calls: [{ name: "search_code", input: { pattern: `word${index}` } }],
			usage: { input: 0, output: 60 },
		});
		const setup = await openTestTasks(
			{ caller: [spawning("work", quick), { text: "It runs." }, { text: "I see." }], work: (_, index) => step(index) },
			{ settings: { tasks: { ...LIMITS, maxTokens: 150 } } },
		);
		await setup.caller.send("Go");
		const { task, sessionId } = await setup.state("failed");
		assert.deepEqual([task?.spent.steps, task?.spent.tokens], [3, 180]);
		const first = await setup.event(setup.caller.sessionId, "queued");
		assert.match(first.text, /It reached its limit of 150 tokens[\s\S]*Its last words:\n\nStep 2$/);
		await setup.app.delegation.tasks.continue(sessionId);
		await setup.event(setup.caller.sessionId, "queued", ({ message }) => message !== first.message);
		const more = (await setup.state("failed")).task;
		assert.deepEqual([more?.spent.steps, more?.spent.tokens, more?.budget.tokens], [6, 360, 330]);
	});

	it("that is spent is extended by the person alone: its caller is not told to go on, and may not", async () => {
		const setup = await openTestTasks(
			{
				caller: (request, index) => {
					if (index === 0) return spawning("work", quick);
					if (index !== 2) return { text: "I see." };
					return { calls: [{ name: "resume_task", input: { taskId: taskIdIn(request), input: "Go on" } }] };
				},
				work: (_, index) => (index < 3 ? look : { text: "Whole." }),
			},
			{ settings: { tasks: { ...LIMITS, maxSteps: 2 } } },
		);
		await setup.caller.send("Go");
		const news = await setup.event(setup.caller.sessionId, "queued");
		assert.ok(!news.text.includes("resume_task"), news.text);
		assert.match(news.text, /only the person can go on in it/);
		await setup.event(setup.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		assert.match(String(outputsOf(setup.caller, "resume_task")[0]), /has used up its budget\. Nothing was sent/);
		await setup.app.delegation.tasks.continue((await setup.state("failed")).sessionId);
		const { task } = await setup.state("done");
		assert.deepEqual([task?.spent.steps, task?.budget.steps], [4, 4]);
	});

	for (const [what, limits, more] of [
		["steps", { maxSteps: 2 }, { steps: 4, tokens: 120 }],
		["tokens", { maxTokens: 100 }, { steps: 4, tokens: 200 }],
	] as const)
		it(`of ${what} bounds the turns too that the person begins by typing, which get as much again`, async () => {
			const setup = await openTestTasks(
				{
					caller: [spawning("work", quick), { text: "It runs." }, { text: "I see." }],
					work: (_, index) => ({
						calls: [{ name: "search_code", input: { pattern: `word${index}` } }],
						usage: { input: 0, output: "maxSteps" in limits ? 30 : 50 },
					}),
				},
				{ settings: { tasks: { ...LIMITS, ...limits } } },
			);
			await setup.caller.send("Go");
			const { sessionId } = await setup.state("failed");
			assert.equal((await (await setup.app.sessions.get(sessionId)).send("Again")).outcome, "limit");
			const { task } = await setup.state("failed");
			assert.deepEqual({ steps: task?.spent.steps, tokens: task?.spent.tokens }, more);
		});

	it("of minutes is extended where the person goes on by typing", async () => {
		const { until } = createDeferred();
		const setup = await openTestTasks(
			{
				caller: [spawning("work", quick), { text: "It runs." }, { text: "I see." }],
				work: (_, index) => (index === 0 ? { text: "Never.", until } : { text: "Whole." }),
			},
			{ settings: { tasks: { ...LIMITS, maxMinutes: 0.02 } } },
		);
		await setup.caller.send("Go");
		const { sessionId } = await setup.state("failed");
		assert.equal((await (await setup.app.sessions.get(sessionId)).send("Again")).outcome, "done");
		await setup.state("done");
	});

	it("of which nothing is left for a check of its answer leaves the answer as it is", async () => {
		const setup = await openTestTasks(
			{ caller: [spawning("work"), { text: "It runs." }, { text: "I see." }], work: [{ text: "Whole." }] },
			{ settings: { tasks: { ...LIMITS, maxSteps: 1 } } },
		);
		await setup.caller.send("Go");
		assert.match((await setup.event(setup.caller.sessionId, "queued")).text, /is done\.[\s\S]*Whole\.$/);
	});

	it("of minutes ends one that never ends by itself", async () => {
		const { until } = createDeferred();
		const setup = await openTestTasks(
			{ caller: [spawning("work", quick), { text: "It runs." }, { text: "I see." }], work: [look, { text: "Never.", until }] },
			{ settings: { tasks: { ...LIMITS, maxMinutes: 0.005 } } },
		);
		await setup.caller.send("Go");
		await setup.state("failed");
		const { text } = await setup.event(setup.caller.sessionId, "queued");
		assert.match(text, /It reached its limit of 0\.005 minutes of work[\s\S]*Its last words:\n\nLooking$/);
	});
});

describe("the person in a task's view", () => {
	afterEach(closeTestTasks);

	it("reaches it between two steps", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestTasks({
			caller: [spawning("work", quick), { text: "It runs." }],
			work: [{ ...look, until }, { text: "Done." }],
		});
		await setup.caller.send("Go");
		const session = await setup.app.sessions.get((await setup.state("running")).sessionId);
		const sent = session.send("Be brief");
		await setup.event(session.sessionId, "queued", ({ text }) => text === "Be brief");
		open();
		await sent;
		const asked = setup.model.requests.filter(({ system }) => !system.includes("<caller>"));
		assert.ok(asked.at(-1)?.events.some((event) => event.type === "user" && event.text === "Be brief"));
		assert.equal(asked.length, 2);
	});

	it("can continue one again that could not begin, for a disk that is full", async () => {
		const setup = await openTestTasks({
			caller: [spawning("work", quick), { text: "It runs." }, { text: "I see." }],
			work: [{ text: "Half.", error: new Error("It broke.") }, { text: "Whole." }],
		});
		await setup.caller.send("Go");
		const { sessionId } = await setup.state("failed");
		const { store, delegation } = setup.app;
		const update = store.update.bind(store);
		store.update = () => Promise.reject(new Error("The disk is full."));
		await assert.rejects(delegation.tasks.continue(sessionId), /The disk is full/);
		store.update = update;
		await delegation.tasks.continue(sessionId);
		await setup.state("done");
	});

	it("can continue one again whose message was refused, and which is as it was meanwhile", async () => {
		const setup = await openTestTasks({
			caller: [spawning("work", quick), { text: "It runs." }, { text: "I see." }],
			work: [{ text: "Half.", error: new Error("It broke.") }, { text: "Whole." }],
		});
		await setup.caller.send("Go");
		const { sessionId } = await setup.state("failed");
		const task = await setup.app.sessions.get(sessionId);
		const enqueue = task.enqueue.bind(task);
		task.enqueue = () => Promise.reject(new Error("Too many wait."));
		await assert.rejects(setup.app.delegation.tasks.continue(sessionId), /Too many wait/);
		task.enqueue = enqueue;
		assert.equal((await setup.tasks())[0]?.task?.state, "failed");
		await setup.app.delegation.tasks.continue(sessionId);
		await setup.state("done");
	});

	it("reaches one that waits for its place with its first turn, and does not begin it earlier", async () => {
		const { until, open } = createDeferred();
		const calls = ["one", "two"].flatMap((name) => spawning(name).calls ?? []);
		const setup = await openTestTasks(
			{
				caller: [{ calls }, { text: "They run." }, { text: "I see." }],
				one: [{ text: "One.", until }],
				two: [{ text: "Two." }, { text: "Checked." }],
			},
			{ settings: { tasks: { ...LIMITS, maxConcurrent: 1 } } },
		);
		await setup.caller.send("Go");
		const two = await setup.app.sessions.get((await setup.state("queued", "two")).sessionId);
		const sent = two.send("Be brief");
		await setup.event(two.sessionId, "queued", ({ text }) => text === "Be brief");
		assert.equal(two.isRunning, false);
		open();
		await sent;
		await setup.state("done", "two");
		const turns = two.state.events.flatMap((event) => (event.type === "user" ? [[event.text, event.turn]] : []));
		const [[, first] = []] = turns;
		assert.deepEqual(turns.slice(0, 2), [
			["two", first],
			["Be brief", first],
		]);
		assert.match(String(turns[2]?.[0]), /^Check this against the task/);
		const news = await setup.event(setup.caller.sessionId, "queued", ({ text }) => text.includes("(two) is done"));
		assert.match(news.text, /Checked\.$/);
	});

	it("goes on in one that is over by typing, and its caller hears how it ends, also where it checks its answer", async () => {
		const setup = await openTestTasks({
			caller: [spawning("work"), { text: "It runs." }, { text: "I see." }],
			work: [{ text: "Half.", error: new Error("It broke.") }, { text: "Whole." }, { text: "Checked." }],
		});
		await setup.caller.send("Go");
		const { sessionId } = await setup.state("failed");
		await (await setup.app.sessions.get(sessionId)).send("Again");
		await setup.state("done");
		const news = await setup.event(setup.caller.sessionId, "queued", ({ text }) => text.includes("is done"));
		assert.match(news.text, /Checked\.$/);
		assert.equal(setup.caller.state.tasks.get(sessionId)?.state, "done");
	});

	it("goes on in one whose end is just being saved, and its caller hears the new one", async () => {
		const setup = await openTestTasks({
			caller: [spawning("work", quick), { text: "It runs." }, { text: "I see." }],
			work: [{ text: "Half.", error: new Error("It broke.") }, { text: "Whole." }],
		});
		const { store, services } = setup.app;
		const update = store.update.bind(store);
		const [saving, beginning, saved] = [createDeferred(), createDeferred(), createDeferred()];
		store.update = async (id, change) => {
			await update(id, change);
			if (change.task?.state !== "failed") return;
			saving.open();
			// The disk is slow: the next turn begins meanwhile, unless it waits for the disk.
			await Promise.race([beginning.until, new Promise((resolve) => setTimeout(resolve, 300))]);
			setImmediate(saved.open);
		};
		const { runtime } = services;
		let begun = 0;
		services.runtime = async (agent) => {
			if (agent.agentId === "task-quick") begun += 1;
			if (begun === 2) beginning.open();
			if (begun === 2) await saved.until;
			return runtime(agent);
		};
		await setup.caller.send("Go");
		await saving.until;
		const { sessionId } = await setup.state("failed");
		await (await setup.app.sessions.get(sessionId)).send("Again");
		await setup.state("done");
		assert.match((await setup.event(setup.caller.sessionId, "queued", ({ text }) => text.includes("is done"))).text, /Whole\.$/);
	});

	it("stops one that waits for its place, or for information; nothing of it begins, and its caller hears nothing more", async () => {
		const { until, open } = createDeferred();
		const calls = ["one", "two"].flatMap((name) => spawning(name, quick).calls ?? []);
		const setup = await openTestTasks(
			{
				caller: [{ calls }, { text: "They run." }],
				one: [{ calls: [{ name: "need_more_info", input: { question: "Which?" } }], until }],
				two: [{ text: "Never." }],
			},
			{ settings: { tasks: { ...LIMITS, maxConcurrent: 1 } } },
		);
		await setup.caller.send("Go");
		const two = await setup.state("queued", "two");
		await setup.app.delegation.tasks.stop(two.sessionId);
		await setup.state("cancelled", "two");
		open();
		const one = await setup.state("waiting", "one");
		await setup.app.delegation.tasks.stop(one.sessionId);
		await setup.state("cancelled", "one");
		const { events, queue } = (await setup.app.sessions.get(two.sessionId)).state;
		assert.deepEqual([events.some(({ type }) => type === "started"), queue.size], [false, 0]);
		assert.equal(setup.caller.state.events.filter(({ type }) => type === "queued").length, 1);
		assert.deepEqual(await setup.app.store.pendingTasks(), []);
	});

	it("stops one that ends at that very moment: it is done, and its caller hears that", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestTasks({
			caller: [spawning("work", quick), { text: "It runs." }, { text: "I see." }],
			work: [{ text: "Whole.", until }],
		});
		await setup.caller.send("Go");
		const { sessionId } = await setup.state("running");
		const { tasks } = setup.app.delegation;
		const stopped = new Promise<void>((resolve, reject) => {
			setup.app.sessions.listen({
				event: (id, { type }) => id === sessionId && type === "ended" && tasks.stop(sessionId).then(resolve, reject),
			});
		});
		open();
		await stopped;
		await setup.state("done");
		assert.match((await setup.event(setup.caller.sessionId, "queued")).text, /is done\.[\s\S]*Whole\.$/);
	});

	it("gets back what was typed when the task is stopped before that is read", async () => {
		const { until } = createDeferred();
		const setup = await openTestTasks({ caller: [spawning("work", quick), { text: "It runs." }], work: [{ text: "Never.", until }] });
		await setup.caller.send("Go");
		const { sessionId } = await setup.state("running");
		void (await setup.app.sessions.get(sessionId)).send("Be brief");
		await setup.event(sessionId, "queued", ({ text }) => text === "Be brief");
		await setup.app.delegation.tasks.stop(sessionId);
		assert.equal(setup.app.sessions.takeReturned(sessionId)?.text, "Be brief");
	});
});
