// Tests tasks that another session than the one that started them continues.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentDefinition, ApprovalMode } from "../../../../src/core/role.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import type { ScriptedAnswer } from "../../../fakes/scriptedModel.ts";
import { caller, closeTestTasks, openTestTasks, outputsOf, type Script, spawning, type TestTasks, taskIdIn } from "./testTasks.ts";

const call = (name: string, input: object): ScriptedAnswer => ({ calls: [{ name, input }] });
const write = call("create_file", { path: "made.txt", content: "x" });
const agents: AgentDefinition[] = [
	{ ...caller, freshTasks: true },
	{ agentId: "b", displayName: "B", systemPrompt: "You are B.", optIn: ["tasks"], toolDenylist: ["create_file"] },
];

/** The caller has asked the agent b, which has started a task that is done; b's session, which has heard it. */
async function started(work: Script, mode?: ApprovalMode): Promise<TestTasks & { b: TestTasks["caller"]; taskId: string }> {
	const setup = await openTestTasks(
		{
			caller: (request, index) => {
				if (index === 0) return call("agents_message", { agentId: "b", content: "Delegate it" });
				if (index === 2) return call("task_list", {});
				if (index === 3) return call("resume_task", { taskId: taskIdIn(request), input: "Write it" });
				return { text: "Good." };
			},
			Delegate: [spawning("work", { type: "quick" }), { text: "It runs." }, { text: "I see." }],
			work,
		},
		{ agents, settings: { approval: "auto" } },
	);
	if (mode)
		await (
			await setup.app.sessions.create({ agentId: "b", role: "actor" }).then(({ sessionId }) => setup.app.sessions.get(sessionId))
		).setApproval(mode);
	await setup.caller.send("Ask b");
	const { sessionId: taskId, task } = await setup.state("done");
	const b = await setup.app.sessions.get(task?.caller.session ?? "");
	const news = await setup.event(b.sessionId, "queued", ({ from }) => from === "agent:task-quick");
	await setup.event(b.sessionId, "ended", ({ turn }) => turn === news.message);
	return { ...setup, b, taskId };
}

describe("a task that the caller of its starter resumes", () => {
	afterEach(closeTestTasks);

	it("keeps the lists of the agent that started it", async () => {
		const setup = await started([{ text: "Half." }, write, { text: "I may not." }]);
		await setup.caller.send("Go on");
		const news = await setup.event(setup.caller.sessionId, "queued", ({ from }) => from === "agent:task-quick");
		assert.match(news.text, /I may not\.$/);
		assert.deepEqual(
			[...(await setup.app.sessions.get(setup.taskId)).state.calls.values()].map(({ result }) => result?.status),
			["denied"],
		);
		assert.equal(existsSync(join(setup.app.folder, "made.txt")), false);
	});

	it("asks as the session that started it does, also where the other one needn't", async () => {
		const touch = call("execute_command", { command: "touch made.txt" });
		const setup = await started([{ text: "Half." }, touch, { text: "Done." }], "ask");
		await setup.caller.send("Go on");
		await setup.event(setup.taskId, "asked");
		assert.equal(existsSync(join(setup.app.folder, "made.txt")), false);
	});

	it("tells its end to the session that resumed it, and stays in the one that started it, whose card shows it", async () => {
		const setup = await started([{ text: "Half." }, { text: "Whole." }]);
		await setup.caller.send("Go on");
		const news = await setup.event(setup.caller.sessionId, "queued", ({ from }) => from === "agent:task-quick");
		assert.match(news.text, /Whole\.$/);
		await setup.state("done");
		const states = ({ state }: TestTasks["caller"]) => state.events.flatMap((event) => (event.type === "task" ? [event.state] : []));
		assert.deepEqual(
			[states(setup.b), states(setup.caller)],
			[
				["queued", "running", "done", "queued", "running", "done"],
				["queued", "running", "done"],
			],
		);
		assert.equal(setup.b.state.events.filter(({ type }) => type === "queued").length, 2);
		const own = await setup.app.sessions.tasksOf(setup.b.sessionId);
		assert.deepEqual(
			own.map(({ sessionId }) => sessionId),
			[setup.taskId],
		);
		const results = (outputsOf(setup.caller, "resume_task") as { state: string }[]).map(({ state }) => state);
		assert.deepEqual(results, ["queued"]);
	});

	for (const lost of ["b", "caller"] as const)
		it(`is stopped when the session of ${lost === "b" ? "its starter" : "whoever resumed it"} is cleared`, async () => {
			const { until } = createDeferred();
			const setup = await started([{ text: "Half." }, { text: "Never.", until }]);
			await setup.caller.send("Go on");
			await setup.state("running");
			await setup.app.sessions.clear(setup[lost].sessionId);
			assert.equal((await setup.state("cancelled")).sessionId, setup.taskId);
		});
});

describe("a task that a commander answers in the turn that its news begins", () => {
	afterEach(closeTestTasks);

	const question = call("need_more_info", { question: "Where?" });

	for (const [asked, answered, made] of [
		["commander", "commander", true],
		["planner", "commander", false],
		["commander", "planner", false],
	] as const)
		it(`${made ? "may still change" : "changes no"} files where it was started by a ${asked} and answered by a ${answered}`, async () => {
			const setup = await openTestTasks(
				{
					caller: (request, index) => {
						if (index === 0) return spawning("work", { type: "quick" });
						return index === 2 ? call("resume_task", { taskId: taskIdIn(request), input: "In made.txt" }) : { text: "Good." };
					},
					work: (_, index) => (index === 0 ? question : index === 1 ? write : { text: "Done." }),
				},
				{ role: asked, settings: { approval: "auto" } },
			);
			await setup.caller.send("Have it done");
			if (answered !== asked) await setup.caller.setRole(answered, "person", { stop: true });
			await setup.state("done");
			assert.equal(existsSync(join(setup.app.folder, "made.txt")), made);
		});

	it("gets the same prompt as in the person's turns", async () => {
		const {
			caller: session,
			event,
			model,
			state,
		} = await openTestTasks(
			{ caller: [spawning("work", { type: "quick" }), { text: "It runs." }, { text: "I see." }], work: [{ text: "Done." }] },
			{ role: "commander", agents: [{ ...caller, plugins: ["tasks"] }] },
		);
		await session.send("Have it done");
		await state("done");
		const news = await event(session.sessionId, "queued");
		await event(session.sessionId, "ended", ({ turn }) => turn === news.message);
		const prompts = model.requests.filter(({ system }) => system.includes("<caller>")).map(({ system }) => system);
		assert.deepEqual([prompts.length, new Set(prompts).size], [3, 1]);
	});
});
