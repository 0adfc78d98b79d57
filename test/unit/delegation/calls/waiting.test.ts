// A called agent that waits for the user: approvals, questions and plans, before and after the timeout.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "../../../../src/session/session.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import type { ScriptedAnswer } from "../../../fakes/scriptedModel.ts";
import { untilIdle } from "../../../fakes/untilIdle.ts";
import { EDIT, FILES, PLAN } from "../../session/testSession.ts";
import { type AgentScript, agent, answersOf, calling, closeTestCalls, LIMITS, openTestCalls, type TestCalls } from "./testCalls.ts";

/** Long enough for the agent to ask before it. */
const SOON = { timeout: 1 };
const touch = (name: string) => ({ calls: [{ name: "execute_command", input: { command: `touch ${name}` } }] });
const ask = { calls: [{ name: "ask_question", input: { question: "Which color?", severity: "minor", allow_custom: true } }] };
const present = { calls: [{ name: "present_plan", input: PLAN }] };
const asking = { role: "actor", settings: { approval: "ask" as const } };

/** The texts of answers that were delivered to the calling session, in order. */
const delivered = ({ caller }: TestCalls) =>
	caller.state.events.flatMap((event) => (event.type === "user" && event.by === "agent:b" ? [event.text] : []));

/** Resolves when a turn has ended that a late answer began. */
async function lateTurn({ event, caller }: TestCalls): Promise<void> {
	const queued = await event(caller, "queued");
	await event(caller, "ended", ({ turn }) => turn === queued.message);
}

/** The called session, once it waits for an answer to what it presented. */
async function waiting({ event, app }: TestCalls): Promise<Session> {
	const { session } = await event("b", "ended", ({ outcome }) => outcome === "waiting");
	return app.sessions.get(session);
}

async function begin(a: AgentScript, b: AgentScript, options: Parameters<typeof openTestCalls>[1] = {}) {
	const setup = await openTestCalls({ a, b }, options);
	return { setup, turn: setup.caller.send("Ask b") };
}

/** `b` calls `c`, which answers once `b` waits for the user; resolves with that answer's turn in `b`, once it has begun or ended. */
async function askedBelow(b: readonly ScriptedAnswer[], until: "started" | "ended" = "ended") {
	const below = createDeferred();
	const setup = await openTestCalls(
		{
			a: [calling("b"), { text: "End." }],
			b: [calling("c", "Look", { mode: "async" }), ...b],
			c: [{ text: "Found.", until: below.until }],
		},
		{ files: FILES, settings: { delegation: { ...LIMITS, maxDepth: 2 } } },
	);
	const turn = setup.caller.send("Ask b");
	const called = await waiting(setup);
	below.open();
	const { message } = await setup.event(called, "queued", ({ from }) => from === "agent:c");
	await setup.event(called, until, (event) => event.turn === message);
	if (until === "ended") await untilIdle(setup.app.sessions, called);
	return { ...setup, called, turn };
}

