// Tests pending requests: from the list of sessions and from the sessions open here.
import assert from "node:assert/strict";
import type { EventBody, Plan, SessionSummary } from "../../../src/core/events.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import { rewindTo } from "../../../src/session/history/rewind.ts";
import { createPendingTracker, PENDING_EVENTS } from "../../../src/vscode/approvals/pendingTracker.ts";
import { transcript } from "../models/helpers.ts";
import { closeTestSessions, FILES, openTestSession } from "../session/testSession.ts";
import { taskRecord, taskSummary } from "../storage/support.ts";

const plan: Plan = { goal: "Say hello louder", steps: [{ step_number: 1, action: "Change the greeting" }] };
const said: EventBody = { type: "user", text: "Say hello louder" };
const started: EventBody = { type: "started", agent: "default", definitionHash: "", role: "planner", model: "offline/offline" };
const shown: EventBody = { type: "plan", plan, planId: "p", version: 1, hash: "h", basis: { files: [] } };
const question: EventBody = { type: "question", request: "q", question: { question: "Which?", allow_custom: true } };
const asked = (request: string): EventBody => ({ type: "asked", request, call: "c", summary: "Run it", hash: "h", reason: "It runs." });
const allowed: EventBody = { type: "answered", request: "a", answer: { allow: true } };
const waiting: EventBody = { type: "ended", outcome: "waiting" };
const done: EventBody = { type: "ended", outcome: "done" };
const execute: EventBody = { type: "role", role: "actor", plan: { planId: "p", version: 1, hash: "h" } };

const folded = (...events: EventBody[]) => transcript(...events).reduce(applyEvent, createTranscript());
const listed = (sessionId: string, updatedAt: string, waits?: ("question" | "plan")[]): SessionSummary => {
	const rest = { agentId: "default", role: "planner", createdAt: "2020", messageCount: 1 };
	return { sessionId, updatedAt, ...rest, ...(waits && { waits }) };
};

describe("a session waits for the person", () => {
	const table: [string, boolean, EventBody[]][] = [
		["not while it is empty", false, []],
		["not when its turn is done", false, [said, started, done]],
		["when it has shown a plan", true, [said, started, shown, waiting]],
		["not once the plan runs", false, [said, started, shown, waiting, execute, said, started]],
		["when it has asked a question", true, [said, started, question, waiting]],
		[
			"not once that was dismissed",
			false,
			[said, started, question, waiting, { type: "answered", request: "q", answer: { allow: false } }],
		],
		["while an approval is open, in the midst of its turn", true, [said, started, asked("a")]],
		["not once it was given", false, [said, started, asked("a"), allowed]],
		["not when the approval has expired", false, [said, started, asked("a"), { type: "expired", request: "a" }, done]],
	];
	for (const [what, expected, events] of table) {
		it(what, () => {
			const attention = createPendingTracker();
			attention.updateSession("one", folded(...events));
			assert.equal(attention.isPending("one"), expected);
		});
	}
});

describe("the number of what waits", () => {
	it("counts an approval of a called session once, although the calling session shows it too", () => {
		const delegated: EventBody = { type: "delegated", call: "c", session: "two", agent: "b", mode: "sync", depth: 1, responseId: "t" };
		const counts = createPendingTracker();
		counts.updateSession("one", folded(said, started, delegated));
		counts.updateSession("two", folded(said, started, asked("a")));
		assert.deepEqual([counts.requestCount("one"), counts.requestCount("two"), counts.totalRequestCount()], [0, 1, 1]);
	});

	it("counts background tasks: approvals of those open here, and each that needs information, once", () => {
		const counts = createPendingTracker();
		const asks = taskSummary("asks", taskRecord("waiting"), { updatedAt: "2030" });
		const runs = taskSummary("runs", taskRecord("running"), { updatedAt: "" });
		counts.updateSession("runs", folded(said, started, asked("a")));
		assert.equal(counts.updateSessions([asks, runs]), true);
		assert.deepEqual([counts.requestCount("asks"), counts.isPending("asks"), counts.totalRequestCount()], [1, true, 2]);
		assert.equal(counts.updateSession("asks", folded(said, started, question, waiting)), true);
		assert.equal(counts.totalRequestCount(), 2);
		// Its state comes from the list, although what is open here is newer.
		counts.updateSession("asks", folded(said, started));
		assert.deepEqual(
			[counts.requestCount("asks"), counts.updateSessions([taskSummary("asks", taskRecord(), { updatedAt: "" }), runs])],
			[1, true],
		);
		assert.deepEqual([counts.isPending("asks"), counts.totalRequestCount()], [false, 1]);
		counts.updateSessions([asks]);
		assert.deepEqual([counts.requestCount("runs"), counts.totalRequestCount()], [0, 1]);
	});

	it("counts approvals and questions over all sessions, and says when it changes", () => {
		const counts = createPendingTracker();
		assert.equal(counts.updateSession("one", folded(asked("a"), asked("b"))), true);
		assert.equal(counts.updateSession("two", folded(question)), true);
		assert.deepEqual(
			[counts.requestCount("one"), counts.requestCount("two"), counts.requestCount(undefined), counts.totalRequestCount()],
			[2, 1, 0, 3],
		);
		assert.equal(counts.updateSession("one", folded(asked("a"), asked("b"))), false);
		assert.equal(counts.updateSession("one", folded(asked("a"), allowed)), true);
		assert.equal(counts.totalRequestCount(), 1);
	});

	it("comes from the list before any session is open, and counts no plans", () => {
		const counts = createPendingTracker();
		assert.equal(
			counts.updateSessions([listed("one", "2021", ["question"]), listed("two", "2021", ["plan"]), listed("three", "2021")]),
			true,
		);
		assert.deepEqual(
			[counts.totalRequestCount(), counts.isPending("one"), counts.isPending("two"), counts.isPending("three")],
			[1, true, true, false],
		);
	});

	it("keeps what is open here over an older list, and follows what another window did since", () => {
		const counts = createPendingTracker();
		const state = folded(said, started, asked("a"));
		counts.updateSession("one", state);
		counts.updateSessions([listed("one", state.updatedAt ?? "")]);
		assert.equal(counts.totalRequestCount(), 1);
		counts.updateSessions([listed("one", "9999")]);
		assert.equal(counts.totalRequestCount(), 0);
	});

	it("forgets sessions that are gone", () => {
		const counts = createPendingTracker();
		counts.updateSession("one", folded(question));
		assert.equal(counts.updateSessions([]), true);
		assert.equal(counts.totalRequestCount(), 0);
	});

	it("is looked at again when a question is taken back, and when its session is cleared", async () => {
		const ask = { calls: [{ name: "ask_question", input: { question: "Which one?", allow_custom: true } }] };
		const { session, app, summary } = await openTestSession(() => ask, { files: FILES });
		const counts = createPendingTracker();
		app.sessions.listen({
			async event(id, event) {
				if (PENDING_EVENTS[event.type]) counts.updateSession(id, (await app.sessions.get(id)).state);
			},
		});
		const looked = () => new Promise((resolve) => setImmediate(resolve));
		await session.send("Choose");
		await looked();
		assert.equal(counts.totalRequestCount(), 1);
		const place = session.state.events.findIndex(({ type }) => type === "user");
		await rewindTo(session, place, true);
		await looked();
		assert.equal(counts.totalRequestCount(), 0);
		await session.send("Choose");
		await looked();
		assert.equal(counts.totalRequestCount(), 1);
		await app.sessions.clear(summary.sessionId);
		await looked();
		assert.equal(counts.totalRequestCount(), 0);
		await closeTestSessions();
	});
});
