// The chat of an agent that speaks in replies: thoughts are folded until asked for, and memory is undone.
import assert from "node:assert/strict";
import { type ChatPage, openChat, showSnapshot } from "../browser.ts";
import type { ChatState } from "../states/events.ts";
import { mainAgentStates } from "../states/mainAgent.ts";

const opened = async ({ update }: ChatState): Promise<ChatPage> =>
	showSnapshot(await openChat({ reducedMotion: "reduce", width: 300 }), update);

it("a thought stays folded until it is opened by mouse or keyboard", async () => {
	const { chat } = await opened(mainAgentStates.mainThoughtsHidden);
	await chat.getByText("Good morning! It is 9:25 in Lisbon.").waitFor();
	const thought = chat.getByText("They want the time in Lisbon.");
	const [first] = await chat.getByRole("button", { name: "Thought" }).all();
	assert.equal(await first?.getAttribute("aria-expanded"), "false");
	assert.equal(await thought.count(), 0);
	await first?.click();
	await thought.waitFor();
	const colors = await Promise.all(
		[thought, chat.getByText("Good morning! It is")].map((part) => part.evaluate((element) => getComputedStyle(element).color)),
	);
	assert.notEqual(colors[0], colors[1], "a thought is dimmed");
	await chat.keyboard.press("Enter");
	await thought.waitFor({ state: "detached" });
	assert.equal(await first?.getAttribute("aria-expanded"), "false");
});

it("a memory that is written is named as its tools name it, and offers Undo", async () => {
	const { chat, posted } = await opened(mainAgentStates.mainMemory);
	const card = chat.locator(".card.change");
	await card.getByText("Memory: person/style.md", { exact: true }).waitFor();
	const turn = chat.getByRole("group", { name: "Changed memory: person/style.md" }).locator(".told");
	assert.equal(await turn.innerText(), "Memory: person/style.md");
	assert.ok(await turn.evaluate((name) => name.scrollWidth <= name.clientWidth), "nothing of it is cut off");
	assert.equal(await chat.getByText("memory:person").count(), 0);
	await card.getByText("Short answers, no lists.").waitFor();
	await card.getByRole("button", { name: "Undo" }).click();
	assert.deepEqual(await posted(), [{ type: "undo", session: "s1", call: "m1", path: "memory:person/style.md" }]);
});

it("written memory files are called memory, and that word is not cut off", async () => {
	const { chat } = await opened(mainAgentStates.mainMemories);
	const line = chat.getByRole("group", { name: "Wrote workspace/naming-of-prices.md in memory" }).locator(".told");
	for (const text of [line, chat.getByRole("group", { name: "Changed 2 memory files" }).locator(".told")]) {
		await text.waitFor();
		assert.ok(await text.evaluate((name) => name.scrollWidth <= name.clientWidth), "nothing of it is cut off");
	}
});

it("an empty chat with the main agent says what the agent is for", async () => {
	const { chat, posted } = await opened(mainAgentStates.mainEmpty);
	const box = chat.getByRole("textbox", { name: "Message", exact: true });
	assert.match((await box.getAttribute("placeholder")) ?? "", /^Ask, or hand over a task/);
	await chat.getByRole("button", { name: "What can you do for me?" }).click();
	assert.deepEqual(await posted(), [{ type: "send", session: "s1", text: "What can you do for me?" }]);
});

it("an undelivered reply shows its text and why delivery failed", async () => {
	const { chat } = await opened(mainAgentStates.mainUndelivered);
	const shown = chat.getByRole("group", { name: "Reply not delivered" });
	await shown.getByText("This reply wasn't delivered: The terminal is closed.").waitFor();
	await shown.getByText("Hello! I have two ideas.").waitFor();
	assert.equal(await chat.getByText("Failed: Reply").count(), 0);
});
