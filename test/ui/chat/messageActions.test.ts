// The actions of a message by pointer and by keyboard, and while a turn runs.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { DisplayEvent } from "../../../src/shared/protocol/chat.ts";
import { boxOf, openChat } from "../browser.ts";
import { event, model, snapshot, started, user } from "../states/events.ts";

const talk = () => [
	user("First"),
	started("planner"),
	model({ text: "One." }),
	event("ended", { outcome: "done" }),
	user("Second"),
	started("planner"),
	model({ text: "Two." }),
];
const shown = async (events: DisplayEvent[]) => {
	const page = await openChat();
	await page.send(snapshot(events));
	await page.chat.getByText("Two.").waitFor();
	await page.posted();
	return page;
};
const names = (bar: Locator) =>
	bar.getByRole("button").evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label")));
const message = (chat: Page, text: string) => chat.getByRole("article", { name: "You" }).filter({ hasText: text });

it("every message of the person has Undo to Here, and the last can be edited", async () => {
	const { chat, posted } = await shown([...talk(), event("ended", { outcome: "done" })]);
	const answer = chat.getByRole("article", { name: "General Assistant" }).last().getByRole("toolbar");
	assert.deepEqual(await names(answer), ["Copy", "Retry"]);
	await answer.getByRole("button", { name: "Retry" }).click();
	await message(chat, "First").hover();
	assert.deepEqual(await names(message(chat, "First")), ["Copy", "Undo to Here"]);
	await message(chat, "First").getByRole("button", { name: "Undo to Here" }).click();
	const intents = await posted();
	assert.deepEqual(
		intents.map(({ type }) => type),
		["retry", "rewind"],
	);
	await message(chat, "Second").getByRole("toolbar").focus();
	await chat.keyboard.press("ArrowRight");
	await chat.keyboard.press("Enter");
	const box = chat.getByRole("textbox", { name: "Edit message" });
	await box.fill("Third");
	await box.press("Enter");
	const [intent] = await posted();
	assert.ok(intent?.type === "resend");
	assert.equal(intent.text, "Third");
	await box.press("Escape");
	assert.equal(await box.count(), 0);
});

it("a message can only be copied while a turn runs", async () => {
	const { chat, posted } = await shown(talk());
	await message(chat, "Second").hover();
	assert.deepEqual(await names(message(chat, "Second")), ["Copy"]);
	await message(chat, "Second").getByRole("button", { name: "Copy" }).click();
	const [intent] = await posted();
	assert.ok(intent?.type === "copy");
	assert.equal(intent.text, "Second");
});

it("the actions of a person's message cover nothing of its text", async () => {
	const { chat } = await shown([...talk(), event("ended", { outcome: "done" })]);
	const said = message(chat, "Second");
	await said.hover();
	const bar = said.getByRole("toolbar");
	const copy = bar.getByRole("button", { name: "Copy" });
	const [button, text] = [await boxOf(bar), await boxOf(said.locator("p"))];
	assert.ok(button.y + button.height <= text.y, `they end at ${button.y + button.height}, and the text begins at ${text.y}`);
	await chat.mouse.move(button.x + button.width - 8, text.y + 4);
	await chat.mouse.move(button.x + button.width - 8, button.y + 4, { steps: 8 });
	assert.equal(await copy.count(), 1);
});
