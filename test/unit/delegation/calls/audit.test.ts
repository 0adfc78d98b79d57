// Tests what the audit log says about calls between agents.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditEntry } from "../../../../src/core/ports/audit.ts";
import { agent, calling, type DelegationStage, delegationStage, LIMITS, latch, newHome, strikeDelegation } from "./delegationStage.ts";

/** The lines of the log, once the window has closed and all are written. */
async function entries({ house }: DelegationStage): Promise<AuditEntry[]> {
	await house.close();
	const lines = readFileSync(join(house.storage, "..", "global", "audit.jsonl"), "utf8")
		.trim()
		.split("\n");
	return lines.map((line) => JSON.parse(line) as AuditEntry);
}

const kinds = (all: readonly AuditEntry[]) => all.map(({ kind, decision }) => `${kind} ${decision}`);

/** A window whose folder stays until the log was read. */
async function auditedStage(...[scripts, options = {}]: Parameters<typeof delegationStage>) {
	return delegationStage(scripts, { ...options, home: newHome() });
}

describe("the audit log of calls", () => {
	afterEach(strikeDelegation);

	it("says who called whom for what under which ceiling, and how it ended with how many tokens", async () => {
		const scene = await auditedStage({
			a: [calling("b", "Draft it"), { text: "End." }],
			b: [{ text: "Draft.", usage: { input: 1_000, output: 50, cached: 900 } }],
		});
		await scene.caller.send("Go");
		const { sessionId: session } = await scene.sessionOf("b");
		const all = await entries(scene);
		assert.deepEqual(kinds(all), ["call allowed", "answer allowed"]);
		const [call, answer] = all;
		assert.deepEqual(
			{ ...call, at: "" },
			{
				at: "",
				kind: "call",
				caller: { session: scene.caller.sessionId, agent: "a", call: "call_1", role: "planner" },
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
		const scene = await auditedStage(
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
		await scene.caller.send("Go");
		const refused = (await entries(scene)).filter(({ kind }) => kind === "refusal");
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
		const scene = await auditedStage(
			{ a: [calling("d"), calling("b"), { text: "End." }], b: [calling("d"), { text: "B." }], d: [] },
			{ agents, role: "commander", settings: { delegation: { ...LIMITS, maxDepth: 2 } } },
		);
		await scene.house.sessions.create({ agentId: "b", role: "planner" });
		await scene.caller.send("Go");
		const all = await entries(scene);
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
		const scene = await auditedStage(
			{ a: [calling("b"), { text: "End." }], b: [run("one"), run("two"), { text: "B." }] },
			{ role: "actor", settings: { approval: "ask" } },
		);
		const turn = scene.caller.send("Go");
		const called = await scene.sessionOfCalled("b");
		await scene.answer(called, { allow: true });
		const { seq } = await scene.event(called, "answered");
		await scene.event(called, "asked", (event) => event.seq > seq);
		await scene.answer(called, { allow: false });
		await turn;
		const all = await entries(scene);
		assert.deepEqual(kinds(all), ["call allowed", "approval allowed", "approval refused", "answer allowed"]);
		assert.match(all[1]?.summary ?? "", /touch one/);
		assert.match(all[2]?.summary ?? "", /touch two/);
	});

	it("has how a call failed, also one that was stopped", async () => {
		const { until } = latch();
		const scene = await auditedStage({ a: [calling("b")], b: [{ text: "Never.", until }] });
		const turn = scene.caller.send("Go");
		await scene.event("b", "started");
		await scene.caller.cancel();
		await turn;
		const all = await entries(scene);
		assert.deepEqual([kinds(all), all[1]?.status], [["call allowed", "answer allowed"], "error"]);
	});

	it("has the end of a stopped call whose agent waits for the user", async () => {
		const ask = { calls: [{ name: "ask_question", input: { question: "Which?", severity: "minor", allow_custom: true } }] };
		const scene = await auditedStage({ a: [calling("b")], b: [ask] });
		const turn = scene.caller.send("Go");
		await scene.event("b", "ended");
		await scene.caller.cancel();
		await turn;
		assert.deepEqual(kinds(await entries(scene)), ["call allowed", "answer allowed"]);
	});

	it("keeps the chain and the ceiling of a call that goes on after a reload", async () => {
		const { until } = latch();
		const scene = await auditedStage({ a: [calling("b", "Look", { mode: "async" }), { text: "End." }], b: [{ text: "Never.", until }] });
		await scene.caller.send("Go");
		await scene.event("b", "started");
		await scene.house.close();
		const next = await delegationStage({ a: [{ text: "Thanks." }], b: [] }, { home: join(scene.house.storage, "..") });
		await next.event(next.caller, "queued");
		const answer = (await entries(next)).at(-1);
		assert.deepEqual([answer?.kind, answer?.chain, answer?.ceiling], ["answer", ["a", "b"], ["ReadFiles", "Delegate"]]);
	});
});
