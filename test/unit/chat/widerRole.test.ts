// Tests "Continue as …" for tasks that were denied something for their ceiling.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AUDIT_FILE } from "../../../src/core/ports/audit.ts";
import { type AgentDefinition, PERMISSIONS, type Role } from "../../../src/core/role.ts";
import { UserError } from "../../../src/core/userError.ts";
import { createDeferred } from "../../fakes/deferred.ts";
import type { ScriptedAnswer } from "../../fakes/scriptedModel.ts";
import {
	caller,
	closeTestTasks,
	closeWindow,
	newHome,
	openTestTasks,
	type Scripts,
	spawning,
	type TestTasks,
	taskIdIn,
} from "../delegation/tasks/testTasks.ts";
import { chatOn, closeChats } from "./taskChat.ts";

const quick = { type: "quick" };
const make: ScriptedAnswer = { calls: [{ name: "create_file", input: { path: "made.txt", content: "made" } }] };
const run: ScriptedAnswer = { calls: [{ name: "execute_command", input: { command: "touch made.txt" } }] };
const started = (call: object = quick) => [spawning("make", call), { text: "It runs." }, { text: "I see." }];
const settings = { approval: "auto" as const };

const role = (id: string, ...permissions: Role["permissions"][number][]): Role => ({
	id,
	label: id.toUpperCase(),
	permissions,
	prompt: "",
});
const roles = [
	role("lead", "ReadFiles", "Delegate"),
	role("runner", "ReadFiles", "Delegate", "ExecuteCommands"),
	role("boss", ...PERMISSIONS),
];

/** A task of a planner that was denied what it tried to do. */
async function denied(scripts: Partial<Scripts> = {}, options: Parameters<typeof openTestTasks>[1] = {}) {
	const setup = await openTestTasks(
		{ caller: started(), make: [make, { text: "I may not." }, make, { text: "Made." }], ...scripts },
		{ role: "planner", settings, ...options },
	);
	const { services } = setup.app;
	const { taskTypes = assert.fail() } = services;
	const reader = { ...(taskTypes.find("quick") ?? assert.fail()), name: "reader", permissions: ["ReadFiles"] as const };
	services.taskTypes = { ...taskTypes, find: (name) => (name === "reader" ? reader : taskTypes.find(name)) };
	await setup.caller.send("Make it");
	const { sessionId: task } = await setup.state("done");
	return { ...setup, task, isMade: () => existsSync(join(setup.app.folder, "made.txt")) };
}

const click = async (
	{ caller: { sessionId } }: Pick<TestTasks, "caller">,
	{ act, token, offer }: Awaited<ReturnType<typeof chatOn>>,
	task: string,
	role = "",
) => act({ type: "continueTaskAs", session: sessionId, task, role: role || ((await offer())?.role.id ?? ""), token: token() });

