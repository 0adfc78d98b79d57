// Calls over the end of their window: what is answered after a reload, and how often.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Usage } from "../../../../src/core/events.ts";
import type { Session } from "../../../../src/session/session.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import {
	type AgentScript,
	agent,
	answersOf,
	calling,
	closeTestCalls,
	LIMITS,
	newHome,
	openTestCalls,
	type TestCalls,
} from "./testCalls.ts";

const ASYNC = { mode: "async" };
const NOTHING = { input: 0, output: 0 };

const answersIn = ({ state }: Session) =>
	state.events.flatMap((event) => (event.type === "queued" && event.about?.kind === "answer" ? [event] : []));

/** A window that closed while `b` worked on a call, and the next one. */
async function reload(
	a: AgentScript,
	b: AgentScript,
	{ before, next }: { before: (setup: TestCalls) => Promise<void>; next?: AgentScript },
): Promise<TestCalls> {
	const home = newHome();
	const first = await openTestCalls({ a, b }, { home });
	await before(first);
	await first.app.close();
	return openTestCalls({ a: [{ text: "Thanks." }], b: next ?? [{ text: "After." }] }, { home });
}

describe("a call whose window closes", () => {
	afterEach(closeTestCalls);

	it("is answered as interrupted, once, if it was asynchronous", async () => {
		const { until } = createDeferred();
		const setup = await reload([calling("b", "Look", ASYNC), { text: "I asked." }], [{ text: "Never.", until }], {
			before: async ({ caller, event }) => {
				await caller.send("Ask b");
				await event("b", "started");
			},
		});
		const queued = await setup.event(setup.caller, "queued");
		assert.match(
			queued.text,
			/It was interrupted because its window closed\..*What it did until then was kept\. To go on from there, call it with session/s,
		);
		const started = await setup.event(setup.caller, "started", ({ turn }) => turn === queued.message);
		assert.deepEqual(started.ceiling, ["ReadFiles", "Delegate"]);
		await setup.event(setup.caller, "ended", ({ turn }) => turn === queued.message);
		await setup.app.sessions.recover();
		assert.equal(answersIn(setup.caller).length, 1);
	});

	it("is answered with what the agent said, where the answer was not delivered before", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const first = await openTestCalls({ a: [calling("b", "Look", ASYNC), { text: "I asked." }], b: [{ text: "Found.", until }] }, { home });
		await first.caller.send("Ask b");
		const called = await first.sessionOf("b");
		first.app.sessions.deliverMessage = () => Promise.reject(new Error("The window died."));
		open();
		await first.event(called, "ended");
		await first.app.close();
		const setup = await openTestCalls({ a: [{ text: "Thanks." }], b: [] }, { home });
		assert.match((await setup.event(setup.caller, "queued")).text, /:\n\nFound\.$/);
	});

	it("is answered in the window that has taken its caller over", async () => {
		const home = newHome();
		const { until } = createDeferred();
		const first = await openTestCalls({ a: [calling("b", "Look", ASYNC), { text: "I asked." }], b: [{ text: "Never.", until }] }, { home });
		const { sessionId } = await first.app.sessions.create({ agentId: "b" });
		const second = await openTestCalls({ a: [{ text: "Thanks." }], b: [] }, { home });
		// It has read the called session before the call.
		await second.app.sessions.get(sessionId);
		await first.caller.send("Ask b");
		await first.event("b", "started");
		await second.caller.lease.take();
		await first.app.close();
		assert.match((await second.event(second.caller, "queued")).text, /It was interrupted because its window closed/);
	});

	it("is taken up by a reload in which nobody opens its session", async () => {
		const home = newHome();
		const { until } = createDeferred();
		const first = await openTestCalls({ a: [calling("b", "Look", ASYNC), { text: "I asked." }], b: [{ text: "Never.", until }] }, { home });
		await first.caller.send("Ask b");
		await first.event("b", "started");
		const { sessionId } = first.caller;
		await first.app.close();
		const { app } = await openTestCalls({ a: [{ text: "Thanks." }], b: [] }, { home });
		await app.sessions.recover();
		const opened = (await app.sessions.opened()).find((session) => session.sessionId === sessionId);
		assert.ok(opened);
	});

	it("has an unknown end if it was synchronous, and no answer follows", async () => {
		const { until } = createDeferred();
		const setup = await reload([calling("b")], [{ text: "Never.", until }], {
			before: async ({ caller, event }) => {
				void caller.send("Ask b");
				await event("b", "started");
			},
		});
		const [entry] = [...setup.caller.state.calls.values()];
		assert.equal(entry?.result?.status, "cancelled");
		await setup.app.sessions.recover();
		await (await setup.sessionOf("b")).send("Go on");
		assert.equal(answersIn(setup.caller).length, 0);
	});

	it("is not begun after the reload if nobody waits for it any more", async () => {
		const home = newHome();
		const { until } = createDeferred();
		const both = { calls: ["b", "c"].map((agentId) => ({ name: "agents_message", input: { agentId, content: "Do it" } })) };
		const settings = { delegation: { maxDepth: 1, timeout: 300, maxConcurrent: 1, maxTokens: 1_000_000 } };
		const first = await openTestCalls({ a: [both], b: [{ text: "Never.", until }], c: [{ text: "Never.", until }] }, { home, settings });
		void first.caller.send("Ask both");
		await Promise.all([first.event("b", "queued"), first.event("c", "queued")]);
		await first.app.close();
		const setup = await openTestCalls({ a: [], b: [], c: [] }, { home, settings });
		await setup.app.sessions.recover();
		const sessions = [await setup.sessionOf("b"), await setup.sessionOf("c")];
		assert.deepEqual(
			sessions.flatMap(({ waiting }) => waiting),
			[],
		);
		assert.equal(setup.model.requests.length, 0);
	});

	it("that timed out before is answered by the next one", async () => {
		const { until } = createDeferred();
		const setup = await reload([calling("b", "Look", { timeout: 0.05 }), { text: "Later." }], [{ text: "Never.", until }], {
			before: async ({ caller }) => {
				await caller.send("Ask b");
			},
		});
		assert.match((await setup.event(setup.caller, "queued")).text, /It was interrupted because its window closed/);
	});

	it("goes on waiting for the user, whose answer in the next window is passed on", async () => {
		const ask = { calls: [{ name: "ask_question", input: { question: "Which?", severity: "minor", allow_custom: true } }] };
		const setup = await reload([calling("b", "Look", ASYNC), { text: "I asked." }], [ask], {
			before: async ({ caller, event }) => {
				await caller.send("Ask b");
				await event("b", "ended");
			},
			next: [{ text: "Blue it is." }],
		});
		const called = await setup.sessionOf("b");
		await called.send("Blue");
		assert.match((await setup.event(setup.caller, "queued")).text, /:\n\nBlue it is\.$/);
	});

	it("is answered with an error if its session was deleted meanwhile", async () => {
		const home = newHome();
		const { until } = createDeferred();
		const first = await openTestCalls({ a: [calling("b", "Look", ASYNC), { text: "I asked." }], b: [{ text: "Never.", until }] }, { home });
		await first.caller.send("Ask b");
		const called = await first.sessionOf("b");
		await first.app.close();
		rmSync(join(first.app.storage, "sessions", called.sessionId), { recursive: true });
		const setup = await openTestCalls({ a: [{ text: "Thanks." }], b: [] }, { home });
		assert.match((await setup.event(setup.caller, "queued")).text, /Its session was deleted before it answered/);
	});

	it("is answered with an error if the window died before the message was written", async () => {
		const home = newHome();
		const first = await openTestCalls({ a: [{ text: "Hello." }], b: [] }, { home });
		await first.caller.send("Hi");
		const { sessionId } = await first.app.sessions.create({ agentId: "b" });
		const id = { session: sessionId, agent: "b", mode: "async", depth: 1, responseId: "lost" } as const;
		await first.caller.eventLog.emit({ type: "delegated", call: "call_1", ...id, ceiling: ["ReadFiles"] }, "model", "turn");
		await first.app.close();
		const setup = await openTestCalls({ a: [{ text: "Thanks." }], b: [] }, { home });
		assert.match((await setup.event(setup.caller, "queued")).text, /The message was not accepted\. Nothing was done/);
	});
});

