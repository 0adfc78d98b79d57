// Going back in a conversation: the branch is hidden, and nothing of it can still be answered or carried out.

import assert from "node:assert/strict";
import type { EventBody, Plan, TranscriptEvent } from "../../../src/core/events.ts";
import { applyEvent, createTranscript, visibleEvents } from "../../../src/core/transcript/fold.ts";
import { currentPlan, pendingRequests, type Transcript } from "../../../src/core/transcript/state.ts";

const plan: Plan = { goal: "Louder", steps: [{ step_number: 1, action: "Shout" }] };
const user = (text: string): EventBody => ({ type: "user", text });
const shown = (version: number): EventBody => ({ type: "plan", plan, planId: "p", version, hash: `h${version}`, basis: { files: [] } });
const approved: EventBody = { type: "role", role: "actor", plan: { planId: "p", version: 1, hash: "h1" } };
const started: EventBody = { type: "started", agent: "default", definitionHash: "", role: "planner", model: "m" };
const ended: EventBody = { type: "ended", outcome: "done" };
const asked: EventBody = { type: "asked", request: "r", call: "c", summary: "Run it", hash: "h", reason: "" };
const question: EventBody = { type: "question", request: "q", question: { question: "Which?", allow_custom: true } };

/** Events of the person unless they say otherwise; their ids are e1, e2, …. */
function fold(bodies: readonly EventBody[], first = 1): Transcript {
	const events = bodies.map(
		(body, index) =>
			({ id: `e${index + first}`, seq: index + first, at: "2026-01-01T00:00:00Z", by: "person", ...body }) as TranscriptEvent,
	);
	return events.reduce(applyEvent, createTranscript({ agentId: "default", role: "planner" }));
}

describe("a conversation that was rewound", () => {
	it("shows the model nothing of the branch and keeps it in the transcript", () => {
		const state = fold([user("one"), ended, user("two"), ended, { type: "rewound", to: "e3" }, user("three")]);
		assert.deepEqual(
			visibleEvents(state).flatMap((event) => (event.type === "user" ? [event.text] : [])),
			["one", "three"],
		);
		assert.equal(state.events.length, 6);
	});

	it("has no plan to execute that was made in the branch, and the one before it is executable again", () => {
		const alone = fold([user("one"), shown(1), ended, { type: "rewound", to: "e1" }]);
		assert.equal(currentPlan(alone), undefined);
		const revised = fold([user("one"), shown(1), ended, user("two"), shown(2), ended, { type: "rewound", to: "e4" }]);
		assert.deepEqual([currentPlan(revised)?.event.version, currentPlan(revised)?.state], [1, "proposed"]);
	});

	it("runs no plan whose approval is hidden, nor one that was stopped in the branch", () => {
		const before = [user("one"), shown(1), ended];
		const approval = fold([...before, approved, user("Execute the plan."), { type: "rewound", to: "e4" }]);
		assert.deepEqual([approval.run, currentPlan(approval)?.state], [undefined, "proposed"]);
		const stopped = fold([
			...before,
			approved,
			user("Execute."),
			started,
			{ type: "ended", outcome: "cancelled" },
			{ type: "rewound", to: "e5" },
		]);
		assert.deepEqual([stopped.run, currentPlan(stopped)?.state], [undefined, "stopped"]);
		const running = fold([
			...before,
			approved,
			user("Execute."),
			started,
			{ type: "ended", outcome: "failed" },
			{ type: "rewound", to: "e5" },
		]);
		assert.equal(running.run?.state, "running");
	});

	it("leaves no approval and no question of the branch to be answered", () => {
		const state = fold([user("one"), started, asked, question, { type: "rewound", to: "e1" }]);
		assert.deepEqual(pendingRequests(state), []);
		assert.equal(state.requests.get("r"), undefined);
	});

	it("asks again what the hidden message had set aside", () => {
		const state = fold([user("one"), question, ended, user("never mind"), { type: "rewound", to: "e4" }]);
		assert.deepEqual(
			pendingRequests(state).map(({ event }) => event.request),
			["q"],
		);
	});

	it("counts and names the session by what is left, and what was used stays used", () => {
		const usage = { input: 5, output: 5 };
		const state = fold([user("one"), { type: "assistant", text: "Hello", usage }, ended, { type: "rewound", to: "e1" }, user("other")]);
		assert.deepEqual([state.messages, state.title, state.snippet, state.usage.input], [1, "other", "other", 5]);
		assert.equal(state.outcome, undefined);
	});

	it("does not count on a turn that was hidden with its end", () => {
		const state = fold([user("one"), started, user("and more"), ended, { type: "rewound", to: "e3" }]);
		assert.equal(state.turn, undefined);
	});

	it("keeps the role and the agent that the person chose last", () => {
		const narrowed = fold([{ type: "role", role: "actor" }, user("one"), { type: "role", role: "planner" }, { type: "rewound", to: "e2" }]);
		assert.equal(narrowed.role, "planner");
	});

	it("hides the branch for who holds only the end of the session", () => {
		const state = fold([user("ten"), ended, { type: "rewound", to: "e4", toSeq: 4, messages: 3 }, user("new")], 10);
		assert.deepEqual([state.hidden.size, state.messages], [2, 4]);
	});

	it("hides nothing where the message is not known", () => {
		assert.equal(fold([user("one"), { type: "rewound", to: "gone" }]).hidden.size, 0);
	});

	it("goes back twice", () => {
		const state = fold([
			user("one"),
			user("two"),
			{ type: "rewound", to: "e2" },
			user("three"),
			{ type: "rewound", to: "e1" },
			user("four"),
		]);
		assert.deepEqual(
			visibleEvents(state).flatMap((event) => (event.type === "user" ? [event.text] : [])),
			["four"],
		);
	});
});
