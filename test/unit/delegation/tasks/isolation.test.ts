// Tests when a task works in its own copy of the workspace, and what happens without one.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import type { TaskIsolation } from "../../../../src/core/task.ts";
import { UserError } from "../../../../src/core/userError.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import type { ScriptedAnswer } from "../../../fakes/scriptedModel.ts";
import { commitAll } from "../../platform/copies/support.ts";
import { closeTestTasks, closeWindow, newHome, openTestTasks, spawning, taskIdIn } from "./testTasks.ts";

const quick = { type: "quick" };
const LIMITS = { maxConcurrent: 3, maxSteps: 60, maxTokens: 400_000, maxMinutes: 60, copyIgnored: [] };
const isolated = (isolation: TaskIsolation) => ({ approval: "auto" as const, tasks: { ...LIMITS, isolation } });
const write: ScriptedAnswer = { calls: [{ name: "create_file", input: { path: "made.txt", content: "x" } }] };

const resuming = (request: ModelRequest): ScriptedAnswer => ({
	calls: [{ name: "resume_task", input: { taskId: taskIdIn(request), input: "Write it" } }],
});

/** The record of a task that a working caller has started, once it is over. */
async function ended(isolation: TaskIsolation, call: object, role = "actor") {
	const { until, open } = createDeferred();
	const setup = await openTestTasks(
		{ caller: [spawning("make", call), { text: "It runs.", until }, { text: "I see." }], make: [write, { text: "Made." }] },
		{ role, settings: isolated(isolation), files: { "a.txt": "a\n" } },
	);
	const turn = setup.caller.send("Make it");
	const { task } = await setup.state("done");
	open();
	await turn;
	return { task, isMade: existsSync(join(setup.app.folder, "made.txt")) };
}

