// Tests what a called agent may do: its role within its caller's limits, through every level.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Role } from "../../../../src/core/role.ts";
import { createTroupeApi } from "../../../../src/integrations/exportedApi.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { EDIT, FILES, PLAN } from "../../session/testSession.ts";
import {
	agent,
	answersOf,
	calling,
	closeTestCalls,
	LIMITS,
	newHome,
	offered,
	openTestCalls,
	outputsOf,
	type TestCalls,
} from "./testCalls.ts";

const WRITING = ["create_file", "update_file", "delete_file", "execute_command"];
const writing = (tools: readonly string[] | undefined) => WRITING.filter((name) => tools?.includes(name));
const deep = (maxDepth: number) => ({ settings: { delegation: { ...LIMITS, maxDepth } } });

const HALF: Role = {
	id: "half",
	label: "Half",
	name: "Half",
	icon: "eye",
	permissions: ["ReadFiles", "ExecuteCommands", "Delegate"],
	prompt: "You do half.",
};

async function startedOf(setup: TestCalls, agentId: string) {
	return setup.event(await setup.sessionOf(agentId), "started");
}

describe("a called agent's role", () => {
	afterEach(closeTestCalls);

	it("is its caller's, for this turn only: the session keeps its own", async () => {
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [{ text: "Hi." }] });
		const { sessionId } = await setup.app.sessions.create({ agentId: "b", role: "actor" });
		await setup.caller.send("Ask b");
		assert.equal((await startedOf(setup, "b")).role, "planner");
		const called = await setup.app.sessions.get(sessionId);
		assert.equal(called.state.role, "actor");
		await called.send("And now you");
		const [first, second] = offered(setup, "b");
		assert.deepEqual(writing(first), []);
		assert.deepEqual(writing(second), WRITING);
	});

	it("is the agent's default one if the agent can't have the caller's, still within the caller's limits", async () => {
		const agents = [agent("a"), agent("b", { roles: ["reviewer", "actor"], defaultRole: "actor" })];
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [{ text: "Hi." }] }, { agents });
		await setup.caller.send("Ask b");
		const { role, ceiling } = await startedOf(setup, "b");
		assert.deepEqual([role, ceiling], ["actor", ["ReadFiles", "Delegate"]]);
		assert.deepEqual(writing(offered(setup, "b")[0]), []);
	});

	it("is the actor's if a commander called", async () => {
		const script = { a: [calling("b"), { text: "End." }], b: [{ calls: [EDIT] }, { text: "Changed." }] };
		const setup = await openTestCalls(script, { role: "commander", files: FILES, settings: { approval: "edits" } });
		await setup.caller.send("Have it changed");
		assert.equal((await startedOf(setup, "b")).role, "actor");
		assert.deepEqual(writing(offered(setup, "a")[0]), []);
		assert.match(readFileSync(join(setup.app.folder, "src/hello.ts"), "utf8"), /HELLO/);
	});

	it("is never offered to be changed: the agent is told who limits it", async () => {
		const offer = { calls: [{ name: "offer_switch", input: { reason: "I want to write." } }] };
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [offer, { text: "I can't." }] });
		await setup.caller.send("Ask b");
		assert.match(
			outputsOf(await setup.sessionOf("b")).join("\n"),
			/You answer the agent a, whose permissions limit yours.*Nothing was offered/,
		);
		assert.equal(answersOf(setup.caller)[0]?.["status"], "complete");
	});
});

