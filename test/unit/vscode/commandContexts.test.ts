// Tests the context keys that enable palette commands for the current session.
import assert from "node:assert/strict";
import type { EventBody } from "../../../src/core/events.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import { PENDING_EVENTS } from "../../../src/vscode/approvals/pendingTracker.ts";
import { contextKeys, pinContextKeys, switchContextKeys } from "../../../src/vscode/chat/contextKeys.ts";
import { transcript } from "../models/helpers.ts";

const started: EventBody = { type: "started", agent: "default", definitionHash: "h", role: "actor", model: "offline/offline" };
const ended: EventBody = { type: "ended", outcome: "done" };
const asked: EventBody = { type: "asked", request: "a", call: "c", summary: "Run it", hash: "h", reason: "It runs." };
const answered: EventBody = { type: "answered", request: "a", answer: { allow: true } };
const plan: EventBody = {
	type: "plan",
	plan: { goal: "Rename it", steps: [{ step_number: 1, action: "Rename" }] },
	planId: "p",
	version: 1,
	hash: "h",
	basis: { files: [] },
};
const executed: EventBody = { type: "role", role: "actor", plan: { planId: "p", version: 1, hash: "h" } };

function offered(...events: EventBody[]): string[] {
	for (const { type } of events) assert.ok(PENDING_EVENTS[type], `nobody looks again after ${type}`);
	const keys = contextKeys(transcript(...events).reduce(applyEvent, createTranscript()));
	return Object.keys(keys).filter((key) => keys[key]);
}

describe("the commands of the palette", () => {
	it("offer nothing to stop, to answer or to execute in an empty session", () => assert.deepEqual(offered(), []));

	it("offer Stop while a turn runs", () => {
		assert.deepEqual(offered(started), ["troupe.turnRuns"]);
		assert.deepEqual(offered(started, ended), []);
	});

	it("offer the way to an approval until it is answered", () => {
		assert.deepEqual(offered(started, asked), ["troupe.turnRuns", "troupe.requestWaits"]);
		assert.deepEqual(offered(started, asked, answered), ["troupe.turnRuns"]);
	});

	it("offer to pin what is not pinned, and to unpin what is", () => {
		const session = (sessionId: string, pinnedAt?: string) =>
			({
				sessionId,
				agentId: "default",
				createdAt: "",
				updatedAt: "",
				messageCount: 0,
				role: "planner",
				...(pinnedAt && { pinnedAt }),
			}) as const;
		const keys = (...given: Parameters<typeof pinContextKeys>) => Object.values(pinContextKeys(...given));
		assert.deepEqual(keys([], undefined), [true, true, false]);
		assert.deepEqual(keys([session("a")], "a"), [false, true, false]);
		assert.deepEqual(keys([session("a"), session("b", "now")], "a"), [false, false, false]);
		assert.deepEqual(keys([session("b", "now")], "b"), [true, false, true]);
	});

	it("offer the way back in a session that the person switched to", () => {
		const session = { sessionId: "a", agentId: "default", createdAt: "", updatedAt: "", messageCount: 0, role: "planner" };
		const from = (value: unknown) => ({ ...session, attributes: { switchedFrom: value } });
		const offers = (all: Parameters<typeof switchContextKeys>[0]) => switchContextKeys(all, "a")["troupe.switchedHere"];
		assert.equal(offers([from({ session: "b", agent: "writer" })]), true);
		for (const all of [[], [session], [from("b")], [{ ...from({ session: "b", agent: "writer" }), sessionId: "c" }]])
			assert.equal(offers(all), false);
	});

	it("offer Execute Plan for a plan that does not run yet", () => {
		assert.deepEqual(offered(started, plan, ended), ["troupe.planReady"]);
		assert.deepEqual(offered(started, plan, ended, executed), []);
	});
});
