// The chat of an agent that speaks in replies: its thoughts folded and unfolded, and its replies.
import type { ChatPage } from "../browser.ts";
import { type ChatState, call, change, ended, event, model, result, snapshot, started, user, view } from "./events.ts";

const main = { agents: [{ id: "default", label: "General Assistant" }] };
const channel = { type: "vscode", channelId: "main" };

const thought = (text: string, calls: ReturnType<typeof call>[] = [], thinking?: string) =>
	model({ text, calls, unspoken: true, ...(thinking !== undefined && { thinking }) });

const reply = (id: string, text: string) => [
	event("reply", { call: id, text, channel }, "model"),
	result(id, "Delivered.", { kind: "text" }),
];

const morning = () => [
	user("Good morning! How late is it in Lisbon?", { channel }),
	started("planner"),
	thought("They want the time in Lisbon. I can look that up myself.", [call("c1", "current_time", { timezone: "Europe/Lisbon" })]),
	result("c1", "Thursday, 15 January 2026, 09:25 (Europe/Lisbon, UTC+0)"),
	thought("It's 9:25 there. I say so, and greet back.", [call("c2", "reply", { text: "Good morning!", channelId: "main" })]),
	...reply("c2", "Good morning! It is **9:25** in Lisbon."),
	thought("That is all they asked."),
	ended("done"),
	user("Thanks!", { channel }),
	started("planner"),
	thought("An acknowledgment. Nothing to say.", [], "Thanks need no answer."),
	ended("done"),
];

const STYLE = "memory:person/style.md";

const PRICES = "memory:workspace/naming-of-prices.md";
const more = () => [
	thought("And the prices.", [call("m3", "memory_write", { path: "workspace/naming-of-prices.md", content: "In cents.\n" })]),
	result("m3", "Created", view(change(PRICES, { action: "create", added: 1, removed: 0, diff: "@@ -0,0 +1 @@\n+In cents.\n" }))),
];

const remembered = (further: () => ReturnType<typeof more> = () => []) => [
	user("Remember that I like short answers", { channel }),
	started("planner"),
	thought("That holds for long.", [
		call("m1", "memory_write", { path: "person/style.md", content: "How to talk\n\nShort answers, no lists.\n" }),
	]),
	result(
		"m1",
		"Created",
		view(change(STYLE, { action: "create", added: 3, removed: 0, diff: "@@ -0,0 +1,3 @@\n+How to talk\n+\n+Short answers, no lists.\n" })),
	),
	...further(),
	thought("", [call("m2", "reply", { text: "I keep that in mind.", channelId: "main" })]),
	...reply("m2", "I keep that in mind."),
	ended("done"),
];

const undelivered = () => [
	user("Say hello", { channel }),
	started("planner"),
	thought("I greet back.", [call("u1", "reply", { text: "Hello! I have **two** ideas.", channelId: "cli" })]),
	result("u1", "Not delivered: The terminal is closed.", undefined, "error"),
	ended("done"),
];

async function showThoughts({ chat }: ChatPage): Promise<void> {
	for (const button of await chat.getByRole("button", { name: "Thought" }).all()) await button.click();
}

export const mainAgentStates = {
	mainOffline: { update: snapshot([], { ...main, talks: true, suggestions: [] }) },
	mainEmpty: {
		update: snapshot([], {
			...main,
			talks: true,
			model: { id: "openai/gpt-5", name: "GPT-5", why: "The model is set in troupe.model.", offline: false },
			suggestions: ["What can you do for me?", "What do you remember about me and this workspace?"],
		}),
	},
	mainUndelivered: { update: snapshot(undelivered(), main) },
	mainMemories: { update: snapshot(remembered(more), main) },
	mainMemory: { update: snapshot(remembered(), main) },
	mainThoughtsHidden: { update: snapshot(morning(), main) },
	mainThoughtsShown: { update: snapshot(morning(), main), act: showThoughts },
} satisfies Readonly<Record<string, ChatState>>;
