// Builders for what the host sends to the chat: status, events of a session, and snapshots.

import type { ToolView } from "../../../src/core/eventData/toolView.ts";
import type { Author, EventBody, EventOf, FileChange, Plan, Question, SessionSummary, ToolCall } from "../../../src/core/events.ts";
import type { ChatStatus, ContextUsage, DisplayEvent, Update } from "../../../src/shared/protocol/chat.ts";
import type { ChatPage, Snapshot } from "../browser.ts";

/** A chat that can be shown: a snapshot, what is sent after it, and what the person has done by then. */
export interface ChatState {
	update: Snapshot;
	after?: readonly Update[];
	act?(page: ChatPage): Promise<unknown>;
}

export const session: SessionSummary = {
	sessionId: "s1",
	agentId: "default",
	createdAt: at(0),
	updatedAt: at(0),
	messageCount: 0,
	role: "planner",
	name: "Rename formatPrice",
};

export const chatStatus = (over: Partial<ChatStatus> = {}): ChatStatus => ({
	session,
	roles: [
		{ id: "planner", label: "Planner", icon: "lightbulb", primary: true },
		{ id: "actor", label: "Actor", icon: "run", primary: true },
		{ id: "reviewer", label: "Reviewer", primary: false },
	],
	agents: [
		{ id: "default", label: "General Assistant" },
		{ id: "docs", label: "Docs writer" },
	],
	acts: true,
	model: { id: "offline/offline", name: "Offline", why: "no key and no local server were found", offline: true },
	approval: "plan",
	context: contextUsage(),
	recent: [],
	suggestions: ["Rename formatPrice to formatMoney everywhere", "Explain src/cart.ts", "Run the tests"],
	queued: [],
	slash: [
		{ name: "plan", description: "Switch to Planner to explore and plan", argument: "task" },
		{ name: "act", description: "Switch to Actor to make changes", argument: "task" },
		{ name: "new", description: "Start a new session with this agent", argument: "first message" },
		{ name: "clear", description: "Clear the messages in this session" },
		{ name: "model", description: "Select a model" },
		{ name: "agent", description: "Select an agent", argument: "name" },
		{ name: "compact", description: "Summarize earlier messages to free up context" },
		{ name: "export", description: "Export this session as a document" },
		{ name: "help", description: "Show the available commands" },
	],
	...over,
});

/** A context window that is a quarter full, at known prices. */
export function contextUsage(over: Partial<ContextUsage> = {}): ContextUsage {
	const totals = (times: number) => ({
		input: 12_400 * times,
		output: 780 * times,
		cached: 9_100 * times,
		cost: 0.0184 * times,
		unpriced: 0,
	});
	const parts = { system: 420, tools: 1_380, messages: 2_150, answers: 6_020, outputs: 31_400, attachments: 4_100, images: 1_500 };
	return { used: 46_970, basis: "since", window: 200_000, parts, priced: true, turn: totals(1), session: totals(9), ...over };
}

/** Of a model whose window and price nobody knows. */
export function unknownUsage(): ContextUsage {
	const { window: _, ...known } = contextUsage();
	const unpriced = { input: 12_000, output: 300, cached: 0, cost: 0, unpriced: 2 };
	return { ...known, priced: false, turn: unpriced, session: unpriced };
}

function at(seconds: number): string {
	return new Date(Date.UTC(2025, 0, 15, 14, 7) + seconds * 1_000).toISOString();
}

let seq = 0;
let turns = 0;

export type Fields<Type extends EventBody["type"]> = Omit<Extract<EventBody, { type: Type }>, "type">;

/** The next event of the turn that was begun last. */
export function event<Type extends EventBody["type"]>(
	type: Type,
	fields: Fields<Type>,
	by: Author = "host",
	turn = `t${turns}`,
): EventOf<Type> {
	seq += 1;
	return { id: `e${seq}`, seq, at: at(seq), by, turn, type, ...fields } as EventOf<Type>;
}