describe("a called agent's limits", () => {
	afterEach(closeTestCalls);

	it("hold at the gate, whatever the model calls", async () => {
		const b = [{ calls: [EDIT] }, { calls: [{ name: "execute_command", input: { command: "touch made" } }] }, { text: "No." }];
		const options = { files: FILES, settings: { approval: "auto" as const } };
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b }, options);
		await setup.app.sessions.create({ agentId: "b", role: "actor" });
		await setup.caller.send("Ask b");
		const { state } = await setup.sessionOf("b");
		assert.deepEqual(
			[...state.calls.values()].map(({ result }) => result?.status),
			["denied", "denied"],
		);
		assert.equal(existsSync(join(setup.app.folder, "made")), false);
		assert.equal(readFileSync(join(setup.app.folder, "src/hello.ts"), "utf8"), FILES["src/hello.ts"]);
	});

	it("shrink with every level, and never grow again", async () => {
		const agents = [agent("a"), agent("b", { roles: ["half"] }), agent("c", { roles: ["actor"] }), agent("d", { roles: ["actor"] })];
		const setup = await openTestCalls(
			{ a: [calling("b"), { text: "End." }], b: [calling("c"), { text: "B." }], c: [calling("d"), { text: "C." }], d: [{ text: "D." }] },
			{ agents, roles: [HALF], role: "actor", ...deep(3) },
		);
		await setup.caller.send("Go");
		const ceilings = await Promise.all(["b", "c", "d"].map(async (id) => (await startedOf(setup, id)).ceiling));
		assert.ok(ceilings[0]?.includes("WriteFiles"));
		assert.deepEqual(ceilings.slice(1), [HALF.permissions, HALF.permissions]);
		assert.deepEqual(writing(offered(setup, "c")[0]), ["execute_command"]);
		assert.deepEqual(writing(offered(setup, "d")[0]), ["execute_command"]);
		assert.deepEqual((await startedOf(setup, "d")).caller?.chain, ["a", "b", "c"]);
	});

	it("are in its prompt, and in what `tools` of the API answers, while the turn runs", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [{ text: "Hi.", until }, { text: "Hi." }] });
		const { sessionId } = await setup.app.sessions.create({ agentId: "b", role: "actor" });
		const turn = setup.caller.send("Ask b");
		await setup.event("b", "started");
		const api = createTroupeApi(setup.app.sessions);
		const during = (await api.tools(sessionId)).map(({ name }) => name);
		open();
		await turn;
		const after = (await api.tools(sessionId)).map(({ name }) => name);
		assert.deepEqual([writing(during), writing(after)], [[], WRITING]);
		await (await setup.app.sessions.get(sessionId)).send("Now you");
		const [called, own] = setup.model.requests.filter(({ system }) => system.includes("<b>")).map(({ system }) => system);
		assert.ok(called !== undefined && own !== undefined);
		assert.doesNotMatch(called, /update_file/);
		assert.match(own, /update_file/);
	});

	it("are as deep as the settings say: the call beyond is refused with the chain", async () => {
		const setup = await openTestCalls(
			{ a: [calling("b"), { text: "End." }], b: [calling("c"), { text: "B." }], c: [calling("d"), { text: "C." }], d: [{ text: "D." }] },
			deep(2),
		);
		await setup.caller.send("Go");
		assert.match(
			outputsOf(await setup.sessionOf("c"))[0] ?? "",
			/Calls may be at most 2 deep, and this one would be deeper: a → b → c → d\. Nothing was sent/,
		);
	});

	it("allow no call at all with a depth of 0", async () => {
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [] }, deep(0));
		await setup.caller.send("Go");
		assert.match(outputsOf(setup.caller)[0] ?? "", /Nothing was sent/);
		assert.equal((await setup.app.sessions.list()).length, 1);
	});

	it("name a ring of three", async () => {
		const setup = await openTestCalls(
			{ a: [calling("b"), { text: "End." }], b: [calling("c"), { text: "B." }], c: [calling("a"), { text: "C." }] },
			deep(5),
		);
		await setup.caller.send("Go");
		assert.match(outputsOf(await setup.sessionOf("c"))[0] ?? "", /An agent can't be called by itself: a → b → c → a\. Nothing was sent/);
	});

	it("include the approval mode of the calling session", async () => {
		const setup = await openTestCalls(
			{ a: [calling("b"), { text: "End." }], b: [{ calls: [EDIT] }, { text: "Changed." }] },
			{ role: "actor", files: FILES, settings: { approval: "edits" } },
		);
		await setup.caller.setApproval("ask");
		const turn = setup.caller.send("Have it changed");
		await setup.answer(await setup.sessionOfCalled("b"), { allow: true });
		await turn;
		assert.equal(answersOf(setup.caller)[0]?.["status"], "complete");
	});

	it("are not widened by a plan that runs in the caller", async () => {
		const present = { calls: [{ name: "present_plan", input: PLAN }] };
		const step = { calls: [{ name: "update_step", input: { step_number: 1, status: "running" } }] };
		const setup = await openTestCalls(
			{ a: [present, step, calling("b"), { calls: [EDIT] }, { text: "End." }], b: [{ calls: [EDIT] }, { text: "Denied." }] },
			{ files: FILES },
		);
		await setup.caller.send("Plan it");
		const turn = setup.caller.executePlan({});
		const called = await setup.sessionOfCalled("b");
		await setup.answer(called, { allow: false });
		await turn;
		assert.deepEqual(
			setup.caller.state.events.filter(({ type }) => type === "asked"),
			[],
		);
		assert.match(readFileSync(join(setup.app.folder, "src/hello.ts"), "utf8"), /HELLO/);
	});
});

