// Tests how many called agents work at once, and with how many tokens.

import assert from "node:assert/strict";
import { CallLimits } from "../../../../src/session/state/turnLimits.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import {
	type AgentScript,
	agent,
	answersOf,
	calling,
	closeTestCalls,
	LIMITS,
	openTestCalls,
	outputsOf,
	type TestCalls,
} from "./testCalls.ts";

describe("places of called agents", () => {
	afterEach(closeTestCalls);

	it("are taken in the order in which the messages arrive", async () => {
		const { until, open } = createDeferred();
		const calls = ["b", "c", "d"].map((agentId) => ({ name: "agents_message", input: { agentId, content: "Do it" } }));
		const began: string[] = [];
		const answering =
			(id: string): AgentScript =>
			() => {
				began.push(id);
				return { text: id, until };
			};
		const setup = await openTestCalls(
			{ a: [{ calls }, { text: "End." }], b: answering("b"), c: answering("c"), d: answering("d") },
			{ settings: { delegation: { ...LIMITS, maxConcurrent: 1 } } },
		);
		const order: string[] = [];
		setup.app.sessions.listen({
			event: (id, event) => {
				if (event.type === "queued") order.push(id);
			},
		});
		const turn = setup.caller.send("Ask all");
		for (const id of ["b", "c", "d"]) await setup.event(id, "queued");
		assert.equal(setup.app.policy.limits.free, 0);
		open();
		await turn;
		const agents = await Promise.all(order.map(async (id) => (await setup.app.sessions.get(id)).state.agent));
		assert.deepEqual(began, agents);
	});

	it("are left while a called agent waits for the user", async () => {
		const calls = ["b", "c"].map((agentId) => ({ name: "agents_message", input: { agentId, content: "Do it" } }));
		const setup = await openTestCalls(
			{
				a: [{ calls }, { text: "End." }],
				b: [{ calls: [{ name: "execute_command", input: { command: "touch x" } }] }, { text: "B." }],
				c: [{ text: "C." }],
			},
			{ role: "actor", settings: { approval: "ask", delegation: { ...LIMITS, maxConcurrent: 1 } } },
		);
		const turn = setup.caller.send("Ask both");
		const waiting = await setup.sessionOfCalled("b");
		await setup.event(waiting, "asked");
		await setup.event("c", "ended");
		await setup.answer(waiting, { allow: false });
		await turn;
		assert.deepEqual(
			answersOf(setup.caller).map(({ response }) => response),
			["B.", "C."],
		);
	});

	it("are left while a turn that takes a late answer waits for the user", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestCalls(
			{
				a: [calling("b"), { text: "B answered." }, calling("d"), { text: "D answered." }],
				b: [
					calling("c", "Do it", { mode: "async" }),
					{ text: "B." },
					{ calls: [{ name: "execute_command", input: { command: "touch x" } }] },
					{ text: "After." },
				],
				c: [{ text: "C.", until }],
				d: [{ text: "D." }],
			},
			{ role: "actor", settings: { approval: "ask", delegation: { ...LIMITS, maxDepth: 2, maxConcurrent: 2 } } },
		);
		await setup.caller.send("Ask b");
		open();
		const b = await setup.sessionOf("b");
		const { turn } = await setup.event(b, "asked");
		assert.equal(setup.app.policy.limits.free, 2);
		await setup.caller.send("Ask d");
		assert.equal(answersOf(setup.caller)[1]?.["response"], "D.");
		await setup.answer(b, { allow: false });
		await setup.event(b, "ended", (end) => end.turn === turn);
	});

	it("are told of once to each that waits, however often it has asked", () => {
		const limits = new CallLimits(() => 1);
		limits.enter("works");
		const told: string[] = [];
		for (let round = 0; round < 3; round += 1) for (const turn of ["one", "two"]) limits.tryEnter(turn, () => told.push(turn));
		limits.leave("works");
		assert.deepEqual(told, ["one", "two"]);
	});

	it("are waited for by those that the user has answered, before others begin", () => {
		const limits = new CallLimits(() => 1);
		const told: string[] = [];
		limits.enter("a");
		limits.pause("a");
		assert.ok(limits.tryEnter("b", () => undefined));
		limits.resume("a");
		void limits.ready("a").then(() => told.push("a"));
		assert.equal(
			limits.tryEnter("c", () => told.push("c")),
			false,
		);
		limits.leave("b");
		assert.deepEqual([limits.isReturning("a"), limits.free, told], [false, 0, []]);
		limits.leave("a");
		assert.deepEqual([limits.free, told], [1, ["c"]]);
	});

	it("are taken again one after the other by called agents that the user has answered", async () => {
		const calls = ["b", "c"].map((agentId) => ({ name: "agents_message", input: { agentId, content: "Do it" } }));
		const { until, open } = createDeferred();
		const began: string[] = [];
		const asking =
			(id: string): AgentScript =>
			(_, index) => {
				if (index === 0) return { calls: [{ name: "execute_command", input: { command: "touch x" } }] };
				began.push(id);
				return { text: id, until };
			};
		const setup = await openTestCalls(
			{ a: [{ calls }, { text: "End." }], b: asking("b"), c: asking("c") },
			{ role: "actor", settings: { approval: "ask", delegation: { ...LIMITS, maxConcurrent: 1 } } },
		);
		const turn = setup.caller.send("Ask both");
		const [b, c] = [await setup.sessionOfCalled("b"), await setup.sessionOfCalled("c")];
		for (const session of [b, c]) await setup.event(session, "asked");
		for (const session of [b, c]) await setup.answer(session, { allow: false });
		while (began.length === 0) await new Promise((resolve) => setImmediate(resolve));
		for (let pass = 0; pass < 200; pass += 1) await new Promise((resolve) => setImmediate(resolve));
		assert.deepEqual(began, ["b"]);
		open();
		await turn;
		assert.deepEqual(began, ["b", "c"]);
		assert.equal(setup.app.policy.limits.free, 1);
	});

	it("suffice for a chain of calls with one place", async () => {
		const setup = await openTestCalls(
			{ a: [calling("b"), { text: "A." }], b: [calling("c"), { text: "B." }], c: [calling("d"), { text: "C." }], d: [{ text: "D." }] },
			{ settings: { delegation: { ...LIMITS, maxDepth: 3, maxConcurrent: 1 } } },
		);
		await setup.caller.send("Go");
		assert.equal(answersOf(setup.caller)[0]?.["response"], "B.");
		assert.equal(answersOf(await setup.sessionOf("c"))[0]?.["response"], "D.");
		assert.equal(setup.app.policy.limits.free, 1);
	});

	it("hold up no message of the user in the called session", async () => {
		const { until, open } = createDeferred();
		const answering: AgentScript = ({ events }) => {
			const own = events.findLast((event) => event.type === "user")?.by === "person";
			return { text: "Hi.", until: own ? Promise.resolve() : until };
		};
		const setup = await openTestCalls(
			{ a: [{ calls: [...(calling("b").calls ?? []), ...(calling("c").calls ?? [])] }, { text: "End." }], b: answering, c: answering },
			{ settings: { delegation: { ...LIMITS, maxConcurrent: 1 } } },
		);
		const turn = setup.caller.send("Ask both");
		const queued = await Promise.all([setup.event("b", "queued"), setup.event("c", "queued")]);
		const waiting = (await Promise.all(queued.map(({ session }) => setup.app.sessions.get(session)))).find(({ isRunning }) => !isRunning);
		assert.equal((await waiting?.send("Me first"))?.outcome, "done");
		open();
		await turn;
	});

	it("wait at most the time limit: then the answer follows", async () => {
		const { until, open } = createDeferred();
		const calls = ["b", "c"].map((agentId) => ({ name: "agents_message", input: { agentId, content: "Do it", timeout: 0.05 } }));
		const setup = await openTestCalls(
			{ a: [{ calls }, { text: "Later." }, { text: "Thanks." }], b: [{ text: "B.", until }], c: [{ text: "C.", until }] },
			{ settings: { delegation: { ...LIMITS, maxConcurrent: 1 } } },
		);
		await setup.caller.send("Ask both");
		assert.deepEqual(
			answersOf(setup.caller).map(({ status }) => status),
			["timeout", "timeout"],
		);
		assert.ok(
			answersOf(setup.caller).some(({ message }) => /It waits for a place: other called agents are working\./.test(String(message))),
		);
		open();
		await setup.event(setup.caller, "queued", ({ from }) => from === "agent:b");
		await setup.event(setup.caller, "queued", ({ from }) => from === "agent:c");
	});
});

