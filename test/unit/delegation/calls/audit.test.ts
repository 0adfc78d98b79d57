// Tests what the audit log says about calls between agents.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditEntry } from "../../../../src/core/ports/audit.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { agent, calling, closeTestCalls, LIMITS, newHome, openTestCalls, type TestCalls } from "./testCalls.ts";

/** The lines of the log, once the window has closed and all are written. */
async function entries({ app }: TestCalls): Promise<AuditEntry[]> {
	await app.close();
	const lines = readFileSync(join(app.storage, "..", "global", "audit.jsonl"), "utf8")
		.trim()
		.split("\n");
	return lines.map((line) => JSON.parse(line) as AuditEntry);
}

const kinds = (all: readonly AuditEntry[]) => all.map(({ kind, decision }) => `${kind} ${decision}`);

/** A window whose folder stays until the log was read. */
async function auditedStage(...[scripts, options = {}]: Parameters<typeof openTestCalls>) {
	return openTestCalls(scripts, { ...options, home: newHome() });
}

describe("the audit log of calls", () => {
	afterEach(closeTestCalls);

	it("says who called whom for what under which ceiling, and how it ended with how many tokens", async () => {
		const setup = await auditedStage({
			a: [calling("b", "Draft it"), { text: "End." }],
			b: [{ text: "Draft.", usage: { input: 1_000, output: 50, cached: 900 } }],
		});
		await setup.caller.send("Go");
		const { sessionId: session } = await setup.sessionOf("b");
		const all = await entries(setup);
		assert.deepEqual(kinds(all), ["call allowed", "answer allowed"]);
		const [call, answer] = all;
		assert.deepEqual(
			{ ...call, at: "" },
			{
				at: "",
				kind: "call",
				caller: { session: setup.caller.sessionId, agent: "a", call: "call_1", role: "planner" },
				target: { agent: "b", session },
				chain: ["a", "b"],
				ceiling: ["ReadFiles", "Delegate"],
				summary: "Draft it",
				decision: "allowed",
			},
		);
		assert.deepEqual([answer?.status, answer?.tokens, answer?.target], ["complete", 240, { agent: "b", session }]);
	});

	it("has what was refused, and why: rings, depths, lists, sessions, hidden agents", async () => {
		const agents = [agent("a", { agentDenylist: ["d"] }), agent("b"), agent("c"), agent("d"), agent("hidden", { uiVisible: false })];
		const setup = await auditedStage(
			{
				a: [
					calling("a"),
					calling("d", "Secret"),
					calling("hidden"),
					calling("b", "Go", { session: "none" }),
					calling("b"),
					{ text: "End." },
				],
				b: [calling("c"), { text: "B." }],
				c: [],
				d: [],
			},
			{ agents, settings: { delegation: LIMITS } },
		);
		await setup.caller.send("Go");
		const refused = (await entries(setup)).filter(({ kind }) => kind === "refusal");
		assert.deepEqual(
			refused.map(({ target, chain }) => [target.agent, chain]),
			[
				["a", ["a", "a"]],
				["d", ["a", "d"]],
				["hidden", ["a", "hidden"]],
				["b", ["a", "b"]],
				["c", ["a", "b", "c"]],
			],
		);
		assert.match(refused[1]?.reason ?? "", /isn't configured to delegate to d/);
		assert.equal(refused[1]?.summary, "Secret");
		assert.match(refused[4]?.reason ?? "", /at most 1 deep/);
	});

	it("says under which ceiling the gate refused a call, also one of a called turn", async () => {
		const agents = [agent("a", { agentDenylist: ["d"] }), agent("b", { agentDenylist: ["d"] }), agent("d")];
		const setup = await auditedStage(
			{ a: [calling("d"), calling("b"), { text: "End." }], b: [calling("d"), { text: "B." }], d: [] },
			{ agents, role: "commander", settings: { delegation: { ...LIMITS, maxDepth: 2 } } },
		);
		await setup.app.sessions.create({ agentId: "b", role: "planner" });
		await setup.caller.send("Go");
		const all = await entries(setup);
		const refused = all.filter(({ kind }) => kind === "refusal");
		const called = all.find(({ kind }) => kind === "call")?.ceiling;
		assert.ok(called?.includes("WriteFiles"));
		assert.deepEqual(
			refused.map(({ caller, ceiling }) => [caller.agent, ceiling]),
			[
				["a", called],
				["b", called],
			],
		);
	});

	it("has what the user allowed and refused of what called agents asked", async () => {
		const run = (name: string) => ({ calls: [{ name: "execute_command", input: { command: `touch ${name}` } }] });
		const setup = await auditedStage(
			{ a: [calling("b"), { text: "End." }], b: [run("one"), run("two"), { text: "B." }] },
			{ role: "actor", settings: { approval: "ask" } },
		);
		const turn = setup.caller.send("Go");
		const called = await setup.sessionOfCalled("b");
		await setup.answer(called, { allow: true });
		const { seq } = await setup.event(called, "answered");
		await setup.event(called, "asked", (event) => event.seq > seq);
		await setup.answer(called, { allow: false });
		await turn;
		const all = await entries(setup);
		assert.deepEqual(kinds(all), ["call allowed", "approval allowed", "approval refused", "answer allowed"]);
		assert.match(all[1]?.summary ?? "", /touch one/);
		assert.match(all[2]?.summary ?? "", /touch two/);
	});

	it("has how a call failed, also one that was stopped", async () => {
		const { until } = createDeferred();
		const setup = await auditedStage({ a: [calling("b")], b: [{ text: "Never.", until }] });
		const turn = setup.caller.send("Go");
		await setup.event("b", "started");
		await setup.caller.cancel();
		await turn;
		const all = await entries(setup);
		assert.deepEqual([kinds(all), all[1]?.status], [["call allowed", "answer allowed"], "error"]);
	});

	it("has the end of a stopped call whose agent waits for the user", async () => {
		const ask = { calls: [{ name: "ask_question", input: { question: "Which?", severity: "minor", allow_custom: true } }] };
		const setup = await auditedStage({ a: [calling("b")], b: [ask] });
		const turn = setup.caller.send("Go");
		await setup.event("b", "ended");
		await setup.caller.cancel();
		await turn;
		assert.deepEqual(kinds(await entries(setup)), ["call allowed", "answer allowed"]);
	});

	it("keeps the chain and the ceiling of a call that goes on after a reload", async () => {
		const { until } = createDeferred();
		const setup = await auditedStage({ a: [calling("b", "Look", { mode: "async" }), { text: "End." }], b: [{ text: "Never.", until }] });
		await setup.caller.send("Go");
		await setup.event("b", "started");
		await setup.app.close();
		const next = await openTestCalls({ a: [{ text: "Thanks." }], b: [] }, { home: join(setup.app.storage, "..") });
		await next.event(next.caller, "queued");
		const answer = (await entries(next)).at(-1);
		assert.deepEqual([answer?.kind, answer?.chain, answer?.ceiling], ["answer", ["a", "b"], ["ReadFiles", "Delegate"]]);
	});
});
