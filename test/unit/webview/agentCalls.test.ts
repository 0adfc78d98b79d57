// Tests calls of other agents as items of the conversation: their card, and messages between agents.
import assert from "node:assert/strict";
import type { AnsweredCall, Caller, CallView } from "../../../src/core/caller.ts";
import type { Author, EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import type { OngoingCall, ShownRequest } from "../../../src/shared/protocol/calls.ts";
import type { ChatStatus, Update } from "../../../src/shared/protocol/chat.ts";
import { beginningOf, describeAgentCall } from "../../../webview-ui/conversation/agentCalls.ts";
import { buildItems, ItemCache } from "../../../webview-ui/conversation/itemCache.ts";
import type { AgentCallItem, Item, Labels } from "../../../webview-ui/conversation/items.ts";
import { applyUpdate, calledRequests, ongoingCalls } from "../../../webview-ui/state.ts";

const labels: Labels = { role: (id) => id, agent: (id) => `Agent ${id}` };

type Body = EventBody & { by?: Author; at?: string };

const eventOf = ({ by = "host", at = "2025-01-15T14:07:00Z", ...body }: Body, index: number): TranscriptEvent =>
	({ id: `e${index + 1}`, seq: index + 1, at, by, turn: "t", ...body }) as TranscriptEvent;

const itemsOf = (...bodies: Body[]): Item[] => buildItems(bodies.map(eventOf).reduce(applyEvent, createTranscript()), labels);

const user: Body = { type: "user", text: "Ask for a draft", by: "person" };
const started: Body = { type: "started", agent: "a", definitionHash: "h", role: "planner", model: "m" };
const message: Extract<Body, { type: "assistant" }> = {
	type: "assistant",
	text: "",
	calls: [
		{ id: "c0", name: "read_file", input: { path: "a.ts" } },
		{ id: "c1", name: "agents_message", input: { agentId: "b", content: "Write a draft" } },
	],
	by: "model",
};
const delegated: Body = { type: "delegated", call: "c1", session: "s2", agent: "b", mode: "sync", depth: 1, responseId: "t2" };
const usage = { input: 100, output: 20, cached: 0, cost: 0.5, unpriced: 0 };
const view = (over: Partial<CallView> = {}): CallView => ({
	...{ kind: "agent", agent: "b", session: "s2", turn: "t2", mode: "sync", status: "complete", text: "A draft." },
	...{ tools: [{ name: "read_file", durationMs: 1_000 }], durationMs: 12_000, usage, ...over },
});
const result = (over: Partial<CallView> = {}): Body => ({ type: "result", call: "c1", status: "ok", output: "{}", view: view(over) });
const plain = (status: "error" | "cancelled" | "unknown"): Body => ({
	type: "result",
	call: "c1",
	status,
	output: "It is busy.\nTry later.",
});
const about = (over: Partial<AnsweredCall> = {}): AnsweredCall => ({
	...{ kind: "answer", call: "c1", turn: "t", agent: "b", session: "s2", status: "complete", usage, ...over },
});
const late = (over?: Partial<AnsweredCall>): Body => ({
	...{ type: "queued", message: "m1", from: "agent:b", text: "A late draft.", about: about(over), at: "2025-01-15T14:12:00Z" },
});
const taken: Body = { type: "user", text: "A late draft.", message: "m1", by: "agent:b" };

const live = (over: Partial<OngoingCall> = {}): OngoingCall => ({
	...{ call: "c1", state: "running", tools: [], earlierTools: 0, steps: 1, usage, ...over },
});
const approval: ShownRequest = {
	...{ kind: "approval", under: "c1", session: "s2", chain: ["a", "b"] },
	event: eventOf({ type: "asked", request: "r", call: "x", summary: "Run npm test", hash: "h", reason: "No rule." }, 1) as never,
};

function callIn(items: Item[]): AgentCallItem {
	const item = items.find(({ kind }) => kind === "agentCall");
	assert.ok(item?.kind === "agentCall");
	return item;
}

const called = (...bodies: Body[]) => callIn(itemsOf(user, started, message, delegated, ...bodies));

describe("a call of another agent in the conversation", () => {
	it("has a card in place of its line, and no note", () => {
		assert.deepEqual(
			itemsOf(user, started, message, delegated).map(({ kind }) => kind),
			["message", "calls", "agentCall"],
		);
	});

	const table: [string, Body[], OngoingCall | undefined, ShownRequest[], string][] = [
		["is queued until its turn begins", [], live({ state: "queued" }), [], "queued"],
		["runs, also before the host has sent anything", [], undefined, [], "running"],
		["waits for the user with a pending request", [], live({ state: "waiting" }), [approval], "waiting: Run npm test"],
		["is completed with its result", [result()], live(), [], "completed"],
		["has failed with the reason", [plain("error")], undefined, [], "failed: It is busy."],
		["has failed at the step limit", [result({ status: "error", outcome: "limit" })], undefined, [], "failed: step limit reached"],
		["was stopped in its own session", [result({ status: "error", outcome: "cancelled" })], undefined, [], "stopped"],
		["was stopped with its caller", [plain("cancelled")], undefined, [], "stopped"],
		[
			"was stopped while it waited for an answer",
			[{ ...result({ status: "error", outcome: "superseded" }), status: "cancelled" } as Body],
			undefined,
			[],
			"stopped",
		],
		["has an unknown outcome after a crash", [plain("unknown")], undefined, [], "unknown"],
		["has timed out while its answer is to come", [result({ status: "timeout" })], live(), [], "timeout"],
		[
			"says after a reload what it waited for",
			[result({ status: "timeout", waits: { kind: "question", text: "Which?" } })],
			undefined,
			[],
			"waiting: Which?",
		],
		["runs in the background", [result({ status: "started", mode: "async" })], live(), [], "running"],
		["has an answer that waits for a turn", [result({ status: "timeout" }), late()], undefined, [], "answered"],
		["has a delivered answer", [result({ status: "timeout" }), late(), taken], undefined, [], "delivered"],
		["has failed after its timeout", [result({ status: "timeout" }), late({ status: "error" })], undefined, [], "failed"],
	];
	for (const [what, bodies, now, requests, expected] of table) {
		it(what, () => {
			const { state, detail } = describeAgentCall(called(...bodies), now, requests);
			assert.equal(detail === undefined ? state : `${state}: ${detail}`, expected);
		});
	}

	it("shows what the host sends while it runs, and what its result has afterwards", () => {
		const tools = [{ call: { id: "x", name: "search_code", input: { pattern: "y" } } }];
		const running = describeAgentCall(called(), live({ text: "I look.", tools, earlierTools: 2 }), []);
		assert.deepEqual([running.text, running.tools, running.earlierTools, running.canStop], ["I look.", tools, 2, true]);
		const ended = describeAgentCall(called(result()), live({ text: "I look.", tools }), []);
		assert.deepEqual([ended.text, ended.durationMs, ended.usage, ended.canStop], ["A draft.", 12_000, usage, false]);
		assert.deepEqual(
			ended.tools.map(({ call, durationMs }) => [call.name, durationMs]),
			[["read_file", 1_000]],
		);
	});

	it("shows a late answer's text until it is a message of the conversation, and how long it took", () => {
		const waiting = describeAgentCall(called(result({ status: "timeout" }), late()), undefined, []);
		assert.deepEqual([waiting.text, waiting.durationMs, waiting.usage], ["A late draft.", 300_000, usage]);
		assert.equal(describeAgentCall(called(result({ status: "timeout" }), late(), taken), undefined, []).text, "");
	});

	it("is drawn anew with each event that changes it, however much has happened since", () => {
		const cache = new ItemCache();
		const transcript = createTranscript();
		const stamps = new Set<string>();
		const only: Body = { ...message, calls: message.calls?.slice(1) ?? [] };
		const bodies = [
			user,
			started,
			only,
			delegated,
			result({ status: "timeout" }),
			{ type: "ended", outcome: "done" } as const,
			user,
			late(),
			taken,
		];
		for (const [index, body] of bodies.entries()) {
			applyEvent(transcript, eventOf(body, index));
			const item = cache.update(transcript, labels).find(({ kind }) => kind === "agentCall");
			if (item) stamps.add(item.stamp);
		}
		assert.equal(stamps.size, 4);
	});

	it("shows the beginning of a long message, cut between words or lines", () => {
		assert.equal(beginningOf("One line."), "One line.");
		assert.equal(beginningOf("1\n2\n3\n4\n5\n6\n7"), "1\n2\n3\n4\n5\n6 …");
		const long = beginningOf("word ".repeat(500));
		assert.ok(long.length < 500 && long.endsWith("word …"));
	});
});

describe("a message between agents", () => {
	const caller: Caller = { session: "s1", turn: "t1", call: "c1", agent: "a", role: "planner", ceiling: [], depth: 1, chain: ["a"] };
	const asked: Body = { type: "asked", request: "r", call: "c0", summary: "Read", hash: "h", reason: "No rule." };
	const messages = (items: Item[]) => items.flatMap((item) => (item.kind === "message" ? [[item.author, item.call]] : []));

	it("says in the called session who asked, and which session to open", () => {
		const items = itemsOf({ type: "user", text: "Write a draft", by: "agent:a", message: "t2" }, { ...started, caller });
		assert.deepEqual(messages(items), [["Agent a", { kind: "asked", session: "s1" }]]);
	});

	it("says in the calling session who answered", () => {
		const items = itemsOf(user, started, message, delegated, result({ status: "timeout" }), late(), taken, started);
		assert.deepEqual(messages(items).at(-1), ["Agent b", { kind: "answered", session: "s2" }]);
	});

	it("leaves out what introduces the answer to the model, in the message and on the card", () => {
		const introduced = { ...late({ intro: 7 }), text: "Answer:\n\nA late draft." } as Body;
		const item = itemsOf(user, started, message, delegated, introduced, { ...taken, text: "Answer:\n\nA late draft." } as Body).at(-1);
		assert.equal(item?.kind === "message" && item.text, "A late draft.");
		assert.equal(describeAgentCall(called(introduced), undefined, []).text, "A late draft.");
	});

	it("names who called whom on an approval of the called turn, and not on one of the user's own", () => {
		const chain = (begin: Body) => itemsOf(user, begin, message, asked).flatMap((item) => (item.kind === "approval" ? [item.chain] : []));
		assert.deepEqual(chain({ ...started, caller, agent: "b" }), [["a", "b"]]);
		assert.deepEqual(chain(started), [[]]);
		const text: Body = { type: "assistant", text: "Still at it.", by: "model" };
		const long = itemsOf(user, { ...started, caller, agent: "b" }, ...Array.from({ length: 250 }, () => text), message, asked);
		assert.deepEqual(
			long.flatMap((item) => (item.kind === "approval" ? [item.chain] : [])),
			[["a", "b"]],
			"also in a long turn",
		);
	});
});

describe("what the page holds of called sessions", () => {
	const show = (sessionId: string) => {
		const status = { session: { sessionId, agentId: "a", role: "planner" }, roles: [], agents: [] } as unknown as ChatStatus;
		applyUpdate({ type: "snapshot", events: [], status, live: "", token: "t" });
	};
	const send = (update: Omit<Extract<Update, { type: "called" }>, "type">) => applyUpdate({ type: "called", ...update });
	const held = () => [[...ongoingCalls.value.keys()], calledRequests.value.map(({ under }) => under)];

	after(() => {
		applyUpdate({ type: "snapshot", events: [], status: { roles: [], agents: [] } as unknown as ChatStatus, live: "", token: "t" });
	});

	it("is what was sent last; requests stay until others are sent", () => {
		show("s1");
		send({ session: "s1", calls: [live()], requests: [approval] });
		send({ session: "s1", calls: [live({ text: "More" })] });
		assert.deepEqual(held(), [["c1"], ["c1"]]);
		send({ session: "s1", calls: [], requests: [] });
		assert.deepEqual(held(), [[], []]);
	});

	it("is kept over a new snapshot of the session, and dropped with another session", () => {
		show("s1");
		send({ session: "s1", calls: [live()], requests: [approval] });
		show("s1");
		assert.deepEqual(held(), [["c1"], ["c1"]]);
		show("s2");
		assert.deepEqual(held(), [[], []]);
		send({ session: "s1", calls: [live()], requests: [approval] });
		assert.deepEqual(held(), [[], []]);
	});
});