describe("a called agent that needs an approval", () => {
	afterEach(closeTestCalls);

	it("waits for it, and its call with it", async () => {
		const { setup, turn } = await begin([calling("b"), { text: "End." }], [touch("made"), { text: "Made." }], asking);
		await setup.answer(await setup.sessionOfCalled("b"), { allow: true });
		await turn;
		assert.equal(answersOf(setup.caller)[0]?.["response"], "Made.");
		assert.ok(existsSync(join(setup.app.folder, "made")));
	});

	it("goes on after a denial, and answers", async () => {
		const { setup, turn } = await begin([calling("b"), { text: "End." }], [touch("made"), { text: "I may not." }], asking);
		await setup.answer(await setup.sessionOfCalled("b"), { allow: false });
		await turn;
		assert.deepEqual([answersOf(setup.caller)[0]?.["status"], answersOf(setup.caller)[0]?.["response"]], ["complete", "I may not."]);
		assert.equal(existsSync(join(setup.app.folder, "made")), false);
	});

	it("is a timeout that names what it waits for, and its answer follows once", async () => {
		const { setup, turn } = await begin(
			[calling("b", "Do it", SOON), { text: "Later, then." }, { text: "There it is." }],
			[touch("made"), { text: "Made." }],
			asking,
		);
		await turn;
		const [answer] = answersOf(setup.caller);
		assert.deepEqual([answer?.["status"], answer?.["timeoutSeconds"]], ["timeout", 1]);
		assert.match(
			String(answer?.["message"]),
			/^No answer yet\. It waits for the person's approval: .*touch made.*It goes on, and its answer will reach you/,
		);
		const [call] = [...setup.caller.state.calls.values()];
		assert.ok(call?.result?.view?.kind === "agent" && call.result.view.waits?.kind === "approval");
		await setup.answer(await setup.sessionOfCalled("b"), { allow: true });
		await lateTurn(setup);
		assert.equal(delivered(setup).length, 1);
		assert.match(delivered(setup)[0] ?? "", /^Answer to your call of the agent b \(session .*\):\n\nMade\.$/);
		const { answer: queued, ended } = [...setup.caller.state.delegations.values()][0] ?? {};
		assert.ok(queued?.startsWith("answer-"));
		assert.equal(ended, "complete");
	});

	it("approves for its own session: the calling one is asked by itself", async () => {
		const npm = { calls: [{ name: "execute_command", input: { command: "npm test" } }] };
		const { setup, turn } = await begin([calling("b"), npm, { text: "End." }], [npm, npm, { text: "Tested." }], {
			...asking,
			files: { "package.json": '{ "scripts": { "test": "echo tested" } }\n' },
		});
		const called = await setup.sessionOfCalled("b");
		await setup.answer(called, { allow: true, scope: "session" });
		await setup.answer(setup.caller, { allow: false });
		await turn;
		assert.equal(called.state.events.filter(({ type }) => type === "asked").length, 1);
		assert.equal(setup.caller.state.events.filter(({ type }) => type === "asked").length, 1);
	});

	it("is not asked for what the user always allows this agent here", async () => {
		const npm = { calls: [{ name: "execute_command", input: { command: "npm test" } }] };
		const setup = await openTestCalls(
			{ a: [calling("b"), { text: "End." }], b: [npm, { text: "Tested." }, npm, { text: "Tested again." }] },
			{ ...asking, files: { "package.json": '{ "scripts": { "test": "echo tested" } }\n' } },
		);
		const { sessionId } = await setup.app.sessions.create({ agentId: "b", role: "actor" });
		const session = await setup.app.sessions.get(sessionId);
		const own = session.send("Test");
		await setup.answer(session, { allow: true, scope: "always" });
		await own;
		await setup.caller.send("Ask b");
		assert.equal(answersOf(setup.caller)[0]?.["response"], "Tested again.");
		assert.equal(session.state.events.filter(({ type }) => type === "asked").length, 1);
	});
});

