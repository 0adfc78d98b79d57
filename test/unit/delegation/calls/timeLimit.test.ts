// Tests how long a call waits for its answer, by what its agent waits for.

import assert from "node:assert/strict";
import type { Caller } from "../../../../src/core/caller.ts";
import { createFollowedCall } from "../../../../src/delegation/calls/followCall.ts";
import { OpenCalls } from "../../../../src/delegation/calls/openCalls.ts";
import { WorkTimer } from "../../../../src/delegation/limits.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { answersOf, calling, closeTestCalls, LIMITS, openTestCalls } from "./testCalls.ts";

/** Time that passes when a test says so. */
function fakeClock() {
	let now = 0;
	const timers = new Set<{ at: number; act: () => void }>();
	return {
		clock: {
			now: () => now,
			after(ms: number, act: () => void) {
				const timer = { at: now + ms, act };
				timers.add(timer);
				return () => void timers.delete(timer);
			},
		},
		pass(ms: number) {
			now += ms;
			for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.act();
		},
		get pending() {
			return timers.size;
		},
	};
}

describe("the time limit of a call", () => {
	afterEach(closeTestCalls);

	it("counts work, waiting for the user, and waiting for a place, each by itself", () => {
		const time = fakeClock();
		let expired = 0;
		const timer = new WorkTimer(10, () => (expired += 1), time.clock);
		timer.count("place");
		time.pass(9_000);
		timer.count("work");
		time.pass(9_000);
		timer.count("user");
		time.pass(9_000);
		timer.count("work");
		time.pass(999);
		assert.equal(expired, 0);
		time.pass(1);
		assert.equal(expired, 1);
	});

	it("expires while it waits, and not while it is paused or stopped", () => {
		const time = fakeClock();
		let expired = 0;
		const timer = new WorkTimer(10, () => (expired += 1), time.clock);
		timer.count("user");
		timer.count(undefined);
		time.pass(60_000);
		timer.count("user");
		time.pass(10_000);
		assert.equal(expired, 1);
		timer.stop();
		assert.equal(time.pending, 0);
	});

	it("does not count what a call below waits for as work", () => {
		const open = new OpenCalls();
		const caller = (session: string, turn: string): Caller => {
			return { session, turn, call: "call", agent: "a", role: "actor", ceiling: [], depth: 1, chain: ["a"] };
		};
		const target = (sessionId: string) => ({ agentId: "b", sessionId, sessionName: "", created: true, responseId: `turn of ${sessionId}` });
		const add = (from: string, to: string) => {
			const call = open.add({ caller: caller(from, `turn of ${from}`), target: target(to), mode: "sync", release: () => undefined });
			call.followed = { ...createFollowedCall(call.caller, call.target.responseId), state: "running", turns: [call.target.responseId] };
			return call;
		};
		const above = add("A", "B");
		assert.equal(open.activityOf(above), "running");
		const [first, second] = [add("B", "C"), add("B", "D")];
		first.followed.state = "waiting";
		first.followed.approvals.set("request", { kind: "approval", text: "Run it", call: "call", since: 0 });
		assert.equal(open.activityOf(above), "running");
		second.followed.state = "queued";
		assert.equal(open.activityOf(above), "waiting");
		assert.deepEqual(open.waitOf(above), { kind: "approval", text: "Run it" });
		open.remove(first);
		assert.equal(open.activityOf(above), "queued");
		second.late = true;
		assert.equal(open.activityOf(above), "running");
	});

	it("is the setting's where the call names none", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestCalls(
			{ a: [calling("b"), { text: "Later." }], b: [{ text: "Hi.", until }] },
			{ settings: { delegation: { ...LIMITS, timeout: 0.05 } } },
		);
		await setup.caller.send("Ask b");
		const [answer] = answersOf(setup.caller);
		assert.deepEqual([answer?.["status"], answer?.["timeoutSeconds"]], ["timeout", 0.05]);
		assert.match(String(answer?.["message"]), /^No answer yet\. It is still working\. It goes on/);
		open();
		await setup.event(setup.caller, "queued");
	});

	it("does not stop the called turn, whose answer follows", async () => {
		const { until, open } = createDeferred();
		const setup = await openTestCalls({
			a: [calling("b", "Do it", { timeout: 0.05 }), { text: "Later." }, { text: "Thanks." }],
			b: [{ text: "Hi.", until }],
		});
		await setup.caller.send("Ask b");
		open();
		const queued = await setup.event(setup.caller, "queued");
		assert.match(queued.text, /:\n\nHi\.$/);
		assert.equal((await setup.sessionOf("b")).state.outcome, "done");
	});
});