describe("a called session that is summarized", () => {
	afterEach(closeTestCalls);

	it("still answers, with what it used before", async () => {
		const long = { calls: [{ name: "read_file", input: { path: "long.txt" } }], usage: { input: 9_000, output: 100 } };
		const setup = await openTestCalls(
			{ a: [calling("b"), { text: "End." }], b: [long, { text: "Done." }] },
			{ files: { "long.txt": "word ".repeat(9_000) }, info: { window: 10_000, maxOutput: 500 } },
		);
		await setup.caller.send("Ask b");
		const called = await setup.sessionOf("b");
		assert.ok(called.state.events.some(({ type }) => type === "compacted"));
		const [call] = [...setup.caller.state.calls.values()];
		const { response, toolCallCount } = JSON.parse(call?.result?.output ?? "{}") as { response: string; toolCallCount: number };
		assert.deepEqual([response, toolCallCount], ["Done.", 1]);
	});

	/** An agent whose window is full after its first step. */
	async function summarizing(maxTokens: number, usage: Usage | null = { input: 2_000, output: 0 }) {
		const long = { calls: [{ name: "read_file", input: { path: "long.txt" } }], usage: { input: 9_000, output: 0 } };
		const setup = await openTestCalls(
			{
				a: [
					{ ...calling("b"), usage: NOTHING },
					{ text: "End.", usage: NOTHING },
				],
				b: [long, { text: "Done.", usage: NOTHING }],
				summary: [{ text: "## Goal\nRead it.", usage }],
			},
			{
				agents: [agent("a"), agent("b")],
				files: { "long.txt": "word ".repeat(9_000) },
				info: { window: 10_000, maxOutput: 500 },
				settings: { delegation: { ...LIMITS, maxTokens } },
			},
		);
		await setup.caller.send("Ask b");
		const called = await setup.sessionOf("b");
		assert.equal(called.state.events.filter(({ type }) => type === "compacted").length, 1);
		return { setup, called };
	}

	it("counts the summary with the caller", async () => {
		const { setup } = await summarizing(1_000_000);
		assert.equal(setup.caller.state.calledUsage.input, 11_000);
	});

	it("is not asked again where the summary has used up the budget of the calls", async () => {
		const { setup, called } = await summarizing(10_500);
		assert.equal(called.state.outcome, "limit");
		assert.match(String(answersOf(setup.caller)[0]?.["message"]), /The token budget of this turn .* is used up/);
		assert.equal(setup.caller.state.outcome, "limit");
	});

	it("is not asked again either where the provider does not say what the summary used", async () => {
		const { called } = await summarizing(9_100, null);
		assert.equal(called.state.outcome, "limit");
	});

	it("is answered after a reload with what it used before its summary", async () => {
		const home = newHome();
		const long = { calls: [{ name: "read_file", input: { path: "long.txt" } }], usage: { input: 9_000, output: 0 } };
		const scripts = {
			a: [calling("b", "Look", ASYNC), { text: "I asked." }],
			b: [long, { text: "Done.", usage: NOTHING }],
			summary: [{ text: "## Goal\nRead it.", usage: { input: 2_000, output: 0 } }],
		};
		const small = { home, files: { "long.txt": "word ".repeat(9_000) }, info: { window: 10_000, maxOutput: 500 } };
		const first = await openTestCalls(scripts, small);
		first.app.sessions.deliverMessage = () => Promise.reject(new Error("The window died."));
		await first.caller.send("Ask b");
		const called = await first.sessionOf("b");
		await first.event(called, "ended");
		assert.ok(called.state.events.some(({ type }) => type === "compacted"));
		await first.app.close();
		const setup = await openTestCalls({ a: [{ text: "Thanks." }], b: [] }, { home });
		assert.equal((await setup.event(setup.caller, "queued")).about?.usage?.input, 11_000);
	});

	it("is found in its archive after a reload", async () => {
		const home = newHome();
		const first = await openTestCalls({ a: [calling("b", "Look", ASYNC), { text: "I asked." }], b: [{ text: "Found." }] }, { home });
		first.app.sessions.deliverMessage = () => Promise.reject(new Error("The window died."));
		await first.caller.send("Ask b");
		const called = await first.sessionOf("b");
		await first.event(called, "ended");
		await called.send("And you?");
		await called.compact();
		assert.ok(called.state.events.some(({ type }) => type === "compacted"));
		await first.app.close();
		const setup = await openTestCalls({ a: [{ text: "Thanks." }], b: [] }, { home });
		assert.match((await setup.event(setup.caller, "queued")).text, /:\n\nFound\.$/);
	});
});