describe("a task works in its own copy of the workspace", () => {
	afterEach(closeTestTasks);

	it("with auto, while another turn that may change files runs there", async () => {
		const { task, isMade } = await ended("auto", quick);
		assert.deepEqual([task?.copied, task?.isolation, isMade], [true, "always", false]);
	});

	it("that is removed with its end if nothing changed in it, and gets another one when it goes on", async () => {
		const setup = await openTestTasks(
			{
				caller: (request, call) => {
					if (call === 0) return spawning("look", quick);
					const isResult = request.events.at(-1)?.type === "result";
					const last = request.events.findLast(({ type }) => type === "user");
					return !isResult && last?.type === "user" && last.text === "Go on" ? resuming(request) : { text: "I see." };
				},
				look: [{ text: "Nothing to do." }, write, { text: "Made." }],
			},
			{ settings: isolated("always"), files: { "a.txt": "a\n" } },
		);
		const { copies } = setup.app.services;
		await setup.caller.send("Look");
		const { sessionId, task } = await setup.state("done");
		assert.deepEqual([task?.copied, task?.isolation], [undefined, "always"]);
		await setup.app.delegation.tasks.whenSettled();
		assert.equal(await copies?.find(sessionId), undefined);

		await setup.caller.send("Go on");
		await setup.event(sessionId, "assistant", ({ text }) => text === "Made.");
		await setup.app.delegation.tasks.whenSettled();
		assert.equal((await setup.app.sessions.find(sessionId))?.task?.copied, true);
		assert.ok(await copies?.find(sessionId));
		assert.equal(existsSync(join(setup.app.folder, "made.txt")), false);
	});

	it("that stays at its end if all that it made is ignored by Git", async () => {
		const report: ScriptedAnswer = { calls: [{ name: "create_file", input: { path: "dist/report.html", content: "x" } }] };
		const setup = await openTestTasks(
			{ caller: [spawning("make", quick), { text: "It runs." }, { text: "I see." }], make: [report, { text: "Made." }] },
			{ settings: isolated("always"), files: { ".gitignore": "dist\n" } },
		);
		commitAll(setup.app.folder);
		await setup.caller.send("Make it");
		const { sessionId, task } = await setup.state("done");
		await setup.app.delegation.tasks.whenSettled();
		assert.equal(task?.copied, true);
		const { changes } = await setup.app.delegation.tasks.applyChanges.list(sessionId);
		assert.deepEqual(
			changes.map(({ path, ignored }) => [path, ignored]),
			[["dist/report.html", true]],
		);
	});

	it("that goes at its end if it changed only dependencies", async () => {
		const cache: ScriptedAnswer = { calls: [{ name: "create_file", input: { path: "node_modules/.cache/made.txt", content: "x" } }] };
		const setup = await openTestTasks(
			{ caller: [spawning("make", quick), { text: "It runs." }, { text: "I see." }], make: [cache, { text: "Made." }] },
			{
				settings: { ...isolated("always"), tasks: { ...LIMITS, isolation: "always", copyIgnored: ["**/node_modules"] } },
				files: { ".gitignore": "node_modules\n" },
			},
		);
		commitAll(setup.app.folder);
		await setup.caller.send("Make it");
		const { sessionId } = await setup.state("done");
		await setup.app.delegation.tasks.whenSettled();
		const task = await setup.app.sessions.get(sessionId);
		assert.deepEqual(
			[...task.state.calls.values()].map(({ result }) => result?.status),
			["ok"],
		);
		assert.equal(await setup.app.services.copies?.find(sessionId), undefined);
	});

	it("but not with auto where nothing else that may change files runs, and it stays so", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const calls = ["one", "make"].flatMap((name) => spawning(name, quick).calls ?? []);
		const settings = { approval: "auto" as const, tasks: { ...LIMITS, maxConcurrent: 1, isolation: "auto" as const } };
		const first = await openTestTasks(
			{ caller: [{ calls }, { text: "They run." }], one: [{ text: "One.", until }], make: [] },
			{ home, settings },
		);
		await first.caller.send("Go");
		const { sessionId } = await first.state("queued", "make");
		await closeWindow(first);
		open();

		const second = await openTestTasks({ caller: [{ text: "I see." }], make: [write, { text: "Made." }], one: [] }, { home, settings });
		await second.app.sessions.recover();
		const { message } = await second.event(second.caller.sessionId, "queued", ({ text }) => text.includes("(make)"));
		await second.event(second.caller.sessionId, "ended", ({ turn }) => turn === message);
		await second.app.delegation.tasks.continue(sessionId);
		const { task } = await second.state("done", "make");
		assert.deepEqual([task?.copied, task?.isolation, existsSync(join(second.app.folder, "made.txt"))], [undefined, "never", true]);
	});

	it("with always, and not with never; a call's choice comes before the setting, unless that is always", async () => {
		assert.equal((await ended("always", quick)).task?.copied, true);
		assert.equal((await ended("never", { ...quick, isolation: "always" })).task?.copied, true);
		const { task, isMade } = await ended("auto", { ...quick, isolation: "never" });
		assert.deepEqual([task?.copied, isMade], [undefined, true]);
		for (const isolation of ["never", "auto"]) {
			const forced = await ended("always", { ...quick, isolation });
			assert.deepEqual([forced.task?.copied, forced.isMade], [true, false], isolation);
		}
	});

	it("never if it may not change files: explore, plan, and any type of a caller that may not", async () => {
		for (const [type, role] of [
			["explore", "actor"],
			["plan", "actor"],
			["quick", "planner"],
		] as const) {
			const { task, isMade } = await ended("always", { type }, role);
			assert.deepEqual([task?.copied, isMade], [undefined, false], type);
		}
	});

	it("which it says, with what was left out", async () => {
		const setup = await openTestTasks(
			{ caller: [spawning("make", quick), { text: "It runs." }, { text: "I see." }], make: [{ text: "Made." }] },
			{ settings: isolated("always"), files: { "a.txt": "a\n", ".env": "KEY=1\n" } },
		);
		await setup.caller.send("Make it");
		const { sessionId } = await setup.state("done");
		const { events } = (await setup.app.sessions.get(sessionId)).state;
		const notes = events.flatMap((event) => (event.type === "status" ? [event.text] : []));
		assert.equal(notes[0], "The task works in its own copy of the workspace.");
		assert.match(notes.slice(1).join("\n"), /protected/);
	});
});