export const model = (fields: Fields<"assistant">) => event("assistant", fields, "model");
export const call = (id: string, name: string, input: unknown): ToolCall => ({ id, name, input });
export const result = (id: string, output: string, view?: ToolView, status: Fields<"result">["status"] = "ok") =>
	event("result", { call: id, status, output, ...(view ? { view } : {}) });
export const user = (text: string, fields: Partial<Fields<"user">> = {}) => event("user", { text, ...fields }, "person");
export const started = (role: string) => {
	turns += 1;
	return event("started", { agent: "default", definitionHash: "h", role, model: "offline/offline" });
};

export const ended = (outcome: Fields<"ended">["outcome"], more: Partial<Fields<"ended">> = {}) => event("ended", { outcome, ...more });

export function snapshot(events: DisplayEvent[], over: Partial<ChatStatus> = {}, live = ""): Snapshot {
	return { type: "snapshot", events, status: chatStatus(over), live, token: "token-1" };
}

const plan: Plan = {
	goal: "Rename formatPrice to formatMoney",
	steps: [
		{ step_number: 1, action: "Rename the function in `src/money.ts`", tools_needed: ["update_file"], reason: "It is defined there" },
		{
			step_number: 2,
			action: "Update 4 calls in `src/cart.ts`, `src/invoice.ts`",
			reason: "They import it by name",
			tools_needed: ["read_file"],
		},
		{ step_number: 3, action: "Update the tests", tools_needed: ["update_file"] },
		{ step_number: 4, action: "Run the tests", tools_needed: ["execute_command"], estimated_time: "20 s" },
	],
	risks: ["Public API: callers outside break"],
	prerequisites: ["Dependencies are installed"],
	estimated_total_time: "1 min",
};
export const planEvent = (version: number, over: Partial<Plan> = {}) =>
	event("plan", { plan: { ...plan, ...over }, planId: "p1", version, hash: `hash-${version}`, basis: { files: [] } }, "model");

export const change = (path: string, over: Partial<FileChange> = {}): FileChange => ({
	path,
	action: "update",
	added: 2,
	removed: 2,
	after: "x",
	diff: [
		"@@ -10,7 +10,7 @@",
		" export function total(items: Item[]) {",
		"-  return formatPrice(sum(items));",
		"+  return formatMoney(sum(items));",
		" }",
		" ",
		"@@ -31,3 +31,3 @@",
		" ",
		"-export const label = (item: Item) => `${item.name}: ${formatPrice(item.price)}, taxes included where they apply`;",
		"+export const label = (item: Item) => `${item.name}: ${formatMoney(item.price)}, taxes included where they apply`;",
	].join("\n"),
	...over,
});
/** As a card shows it. */
export const view = (...changes: FileChange[]): Extract<ToolView, { kind: "change" }> => ({ kind: "change", changes });
export const created = "@@ -0,0 +1,3 @@\n+# Changelog\n+\n+- formatPrice is now formatMoney\n";
export const edit = (id: string, path: string, over?: Partial<FileChange>) => [
	model({ text: "", calls: [call(id, "update_file", { path, old: "formatPrice", new: "formatMoney" })] }),
	result(id, "Edited", view(change(path, over))),
];

export const asked = (over: Partial<Fields<"asked">> = {}) =>
	event("asked", {
		request: "r1",
		call: "c6",
		summary: "Run npm test",
		hash: "hash-c6",
		reason: "No rule allows this yet. Runs in shop.",
		session: ["Allows npm test in this session until its definition in package.json changes."],
		always: ["Allows npm test in this workspace until its definition in package.json changes."],
		...over,
	});

export const question = (over: Partial<Question> = {}) =>
	event(
		"question",
		{
			request: "q1",
			question: {
				question: "Update the changelog as well?",
				context: "`CHANGELOG.md` lists renames of public functions.",
				severity: "minor",
				options: [
					{ label: "Yes, add an entry", value: "yes", description: "Under “Changed”, with the old name" },
					{ label: "No, leave it", value: "no" },
				],
				default: "no",
				allow_custom: true,
				...over,
			},
		},
		"model",
	);