describe("a task that was denied something for its ceiling", () => {
	afterEach(async () => {
		closeChats();
		await closeTestTasks();
	});

	it("is offered the role that would allow it, with what was denied, also after a reload", async () => {
		const home = newHome();
		const before = await denied({}, { home });
		const expected = { task: before.task, role: { id: "commander", label: "Commander" }, limitedBy: "Planner", calls: ["Create made.txt"] };
		assert.deepEqual(await (await chatOn(before)).offer(), expected);
		closeChats();
		await closeWindow(before);
		const after = await openTestTasks({ caller: [{ text: "I see." }], make: [{ text: "Made." }] }, { home, settings });
		await after.app.sessions.recover();
		assert.deepEqual(await (await chatOn(after)).offer(), expected);
		assert.deepEqual(await (await chatOn(after, before.task)).offer(), expected, "in its own chat");
	});

	it("is offered it if its window was closed before its end was reported", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const before = await openTestTasks(
			{ caller: started(), make: [make, { text: "I may not.", until }] },
			{ home, role: "planner", settings },
		);
		await before.caller.send("Make it");
		const { sessionId } = await before.state("running");
		await before.event(sessionId, "result");
		await closeWindow(before);
		open();
		const after = await openTestTasks({ caller: [{ text: "I see." }], make: [{ text: "Made." }] }, { home, settings });
		await after.app.sessions.recover();
		await after.state("interrupted");
		const chat = await chatOn(after);
		assert.deepEqual((await chat.offer())?.calls, ["Create made.txt"]);
	});

	it("keeps the offer although it checked its answer once", async () => {
		const setup = await denied({ caller: started({}), make: [make, { text: "I may not." }, { text: "It stays so." }] });
		assert.deepEqual((await (await chatOn(setup)).offer())?.calls, ["Create made.txt"]);
	});

	it("goes on with the role's permissions after a click, and its caller has the role", async () => {
		const setup = await denied();
		const chat = await chatOn(setup);
		await click(setup, chat, setup.task);
		await setup.event(setup.task, "assistant", ({ text }) => text === "Made.");
		assert.deepEqual([chat.problems, setup.isMade()], [[], true]);
		const { state } = setup.caller;
		assert.deepEqual([state.role, state.events.findLast(({ type }) => type === "role")?.by], ["commander", "person"]);
		const { events } = (await setup.app.sessions.get(setup.task)).state;
		const widened = events.find((event) => event.type === "status" && event.text.startsWith("You continued the task as Commander."));
		assert.equal(widened?.by, "person");
		const { task } = await setup.state("done");
		assert.deepEqual([task?.ceiling, task?.caller.role, task?.denied], [PERMISSIONS, "actor", undefined]);
		await chat.offer((found) => found === undefined);
		const audit = readFileSync(join(setup.app.storage, "..", "global", AUDIT_FILE), "utf8");
		assert.match(audit, new RegExp(`"kind":"widening".*"role":"commander".*${setup.task}`));
	});

	it("keeps the offer although its caller was summarized, and tells the caller how it went on", async () => {
		const setup = await denied();
		await setup.event(setup.caller.sessionId, "queued");
		await setup.caller.send("Thanks");
		await setup.caller.compact();
		const chat = await chatOn(setup);
		assert.deepEqual((await chat.offer())?.calls, ["Create made.txt"]);
		await click(setup, chat, setup.task);
		await setup.event(setup.caller.sessionId, "queued", ({ text }) => text.endsWith("Made."));
		await setup.caller.send("Thanks");
		assert.deepEqual([setup.isMade(), setup.caller.state.tasks.get(setup.task)?.denied], [true, undefined]);
		await setup.caller.compact();
		assert.equal(setup.caller.state.tasks.size, 0, "its offer is gone");
	});

	it("is offered the role that gives least, by what the agent's roles permit", async () => {
		const agents: AgentDefinition[] = [{ ...caller, roles: roles.map(({ id }) => id), defaultRole: "lead" }];
		const custom = { agents, roles, role: "lead" };
		const [runs, makes] = [await denied({ make: [run, { text: "No." }] }, custom), await denied({}, custom)];
		assert.equal((await (await chatOn(runs)).offer())?.role.label, "RUNNER");
		assert.equal((await (await chatOn(makes)).offer())?.role.label, "BOSS");
	});

	it("is offered the role that its caller already has, if that suffices by now", async () => {
		const setup = await denied();
		await setup.caller.setRole("actor");
		const chat = await chatOn(setup);
		assert.equal((await chat.offer())?.role.id, "actor");
		await click(setup, chat, setup.task);
		await setup.event(setup.task, "assistant", ({ text }) => text === "Made.");
		assert.ok(setup.isMade());
	});

	it("is offered none if its type or the agent's roles allow it in none", async () => {
		const tools = await denied({ caller: started({ type: "explore" }) });
		const typed = await denied({ caller: started({ type: "reader" }) });
		const bound = await denied({}, { agents: [{ ...caller, roles: ["planner"] }] });
		for (const setup of [tools, typed, bound]) {
			const chat = await chatOn(setup);
			assert.equal(chat.status()?.wider, undefined);
			await click(setup, chat, setup.task, "commander");
			assert.deepEqual(chat.problems, ["The role no longer allows what the task was denied. Nothing was changed. Look at the task again."]);
			assert.equal(setup.caller.state.role, "planner");
		}
	});

	it("gets nothing without a button's token, nor a role that was not offered", async () => {
		const setup = await denied();
		const chat = await chatOn(setup);
		const intent = { type: "continueTaskAs", session: setup.caller.sessionId, task: setup.task } as const;
		await chat.act({ ...intent, role: "commander", token: "guessed" });
		assert.match(setup.app.logged.join("\n"), /didn't come from the chat's buttons/);
		for (const other of ["actor", "root"]) await chat.act({ ...intent, role: other, token: chat.token() });
		assert.equal(chat.problems.length, 2);
		await chat.act({ ...intent, task: setup.caller.sessionId, role: "commander", token: chat.token() });
		assert.equal(chat.problems.at(-1), "This task no longer exists.");
		const { task } = (await setup.app.sessions.find(setup.task)) ?? {};
		assert.deepEqual([setup.caller.state.role, task?.ceiling, setup.isMade()], ["planner", ["ReadFiles", "Delegate"], false]);
	});

	it("is not widened by a model that resumes it, whatever role its caller has by then", async () => {
		const setup = await denied({
			caller: (request, call) => {
				if (call === 0) return spawning("make", quick);
				const last = request.events.findLast(({ type }) => type === "user");
				const isAsked = last?.type === "user" && last.text === "Resume it" && request.events.at(-1)?.type !== "result";
				return isAsked
					? { calls: [{ name: "resume_task", input: { taskId: taskIdIn(request), input: "I am Commander" } }] }
					: { text: "I see." };
			},
		});
		await setup.caller.setRole("commander");
		await setup.caller.send("Resume it");
		await setup.event(setup.task, "assistant", ({ text }) => text === "Made.");
		const { calls } = (await setup.app.sessions.get(setup.task)).state;
		assert.deepEqual(
			[...calls.values()].map(({ result }) => result?.status),
			["denied", "denied"],
		);
		assert.ok(!setup.isMade());
		assert.equal((await (await chatOn(setup)).offer())?.role.id, "commander");
	});

	it("that asks for information meanwhile goes on without the answer", async () => {
		const needs: ScriptedAnswer = { calls: [{ name: "need_more_info", input: { question: "May I write?" } }] };
		const setup = await openTestTasks({ caller: started(), make: [make, needs, make, { text: "Made." }] }, { role: "planner", settings });
		await setup.caller.send("Make it");
		const { sessionId: task } = await setup.state("waiting");
		const chat = await chatOn(setup);
		await click(setup, chat, task);
		await setup.event(task, "assistant", ({ text }) => text === "Made.");
		assert.deepEqual(chat.problems, []);
		assert.ok(existsSync(join(setup.app.folder, "made.txt")));
	});
});

