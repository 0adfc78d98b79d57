// Calls whose session the user deletes, clears, or leaves without an answer while they are open.

import assert from "node:assert/strict";
import { createDeferred } from "../../../fakes/deferred.ts";
import { answersOf, calling, closeTestCalls, openTestCalls } from "./testCalls.ts";

const QUESTION = { calls: [{ name: "ask_question", input: { question: "Which?", options: [{ label: "One", value: "1" }] } }] };

describe("a call whose session is taken away", () => {
	afterEach(closeTestCalls);

	for (const [act, says] of [
		["delete", /deleted/],
		["clear", /cleared/],
	] as const)
		it(`says so after ${act}, and not that a window closed`, async () => {
			const { until, open } = createDeferred();
			const setup = await openTestCalls({ a: [calling("b"), { text: "Then not." }], b: [{ text: "Never.", until }] });
			const turn = setup.caller.send("Ask b");
			const { session } = await setup.event("b", "started");
			await setup.app.sessions[act](session);
			open();
			await turn;
			const [answer] = answersOf(setup.caller);
			assert.equal(answer?.["status"], "error");
			assert.match(String(answer?.["message"]), says);
			assert.doesNotMatch(String(answer?.["message"]), /window closed/);
		});

	it("can be stopped by the user while it waits for an answer, which ends the call", async () => {
		const setup = await openTestCalls({ a: [calling("b"), { text: "Then not." }], b: [QUESTION, { text: "Never." }] });
		const turn = setup.caller.send("Ask b");
		await setup.event("b", "ended");
		const { call } = await setup.event(setup.caller, "delegated");
		await setup.app.delegation.calls.stopCall(setup.caller.sessionId, call);
		assert.equal((await turn).outcome, "done");
		assert.equal(answersOf(setup.caller)[0]?.["status"], "error");
	});
});
