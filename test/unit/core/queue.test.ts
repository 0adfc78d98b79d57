// Queued messages and calls of other agents, as the fold keeps them.

import assert from "node:assert/strict";
import type { AnsweredCall } from "../../../src/core/caller.ts";
import type { EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import { openDelegations } from "../../../src/core/transcript/delegations.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import type { Transcript } from "../../../src/core/transcript/state.ts";

function fold(bodies: readonly EventBody[]): Transcript {
	const events = bodies.map(
		(body, index) => ({ id: `e${index + 1}`, seq: index + 1, at: "2026-01-01T00:00:00Z", by: "person", ...body }) as TranscriptEvent,
	);
	return events.reduce(applyEvent, createTranscript({ agentId: "default", role: "planner" }));
}

const queued = (message: string, about?: AnsweredCall): EventBody => ({
	type: "queued",
	message,
	from: "person",
	text: message,
	...(about && { about }),
});
const usage = { input: 10, output: 2, cached: 0, cost: 1, unpriced: 0 };
const answer: AnsweredCall = { kind: "answer", call: "c", turn: "t", agent: "b", session: "s", status: "complete", usage };
const delegated = (mode: "sync" | "async"): EventBody => ({ type: "delegated", call: "c", session: "s", agent: "b", mode, depth: 1 });
const result = (status: "complete" | "timeout" | "started"): EventBody => ({
	type: "result",
	call: "c",
	status: "ok",
	output: "",
	view: { kind: "agent", agent: "b", session: "s", turn: "r", mode: "sync", status, usage },
});

describe("a message that waits", () => {
	it("waits until a turn takes it, in the order of arrival", () => {
		const state = fold([queued("one"), queued("two"), queued("three"), { type: "user", text: "one", message: "one" }]);
		assert.deepEqual([...state.queue.keys()], ["two", "three"]);
	});

	it("waits no longer once it was withdrawn", () => {
		assert.equal(fold([queued("one"), { type: "unqueued", message: "one", why: "takenBack" }]).queue.size, 0);
	});

	it("goes on waiting when the conversation is rewound to before it", () => {
		const state = fold([{ type: "user", text: "hello" }, queued("one"), { type: "ended", outcome: "done" }, { type: "rewound", to: "e1" }]);
		assert.deepEqual([...state.queue.keys()], ["one"]);
	});
});

describe("a call of another agent", () => {
	it("is open until its result, which counts what it used", () => {
		assert.equal(openDelegations(fold([delegated("sync")])).length, 1);
		const state = fold([delegated("sync"), result("complete")]);
		assert.deepEqual([openDelegations(state).length, state.calledUsage.input], [0, 10]);
	});

	it("stays open after a result that says that the answer follows, and ends with the message that brings it, once", () => {
		for (const status of ["timeout", "started"] as const) {
			assert.equal(openDelegations(fold([delegated("async"), result(status)])).length, 1);
			const state = fold([delegated("async"), result(status), queued("late", answer), queued("later", answer)]);
			assert.equal(openDelegations(state).length, 0);
			assert.deepEqual([state.delegations.get("c")?.answer, state.calledUsage.cost], ["late", 1]);
		}
	});

	it("counts as delivered when a turn takes that message", () => {
		const before = fold([delegated("async"), queued("late", answer)]);
		assert.equal(before.delegations.get("c")?.delivered, undefined);
		const after = fold([delegated("async"), queued("late", answer), { type: "user", text: "late", message: "late" }]);
		assert.equal(after.delegations.get("c")?.delivered, true);
	});

	it("ends when its host died: what the repair wrote is its result", () => {
		const state = fold([delegated("sync"), { type: "result", call: "c", status: "unknown", output: "" }]);
		assert.equal(state.delegations.get("c")?.ended, "unknown");
	});
});
