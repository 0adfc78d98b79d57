// Tests the gate in a running turn: read-only planners, approvals bound to content, denials with reasons.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { defineTool, type Tool, type ToolSource } from "../../../src/core/ports/tool.ts";
import { createTroupeApi } from "../../../src/integrations/exportedApi.ts";
import { createDeferred } from "../../fakes/deferred.ts";
import { closeTestSessions, EDIT, FILES, openTestSession, PLAN, results } from "./testSession.ts";

const run = (command: string) => ({ calls: [{ name: "execute_command", input: { command } }] });

describe("a turn behind the gate", () => {
	afterEach(closeTestSessions);

	it("lets a planner change nothing, even with a grant and in the automatic mode", async () => {
		const { session, app } = await openTestSession([{ calls: [EDIT] }, { text: "Well." }], {
			files: FILES,
			settings: { approval: "auto" },
		});
		await app.services.grants.add({
			agent: "default",
			tool: "update_file",
			class: "update_file",
			workspace: app.folder,
			at: "2026-01-01T00:00:00Z",
		});
		await session.send("Change it");
		const [call] = [...session.state.calls.values()];
		assert.equal(call?.result?.status, "denied");
		assert.deepEqual(call?.result?.view, { kind: "denied", layer: "role", lacks: ["WriteFiles"], offerRole: "actor" });
		assert.equal(readFileSync(join(app.folder, "src/hello.ts"), "utf8"), FILES["src/hello.ts"]);
	});

	it("counts an answer from when it came, however long the session takes to be there, and takes none twice", async () => {
		const setup = await openTestSession([run("touch made"), { text: "Done." }], { files: FILES, role: "actor" });
		const turn = setup.session.send("Make it");
		const asked = await setup.event("asked");
		const api = createTroupeApi(setup.app.sessions);
		const answer = () => api.answer(setup.summary.sessionId, asked.request, { allow: true });
		const { store } = setup.app.services;
		const own = store.own.bind(store);
		store.own = (...what) => {
			setup.clock.ahead += 1_000;
			return own(...what);
		};
		await assert.rejects(answer(), { code: "early" });
		store.own = own;
		setup.clock.ahead += 1_000;
		await answer();
		await assert.rejects(answer(), { code: "expired" });
		await turn;
	});

	it("asks before a command, refuses an answer that comes too early, and runs it once allowed", async () => {
		const setup = await openTestSession([run("touch made"), { text: "Done." }], { files: FILES, role: "actor" });
		const turn = setup.session.send("Make it");
		const asked = await setup.event("asked");
		await assert.rejects(setup.session.answer(asked.request, { allow: true }, "person", asked.hash), { code: "early" });
		setup.clock.ahead += 1_000;
		await assert.rejects(setup.session.answer(asked.request, { allow: true }, "person", "0".repeat(64)), { code: "changed" });
		await assert.rejects(setup.session.answer(asked.request, { allow: true }, "person"), { code: "malformed" });
		assert.equal(existsSync(join(setup.app.folder, "made")), false);
		await setup.answer({ allow: true });
		assert.equal((await turn).outcome, "done");
		assert.equal(existsSync(join(setup.app.folder, "made")), true);
		await assert.rejects(setup.session.answer(asked.request, { allow: true }, "person", asked.hash), { code: "expired" });
	});

	it("tells the model why the person said no, and runs nothing", async () => {
		const setup = await openTestSession([run("touch made"), { text: "Understood." }], { files: FILES, role: "actor" });
		const turn = setup.session.send("Make it");
		await setup.answer({ allow: false, reason: "not in this folder" });
		await turn;
		const [result] = results(setup.session);
		assert.equal(result?.status, "denied");
		assert.match(result?.output ?? "", /not in this folder/);
		assert.equal(existsSync(join(setup.app.folder, "made")), false);
	});

	it("lets pending approvals expire when the turn is stopped, and late answers do nothing", async () => {
		const setup = await openTestSession([run("touch made")], { files: FILES, role: "actor" });
		const turn = setup.session.send("Make it");
		const asked = await setup.event("asked");
		await setup.session.cancel();
		assert.equal((await turn).outcome, "cancelled");
		setup.clock.ahead += 1_000;
		await assert.rejects(setup.session.answer(asked.request, { allow: true }, "person", asked.hash), /expired/);
		assert.equal(results(setup.session)[0]?.status, "cancelled");
		assert.equal(existsSync(join(setup.app.folder, "made")), false);
	});

	it("remembers what is always allowed, for that command and no other", async () => {
		const setup = await openTestSession(
			[run("touch made"), { text: "1" }, run("touch made"), { text: "2" }, run("mkdir made2"), { text: "3" }],
			{
				files: FILES,
				role: "actor",
			},
		);
		const first = setup.session.send("Make it");
		await setup.answer({ allow: true, always: true });
		await first;
		assert.equal((await setup.session.send("Again")).outcome, "done");
		assert.equal(setup.types().filter((type) => type === "asked").length, 1);
		const third = setup.session.send("Another");
		await setup.event("asked", ({ summary }) => summary.includes("made2"));
		await setup.session.cancel();
		await third;
	});

	it("stops a model that goes round in circles and asks the person", async () => {
		const read = { calls: [{ name: "read_file", input: { path: "README.md" } }] };
		const setup = await openTestSession([read, read, read, { text: "Out." }], { files: FILES });
		const turn = setup.session.send("Read");
		const asked = await setup.event("asked");
		assert.match(asked.reason, /is repeating itself/);
		await setup.answer({ allow: false });
		assert.equal((await turn).outcome, "done");
	});

	it("never runs a call whose arguments are not valid JSON, and gives up after three", async () => {
		const broken = (path: string) => ({ raw: [{ name: "create_file", arguments: `{"path": "${path}", "content": "x` }] });
		const { session, app } = await openTestSession([broken("a.txt"), broken("b.txt"), broken("c.txt")], {
			files: FILES,
			role: "actor",
			settings: { approval: "auto" },
		});
		assert.equal((await session.send("Write")).outcome, "failed");
		assert.deepEqual(
			results(session).map(({ status }) => status),
			["error", "error", "error"],
		);
		assert.equal(existsSync(join(app.folder, "a.txt")), false);
	});

	it("starts no turn in Restricted Mode, and keeps the words", async () => {
		const { session, model } = await openTestSession([{ text: "Hi." }], { files: FILES, restricted: "Not trusted." });
		await assert.rejects(session.send("Hello"), /Not trusted/);
		assert.equal(model.requests.length, 0);
	});

	it("has no tool of a source under a name of ours, of an alias, or of what no list keeps out", async () => {
		const ran: string[] = [];
		const tool = (name: string, plugin = "guest"): Tool =>
			defineTool({
				name,
				plugin,
				description: "A guest.",
				permissions: [],
				capabilities: [],
				input: z.object({}).loose(),
				summary: () => name,
				async run() {
					ran.push(`${plugin}: ${name}`);
					return { output: "ran" };
				},
			});
		const source = (...tools: Tool[]): ToolSource => ({ tools: () => tools, prepare: async () => [], release: async () => undefined });
		const odd = [tool("Read_File"), tool("GREP"), tool("system_free"), tool("mine", "plan"), tool("two words"), tool("x".repeat(129))];
		const names = [...odd, tool("twice")].map(({ name }) => name);
		const { session, model } = await openTestSession([{ calls: names.map((name) => ({ name, input: {} })) }, { text: "Done." }], {
			files: FILES,
			sources: [source(...odd, tool("twice")), source(tool("Twice", "other"))],
		});
		await session.send("Try them");
		const offered = model.requests[0]?.tools.filter(({ description }) => description === "A guest.").map(({ name }) => name);
		assert.deepEqual([offered, ran], [["twice"], ["guest: twice"]]);
	});

	it("stops the turn when the role is narrowed, and lets it run on when it is widened", async () => {
		const setup = await openTestSession([run("touch made"), { text: "Done." }], { files: FILES, role: "actor" });
		const turn = setup.session.send("Make it");
		await setup.event("asked");
		await setup.session.setRole("planner", "person", { stop: true });
		assert.equal((await turn).outcome, "cancelled");
		assert.equal(setup.session.state.role, "planner");
	});

	it("stops the turn of a commander that is to plan, because those that it calls may then do less", async () => {
		const { until } = createDeferred();
		const setup = await openTestSession([{ text: "", until }], { role: "commander" });
		const turn = setup.session.send("Have it made");
		await setup.event("started");
		await assert.rejects(setup.session.setRole("planner"), { name: "SessionRunning" });
		await setup.session.setRole("planner", "person", { stop: true });
		assert.equal((await turn).outcome, "cancelled");
	});

	it("asks about a refused call that is made again and again, too", async () => {
		const setup = await openTestSession([{ calls: [EDIT] }, { calls: [EDIT] }, { calls: [EDIT] }, { text: "Out." }], { files: FILES });
		const turn = setup.session.send("Change it");
		assert.match((await setup.event("asked")).reason, /is repeating itself/);
		await setup.answer({ allow: false });
		assert.equal((await turn).outcome, "done");
	});

	it("offers the switch of role in the host's own words, and takes it on one click", async () => {
		const offer = { calls: [{ name: "offer_switch", input: { reason: "I would make it louder." } }] };
		const setup = await openTestSession([offer, { calls: [EDIT] }, { text: "Louder." }], { files: FILES, settings: { approval: "edits" } });
		assert.equal((await setup.session.send("Make it louder, now")).outcome, "waiting");
		const { request, question } = await setup.event("question");
		assert.equal(question.question, "Switch to Actor?");
		setup.clock.ahead += 1_000;
		await setup.session.answer(request, { value: "switch" }, "person");
		assert.equal(setup.session.state.role, "actor");
		assert.match(readFileSync(join(setup.app.folder, "src/hello.ts"), "utf8"), /HELLO/);
	});

	it("takes the answer to an offer that 0.1.0 has made, where the request's id names the switch", async () => {
		const setup = await openTestSession([{ calls: [EDIT] }, { text: "Louder." }], { files: FILES, settings: { approval: "edits" } });
		const question = { question: "Switch to Actor?", options: [{ label: "Switch", value: "switch" }] };
		await setup.session.eventLog.emit({ type: "question", request: "switch_0f5c", question }, "model");
		setup.clock.ahead += 1_000;
		await setup.session.answer("switch_0f5c", { value: "switch" }, "person");
		assert.equal(setup.session.state.role, "actor");
	});

	it("does not take a model's own question for the switch, whatever its option is called", async () => {
		const trick = {
			calls: [
				{
					name: "ask_question",
					id: "switch_1",
					input: {
						question: "Switch to Actor?",
						options: [{ label: "Yes", value: "switch" }],
						request: "switch_1",
						about: { kind: "switch" },
					},
				},
			],
		};
		const setup = await openTestSession([trick, { text: "Hm." }], { files: FILES });
		await setup.session.send("Make it louder");
		const { request, about } = await setup.event("question");
		assert.match(request, /^[0-9a-f-]{36}$/);
		assert.equal(about, undefined);
		setup.clock.ahead += 1_000;
		await setup.session.answer(request, { value: "switch" }, "person");
		assert.equal(setup.session.state.role, "planner");
	});

	it("ends background commands when the role that allowed them is taken away", async () => {
		const setup = await openTestSession(
			[{ calls: [{ name: "execute_command", input: { command: "sleep 600 & echo $! > pid; wait", background: true } }] }, { text: "On." }],
			{
				files: FILES,
				role: "actor",
			},
		);
		const turn = setup.session.send("Start it");
		await setup.answer({ allow: true });
		await turn;
		const result = [...setup.session.state.calls.values()][0]?.result;
		assert.ok(result?.view?.kind === "command" && result.view.background);
		await setup.session.setRole("planner");
		const { output } = result.view;
		const ended = async (): Promise<boolean> => (await setup.app.services.window.workspace.output(output, 0)).running === false;
		while (!(await ended())) await new Promise((resolve) => setImmediate(resolve));
	});

	it("stops a plan whose turn has ended already, so that its edits ask again", async () => {
		const plan = { calls: [{ name: "present_plan", input: PLAN }] };
		const ask = { calls: [{ name: "ask_question", input: { question: "Go on?", options: [{ label: "Yes", value: "y" }] } }] };
		const setup = await openTestSession([plan, ask], { files: FILES });
		await setup.session.send("Plan");
		assert.equal((await setup.session.executePlan({})).outcome, "waiting");
		assert.equal(setup.session.state.plans[0]?.state, "running");
		await setup.session.cancel();
		assert.equal(setup.session.state.plans[0]?.state, "stopped");
	});
});