describe("the token budget of a tree of calls", () => {
	afterEach(closeTestCalls);
	const NOTHING = { input: 0, output: 0 };
	const budget = (maxTokens: number, more: object = {}) => ({ settings: { delegation: { ...LIMITS, maxTokens, ...more } } });

	it("ends every turn of the tree before its next model call", async () => {
		const setup = await openTestCalls(
			{
				a: [{ ...calling("b"), usage: { input: 100, output: 0 } }, { text: "Never." }],
				b: [{ ...calling("c"), usage: { input: 100, output: 0 } }, { text: "Never." }],
				c: [{ calls: [{ name: "list_directory", input: { path: "." } }], usage: { input: 800, output: 0 } }, { text: "Never." }],
			},
			budget(1_000, { maxDepth: 2 }),
		);
		assert.equal((await setup.caller.send("Go")).outcome, "limit");
		const [ofC] = answersOf(await setup.sessionOf("b"));
		assert.match(
			String(ofC?.["message"]),
			/^It reached its limit.*The token budget of this turn and of the agents that it called is used up/,
		);
		assert.equal(answersOf(setup.caller)[0]?.["status"], "error");
		assert.equal(setup.model.requests.length, 3);
	});

	it("does not limit a turn that calls nobody", async () => {
		const look = { calls: [{ name: "list_directory", input: { path: "." } }], usage: { input: 5_000, output: 0 } };
		const setup = await openTestCalls({ a: [look, { text: "End." }] }, budget(1_000));
		assert.equal((await setup.caller.send("Go")).outcome, "done");
	});

	it("counts a cache read as a tenth", async () => {
		const usage = { input: 1_000, output: 0, cached: 1_000 };
		const step = (n: number) => ({ calls: [{ name: "read_file", input: { path: `${n}.txt` } }], usage });
		const setup = await openTestCalls(
			{ a: [calling("b"), { text: "End." }], b: [step(1), step(2), step(3), { text: "B." }] },
			budget(1_000),
		);
		await setup.caller.send("Go");
		assert.equal(answersOf(setup.caller)[0]?.["response"], "B.");
	});

	it("counts what a request repeats of the one before as a cache read, where the provider reports none", async () => {
		const step = (input: number) => ({ calls: [{ name: "read_file", input: { path: `${input}.txt` } }], usage: { input, output: 0 } });
		const script = { a: [calling("b"), { text: "End." }], b: [step(400), step(410), step(420), { text: "B." }] };
		const setup = await openTestCalls(script, budget(700));
		await setup.caller.send("Go");
		assert.equal(answersOf(setup.caller)[0]?.["response"], "B.");
	});

	it("counts so in the next turn of a session as well", async () => {
		const calls = Array.from({ length: 3 }, (_, n) => ({ ...calling("b", `Part ${n}`), usage: NOTHING }));
		const b = [{ text: "B.", usage: { input: 400, output: 0 } }];
		const setup = await openTestCalls({ a: [...calls, { text: "End.", usage: NOTHING }], b }, budget(700));
		assert.equal((await setup.caller.send("Go")).outcome, "done");
		assert.equal((await setup.sessionOf("b")).state.usage.input, 1_200);
	});

	it("counts in full what the next turn repeats in another role", async () => {
		const usage = { input: 400, output: 0 };
		const end = async (role: string) => {
			const a = [
				{ text: "Hi.", usage },
				{ ...calling("b"), usage },
				{ text: "End.", usage: NOTHING },
			];
			const setup = await openTestCalls({ a, b: [{ text: "B.", usage: NOTHING }] }, budget(300));
			await setup.caller.send("Hello");
			await setup.caller.setRole(role);
			return (await setup.caller.send("Go")).outcome;
		};
		assert.deepEqual([await end("planner"), await end("actor")], ["done", "limit"]);
	});

	it("counts answers that break off after the provider has reported their use", async () => {
		const failing = { text: "I look.", usage: { input: 400, output: 0, cached: 0 }, error: new Error("No network.") };
		const calls = Array.from({ length: 5 }, (_, n) => ({ ...calling("b", `Part ${n}`), usage: NOTHING }));
		const setup = await openTestCalls({ a: [...calls, { text: "End.", usage: NOTHING }], b: [failing] }, budget(1_000));
		assert.equal((await setup.caller.send("Go")).outcome, "limit");
		assert.equal(answersOf(setup.caller).length, 3);
	});

	it("counts an estimate where the provider reports no use: what is new, a tenth of what is repeated, and the answer", async () => {
		const step = (name: string) => ({ calls: [{ name: "read_file", input: { path: name } }], usage: null });
		const steps = [step("long.txt"), ...Array.from({ length: 5 }, (_, n) => step(`${n}.txt`))];
		const files = { "long.txt": `${"word ".repeat(20)}\n`.repeat(300) };
		const end = async (maxTokens: number, answer = "B.") => {
			const setup = await openTestCalls(
				{
					a: [
						{ ...calling("b"), usage: NOTHING },
						{ text: "End.", usage: NOTHING },
					],
					b: [...steps, { text: answer, usage: null }],
				},
				{ ...budget(maxTokens), files },
			);
			const { outcome } = await setup.caller.send("Go");
			return outcome;
		};
		assert.deepEqual([await end(10_000), await end(30_000), await end(30_000, "word ".repeat(40_000))], ["limit", "done", "limit"]);
	});

	it("is shared by the turn that a late answer begins, so that agents can't keep each other going", async () => {
		const again = { ...calling("b", "Again", { mode: "async" }), usage: { input: 300, output: 0 } };
		let turns = 0;
		const a: AgentScript = (_, call) => {
			turns += 1;
			return call % 2 === 0 ? again : { text: "End.", usage: { input: 0, output: 0 } };
		};
		const setup = await openTestCalls({ a, b: [{ text: "Done.", usage: { input: 100, output: 0 } }] }, budget(1_000));
		const first = await setup.caller.send("Go");
		assert.equal(first.outcome, "done");
		await setup.event(setup.caller, "ended", ({ outcome }) => outcome === "limit");
		assert.ok(turns <= 6, `${turns} model calls`);
	});

	it("still limits the turn of a late answer that arrived while the caller's conversation was summarized", async () => {
		const { until, open } = createDeferred();
		const look = { calls: [{ name: "list_directory", input: { path: "." } }], usage: { input: 700, output: 0 } };
		const setup: TestCalls = await openTestCalls(
			{
				a: [
					{ ...calling("b", "Look", { mode: "async" }), usage: { input: 300, output: 0 } },
					{ text: "End.", usage: NOTHING },
					look,
					{ text: "Never." },
				],
				b: [{ text: "Done.", usage: { input: 100, output: 0 }, until }],
				summary: async () => {
					open();
					await setup.event(setup.caller, "queued");
					return { text: "## Goal\nAsk b.", usage: NOTHING };
				},
			},
			{ ...budget(1_000), agents: [agent("a"), agent("b")] },
		);
		await setup.caller.send("Go");
		await setup.caller.compact();
		const { message } = await setup.event(setup.caller, "queued");
		assert.equal((await setup.event(setup.caller, "ended", ({ turn }) => turn === message)).outcome, "limit");
	});

	it("is what was left after a reload", () => {
		const limits = new CallLimits(() => 4);
		assert.equal(limits.left("turn", { id: "tree", tokens: 50 }), 50);
		limits.spend("turn", { id: "tree", tokens: 50 }, 60);
		assert.ok(limits.left("other turn", { id: "tree", tokens: 50 }) < 0);
		assert.deepEqual(limits.share("turn", { id: "tree", tokens: 50 }, 1_000_000), { id: "tree", tokens: 0 });
	});
});

describe("open calls of a window", () => {
	afterEach(closeTestCalls);

	it("are at most 100, also when they are made at the same time", async () => {
		const { until, open } = createDeferred();
		const calls = Array.from({ length: 102 }, (_, n) => ({
			name: "agents_message",
			input: { agentId: "b", content: `Part ${n}`, mode: "async" },
		}));
		const setup = await openTestCalls({ a: [{ calls }, { text: "End." }], b: [{ text: "B.", until }] });
		await setup.caller.send("Ask a hundred times");
		const refused = outputsOf(setup.caller).filter((text) =>
			text.startsWith("100 calls are open in this window already. Nothing was sent."),
		);
		assert.equal(refused.length, 2);
		open();
		await setup.app.close();
	}).timeout(60_000);
});
