// Events as the pieces that the chat draws.

import assert from "node:assert/strict";
import type { ToolView } from "../../../src/core/eventData/toolView.ts";
import type { Author, EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import type { Transcript } from "../../../src/core/transcript/state.ts";
import { buildItems, ItemCache } from "../../../webview-ui/conversation/itemCache.ts";
import type { Item, Labels } from "../../../webview-ui/conversation/items.ts";
import { searchableParts } from "../../../webview-ui/find/findText.ts";

const labels: Labels = { role: (id) => id.toUpperCase(), agent: (id) => `Agent ${id}` };

type Told = EventBody & { by?: Author };

function eventOf({ by = "host", ...body }: Told, index: number): TranscriptEvent {
	return { id: `e${index + 1}`, seq: index + 1, at: "2025-01-15T14:07:00Z", by, ...body } as TranscriptEvent;
}

function foldOf(...told: Told[]): Transcript {
	return told.map(eventOf).reduce(applyEvent, createTranscript());
}

function itemsOf(...told: Told[]): Item[] {
	return buildItems(foldOf(...told), labels);
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
		const after = itemsOf(user, started, said('Here it is.\n\n```json\n{"goal": "g"}\n```'), { ...plan(1), by: "model" });
		assert.deepEqual(
			after.map((item) => (item.kind === "message" ? item.text : item.kind)),
			["do it", "Here it is.", "plan"],
		);
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

	it("shows what was thought without words among the calls, and before a card that follows it", () => {
		const think = (id: string, name: string): Told => ({
			type: "assistant",
			text: "",
			thinking: `Thought of ${id}`,
			calls: [{ id, name, input: {} }],
			by: "model",
		});
		const runs = (...told: Told[]) =>
			itemsOf(user, started, ...told).map((item): unknown =>
				item.kind === "calls"
					? [item.calls.map(({ call }) => call.id), item.thoughts.map(({ text, callIndex: at }) => [text, at])]
					: item.kind,
			);
		assert.deepEqual(runs(think("a", "read_file"), think("b", "read_file")), [
			"message",
			[
				["a", "b"],
				[
					["Thought of a", 0],
					["Thought of b", 1],
				],
			],
		]);
		assert.deepEqual(runs(think("c1", "execute_command"), asked), ["message", [[], [["Thought of c1", 0]]], "approval"]);
		assert.deepEqual(runs({ type: "assistant", text: "", thinking: "Cut off", by: "model" }), ["message", [[], [["Cut off", 0]]]]);
	});

	it("folds what an agent wrote that speaks in replies, shows its replies whole, and nothing for an answer without words", () => {
		const items = itemsOf(
			user,
			started,
			{
				type: "assistant",
				text: "I greet.",
				thinking: "Hm.",
				unspoken: true,
				by: "model",
				calls: [{ id: "c1", name: "reply", input: {} }],
			},
			{ type: "reply", call: "c1", text: "Hello!", channel: { type: "vscode", channelId: "main" }, by: "model" },
			{ type: "result", call: "c1", status: "ok", output: "Delivered." },
			{ type: "assistant", text: "", unspoken: true, by: "model" },
		);
		assert.deepEqual(
			items.map((item) => (item.kind === "calls" ? item.thoughts.map(({ text }) => text) : item.kind === "message" && item.text)),
			["do it", ["Hm.\n\nI greet."], "Hello!"],
		);
		assert.deepEqual(
			items.flatMap((item) => searchableParts(item, "s").map(({ text }) => text.replaceAll("\0", ""))),
			["do it", "Hello!"],
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
		assert.deepEqual([first?.isLatest, first?.plan.state, second?.isLatest, second?.plan.state], [false, "superseded", true, "proposed"]);
		const approved: Told = { type: "role", role: "actor", plan: { planId: "p", version: 2, hash: "h2" }, by: "person" };
		const running = itemsOf(plan(1), plan(2), approved, { type: "step", step_number: 1, status: "running" });
		assert.notEqual(running[1]?.stamp, second?.stamp);
		assert.equal(running[0]?.stamp, first?.stamp);
	});

	it("counts the versions of a plan on without a gap after one was gone back on", () => {
		const rewound: Told = { type: "rewound", to: "e3" };
		const versions = itemsOf(user, plan(1), user, plan(2), rewound, user, plan(3)).flatMap((item) =>
			item.kind === "plan" ? [item.version] : [],
		);
		assert.deepEqual(versions, [1, 2]);
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
		const current = (items: Item[]) => items.flatMap((item) => (item.kind === "failure" ? [item.isCurrent] : []));
		assert.deepEqual(current(itemsOf(user, started, failed)), [true]);
		assert.deepEqual(current(itemsOf(user, started, failed, started)), [false]);
		assert.deepEqual(current(itemsOf(user, started, failed, user, started, failed)), [false, true]);
	});

	it("knows that a failure says itself what is kept", () => {
		const kept = (items: Item[]) => items.flatMap((item) => (item.kind === "failure" ? [item.kept] : []));
		const failed: Told = { type: "ended", outcome: "failed", error: "The disk is full." };
		assert.deepEqual(kept(itemsOf(user, started, { ...failed, kept: true })), [true]);
		assert.deepEqual(kept(itemsOf(user, started, failed)), [undefined]);
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
		const session = new ItemCache();
		const transcript = foldOf(user, started, { type: "assistant", text: "one", by: "model" });
		session.update(transcript, labels);
		const expected = session.nextAnswerKey;
		applyEvent(transcript, eventOf({ type: "assistant", text: "two", by: "model" }, 3));
		assert.equal(session.update(transcript, labels).at(-1)?.key, expected);
	});

	it("stands as if it were built anew, whatever happens in whatever order", () => {
		for (let seed = 1; seed <= 60; seed += 1) {
			const session = new ItemCache();
			const transcript = createTranscript();
			for (const [index, told] of happenings(seed, 120).entries()) {
				applyEvent(transcript, eventOf(told, index));
				assert.deepEqual(session.update(transcript, labels), buildItems(transcript, labels), `seed ${seed}, event ${index} ${told.type}`);
			}
		}
	});

	it("leaves alone what an event does not touch", () => {
		const session = new ItemCache();
		const transcript = foldOf(user, started, { type: "assistant", text: "one", by: "model" }, { type: "ended", outcome: "done" }, user);
		const before = session.update(transcript, labels);
		applyEvent(transcript, eventOf(started, 5));
		applyEvent(transcript, eventOf({ type: "assistant", text: "two", by: "model" }, 6));
		const after = session.update(transcript, labels);
		assert.equal(after.length, 4);
		for (const at of [0, 1]) assert.equal(after[at], before[at]);
	});
});

/** Everything that can happen to plans, approvals, questions, calls and failures, by a small deterministic dice. */
function happenings(seed: number, count: number): Told[] {
	let state = seed;
	const roll = (sides: number) => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		return Math.floor((state / 2 ** 32) * sides);
	};
	let made = 0;
	const some = (kind: string) => `${kind}${1 + roll(Math.max(1, made))}`;
	const change: ToolView = { kind: "change", changes: [{ path: "a", action: "update", diff: "", added: 1, removed: 0, after: "" }] };
	// A call is asked about at most once before its one result.
	const open = new Set<string>();
	const asked = new Set<string>();
	const questions: string[] = [];
	const openCall = () => [...open][roll(open.size)];
	const tells: (() => Told)[] = [
		() => user,
		() => (questions.length ? ({ ...user, answers: questions[roll(questions.length)] } as Told) : user),
		() => started,
		() => ({ type: "assistant", text: roll(2) ? `answer ${made}` : '{"goal": "g"}', by: "model" }),
		() => {
			made += 1;
			open.add(`c${made}`);
			return { type: "assistant", text: roll(2) ? "and now" : "", calls: [{ id: `c${made}`, name: "read_file", input: {} }], by: "model" };
		},
		() => {
			const call = openCall();
			if (!call) return user;
			open.delete(call);
			return { type: "result", call, status: roll(3) ? "ok" : "error", output: "", ...(roll(2) ? { view: change } : {}) };
		},
		() => {
			const call = openCall();
			if (!call || asked.has(call)) return user;
			asked.add(call);
			return { type: "asked", request: `r${++made}`, call, summary: "s", hash: "h", reason: "r" };
		},
		() => ({ type: "answered", request: some(roll(2) ? "r" : "q"), answer: { allow: roll(2) === 1 }, by: "person" }),
		() => ({ type: "expired", request: some("r") }),
		() => {
			questions.push(`q${++made}`);
			return { type: "question", request: `q${made}`, question: { question: "Really?" } };
		},
		() => plan(made),
		() => ({
			type: "role",
			role: roll(2) ? "actor" : "planner",
			plan: { planId: "p", version: 1 + roll(made + 1), hash: "h" },
			by: "person",
		}),
		() => ({ type: "step", step_number: 1, status: roll(2) ? "running" : "done" }),
		() => ({ type: "ended", outcome: (["done", "failed", "limit", "cancelled"] as const)[roll(4)] ?? "done" }),
		() => ({ type: "status", level: "info", text: "note" }),
		() => (roll(8) ? user : { type: "rewound", to: `e${1 + roll(20)}` }),
	];
	return Array.from({ length: count }, () => (tells[roll(tells.length)] as () => Told)());
}
