// Tests what the end of a task counts and says, and that it is saved.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../../../src/core/userError.ts";
import { planRewind, rewindTo } from "../../../../src/session/history/rewind.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import type { ScriptedAnswer } from "../../../fakes/scriptedModel.ts";
import { finishedTask } from "../applyChanges/finishedTask.ts";
import { caller, closeTestTasks, closeWindow, newHome, openTestTasks, outputsOf, spawning, taskIdIn } from "./testTasks.ts";

const quick = { type: "quick" };
const LIMITS = { maxConcurrent: 3, maxSteps: 60, maxTokens: 400_000, maxMinutes: 60, isolation: "never" as const, copyIgnored: [] };
const asks: ScriptedAnswer = { calls: [{ name: "need_more_info", input: { question: "Which one?" } }] };
const callerScript = [spawning("work", quick), { text: "It runs." }, { text: "I see." }];

describe("a message that the person types", () => {
	afterEach(closeTestTasks);

	for (const limits of [{ maxSteps: 1 }, { maxTokens: 50 }])
		it(`during the last step of ${Object.keys(limits)[0]} is answered, with as much again`, async () => {
			const { until, open } = createDeferred();
			const setup = await openTestTasks(
				{
					caller: callerScript,
					work: (_, index) =>
						index === 0
							? { calls: [{ name: "list_directory", input: { path: "." } }], until, usage: { input: 0, output: 60 } }
							: { text: "Both of them." },
				},
				{ settings: { tasks: { ...LIMITS, ...limits } } },
			);
			await setup.caller.send("Go");
			const { sessionId } = await setup.state("running");
			const session = await setup.app.sessions.get(sessionId);
			// Earlier, it would be part of that step.
			while (!setup.model.requests.some(({ system }) => !system.includes("<caller>")))
				await new Promise((resolve) => setImmediate(resolve));
			const typed = session.send("And the other one");
			await setup.event(sessionId, "queued", ({ text }) => text === "And the other one");
			open();
			assert.equal((await typed).outcome, "done");
			await setup.state("done");
			assert.match((await setup.event(setup.caller.sessionId, "queued")).text, /is done\.[\s\S]*Both of them\.$/);
		});
});

describe("a task whose turn is summarized", () => {
	afterEach(closeTestTasks);
	const long: ScriptedAnswer = { calls: [{ name: "read_file", input: { path: "long.txt" } }], usage: { input: 9_000, output: 0 } };
	const small = { files: { "long.txt": "word ".repeat(9_000) }, info: { window: 10_000, maxOutput: 500 } };

	it("counts its steps and tokens before the summary as well", async () => {
		const setup = await openTestTasks({ caller: callerScript, work: [long, { text: "Read.", usage: { input: 100, output: 0 } }] }, small);
		await setup.caller.send("Go");
		const { task, sessionId } = await setup.state("done");
		assert.ok(await setup.event(sessionId, "compacted"));
		assert.equal(task?.spent.steps, 2);
		const { about } = await setup.event(setup.caller.sessionId, "queued");
		assert.ok((about?.usage?.input ?? 0) >= 9_100, JSON.stringify(about?.usage));
	});

	it("ends and tells so although what was summarized can't be read", async () => {
		const setup = await openTestTasks({ caller: callerScript, work: [long, { text: "Read." }] }, small);
		setup.app.store.read = () => Promise.reject(new Error("The disk is broken."));
		await setup.caller.send("Go");
		await setup.state("done");
		assert.match((await setup.event(setup.caller.sessionId, "queued")).text, /is done\.[\s\S]*Read\.$/);
		assert.match(setup.app.logged.join("\n"), /before its summary could not be read/);
	});

	it("reaches its limit of steps all the same, and says which it was", async () => {
		const setup = await openTestTasks(
			{ caller: callerScript, work: [long] },
			{ ...small, settings: { tasks: { ...LIMITS, maxSteps: 2 } } },
		);
		await setup.caller.send("Go");
		const { task } = await setup.state("failed");
		assert.equal(task?.spent.steps, 2);
		assert.match((await setup.event(setup.caller.sessionId, "queued")).text, /It reached its limit of 2 steps/);
	});
});