describe("a called agent that asks a question", () => {
	afterEach(closeTestCalls);

	it("waits for the answer; the turn that it begins has the same caller and limits, and answers the call", async () => {
		const { setup, turn } = await begin([calling("b"), { text: "End." }], [ask, { text: "Blue it is." }]);
		const called = await waiting(setup);
		await called.send("Blue");
		await turn;
		assert.equal(answersOf(setup.caller)[0]?.["response"], "Blue it is.");
		const [first, second] = called.state.events.flatMap((event) => (event.type === "started" ? [event] : []));
		assert.deepEqual([second?.caller, second?.ceiling, second?.role], [first?.caller, first?.ceiling, first?.role]);
	});

	it("is a timeout that names the question, and its answer follows", async () => {
		const { setup, turn } = await begin(
			[calling("b", "Paint", SOON), { text: "Later." }, { text: "Thanks." }],
			[ask, { text: "Blue it is." }],
		);
		await turn;
		assert.match(String(answersOf(setup.caller)[0]?.["message"]), /It waits for the person's answer to its question: Which color\?/);
		await (await waiting(setup)).send("Blue");
		await lateTurn(setup);
		assert.match(delivered(setup)[0] ?? "", /:\n\nBlue it is\.$/);
	});

	it("that the user dismisses fails, and the error says so", async () => {
		const { setup, turn } = await begin([calling("b"), { text: "End." }], [ask, { text: "Never." }]);
		const called = await waiting(setup);
		const { request } = await setup.event(called, "question");
		setup.clock.ahead += 1_000;
		await called.answer(request, { allow: false }, "person");
		await turn;
		const [answer] = answersOf(setup.caller);
		assert.deepEqual(
			[answer?.["status"], answer?.["message"]],
			["error", "The person went on in its session without answering what it asked."],
		);
	});

	it("that the user passes over with another message fails", async () => {
		const closed = {
			question: "Which?",
			severity: "minor",
			options: [
				{ label: "One", value: "1" },
				{ label: "Two", value: "2" },
			],
		};
		const { setup, turn } = await begin(
			[calling("b"), { text: "End." }],
			[{ calls: [{ name: "ask_question", input: closed }] }, { text: "Something else." }],
		);
		await (await waiting(setup)).send("Never mind");
		await turn;
		assert.match(String(answersOf(setup.caller)[0]?.["message"]), /went on in its session without answering/);
	});

	it("that the user takes back by rewinding fails", async () => {
		const { setup, turn } = await begin([calling("b"), { text: "End." }], [ask, { text: "Never." }]);
		const called = await waiting(setup);
		const message = called.state.events.find(({ type }) => type === "user");
		await called.eventLog.emit({ type: "rewound", to: message?.id ?? "" }, "person");
		await turn;
		assert.equal(answersOf(setup.caller)[0]?.["status"], "error");
	});

	it("keeps its call while it takes the late answer of an agent that it called itself", async () => {
		const setup = await askedBelow([ask, { text: "C answered." }, { text: "Blue it is." }]);
		await setup.called.send("Blue");
		await setup.turn;
		assert.equal(answersOf(setup.caller)[0]?.["response"], "Blue it is.");
	});

	it("that the user dismisses while it takes such an answer answers with what that turn says", async () => {
		const own = createDeferred();
		const setup = await askedBelow([ask, { text: "C answered.", until: own.until }], "started");
		const { request } = await setup.event(setup.called, "question");
		setup.clock.ahead += 1_000;
		await setup.called.answer(request, { allow: false }, "person");
		own.open();
		await setup.turn;
		assert.equal(answersOf(setup.caller)[0]?.["response"], "C answered.");
	});

	it("keeps its call while the user summarizes the conversation", async () => {
		const { setup, turn } = await begin([calling("b"), { text: "End." }], [ask, { text: "Blue it is." }]);
		const called = await waiting(setup);
		await called.compact();
		const listed = (await setup.app.sessions.list()).find(({ sessionId }) => sessionId === called.sessionId);
		assert.deepEqual([listed?.outcome, listed?.askedBy], ["waiting", { agent: "a", session: setup.caller.sessionId }]);
		await called.send("Blue");
		await turn;
		assert.equal(answersOf(setup.caller)[0]?.["response"], "Blue it is.");
	});
});

describe("a called agent that presents a plan", () => {
	afterEach(closeTestCalls);
	const options = { files: FILES };

	it("revises it within the caller's limits when the user objects", async () => {
		const { setup, turn } = await begin([calling("b", "Plan", SOON), { text: "Later." }, { text: "Thanks." }], [present, present], options);
		await turn;
		assert.match(
			String(answersOf(setup.caller)[0]?.["message"]),
			/Its plan waits for the person, who alone can start it: Say hello louder/,
		);
		const called = await waiting(setup);
		await called.send("Louder");
		const [first, second] = called.state.events.flatMap((event) => (event.type === "started" ? [event] : []));
		assert.deepEqual([second?.caller, second?.ceiling], [first?.caller, first?.ceiling]);
		assert.deepEqual(delivered(setup), []);
	});

	it("keeps its call while it takes the late answer of an agent that it called itself", async () => {
		const setup = await askedBelow([present, { text: "C answered." }, { calls: [EDIT] }, { text: "It is loud." }]);
		await setup.called.executePlan({});
		await setup.turn;
		assert.equal(answersOf(setup.caller)[0]?.["response"], "It is loud.");
	});

	it("executes it as the user's own turn, without limits, and its end is the result", async () => {
		const { setup, turn } = await begin([calling("b"), { text: "End." }], [present, { calls: [EDIT] }, { text: "It is loud." }], options);
		const called = await waiting(setup);
		await called.executePlan({});
		await turn;
		assert.equal(answersOf(setup.caller)[0]?.["response"], "It is loud.");
		const started = called.state.events.findLast((event) => event.type === "started");
		assert.ok(started?.type === "started");
		assert.deepEqual([started.caller, started.ceiling, started.role], [undefined, undefined, "actor"]);
		assert.match(readFileSync(join(setup.app.folder, "src/hello.ts"), "utf8"), /HELLO/);
	});

	it("goes on when the user answers what the execution asks, and its end is still the result", async () => {
		const { setup, turn } = await begin([calling("b"), { text: "End." }], [present, ask, { text: "It is loud and blue." }], options);
		const called = await waiting(setup);
		await called.executePlan({});
		await called.send("Blue");
		await turn;
		assert.equal(answersOf(setup.caller)[0]?.["response"], "It is loud and blue.");
		const started = called.state.events.findLast((event) => event.type === "started");
		assert.ok(started?.type === "started" && started.caller === undefined);
	});

	it("goes on when the user objects to a plan that the execution presents, and its end is still the result", async () => {
		const { setup, turn } = await begin([calling("b"), { text: "End." }], [present, present, { text: "It is loud enough." }], options);
		const called = await waiting(setup);
		await called.executePlan({});
		await called.send("Not again");
		await turn;
		assert.equal(answersOf(setup.caller)[0]?.["response"], "It is loud enough.");
	});

	it("goes on as well where the agent speaks in replies", async () => {
		const replying = agent("b", { output: "reply" });
		const reply = { calls: [{ name: "reply", input: { text: "Loud enough.", channelId: "a", channelType: "agent" } }] };
		const { setup, turn } = await begin([calling("b"), { text: "End." }], [present, present, reply, { text: "Told." }], {
			...options,
			agents: [agent("a"), replying],
		});
		const called = await waiting(setup);
		await called.executePlan({});
		await called.send("Not again");
		await turn;
		assert.equal(answersOf(setup.caller)[0]?.["status"], "complete");
	});

	it("fails when the user passes over what the execution asks", async () => {
		const closed = { ...ask.calls[0]?.input, options: [{ label: "One", value: "1" }], allow_custom: false };
		const asks = { calls: [{ name: "ask_question", input: closed }] };
		const { setup, turn } = await begin([calling("b"), { text: "End." }], [present, asks, { text: "Something else." }], options);
		const called = await waiting(setup);
		await called.executePlan({});
		await called.send("Never mind");
		await turn;
		assert.match(String(answersOf(setup.caller)[0]?.["message"]), /went on in its session without answering/);
	});

	/** A plan whose file was changed after it was read, and the question that executing it leads to. */
	async function drifted(b: AgentScript) {
		const reading = { calls: [{ name: "read_file", input: { path: "src/hello.ts" } }, ...present.calls] };
		const script: AgentScript = (request, call) =>
			call === 0 ? reading : typeof b === "function" ? b(request, call) : (b[call - 1] ?? {});
		const { setup, turn } = await begin([calling("b"), { text: "End." }], script, options);
		const called = await waiting(setup);
		writeFileSync(join(setup.app.folder, "src/hello.ts"), 'export const greeting = "hello"; // mine\n');
		await called.executePlan({});
		const { request } = await setup.event(called, "question");
		return { setup, turn, called, request };
	}

	it("plans again within the caller's limits when files have changed", async () => {
		const { setup, turn, called, request } = await drifted([{ text: "I planned again." }]);
		setup.clock.ahead += 1_000;
		await called.answer(request, { value: "plan_again" }, "person");
		await turn;
		assert.equal(answersOf(setup.caller)[0]?.["response"], "I planned again.");
		const started = called.state.events.findLast((event) => event.type === "started");
		assert.ok(started?.type === "started");
		assert.deepEqual([started.caller?.agent, started.ceiling], ["a", ["ReadFiles", "Delegate"]]);
	});

	it("executes it anyway without limits where the user says so", async () => {
		const { setup, turn, called, request } = await drifted([{ text: "It is loud." }]);
		setup.clock.ahead += 1_000;
		await called.answer(request, { value: "execute" }, "person");
		await turn;
		assert.equal(answersOf(setup.caller)[0]?.["response"], "It is loud.");
		const started = called.state.events.findLast((event) => event.type === "started");
		assert.ok(started?.type === "started" && started.caller === undefined);
	});
});