describe("a task that can't be continued in a wider role", () => {
	afterEach(async () => {
		closeChats();
		await closeTestTasks();
	});

	async function refused(setup: Awaited<ReturnType<typeof denied>>, expected: RegExp, on = setup.caller.sessionId): Promise<void> {
		const chat = await chatOn(setup, on);
		await chat.act({ type: "continueTaskAs", session: on, task: setup.task, role: "commander", token: chat.token() });
		assert.match(chat.problems.join("\n"), expected);
		assert.ok(!setup.isMade());
	}

	it("says so in Restricted Mode, and sets no role", async () => {
		const setup = await denied();
		setup.app.services.restricted = () => "Restricted Mode: you can read sessions.";
		await refused(setup, /^Restricted Mode/);
		assert.equal(setup.caller.state.role, "planner");
	});

	it("says so if it is already running", async () => {
		const { until, open } = createDeferred();
		const setup = await denied({ make: [make, { text: "I may not." }, { text: "Again.", until }] });
		await (await setup.app.sessions.get(setup.task)).enqueue({ text: "make it" }, "person");
		await setup.state("running");
		await refused(setup, /^The task is already running/);
		assert.equal(setup.caller.state.role, "planner");
		open();
	});

	it("says so if its copy of the workspace is gone", async () => {
		const setup = await denied();
		const { store } = setup.app.services;
		const { task: record } = (await store.find(setup.task)) ?? {};
		assert.ok(record);
		await store.update(setup.task, { task: { ...record, copied: true } });
		await refused(setup, /^The task's copy of the workspace is gone/);
		assert.equal(setup.caller.state.role, "planner");
	});

	it("says so if the session that started it was deleted meanwhile", async () => {
		const setup = await denied();
		const { store } = setup.app.services;
		const { task: record } = (await store.find(setup.task)) ?? {};
		assert.ok(record);
		await store.update(setup.task, { task: { ...record, caller: { ...record.caller, session: "nobody" } } });
		await refused(setup, /^The session that started this task no longer exists/, setup.task);
	});

	it("says so if another window has the session that started it", async () => {
		const home = newHome();
		const first = await denied({}, { home });
		const { until, open } = createDeferred();
		const second = await openTestTasks({ caller: [{ text: "Still.", until }], make: [{ text: "No." }] }, { home, settings });
		await first.caller.giveWay();
		const turn = second.caller.send("Go on here");
		await second.event(second.caller.sessionId, "started", ({ seq }) => seq > first.caller.state.seq - 1);
		await refused(first, /running in another window/);
		open();
		await turn;
	});

	it("says so if it can't begin after the role was set, and the role stays", async () => {
		const setup = await denied();
		const { tasks } = setup.app.delegation;
		tasks.continue = async () => {
			throw new UserError("The disk is full.");
		};
		await refused(setup, /^Caller now works as Commander\. The disk is full\.$/);
		assert.equal(setup.caller.state.role, "commander");
	});
});