describe("calls in two windows", () => {
	afterEach(closeTestCalls);

	it("are answered once: a window that only shows the calling session does not follow its calls", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const first = await openTestCalls(
			{ a: [calling("b", "Look", ASYNC), { text: "I asked." }, { text: "Thanks." }], b: [{ text: "Found.", until }] },
			{ home },
		);
		await first.caller.send("Ask b");
		const second = await openTestCalls({ a: [{ text: "Thanks." }], b: [] }, { home });
		await second.app.sessions.recover();
		open();
		const queued = await first.event(first.caller, "queued");
		await first.event(first.caller, "ended", ({ turn }) => turn === queued.message);
		assert.equal(answersIn(first.caller).length, 1);
		assert.equal(second.model.requests.length, 0);
	});

	it("are answered through the inbox if the calling session has moved to another window", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const first = await openTestCalls({ a: [calling("b", "Look", ASYNC), { text: "I asked." }], b: [{ text: "Found.", until }] }, { home });
		await first.caller.send("Ask b");
		await first.caller.close();
		const second = await openTestCalls({ a: [{ text: "Mine." }, { text: "Thanks." }], b: [] }, { home });
		await second.caller.send("Here now");
		open();
		const queued = await second.event(second.caller, "queued");
		assert.match(queued.text, /:\n\nFound\.$/);
		await second.event(second.caller, "ended", ({ turn }) => turn === queued.message);
		assert.equal(answersIn(second.caller).length, 1);
	});
});
