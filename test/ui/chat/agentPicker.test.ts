// The agent selector of the chat, a combobox, by keyboard and by pointer.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { ChatStatus } from "../../../src/shared/protocol/chat.ts";
import { hasFocus, type OpenOptions, openChat, showSnapshot } from "../browser.ts";
import { ofAgent, withAgents } from "../states/agentPicker.ts";

const opened = async (over?: Partial<ChatStatus>, options?: OpenOptions) => {
	const page = await showSnapshot(await openChat(options), withAgents(over));
	const box = page.chat.getByRole("combobox", { name: "Agent" });
	await box.focus();
	return { ...page, box };
};
/** What a screen reader is told is marked; undefined while the list is closed. */
const marked = (chat: Page) =>
	chat.evaluate(() => {
		const id = document.activeElement?.getAttribute("aria-activedescendant");
		const option = id ? document.getElementById(id) : null;
		return option?.getAttribute("aria-selected") === "true" ? option.getAttribute("aria-label") : undefined;
	});
const press = async (chat: Page, ...keys: string[]) => {
	for (const key of keys) await chat.keyboard.press(key);
	return await marked(chat);
};

it("every key that opens a combobox opens the agent selector at the current agent", async () => {
	const { chat, box } = await opened(ofAgent("docs"));
	for (const key of ["ArrowDown", "ArrowUp", "Enter", "Space", "Home", "End"]) {
		assert.equal(await box.getAttribute("aria-expanded"), "false");
		assert.equal(await press(chat, key), "Docs writer, current", key);
		assert.equal(await box.getAttribute("aria-expanded"), "true");
		assert.equal(await hasFocus(box), true);
		await chat.keyboard.press("Escape");
	}
	assert.equal(await chat.getByRole("listbox").count(), 0);
});

it("arrow keys, Home and End move in the agent selector and stop at its ends", async () => {
	const { chat, posted } = await opened();
	assert.equal(await press(chat, "ArrowDown", "ArrowUp"), "General Assistant, current");
	assert.equal(await press(chat, "ArrowDown", "ArrowDown"), "Designer");
	assert.equal(await press(chat, "End"), "Manage Agents…");
	assert.equal(await press(chat, "ArrowDown"), "Manage Agents…");
	assert.equal(await press(chat, "ArrowUp"), "Release notes");
	assert.equal(await press(chat, "Home", "ArrowDown"), "Docs writer");
	assert.deepEqual(await posted(), [], "moving chooses nothing");
	await press(chat, "Enter");
	await press(chat, "ArrowDown", "End", "ArrowUp", "Space");
	await press(chat, "ArrowDown", "Enter");
	assert.deepEqual(await posted(), [
		{ type: "agent", session: "s1", agent: "docs" },
		{ type: "agent", session: "s1", agent: "plain" },
	]);
	assert.equal(await chat.getByRole("listbox").count(), 0);
});

it("typing in the agent selector finds names, and the same letter finds the next", async () => {
	const { chat, posted } = await opened();
	await chat.keyboard.press("ArrowDown");
	assert.equal(await press(chat, "d"), "Docs writer");
	assert.equal(await press(chat, "e"), "Designer");
	await chat.keyboard.press("Escape");
	const other = await opened();
	assert.equal(
		await press(other.chat, "r"),
		"Reviewer of changes that touch the database and everything that stands behind it",
		"it opens it",
	);
	assert.equal(await press(other.chat, "r"), "Release notes", "the next that begins so");
	const third = await opened();
	await third.chat.keyboard.press("ArrowDown");
	assert.equal(await press(third.chat, "d", "o", "c", "s", "Space", "w"), "Docs writer");
	assert.deepEqual(await posted(), []);
	assert.deepEqual(await third.posted(), []);
});

it("Escape, Tab and a second click close the agent selector without a choice", async () => {
	const { chat, posted, box } = await opened();
	const message = chat.getByRole("textbox", { name: "Message" });
	await message.fill("half a thought");
	await box.focus();
	await press(chat, "ArrowDown", "ArrowDown", "Escape");
	assert.equal(await hasFocus(box), true);
	await press(chat, "ArrowDown", "Tab");
	assert.equal(await chat.getByRole("listbox").count(), 0);
	await box.click();
	await box.click();
	assert.equal(await chat.getByRole("listbox").count(), 0);
	assert.equal(await message.inputValue(), "half a thought");
	assert.deepEqual(await posted(), []);
});

it("“Manage Agents…” in the agent selector opens the Manage Agents page", async () => {
	const { chat, posted, box } = await opened();
	await press(chat, "ArrowDown", "Enter");
	assert.deepEqual(await posted(), []);
	await press(chat, "ArrowDown", "End", "Enter");
	await box.click();
	await chat.getByRole("option", { name: "Manage Agents…" }).click();
	assert.deepEqual(await posted(), [
		{ type: "command", command: "manageAgents" },
		{ type: "command", command: "manageAgents" },
	]);
});

it("the agent selector says that a session's agent is gone and offers the others", async () => {
	const { chat, posted, box } = await opened(ofAgent("left-long-ago"));
	assert.equal(await box.getAttribute("title"), "Agent: left-long-ago (not found)");
	assert.equal(await box.getAttribute("aria-description"), "left-long-ago (not found)");
	assert.equal(await press(chat, "ArrowDown"), "General Assistant");
	await chat.keyboard.press("Enter");
	assert.deepEqual(await posted(), [{ type: "agent", session: "s1", agent: "default" }]);
});

it("the marked agent is always visible in an agent selector with 100 agents", async () => {
	const agents = Array.from({ length: 100 }, (_, index) => ({ id: `a${index}`, label: `<b>Agent</b> ${index + 1}` }));
	const { chat, errors } = await opened({ agents, ...ofAgent("a70") }, { width: 240 });
	const inSight = () =>
		chat.waitForFunction(() => {
			const list = (document.querySelector("#agent-list") as Element).getBoundingClientRect();
			const { top, bottom } = (document.querySelector("#agent-list [aria-selected=true]") as Element).getBoundingClientRect();
			return top >= list.top && bottom <= list.bottom && list.top >= 0;
		});
	assert.equal(await press(chat, "ArrowDown"), "<b>Agent</b> 71, current");
	await inSight();
	for (const key of ["End", "Home", "End", "ArrowUp"]) {
		await chat.keyboard.press(key);
		await inSight();
	}
	assert.equal(await marked(chat), "<b>Agent</b> 100");
	assert.equal(await chat.locator("#agent-list b").count(), 0);
	assert.deepEqual(errors, []);
});
