// Calls whose session the user deletes, clears, or leaves without an answer while they are open.
import assert from "node:assert/strict";
import { answersOf, calling, delegationStage, latch, strikeDelegation } from "./delegationStage.ts";

const QUESTION = { calls: [{ name: "ask_question", input: { question: "Which?", options: [{ label: "One", value: "1" }] } }] };

describe("a call whose session is taken away", () => {
	afterEach(strikeDelegation);

	for (const [act, says] of [
		["delete", /deleted/],
		["clear", /cleared/],
	] as const)
		it(`says so after ${act}, and not that a window closed`, async () => {
			const { until, open } = latch();
			const scene = await delegationStage({ a: [calling("b"), { text: "Then not." }], b: [{ text: "Never.", until }] });
			const turn = scene.caller.send("Ask b");
			const { session } = await scene.event("b", "started");
			await scene.house.sessions[act](session);
			open();
			await turn;
			const [answer] = answersOf(scene.caller);
			assert.equal(answer?.["status"], "error");
			assert.match(String(answer?.["message"]), says);
			assert.doesNotMatch(String(answer?.["message"]), /window closed/);
		});

	it("can be stopped by the user while it waits for an answer, which ends the call", async () => {
		const scene = await delegationStage({ a: [calling("b"), { text: "Then not." }], b: [QUESTION, { text: "Never." }] });
		const turn = scene.caller.send("Ask b");
		await scene.event("b", "ended");
		const { call } = await scene.event(scene.caller, "delegated");
		await scene.house.delegation.calls.stopCall(scene.caller.sessionId, call);
		assert.equal((await turn).outcome, "done");
		assert.equal(answersOf(scene.caller)[0]?.["status"], "error");
	});
});
