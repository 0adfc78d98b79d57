// The agent selector of the chat, by keyboard and by pointer: a list of its own that a screen reader takes for a combobox.
import assert from "node:assert/strict";
import { showIn } from "./page.mjs";
import { states } from "./script.mjs";
import { surroundings } from "./told.mjs";

const AGENTS = [
	{ id: "default", label: "General Assistant", icon: "hubot" },
	{ id: "docs", label: "Docs writer", icon: "book", color: "charts.purple" },
	{ id: "design", label: "Designer", icon: "symbol-color", color: "charts.orange" },
	{ id: "review", label: "Reviewer of changes that touch the database and everything that stands behind it", icon: "eye" },
	{ id: "plain", label: "Release notes" },
];

const update = (over = {}) => {
	const known = states.plan.update;
	const around = surroundings({ agents: AGENTS, ...over });
	return { ...known, surroundings: around };
};
const spokenToBy = (agentId) => ({ session: { ...surroundings().session, agentId } });

const openList = async ({ chat }) => {
	await chat.getByRole("combobox", { name: "Agent" }).click();
	await chat.getByRole("option").first().waitFor();
};

export const pickerStates = {
	agentList: { update: update(spokenToBy("docs")), act: openList },
	agentGone: { update: update(spokenToBy("left-long-ago")), act: openList },
	agentListMany: {
		update: update({
			agents: Array.from({ length: 100 }, (_, index) => ({ id: `a${index}`, label: `Agent ${index + 1}` })),
			...spokenToBy("a70"),
		}),
		act: openList,
	},
};

export function agentPicker(test, open) {
	const opened = async (over, options) => {
		const page = await showIn(await open(options), update(over));
		const box = page.chat.getByRole("combobox", { name: "Agent" });
		await box.focus();
		return { ...page, box };
	};
	/** What a screen reader is told is marked; undefined while the list is closed. */
	const marked = (chat) =>
		chat.evaluate(() => {
			const id = document.activeElement?.getAttribute("aria-activedescendant");
			const option = id ? document.getElementById(id) : null;
			return option?.getAttribute("aria-selected") === "true" ? option.getAttribute("aria-label") : undefined;
		});
	const press = async (chat, ...keys) => {
		for (const key of keys) await chat.keyboard.press(key);
		return await marked(chat);
	};

	test("agent selector: it opens by each key that opens a combobox, at the agent that is spoken to, and keeps the focus", async () => {
		const { chat, box } = await opened(spokenToBy("docs"));
		for (const key of ["ArrowDown", "ArrowUp", "Enter", "Space", "Home", "End"]) {
			assert.equal(await box.getAttribute("aria-expanded"), "false");
			assert.equal(await press(chat, key), "Docs writer, current", key);
			assert.equal(await box.getAttribute("aria-expanded"), "true");
			assert.equal(await box.evaluate((button) => button === document.activeElement), true);
			await chat.keyboard.press("Escape");
		}
		assert.equal(await chat.getByRole("listbox").count(), 0);
	});

	test("agent selector: arrows, Home and End move and stop at the ends, Enter and Space choose", async () => {
		const { chat, posted } = await opened();
		assert.equal(await press(chat, "ArrowDown", "ArrowUp"), "General Assistant, current");
		assert.equal(await press(chat, "ArrowDown", "ArrowDown"), "Designer");
		assert.equal(await press(chat, "End"), "Manage agents…");
		assert.equal(await press(chat, "ArrowDown"), "Manage agents…");
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

	test("agent selector: letters find a name, a letter again the next of them, and a space belongs to what is typed", async () => {
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

	test("agent selector: Escape, leaving it and a second click close it and choose nothing; what was typed stays", async () => {
		const { chat, posted, box } = await opened();
		const message = chat.getByRole("textbox", { name: "Message" });
		await message.fill("half a thought");
		await box.focus();
		await press(chat, "ArrowDown", "ArrowDown", "Escape");
		assert.equal(await box.evaluate((button) => button === document.activeElement), true);
		await press(chat, "ArrowDown", "Tab");
		assert.equal(await chat.getByRole("listbox").count(), 0);
		await box.click();
		await box.click();
		assert.equal(await chat.getByRole("listbox").count(), 0);
		assert.equal(await message.inputValue(), "half a thought");
		assert.deepEqual(await posted(), []);
	});

	test("agent selector: “Manage agents…” leads to the page, and choosing the current agent asks for nothing", async () => {
		const { chat, posted, box } = await opened();
		await press(chat, "ArrowDown", "Enter");
		assert.deepEqual(await posted(), []);
		await press(chat, "ArrowDown", "End", "Enter");
		await box.click();
		await chat.getByRole("option", { name: "Manage agents…" }).click();
		assert.deepEqual(await posted(), [
			{ type: "command", command: "manageAgents" },
			{ type: "command", command: "manageAgents" },
		]);
	});

	test("agent selector: an agent that is gone is said to be, and another can take the session on", async () => {
		const { chat, posted, box } = await opened(spokenToBy("left-long-ago"));
		assert.equal(await box.getAttribute("title"), "Agent: left-long-ago (gone)");
		assert.equal(await box.getAttribute("aria-description"), "left-long-ago (gone)");
		assert.equal(await press(chat, "ArrowDown"), "General Assistant");
		await chat.keyboard.press("Enter");
		assert.deepEqual(await posted(), [{ type: "agent", session: "s1", agent: "default" }]);
	});

	test("agent selector: of 100 agents the marked one is always in sight, and names are words, not HTML", async () => {
		const agents = Array.from({ length: 100 }, (_, index) => ({ id: `a${index}`, label: `<b>Agent</b> ${index + 1}` }));
		const { chat, errors } = await opened({ agents, ...spokenToBy("a70") }, { width: 240 });
		const inSight = () =>
			chat.waitForFunction(() => {
				const list = document.querySelector("#agent-list").getBoundingClientRect();
				const { top, bottom } = document.querySelector("#agent-list [aria-selected=true]").getBoundingClientRect();
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
}
