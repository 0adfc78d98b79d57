// Tests background tasks as items of the conversation: their card, and their messages.
import assert from "node:assert/strict";
import type { Author, EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import type { TaskNews, TaskState } from "../../../src/core/task.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import type { OngoingCall, ShownRequest } from "../../../src/shared/protocol/calls.ts";
import { buildItems, ItemCache } from "../../../webview-ui/conversation/itemCache.ts";
import type { Item, Labels, TaskItem } from "../../../webview-ui/conversation/items.ts";
import { describeTask } from "../../../webview-ui/conversation/tasks.ts";
import { labels as pageLabels } from "../../../webview-ui/state.ts";

const labels: Labels = { role: (id) => id, agent: (id) => `Agent ${id}` };

type Body = EventBody & { by?: Author };

const eventOf = ({ by = "host", ...body }: Body, index: number): TranscriptEvent =>
	({ id: `e${index + 1}`, seq: index + 1, at: "2025-01-15T14:07:00Z", by, turn: "t", ...body }) as TranscriptEvent;
const itemsOf = (...bodies: Body[]): Item[] => buildItems(bodies.map(eventOf).reduce(applyEvent, createTranscript()), labels);

const user: Body = { type: "user", text: "Look in the background", by: "person" };
const calling = (id: string, name: string, input: object): Body => ({
	...{ type: "assistant", text: "", calls: [{ id, name, input }], by: "model" },
});
const spawn = calling("c1", "spawn_subagent", { description: "Look around", input: "Look at everything" });
const delegated = (call = "c1"): Body => ({ type: "delegated", call, task: "k1", agent: "task-explore", depth: 1 });
const task = (state: TaskState, text?: string): Body => ({
	...{ type: "task", task: "k1", state, name: "Look around", ...(text !== undefined && { text }) },
});
const result = (call = "c1"): Body => ({
	...{ type: "result", call, status: "ok", output: "{}", view: { kind: "task", task: "k1", name: "Look around", type: "explore" } },
});
const news = (state: TaskState, text: string, intro = 0): Body[] => {
	const about: TaskNews = { kind: "task", session: "k1", call: "c1", turn: "t", agent: "task-explore", state, intro };
	return [
		{ type: "queued", message: "m1", from: "agent:task-explore", text, about },
		{ type: "user", text, message: "m1", by: "agent:task-explore" },
	];
};
const begun = [user, spawn, delegated(), task("queued"), result()];

const usage = { input: 100, output: 20, cached: 0, cost: 0.5, unpriced: 0 };
const live = (over: Partial<OngoingCall> = {}): OngoingCall => ({
	...{ call: "k1", state: "running", text: "I look.", tools: [], earlierTools: 2, steps: 4, usage, ...over },
});
const approval: ShownRequest = {
	...{ kind: "approval", under: "k1", session: "k1", chain: ["a", "task-explore"] },
	event: eventOf({ type: "asked", request: "r", call: "x", summary: "Run npm test", hash: "h", reason: "No rule." }, 1) as never,
};

function cardIn(items: Item[]): TaskItem {
	const [card, ...others] = items.filter((item) => item.kind === "task");
	assert.deepEqual(others, []);
	assert.ok(card);
	return card;
}

const cardOf = (...bodies: Body[]) => cardIn(itemsOf(...begun, ...bodies));

describe("a background task in the conversation", () => {
	it("has a card in a conversation that was summarized after its call, and one only", () => {
		const compacted: Body = { type: "compacted", archive: "a.jsonl", summary: "In short." };
		const card = cardIn(itemsOf(compacted, delegated(), delegated("c2"), task("done", "I may not.")));
		assert.deepEqual(
			[card.key, describeTask(card, undefined, []).state, describeTask(card, undefined, []).name],
			["task:c1", "done", "Look around"],
		);
	});

	it("has a card in place of the call that started it", () => {
		assert.deepEqual(
			itemsOf(...begun).map(({ kind }) => kind),
			["message", "task"],
		);
	});

	it("keeps one card when it is continued, which is a line", () => {
		const resumed = [calling("c2", "resume_task", { taskId: "k1", input: "Go on" }), delegated("c2"), task("queued"), result("c2")];
		assert.deepEqual(
			itemsOf(...begun, task("failed"), ...resumed).map(({ kind }) => kind),
			["message", "task", "calls"],
		);
	});

	it("has a line alone if it was never started", () => {
		const refused: Body = { type: "result", call: "c1", status: "error", output: "The window is closing." };
		assert.deepEqual(
			itemsOf(user, spawn, refused).map(({ kind }) => kind),
			["message", "calls"],
		);
	});

	const table: [TaskState, Partial<ReturnType<typeof describeTask>>][] = [
		["queued", { text: "I look.", steps: 4, canStop: true, canContinue: false }],
		["running", { text: "I look.", steps: 4, canStop: true, canContinue: false }],
		["waiting", { text: "I look.", waitsFor: "Said.", canStop: true, canContinue: false }],
		["done", { text: "Said.", canStop: false, canContinue: false }],
		["failed", { text: "Said.", canStop: false, canContinue: true }],
		["interrupted", { text: "Said.", steps: 4, canStop: false, canContinue: true }],
		["cancelled", { text: "Said.", canStop: false, canContinue: true }],
	];
	for (const [state, expected] of table) {
		it(`that is ${state} shows its name, type, last message and what can be done`, () => {
			const shown = describeTask(cardOf(task(state, "Said.")), live(), []);
			assert.deepEqual([shown.name, shown.type, shown.state], ["Look around", "explore", state]);
			assert.deepEqual({ ...shown, ...expected }, shown);
			assert.equal(shown.steps, expected.steps ?? (state === "waiting" ? 4 : undefined));
		});
	}

	it("leads from its own conversation to the session that asked, also if a note comes before its turn", () => {
		const caller = { session: "s9", turn: "t1", call: "c1", agent: "default", role: "actor", ceiling: [], depth: 1, chain: ["default"] };
		const [asked] = itemsOf(
			{ type: "queued", message: "m1", from: "agent:default", text: "Look at everything", session: "s9", caller },
			{ type: "user", text: "Look at everything", message: "m1", by: "agent:default" },
			{ type: "status", level: "info", text: "The task works in its own copy of the workspace." },
			{ type: "started", agent: "task-explore", definitionHash: "h", role: "planner", model: "fake/fake", caller },
		);
		assert.ok(asked?.kind === "message");
		assert.deepEqual(asked.call, { kind: "asked", session: "s9" });
	});

	it("shows what it has used once it is over, also after a reload", () => {
		const spent = { steps: 7, tokens: 19_800 };
		const over = describeTask(cardOf({ ...task("done", "Said."), spent } as Body), undefined, []);
		assert.deepEqual([over.steps, over.tokens, over.usage], [7, 19_800, undefined]);
		const again = describeTask(cardOf({ ...task("done"), spent } as Body, task("running")), live(), []);
		assert.deepEqual([again.steps, again.tokens, again.usage], [4, undefined, usage]);
	});

	it("says which request it waits for, and none once it is over", () => {
		assert.equal(describeTask(cardOf(task("running")), live(), [approval]).waitsFor, "Run npm test");
		assert.equal(describeTask(cardOf(task("done")), undefined, [approval]).waitsFor, undefined);
	});

	it("has one line below it for all files that were taken of it at once, with all their names", () => {
		const taken = (path: string): Body => {
			const change = { path, action: "create" as const, diff: "", added: 1, removed: 0, after: "h" };
			return { type: "status", level: "info", text: `Took ${path} from it.`, changes: [change], redo: true, by: "person" };
		};
		const [first, ...others] = itemsOf(taken("a.ts")).filter((item) => item.kind === "note");
		assert.deepEqual([first?.text, first?.detail, others], ["Took a.ts from it.", undefined, []]);
		const all = ["a.ts", "b.ts", "c.ts"].map(taken);
		const [summary, later, ...rest] = itemsOf(...all, user, taken("d.ts")).filter((item) => item.kind === "note");
		assert.equal(summary?.text, "Took a.ts from it. And 2 more.");
		assert.equal(summary.detail, "Took a.ts from it.\nTook b.ts from it.\nTook c.ts from it.");
		assert.deepEqual([later?.text, later?.key, rest], ["Took d.ts from it.", "e5", []]);
	});

	it("has a line of its own for what was taken of another task, and for parts of files", () => {
		const taken = (text: string, path: string): Body => {
			const change = { path, action: "create" as const, diff: "", added: 1, removed: 0, after: "h" };
			return { type: "status", level: "info", text, changes: [change], redo: true, by: "person" };
		};
		const notes = itemsOf(
			taken("Took a.ts from “one”.", "a.ts"),
			taken("Took b.ts from “one”.", "b.ts"),
			taken("Took c.ts from “two”.", "c.ts"),
			taken("Took a part of d.ts from “two”.", "d.ts"),
		).flatMap((item) => (item.kind === "note" ? [item.text] : []));
		assert.deepEqual(notes, ["Took a.ts from “one”. And 1 more.", "Took c.ts from “two”.", "Took a part of d.ts from “two”."]);
	});

	it("is drawn anew with each change of it, however much has happened since, and nothing else is", () => {
		const cache = new ItemCache();
		const transcript = createTranscript();
		const stamps: string[] = [];
		const other: Body[] = [
			{ type: "ended", outcome: "done" },
			user,
			{ type: "started", agent: "a", definitionHash: "h", role: "r", model: "m" },
		];
		const bodies = [
			...begun,
			...other,
			task("running"),
			...news("running", "Half of it."),
			task("waiting", "Which?"),
			...news("done", "All."),
		];
		for (const [index, body] of bodies.entries()) {
			applyEvent(transcript, eventOf(body, index));
			const card = cache.update(transcript, labels).find(({ kind }) => kind === "task");
			if (card && stamps.at(-1) !== card.stamp) stamps.push(card.stamp);
		}
		// Before it is queued, queued, with its result, running, waiting, and done by its message alone.
		assert.equal(stamps.length, 6);
	});
});

describe("a message of a background task", () => {
	const last = (...bodies: Body[]) => {
		const item = itemsOf(...begun, ...bodies).at(-1);
		assert.ok(item?.kind === "message");
		return [item.author, item.call, item.text];
	};

	it("is named by the task, and leaves out what introduces it to the model", () => {
		assert.deepEqual(last(...news("done", "Task k1 is done.\n\nThere are three.", 16)), [
			"Look around",
			{ kind: "reported", session: "k1" },
			"There are three.",
		]);
	});

	it("says how the task stands", () => {
		const causes = (["running", "done", "waiting", "failed", "interrupted"] as const).map((state) => last(...news(state, "Words."))[1]);
		assert.deepEqual(
			causes.map((cause) => (cause as { kind: string }).kind),
			["reported", "reported", "needsInformation", "failed", "interrupted"],
		);
	});

	it("names the state where the task said nothing", () => {
		assert.equal(last(...news("interrupted", "Task k1 was interrupted.", 24))[2], "Interrupted");
	});
});

describe("the agent of a background task", () => {
	it("is labeled by its type where the task is not named", () => {
		assert.deepEqual([pageLabels.value.agent("task-explore"), pageLabels.value.agent("tasker")], ["explore task", "tasker"]);
	});
});