describe("an agent that is reached over HTTP", () => {
	afterEach(closeTestCalls);
	const agents = [
		agent("a"),
		agent("b", { type: "external", external: { inputUrl: "https://agents.example/in", callbackBaseUrl: "http://127.0.0.1:1" } }),
	];

	it("is not called without the network permission, and nothing is recorded in it", async () => {
		const setup = await openTestCalls({ a: [calling("b", "All the secrets"), { text: "End." }], b: [] }, { agents });
		await setup.caller.send("Ask b");
		const [result] = [...setup.caller.state.calls.values()].map(({ result }) => result);
		assert.equal(result?.status, "denied");
		assert.ok(result.view?.kind === "denied" && result.view.layer === "role");
		assert.deepEqual(
			(await setup.app.sessions.list()).map(({ agentId }) => agentId),
			["a"],
		);
	});

	for (const role of ["actor", "commander"])
		it(`needs the user's approval where the ${role} may give the permission`, async () => {
			const setup = await openTestCalls({ a: [calling("b", "A question"), { text: "End." }], b: [] }, { agents, role });
			const turn = setup.caller.send("Ask b");
			await setup.answer(setup.caller, { allow: false });
			await turn;
			assert.equal((await setup.app.sessions.list()).length, 1);
		});

	it("is not called by a commander that a planner called", async () => {
		const callers = [agent("p"), agent("a", { roles: ["commander"], defaultRole: "commander" }), ...agents.slice(1)];
		const setup = await openTestCalls(
			{ a: [calling("b", "All the secrets"), { text: "End." }], b: [], p: [calling("a"), { text: "End." }] },
			{ agents: callers, role: "commander", settings: { delegation: { ...LIMITS, maxDepth: 2 } } },
		);
		const { sessionId } = await setup.app.sessions.create({ agentId: "p", role: "planner" });
		await (await setup.app.sessions.get(sessionId)).send("Ask a");
		const { caller, role, ceiling } = await setup.event("a", "started");
		assert.deepEqual([caller?.agent, role, ceiling], ["p", "commander", ["ReadFiles", "Delegate"]]);
		const called = await setup.sessionOfCalled("a");
		assert.match(outputsOf(called)[0] ?? "", /^Refused: The agent that delegated this task can't use the network/);
	});
});

describe("the lists and roles of the caller", () => {
	afterEach(closeTestCalls);

	it("decide which agents its prompt and agents_list name", async () => {
		const script = { a: [{ calls: [{ name: "agents_list", input: {} }] }, { text: "End." }], b: [], c: [], d: [] };
		const agents = [
			agent("a", { agentAllowlist: ["b", "d"] }),
			agent("b", { description: "Does b" }),
			agent("c"),
			agent("d", { uiVisible: false }),
		];
		const setup = await openTestCalls(script, { agents });
		await setup.caller.send("Who is there?");
		assert.deepEqual(JSON.parse(outputsOf(setup.caller)[0] ?? ""), {
			agents: [{ id: "b", name: "B", description: "Does b", busy: false }],
			mayRun: 4,
		});
		const { system } = setup.model.requests[0] ?? {};
		assert.match(system ?? "", /\bb\b.*Does b/);
		assert.doesNotMatch(system ?? "", /^.*\b(c|d)\b.*: (C|D)/m);
	});

	it("say in agents_list who is busy, and how many more may run", async () => {
		const { until, open } = createDeferred();
		const list = { calls: [{ name: "agents_list", input: {} }] };
		const setup = await openTestCalls({
			a: [calling("b", "Do it", { mode: "async" }), { ...list }, { text: "End." }],
			b: [{ text: "Hi.", until }],
		});
		const begun = setup.event("b", "started");
		const turn = setup.caller.send("Go");
		await begun;
		await turn;
		const { agents, mayRun } = JSON.parse(outputsOf(setup.caller)[1] ?? "") as { agents: { id: string; busy: boolean }[]; mayRun: number };
		assert.deepEqual([agents.find(({ id }) => id === "b")?.busy, mayRun], [true, 3]);
		open();
		await setup.event("b", "ended");
	});

	it("say in agents_list that an agent is busy that another window has, or that waits for the user", async () => {
		const home = newHome();
		const list = { calls: [{ name: "agents_list", input: {} }] };
		const ask = { calls: [{ name: "ask_question", input: { question: "Which?", severity: "minor", allow_custom: true } }] };
		const there = await openTestCalls({ a: [], b: [{ text: "Hi." }], c: [ask], d: [{ text: "Hi." }] }, { home });
		for (const agentId of ["b", "c", "d"]) {
			const { sessionId } = await there.app.sessions.create({ agentId });
			const session = await there.app.sessions.get(sessionId);
			await session.send("Hello");
			if (agentId !== "b") await session.close();
		}
		const here = await openTestCalls({ a: [list, { text: "End." }], b: [], c: [], d: [] }, { home });
		await here.caller.send("Who?");
		const { agents } = JSON.parse(outputsOf(here.caller)[0] ?? "") as { agents: { id: string; busy: boolean }[] };
		assert.deepEqual(
			agents.filter(({ id }) => id !== "default").map(({ id, busy }) => [id, busy]),
			[
				["b", true],
				["c", true],
				["d", false],
			],
		);
	});

	it("offer no tool for calls to a role without the permission", async () => {
		const setup = await openTestCalls({ a: [calling("b"), { text: "End." }], b: [] }, { role: "reviewer" });
		await setup.caller.send("Ask b");
		assert.equal(offered(setup, "a")[0]?.includes("agents_message"), false);
		assert.match(outputsOf(setup.caller)[0] ?? "", /^Refused: /);
		assert.equal((await setup.app.sessions.list()).length, 1);
	});
});