describe("a task whose copy can't be made", () => {
	afterEach(closeTestTasks);

	it("fails with the reason, asks no model, writes nothing, and can be continued later", async () => {
		const setup = await openTestTasks(
			{ caller: [spawning("make", quick), { text: "It runs." }, { text: "I see." }], make: [write, { text: "Made." }] },
			{ settings: isolated("always"), files: { "a.txt": "a\n" } },
		);
		const { copies } = setup.app.services;
		assert.ok(copies);
		const create = copies.create.bind(copies);
		copies.create = () =>
			Promise.reject(new UserError("There is no space for a copy of the workspace: 3 MB are needed. Nothing was copied."));
		await setup.caller.send("Make it");
		const { sessionId, task } = await setup.state("failed");
		assert.equal(task?.copied, undefined);
		const news = await setup.event(setup.caller.sessionId, "queued");
		assert.match(news.text, /failed\. There is no space for a copy of the workspace: 3 MB are needed\. Nothing was copied\..*resume_task/);
		assert.ok(!setup.model.requests.some(({ system }) => system.includes("quick task")));
		assert.equal(existsSync(join(setup.app.folder, "made.txt")), false);

		await setup.event(setup.caller.sessionId, "ended", ({ turn }) => turn === news.message);
		copies.create = create;
		await setup.app.delegation.tasks.continue(sessionId);
		assert.equal((await setup.state("done")).task?.copied, true);
		assert.equal(existsSync(join(setup.app.folder, "made.txt")), false);
	});

	it("or is gone since its window died, does not go on in the workspace", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const scripts = { caller: [spawning("make", quick), { text: "It runs." }], make: [{ text: "Never.", until }] };
		const first = await openTestTasks(scripts, { home, settings: isolated("always") });
		await first.caller.send("Make it");
		const { sessionId } = await first.state("running");
		await first.event(sessionId, "started");
		const copy = (await first.app.services.copies?.find(sessionId))?.folders[0]?.path ?? assert.fail("no copy");
		await closeWindow(first);
		open();
		rmSync(join(copy, ".."), { recursive: true, force: true });

		const second = await openTestTasks({ caller: [{ text: "I see." }], make: [write] }, { home, settings: isolated("always") });
		await second.app.sessions.recover();
		await second.state("interrupted");
		await second.app.delegation.tasks.continue(sessionId);
		await second.state("failed");
		const news = await second.event(second.caller.sessionId, "queued", ({ text }) => text.includes("failed"));
		assert.match(news.text, /copy of the workspace is gone, so the task can't go on/);
		assert.equal(existsSync(join(second.app.folder, "made.txt")), false);
	});

	it("ends its creation when it is stopped, and leaves nothing", async () => {
		const setup = await openTestTasks(
			{ caller: [spawning("make", quick), { text: "It runs." }], make: [write] },
			{ settings: isolated("always"), files: { "a.txt": "a\n" } },
		);
		const { copies } = setup.app.services;
		assert.ok(copies);
		const begun = createDeferred();
		copies.create = (_, signal) =>
			new Promise((_resolve, reject) => {
				signal.addEventListener("abort", () => reject(new Error("It was stopped.")));
				begun.open();
			});
		await setup.caller.send("Make it");
		await begun.until;
		const [task] = await setup.tasks();
		await setup.app.delegation.tasks.stop(task?.sessionId ?? "");
		await setup.state("cancelled");
		assert.deepEqual([await copies.list(), setup.caller.state.queue.size], [[], 0]);
	});
});

describe("tasks in copies of one repository", () => {
	afterEach(closeTestTasks);

	it("work four at a time without stepping on each other, or on the workspace", async () => {
		const home = newHome();
		mkdirSync(join(home, "workspace"), { recursive: true });
		writeFileSync(join(home, "workspace", "same.txt"), "theirs\n");
		const names = ["one", "two", "three", "four"];
		const make = (name: string): ScriptedAnswer[] => [
			{ calls: [{ name: "read_file", input: { path: "same.txt" } }] },
			{
				calls: [
					{ name: "edit_file", input: {} },
					{ name: "create_file", input: { path: "made.txt", content: name } },
				],
			},
			{ text: `${name}.` },
		];
		const setup = await openTestTasks(
			{
				caller: [{ calls: names.flatMap((name) => spawning(name, quick).calls ?? []) }, { text: "They run." }, { text: "I see." }],
				...Object.fromEntries(names.map((name) => [name, make(name)])),
			},
			{ home, settings: { approval: "auto", tasks: { ...LIMITS, maxConcurrent: 4, isolation: "always" } } },
		);
		await setup.caller.send("Make them");
		for (const name of names) {
			const { sessionId } = await setup.state("done", name);
			const { changes } = await setup.app.delegation.tasks.applyChanges.list(sessionId);
			assert.deepEqual(
				changes.map(({ path, action }) => [path, action]),
				[["made.txt", "create"]],
				name,
			);
		}
		assert.equal(existsSync(join(setup.app.folder, "made.txt")), false);
	});
});