describe("a task that waits for information", () => {
	afterEach(closeTestTasks);

	it("goes on waiting where the person has its chat summarized, also in the next window", async () => {
		const home = newHome();
		const first = await openTestTasks({ caller: callerScript, work: [asks] }, { home });
		await first.caller.send("Go");
		const { sessionId } = await first.state("waiting");
		const news = await first.event(first.caller.sessionId, "queued");
		await first.event(first.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		await (await first.app.sessions.get(sessionId)).compact();
		await first.app.delegation.tasks.whenSettled();
		assert.equal((await first.tasks())[0]?.task?.state, "waiting");
		await closeWindow(first);
		const second = await openTestTasks({ caller: [{ text: "I see." }], work: [{ text: "That one it is." }] }, { home });
		await second.app.sessions.recover();
		const { request } = await second.event(sessionId, "question");
		second.clock.ahead += 1_000;
		await (await second.app.sessions.get(sessionId)).answer(request, { value: "That one" }, "person");
		await second.state("done");
		const told = second.caller.state.events.flatMap((event) => (event.type === "queued" ? [event.text] : []));
		assert.deepEqual(told.map((text) => /^Background task \S+ \(work\) ([a-z ]+)\./.exec(text)?.[1]).at(-1), "is done");
		assert.equal(told.filter((text) => / is done\./.test(text)).length, 1);
	});

	it("is as it was where resuming it failed", async () => {
		const setup = await openTestTasks({
			caller: (request, call) => {
				if (call === 0) return spawning("work", quick);
				if (call !== 2) return { text: "Good." };
				return { calls: [{ name: "resume_task", input: { taskId: taskIdIn(request), input: "The red one." } }] };
			},
			work: [asks],
		});
		setup.app.sessions.listen({
			changed: (id = setup.caller.sessionId) =>
				void setup.app.sessions.get(id).then((session) => {
					if (session.state.agent === caller.agentId || session.state.outcome !== "waiting") return;
					session.enqueue = () => Promise.reject(new UserError("The disk is full."));
				}),
		});
		await setup.caller.send("Go");
		const news = await setup.event(setup.caller.sessionId, "queued");
		await setup.event(setup.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		assert.match(String(outputsOf(setup.caller, "resume_task")[0]), /disk is full/);
		const { task, sessionId } = await setup.state("waiting");
		assert.equal(task?.resumed, undefined);
		const { state } = await setup.app.sessions.get(sessionId);
		assert.deepEqual(
			[...state.requests.values()].map((request) => request.state),
			["pending"],
		);
	});
});

describe("the end of a task", () => {
	afterEach(closeTestTasks);

	it("says that the model's output limit was reached where that was it", async () => {
		const setup = await openTestTasks({ caller: callerScript, work: [{ text: "Half of", stop: "length" }] });
		await setup.caller.send("Go");
		await setup.state("failed");
		const { text } = await setup.event(setup.caller.sessionId, "queued");
		assert.match(text, /The response reached the model's output limit\./);
		assert.doesNotMatch(text, /tokens/);
	});

	it("is saved later where the disk refused it once, and is told once", async () => {
		const setup = await openTestTasks({ caller: callerScript, work: [{ text: "Done." }] });
		const { store } = setup.app;
		const update = store.update.bind(store);
		let refused = 0;
		store.update = async (id, change) => {
			if (change.task?.state === "done" && refused === 0) {
				refused += 1;
				throw new Error("The disk is full.");
			}
			return update(id, change);
		};
		await setup.caller.send("Go");
		const { sessionId } = await setup.state("done");
		assert.equal(refused, 1);
		assert.equal(setup.caller.state.events.filter(({ type }) => type === "queued").length, 1);
		await setup.app.delegation.tasks.whenSettled();
		assert.equal((await (await setup.app.sessions.get(sessionId)).send("Again")).outcome, "done");
	});
});

describe("the chat of a task whose copy is gone", () => {
	afterEach(closeTestTasks);

	it("restores nothing in the workspace after a reload", async () => {
		const home = newHome();
		const task = await finishedTask({ home });
		task.change("src/b.ts", "theirs\n");
		assert.equal((await task.takeAll()).deleted, true);
		const before = await task.app.sessions.get(task.taskId);
		await assert.rejects(planRewind(before, 0), { code: "files-gone" });
		await closeWindow(task);
		const next = await openTestTasks({ caller: [{ text: "I see." }] }, { home });
		const session = await next.app.sessions.get(task.taskId);
		const place = session.state.events.findIndex(({ type }) => type === "user");
		await assert.rejects(planRewind(session, place), { code: "files-gone" });
		await assert.rejects(rewindTo(session, place, true), { code: "files-gone" });
		assert.equal(task.read("src/b.ts"), "theirs\n");
	});

	it("restores nothing in the workspace where nothing differed at the end, also after a reload", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const edit = (from: string, to: string) => ({ name: "update_file", input: { path: "a.txt", old: from, new: to } });
		const setup = await openTestTasks(
			{
				caller: callerScript,
				work: [
					{ calls: [{ name: "read_file", input: { path: "a.txt" } }] },
					{ calls: [edit("mine", "theirs")] },
					{ text: "Looking", calls: [{ name: "list_directory", input: { path: "." } }], until },
					{ calls: [edit("theirs", "mine")] },
					{ text: "As it was." },
				],
			},
			{ home, files: { "a.txt": "mine\n" }, settings: { approval: "auto", tasks: { ...LIMITS, isolation: "always" } } },
		);
		await setup.caller.send("Go");
		const { sessionId } = await setup.state("running");
		const task = await setup.app.sessions.get(sessionId);
		await setup.event(sessionId, "result", () => [...task.state.calls.values()].filter(({ result }) => result).length === 2);
		const typed = task.send("Change it back");
		await setup.event(sessionId, "queued", ({ text }) => text === "Change it back");
		open();
		await typed;
		const { task: record } = await setup.state("done");
		await setup.app.delegation.tasks.whenSettled();
		assert.deepEqual([record?.copied, record?.released], [undefined, true]);
		assert.equal(await setup.app.services.copies?.find(sessionId), undefined);
		const placeIn = ({ state }: typeof task) => state.events.findIndex((event) => event.type === "user" && event.text === "Change it back");
		await assert.rejects(planRewind(task, placeIn(task)), { code: "files-gone" });
		await closeWindow(setup);

		const next = await openTestTasks({ caller: [{ text: "I see." }] }, { home });
		const session = await next.app.sessions.get(sessionId);
		await assert.rejects(rewindTo(session, placeIn(session), true), { code: "files-gone" });
		assert.equal(readFileSync(join(next.app.folder, "a.txt"), "utf8"), "mine\n");
	});

	it("can be rewound where nothing was changed in it", async () => {
		const settings = { tasks: { ...LIMITS, isolation: "always" as const } };
		const setup = await openTestTasks(
			{ caller: callerScript, work: [{ text: "Nothing to do." }] },
			{ files: { "a.txt": "a\n" }, settings },
		);
		await setup.caller.send("Go");
		const { sessionId, task } = await setup.state("done");
		await setup.app.delegation.tasks.whenSettled();
		assert.equal(task?.released, true);
		const session = await setup.app.sessions.get(sessionId);
		const { files, left } = await planRewind(
			session,
			session.state.events.findIndex(({ type }) => type === "user"),
		);
		assert.deepEqual([files, left], [[], []]);
	});
});
