import assert from "node:assert/strict";
import type { Author, EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import { apply, emptyTranscript } from "../../../src/core/transcript.ts";
import { buildItems, type Item, type Labels, nextAnswerKey } from "../../../webview-ui/items.ts";

const labels: Labels = { role: (id) => id.toUpperCase(), agent: (id) => `Agent ${id}` };

type Told = EventBody & { by?: Author };

function itemsOf(...told: Told[]): Item[] {
	const events = told.map(
		({ by = "host", ...body }, index) =>
			({ id: `e${index + 1}`, seq: index + 1, at: "2025-01-15T14:07:00Z", by, ...body }) as TranscriptEvent,
	);
	return buildItems(events.reduce(apply, emptyTranscript()), labels);
}

const kinds = (items: Item[]) => items.map((item) => item.kind);
const user: Told = { type: "user", text: "do it", by: "person" };
const started: Told = { type: "started", agent: "default", definitionHash: "h", role: "planner", model: "m" };
const command: Told = {
	type: "assistant",
	text: "",
	calls: [{ id: "c1", name: "execute_command", input: { command: "npm test" } }],
	by: "model",
};
const asked: Told = { type: "asked", request: "r1", call: "c1", summary: "Run npm test", hash: "h", reason: "no rule" };
const question: Told = { type: "question", request: "q1", question: { question: "Really?", options: [{ label: "Yes", value: "y" }] } };
const plan = (version: number): Told => ({
	type: "plan",
	plan: { goal: "g", steps: [{ step_number: 1, action: "a" }] },
	planId: "p",
	version,
	hash: `h${version}`,
	basis: { files: [] },
});

describe("the conversation", () => {
	it("shows a plan that came as text as its card alone, and other text beside it", () => {
		const said = (text: string): Told => ({ type: "assistant", text, by: "model" });
		assert.deepEqual(kinds(itemsOf(user, started, said('{"goal": "g"}'), { ...plan(1), by: "model" })), ["message", "plan"]);
		assert.deepEqual(kinds(itemsOf(user, started, said("Here it is."), { ...plan(1), by: "model" })), ["message", "message", "plan"]);
	});

	it("groups calls that follow each other, and text between them parts them", () => {
		const read = (id: string, text = ""): Told => ({
			type: "assistant",
			text,
			calls: [{ id, name: "read_file", input: { path: id } }],
			by: "model",
		});
		const items = itemsOf(user, started, read("a"), read("b"), read("c", "and now"), read("d"));
		assert.deepEqual(kinds(items), ["message", "calls", "message", "calls"]);
		assert.deepEqual(
			items.flatMap((item) => (item.kind === "calls" ? [item.calls.map(({ call }) => call.id)] : [])),
			[
				["a", "b"],
				["c", "d"],
			],
		);
	});

	it("shows a pending approval instead of its call, and the call below it once it was allowed", () => {
		assert.deepEqual(kinds(itemsOf(user, started, command, asked)), ["message", "approval"]);
		const allowed: Told = { type: "answered", request: "r1", hash: "h", answer: { allow: true }, by: "person" };
		const items = itemsOf(user, started, command, asked, allowed);
		assert.deepEqual(kinds(items), ["message", "approval", "calls"]);
		const approval = items[1];
		assert.equal(approval?.kind === "approval" && approval.answeredBy, "person");
	});

	it("says a denied or expired approval once", () => {
		const denied: Told = { type: "answered", request: "r1", answer: { allow: false, reason: "no" }, by: "person" };
		const refusal: Told = { type: "result", call: "c1", status: "denied", output: "denied" };
		assert.deepEqual(kinds(itemsOf(user, started, command, asked, denied, refusal)), ["message", "approval"]);
		const expired: Told = { type: "expired", request: "r1" };
		assert.deepEqual(kinds(itemsOf(user, started, command, asked, expired, { ...refusal, status: "cancelled" } as Told)), [
			"message",
			"approval",
		]);
	});

	it("shows a change as a card and the calls behind plans, questions and steps not at all", () => {
		const calls: Told = {
			type: "assistant",
			text: "",
			by: "model",
			calls: ["update_file", "update_step", "present_plan", "ask_question"].map((name) => ({ id: name, name, input: {} })),
		};
		const change: Told = {
			type: "result",
			call: "update_file",
			status: "ok",
			output: "",
			view: { kind: "change", changes: [{ path: "a", action: "update", diff: "", added: 1, removed: 0, after: "" }] },
		};
		assert.deepEqual(kinds(itemsOf(user, started, calls, change)), ["message", "change"]);
	});

	it("tells the newest plan from older versions, and draws it again when a step moves", () => {
		const [first, second] = itemsOf(plan(1), plan(2)).flatMap((item) => (item.kind === "plan" ? [item] : []));
		assert.deepEqual([first?.latest, first?.plan.state, second?.latest, second?.plan.state], [false, "superseded", true, "proposed"]);
		const approved: Told = { type: "role", role: "actor", plan: { planId: "p", version: 2, hash: "h2" }, by: "person" };
		const running = itemsOf(plan(1), plan(2), approved, { type: "step", step_number: 1, status: "running" });
		assert.notEqual(running[1]?.stamp, second?.stamp);
		assert.equal(running[0]?.stamp, first?.stamp);
	});

	it("lets an answer to a question stand in its card alone", () => {
		const reply: Told = { type: "user", text: "y", answers: "q1", by: "person" };
		const items = itemsOf(user, started, question, reply);
		assert.deepEqual(kinds(items), ["message", "question"]);
		const card = items[1];
		assert.deepEqual(card?.kind === "question" && [card.request.state, card.request.answer, card.answeredBy], [
			"answered",
			{ value: "y" },
			"person",
		]);
	});

	it("offers to go on only where nothing has happened since", () => {
		const failed: Told = { type: "ended", outcome: "failed", error: "The server refused." };
		const current = (items: Item[]) => items.flatMap((item) => (item.kind === "failure" ? [item.current] : []));
		assert.deepEqual(current(itemsOf(user, started, failed)), [true]);
		assert.deepEqual(current(itemsOf(user, started, failed, started)), [false]);
		assert.deepEqual(current(itemsOf(user, started, failed, user, started, failed)), [false, true]);
	});

	it("hides what was rewound", () => {
		const items = itemsOf(
			user,
			{ type: "assistant", text: "wrong", by: "model" },
			{ type: "rewound", to: "e2" },
			{ type: "assistant", text: "right", by: "model" },
		);
		assert.deepEqual(
			items.map((item) => item.kind === "message" && item.text),
			["do it", "right"],
		);
	});

	it("names other speakers than the person and the agent", () => {
		const say = (by: Author): Told => ({ type: "user", text: "x", by });
		const items = itemsOf(say("person"), say("api"), say("channel:terminal"), say("agent:docs"));
		assert.deepEqual(
			items.map((item) => item.kind === "message" && [item.speaker, item.author]),
			[
				["person", "You"],
				["other", "Another extension"],
				["other", "terminal"],
				["other", "Agent docs"],
			],
		);
	});

	it("gives the streaming answer the place that the final one takes", () => {
		const before = itemsOf(user, started, { type: "assistant", text: "one", by: "model" });
		const after = itemsOf(user, started, { type: "assistant", text: "one", by: "model" }, { type: "assistant", text: "two", by: "model" });
		assert.equal(nextAnswerKey(before), after.at(-1)?.key);
	});
});
