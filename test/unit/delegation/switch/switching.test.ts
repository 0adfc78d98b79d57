// Agents of sessions: who a new one begins with, what a switch changes, and which roles an agent may have.
import assert from "node:assert/strict";
import { createSessionSwitcher, executePlan } from "../../../../src/chat/sessionSwitcher.ts";
import type { AgentDefinition } from "../../../../src/core/role.ts";
import { closeTestSessions, EDIT, FILES, openTestSession, PLAN, results, type TestSession } from "../../session/testSession.ts";

const WRITER: AgentDefinition = { agentId: "writer", displayName: "Writer", systemPrompt: "You write." };
const CRITIC: AgentDefinition = { agentId: "critic", displayName: "Critic", roles: ["reviewer", "planner"], defaultRole: "reviewer" };
const DOER: AgentDefinition = { agentId: "doer", displayName: "Doer", roles: ["actor"] };
const agents = [WRITER, CRITIC, DOER];
const PLANS = { calls: [{ name: "present_plan", input: PLAN }] };
const ASKS = { calls: [{ name: "ask_question", input: { question: "How loud?", allow_custom: true } }] };
const READS = { calls: [{ name: "read_file", input: { path: "src/hello.ts" } }] };

describe("the agent of a session", () => {
	afterEach(closeTestSessions);

	it("is the one last spoken to, where a new session names none", async () => {
		const { session, app } = await openTestSession(Array(4).fill({ text: "Hello." }), { agents });
		await session.setAgent("writer");
		assert.equal((await app.sessions.create()).agentId, "default", "choosing is not speaking");
		await session.send("Hi");
		assert.equal((await app.sessions.create()).agentId, "writer");
		await session.setAgent("critic");
		await session.send("Hi", "api");
		assert.equal((await app.sessions.create()).agentId, "critic", "a message of the API is one, too");
		await session.setAgent("writer");
		await session.send("Hi", "agent:critic");
		assert.equal((await app.sessions.create()).agentId, "critic", "what agents say to each other is none of the person's");
	});

	it("changes from the next message on, and the switch is in the transcript", async () => {
		const { session, model } = await openTestSession([{ text: "One." }, { text: "Two." }], { agents });
		await session.send("First");
		await session.setAgent("writer");
		await session.send("Second");
		const [first, second] = model.requests.map(({ system }) => system);
		assert.doesNotMatch(first ?? "", /You write\./);
		assert.match(second ?? "", /^You write\./);
		const told = session.state.events.flatMap((event) =>
			event.type === "agent" || event.type === "started" ? [`${event.type} ${event.agent}`] : [],
		);
		assert.deepEqual(told, ["agent default", "started default", "agent writer", "started writer"]);
	});

	it("must be known", async () => {
		const { session, app } = await openTestSession([], { agents });
		await assert.rejects(session.setAgent("nobody"), /agent nobody doesn't exist/);
		await assert.rejects(app.sessions.create({ agentId: "nobody" }), /agent nobody doesn't exist/);
		assert.equal(session.state.agent, "default");
	});

	it("has the session that changed last, or a new one, where none is named", async () => {
		const { app } = await openTestSession([{ text: "Hello." }], { agents });
		const first = await app.sessions.latest("writer");
		assert.equal(first.agentId, "writer");
		const second = await app.sessions.create({ agentId: "writer" });
		await (await app.sessions.get(first.sessionId)).send("Later than the second");
		assert.equal((await app.sessions.latest("writer")).sessionId, first.sessionId);
		assert.notEqual(first.sessionId, second.sessionId);
	});
});

describe("the roles of an agent", () => {
	afterEach(closeTestSessions);

	it("begin with its own default, then with the person's where it may have that", async () => {
		const { app } = await openTestSession([], { agents, settings: { defaultRole: "actor" } });
		const roleOf = async (agentId: string) => (await app.sessions.create({ agentId })).role;
		assert.equal(await roleOf("critic"), "reviewer");
		assert.equal(await roleOf("writer"), "actor");
		assert.equal(await roleOf("doer"), "actor");
	});

	it("are the only ones it can be switched to", async () => {
		const { app } = await openTestSession([], { agents });
		const { sessionId } = await app.sessions.create({ agentId: "critic" });
		const critic = await app.sessions.get(sessionId);
		await assert.rejects(critic.setRole("actor"), /Critic can't work as Actor\. Available roles: Planner, Reviewer/);
		await critic.setRole("planner");
		assert.equal(critic.state.role, "planner");
		await assert.rejects(app.sessions.create({ agentId: "critic", role: "actor" }), /can't use the role actor/);
	});

	it("come with a switch of the agent", async () => {
		const { session } = await openTestSession([], { agents, role: "actor" });
		await session.setAgent("critic");
		assert.equal(session.state.role, "reviewer");
	});

	it("let no turn begin in another one, when the definition changed meanwhile", async () => {
		const definition: AgentDefinition = { ...WRITER };
		const { session, model } = await openTestSession([{ text: "Hello." }], { agents: [definition], role: "actor" });
		await session.setAgent("writer");
		Object.assign(definition, { roles: ["planner"] });
		await session.send("Go on");
		const ended = session.state.events.findLast((event) => event.type === "ended");
		assert.match(ended?.error ?? "", /Writer can't work as Actor/);
		assert.equal(model.requests.length, 0);
	});
});

describe("a switch by the person", () => {
	let release = (): void => undefined;
	afterEach(async () => {
		release();
		await closeTestSessions();
	});

	/** `says` answers each question. */
	async function switching(setup: TestSession, says: boolean) {
		const asked: string[] = [];
		let refreshed = 0;
		const host = {
			confirm: async (question: string, lines: readonly string[], button: string) => {
				asked.push(`${[question, ...lines].join(" ")} [${button}]`);
				return says;
			},
		};
		const acts = createSessionSwitcher({
			...{ policy: setup.session.policy, host, refresh: async () => void refreshed++ },
			open: async (agentId) => void asked.push(`opens ${agentId}`),
		});
		return { ...acts, asked, refreshed: () => refreshed };
	}

	it("to an agent whose role may do more is put to them first, and not done without a yes", async () => {
		const setup = await openTestSession([], { agents });
		const { session } = setup;
		const no = await switching(setup, false);
		assert.equal(await no.setAgent(session, "doer"), false);
		assert.deepEqual([no.asked.length, no.refreshed(), session.state.agent, session.state.role], [1, 1, "default", "planner"]);
		assert.match(no.asked[0] ?? "", /^Switch to Doer\? Doer only works in the Actor role, which can also: .*\[Switch Agent\]$/);
		const yes = await switching(setup, true);
		assert.equal(await yes.setAgent(session, "doer"), true);
		assert.deepEqual([session.state.agent, session.state.role], ["doer", "actor"]);
		assert.equal(await yes.setAgent(session, "critic"), true);
		assert.deepEqual([yes.asked.length, session.state.role], [1, "reviewer"], "whoever may do less needs no yes");
	});

	it("that stops what runs is put to them first, and what runs goes on without a yes", async () => {
		const held = new Promise<void>((resolve) => {
			release = resolve;
		});
		const setup = await openTestSession(
			async () => {
				await held;
				return { text: "Done." };
			},
			{ agents, role: "actor" },
		);
		const { session } = setup;
		const running = session.send("Go");
		await setup.event("started");
		const no = await switching(setup, false);
		assert.equal(await no.setAgent(session, "critic"), false);
		assert.equal(await no.setRole(session, "planner"), false);
		assert.deepEqual(no.asked, [
			"Switch to Critic? The current turn stops. Completed work isn't undone. [Stop and Switch]",
			"Switch to Planner? The current turn stops. Completed work isn't undone. [Stop and Switch]",
		]);
		assert.deepEqual([session.state.agent, session.state.role], ["default", "actor"]);
		release();
		assert.equal((await running).outcome, "done");
	});

	it("that narrows a plan whose turn rests on a question says what stops, and closes the question", async () => {
		const setup = await openTestSession([PLANS, ASKS, { text: "Done." }], { agents });
		const { session } = setup;
		await session.send("Plan it");
		assert.equal((await session.executePlan({})).outcome, "waiting");
		const question = session.state.requests.values().next().value;
		const no = await switching(setup, false);
		assert.equal(await no.setRole(session, "planner"), false);
		assert.deepEqual(no.asked, [
			"Switch to Planner? The plan “Say hello louder” stops. The pending question is dismissed. Completed work isn't undone. [Stop and Switch]",
		]);
		await assert.rejects(session.setRole("planner", "api"), (error: Error & { code?: string }) => {
			assert.match(error.message, /The switch was canceled .*The plan “Say hello louder” stops\./);
			return error.code === "running";
		});
		assert.deepEqual([session.state.role, question?.state], ["actor", "pending"]);
		await session.setRole("planner", "api", { stop: true });
		assert.deepEqual(
			[session.state.role, session.state.run, session.state.plans[0]?.state, question?.state],
			["planner", undefined, "stopped", "superseded"],
		);
	});

	it("to another agent in the middle of a plan ends what the person approved for the first", async () => {
		const setup = await openTestSession([PLANS, ASKS, READS, { calls: [EDIT] }, { text: "Done." }], { agents, files: FILES });
		const { session } = setup;
		await session.send("Plan it");
		await session.executePlan({});
		const yes = await switching(setup, true);
		assert.equal(await yes.setAgent(session, "writer"), true);
		assert.equal(yes.asked.length, 1);
		assert.deepEqual([session.state.agent, session.state.role, session.state.run], ["writer", "actor", undefined]);
		const turn = session.send("Go on");
		await setup.event("asked");
		await setup.answer({ allow: false });
		await turn;
	});
});

describe("an agent that only plans", () => {
	afterEach(closeTestSessions);

	const PLANS_ONLY: AgentDefinition = { agentId: "architect", displayName: "Architect", roles: ["planner", "reviewer"] };

	it("has its plan executed with an agent that the person picks among those that can", async () => {
		const { session } = await openTestSession([PLANS, { text: "Done." }], { agents: [PLANS_ONLY, CRITIC, WRITER] });
		await session.setAgent("architect");
		await session.send("Plan it");
		await assert.rejects(session.executePlan({}), { code: "no-acting-role" });
		assert.deepEqual([session.state.role, session.state.run], ["planner", undefined]);
		const offered: (readonly string[] | undefined)[] = [];
		await executePlan(session, {}, async (_, among) => void offered.push(among?.agents));
		assert.deepEqual([offered, session.state.agent], [[["default", "writer"]], "architect"], "nobody was picked");
		await executePlan(session, {}, async () => "writer");
		assert.deepEqual([session.state.agent, session.state.role, session.state.outcome], ["writer", "actor", "done"]);
	});

	it("is told that it can offer no switch of the role", async () => {
		const { session } = await openTestSession(
			[{ calls: [{ name: "offer_switch", input: { reason: "Fix the typo" } }] }, { text: "Then a plan." }],
			{
				agents: [PLANS_ONLY],
			},
		);
		await session.setAgent("architect");
		await session.send("Fix it");
		assert.match(results(session)[0]?.output ?? "", /Architect has no role that changes anything, so nothing was offered/);
		assert.equal(session.state.requests.size, 0);
	});

	it("of whom one role writes carries its plan out in that", async () => {
		const roles = [{ id: "editor", label: "Editor", prompt: "You edit.", permissions: ["ReadFiles", "WriteFiles"] as const }];
		const { session } = await openTestSession([PLANS, { text: "Done." }], {
			agents: [{ agentId: "pair", displayName: "Pair", roles: ["planner", "editor"] }],
			roles,
		});
		await session.setAgent("pair");
		await session.send("Plan it");
		await session.executePlan({});
		assert.equal(session.state.role, "editor");
	});
});
