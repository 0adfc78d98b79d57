// Tests what the chat does about background tasks: progress, requests, Stop and Continue, and a task's own chat.

import assert from "node:assert/strict";
import { findSessionsInCharge } from "../../../src/chat/linkedSessions.ts";
import { createDeferred } from "../../fakes/deferred.ts";
import { closeTestTasks, closeWindow, newHome, openTestTasks, spawning } from "../delegation/tasks/testTasks.ts";
import { chatOn, closeChats } from "./taskChat.ts";

const quick = { type: "quick" };
const make = { name: "create_file", input: { path: "made.txt", content: "made" } };
const needs = { name: "need_more_info", input: { question: "Which branch?", options: ["main", "next"] } };

describe("a chat whose session has background tasks", () => {
	afterEach(async () => {
		closeChats();
		await closeTestTasks();
	});

	it("gets a task's steps and last message while it works, and nothing more once it is over", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestTasks({
			caller: [spawning("count", quick), { text: "It runs." }],
			count: [
				{ text: "I look.", calls: [{ name: "list_directory", input: { path: "." } }] },
				{ text: "Three.", until },
			],
		});
		const { called } = await chatOn(setup);
		await setup.caller.send("Count");
		const call = await called(({ calls: [one] }) => (one?.tools[0]?.status === "ok" ? one : undefined));
		const [task] = await setup.tasks();
		assert.deepEqual([call.call, call.state, call.text, call.steps], [task?.sessionId, "running", "I look.", 1]);
		open();
		await called(({ calls }) => (calls.length === 0 ? calls : undefined));
		assert.equal((await setup.state("done")).sessionId, task?.sessionId);
	});

	it("gets a task's approval with who asks, and answers it there", async () => {
		const setup = await openTestTasks({
			caller: [spawning("write", quick), { text: "It runs." }],
			write: [{ calls: [make] }, { text: "Made." }],
		});
		const { called, act, token, later } = await chatOn(setup);
		await setup.caller.send("Write");
		const request = await called(({ requests = [] }) => requests[0]);
		const { sessionId } = await setup.state("running");
		assert.ok(request.kind === "approval");
		assert.deepEqual([request.session, request.under, request.chain], [sessionId, sessionId, ["caller", "task-quick"]]);
		assert.deepEqual(await findSessionsInCharge(setup.app.sessions, sessionId), [sessionId, setup.caller.sessionId]);
		later();
		const { request: id, hash } = request.event;
		await act({ type: "answer", session: sessionId, request: id, hash, answer: { allow: true }, token: token() });
		await setup.state("done");
		assert.equal((await setup.app.sessions.get(sessionId)).state.calls.get(request.event.call)?.result?.status, "ok");
	});

	it("gets a task's question, also after a reload, and the answer of the person makes the task go on", async () => {
		const home = newHome();
		const scripts = {
			caller: [spawning("ask", quick), { text: "It runs." }, { text: "I wait." }],
			ask: [{ calls: [needs] }, { text: "On main, then." }],
		};
		const before = await openTestTasks(scripts, { home });
		await before.caller.send("Ask");
		const { sessionId } = await before.state("waiting");
		await before.event(before.caller.sessionId, "task", ({ state }) => state === "waiting");
		await closeWindow(before);

		const after = await openTestTasks({ caller: [{ text: "I see." }], ask: [{ text: "On main, then." }] }, { home });
		await after.app.sessions.recover();
		const { called, updates, act, token, later } = await chatOn(after);
		const request = await called(({ requests = [] }) => requests[0]);
		assert.ok(request.kind === "question");
		assert.deepEqual([request.session, request.event.about], [sessionId, { kind: "information" }]);
		later();
		await act({ type: "answer", session: sessionId, request: request.event.request, answer: { value: "main" }, token: token() });
		await after.state("done");
		const { events } = (await after.app.sessions.get(sessionId)).state;
		assert.equal(events.find(({ type }) => type === "answered")?.by, "person");
		const answered = await called((update) => (update.requests?.length === 0 ? updates.indexOf(update) : undefined));
		await called((update) => (update.calls.length === 0 && updates.indexOf(update) >= answered ? update : undefined));
	});

	it("shows what one did that its window left behind, and continues it once with two clicks", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const look = { text: "I look.", calls: [{ name: "list_directory", input: { path: "." } }] };
		const count = [look, { text: "3.", until }];
		const before = await openTestTasks({ caller: [spawning("count", quick), { text: "It runs." }], count }, { home });
		await before.caller.send("Count");
		await before.event((await before.state("running")).sessionId, "result");
		await closeWindow(before);
		open();

		const after = await openTestTasks({ caller: [{ text: "I see." }], count: [{ text: "Four." }] }, { home });
		await after.app.sessions.recover();
		const { sessionId: task } = await after.state("interrupted");
		const { act, session, status, called, problems } = await chatOn(after);
		const { tools, steps } = await called(({ calls: [first] }) => first);
		assert.deepEqual([tools.map(({ call }) => call.name), steps], [["list_directory"], 1]);
		assert.equal(status()?.linked?.[task], "count");
		await Promise.all([act({ type: "continueTask", session, task }), act({ type: "continueTask", session, task })]);
		await after.state("done");
		const { events } = (await after.app.sessions.get(task)).state;
		const notes = events.filter((event) => event.type === "status" && event.text === "You continued the task.");
		assert.deepEqual([problems, notes.length], [[], 1]);
	});

	it("continues one that the person stopped", async () => {
		const setup = await openTestTasks({
			caller: [spawning("count", quick), { text: "It runs." }, { text: "I see." }],
			count: (request) =>
				JSON.stringify(request.events).includes("go on with the task")
					? { text: "Four." }
					: { text: "Never said.", until: new Promise(() => undefined) },
		});
		const { act, session, problems } = await chatOn(setup);
		await setup.caller.send("Count");
		const { sessionId: task } = await setup.state("running");
		await act({ type: "stopTask", session, task });
		await setup.state("cancelled");
		await act({ type: "continueTask", session, task });
		await setup.state("done");
		assert.deepEqual(problems, []);
	});

	it("shows a task itself with its own agent and its caller's name, without commands that switch, and takes messages for it", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestTasks({
			caller: [spawning("count", quick), { text: "It runs." }],
			count: [{ text: "I look.", calls: [{ name: "list_directory", input: { path: "." } }], until }, { text: "Four, as you say." }],
		});
		await setup.caller.send("Count");
		const { sessionId } = await setup.state("running");
		const { act, linking } = await chatOn(setup, sessionId);
		const { session, agents = [], slash = [] } = await linking(setup.caller.sessionId);
		assert.equal(session?.kind, "task");
		assert.deepEqual(
			agents.map(({ label }) => label),
			["General Assistant", "Main Agent", "Caller", "quick"],
		);
		assert.deepEqual(
			slash.map(({ name }) => name),
			["compact", "export", "help"],
		);
		const sent = act({ type: "send", session: sessionId, text: "Count twice" });
		await setup.event(sessionId, "queued");
		open();
		await sent;
		await setup.state("done");
		const { events } = (await setup.app.sessions.get(sessionId)).state;
		const said = events.findIndex((event) => event.type === "user" && event.text === "Count twice");
		assert.ok(said > 0 && events.slice(said).some((event) => event.type === "assistant" && event.text.startsWith("Four")));
		assert.equal(events.filter(({ type }) => type === "started").length, 1);
	});

	it("stops a task, which says so in its caller", async () => {
		const { until } = createDeferred();
		const setup = await openTestTasks({ caller: [spawning("wait", quick), { text: "It runs." }], wait: [{ text: "Never.", until }] });
		const { act, session } = await chatOn(setup);
		await setup.caller.send("Wait");
		const { sessionId: task } = await setup.state("running");
		await act({ type: "stopTask", session, task });
		assert.equal(setup.caller.state.tasks.get(task)?.state, "cancelled");
	});

	it("refuses to stop or continue what its session did not start", async () => {
		const setup = await openTestTasks({ caller: [{ text: "Hello." }] });
		const { act, session, problems } = await chatOn(setup);
		await act({ type: "stopTask", session, task: "elsewhere" });
		await act({ type: "continueTask", session, task: "elsewhere" });
		assert.deepEqual(problems, ["This task no longer exists.", "This task no longer exists."]);
	});
});
