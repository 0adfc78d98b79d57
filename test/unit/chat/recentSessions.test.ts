// The sessions that the page of an empty one offers to go on with.
import assert from "node:assert/strict";
import { listRecentSessions } from "../../../src/chat/suggestions.ts";
import type { SessionSummary } from "../../../src/core/events.ts";

const summary = (sessionId: string, day: number, rest: Partial<SessionSummary> = {}): SessionSummary => {
	const at = new Date(Date.UTC(2025, 0, day)).toISOString();
	return { sessionId, agentId: "default", name: sessionId, createdAt: at, updatedAt: at, messageCount: 1, role: "planner", ...rest };
};

describe("recent sessions", () => {
	const running = { running: async () => ["runs"] };

	it("are the last three that something was said in, without the one that is shown", async () => {
		const sessions = [
			summary("shown", 9),
			summary("empty", 8, { messageCount: 0 }),
			...[1, 2, 3, 4].map((day) => summary(`day ${day}`, day)),
		];
		assert.deepEqual(
			(await listRecentSessions(running, sessions, "shown")).map(({ title }) => title),
			["day 4", "day 3", "day 2"],
		);
	});

	it("say what waits before what runs, and what failed", async () => {
		const sessions = [
			summary("runs", 3),
			summary("asks", 2, { waits: ["plan"], outcome: "waiting" }),
			summary("failed", 1, { outcome: "failed" }),
			summary("done", 0, { outcome: "done" }),
		];
		const states = async (list: SessionSummary[]) => (await listRecentSessions(running, list, undefined)).map(({ state }) => state);
		assert.deepEqual(await states(sessions), ["running", "waiting", "failed"]);
		assert.deepEqual(await states(sessions.slice(3)), [undefined]);
	});

	it("are none where there is no other session", async () => {
		assert.deepEqual(await listRecentSessions(running, [summary("shown", 1)], "shown"), []);
	});
});
