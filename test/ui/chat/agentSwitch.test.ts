// The card that offers another agent, the way back, and the summary that waits for the next message.
import assert from "node:assert/strict";
import type { DisplayEvent } from "../../../src/shared/protocol/chat.ts";
import { clickByScript, continueSession, hasFocus, openChat, showSnapshot } from "../browser.ts";
import { MESSAGE, offered, SUMMARY, switchStates } from "../states/agentSwitch.ts";
import { chatStatus, event, snapshot } from "../states/events.ts";

async function offer(events: DisplayEvent[] = offered()) {
	const page = await showSnapshot(await openChat(), snapshot(events));
	const card = page.chat.getByRole("region", { name: "Switch to Docs writer" });
	return {
		...page,
		page,
		card,
		message: card.getByRole("textbox", { name: "Message to Docs writer" }),
		button: card.getByRole("button", { name: "Switch to Docs writer" }),
		ready: () => page.chat.locator('.agent-switch .primary[aria-disabled="false"]').waitFor(),
	};
}

it("an offer to switch shows its message and sends exactly the text as edited", async () => {
	const { card, message, button, ready, posted, chat } = await offer();
	assert.equal(await message.inputValue(), MESSAGE);
	await card.getByText("A summary of this conversation goes along.").waitFor();
	assert.equal(await card.getByRole("button").count(), 2, "the other one dismisses it");
	assert.equal(await chat.getByText("Offered to switch").count(), 0, "the card stands for the call");
	await message.fill("Only the \\@changes.\nIn German.");
	await ready();
	await button.click();
	assert.deepEqual(await posted(), [
		{ type: "switchAgent", session: "s1", request: "w1", message: "Only the \\@changes.\nIn German.", token: "token-1" },
	]);
});

it("an offer to switch can't be taken by a script or without a message", async () => {
	const { message, button, ready, posted } = await offer();
	await button.click({ force: true });
	assert.deepEqual(await posted(), [], "too early");
	await ready();
	await clickByScript(button);
	await message.fill("  ");
	await button.click({ force: true });
	assert.deepEqual(await posted(), []);
});

it("an offer to switch can be reached and taken by keyboard", async () => {
	const { message, button, ready, posted, chat, page } = await offer();
	await page.send({ type: "focus", where: "approval" });
	await chat.keyboard.press("Tab");
	await chat.keyboard.press("Tab");
	assert.ok(await hasFocus(message));
	await chat.keyboard.press("Control+End");
	await chat.keyboard.press("Enter");
	await chat.keyboard.type("Thanks");
	assert.deepEqual(await posted(), []);
	await ready();
	await chat.keyboard.press("Tab");
	assert.ok(await hasFocus(button));
	await chat.keyboard.press("Enter");
	const [intent] = await posted();
	assert.ok(intent?.type === "switchAgent");
	assert.equal(intent.message, `${MESSAGE}\nThanks`);
});

it("text typed into an offer to switch survives a reload of the page", async () => {
	const events = offered();
	const { message, chat, page } = await offer(events);
	await message.fill("Mine");
	await chat.evaluate(() => window.dispatchEvent(new Event("pagehide")));
	await chat.reload();
	await page.send(snapshot(events));
	assert.equal(await message.inputValue(), "Mine");
});

it("an offer to switch can be dismissed, and then says what became of the offer", async () => {
	const events = offered();
	const { card, posted, page, chat } = await offer(events);
	await card.getByRole("button", { name: "Dismiss" }).click();
	assert.deepEqual(await posted(), [{ type: "dismiss", session: "s1", request: "w1" }]);
	await continueSession(page, events)(event("answered", { request: "w1", answer: { allow: false } }, "person"));
	await chat.getByRole("group", { name: "Switch to Docs writer" }).getByText("Dismissed").waitFor();
	assert.equal(await card.count(), 0);
	const taken = await showSnapshot(await openChat(), switchStates.switchTaken.update);
	await taken.chat.getByRole("group", { name: "Switch to Docs writer" }).getByText("Switched").waitFor();
});

it("a session that the person switched to offers the way back above the composer", async () => {
	const { chat, posted, send } = await showSnapshot(await openChat(), switchStates.switchedHere.update);
	await chat.getByText("From General Assistant", { exact: true }).waitFor();
	await chat.getByRole("button", { name: "Return with Summary" }).click();
	await chat.getByRole("button", { name: "Stay Here" }).click();
	assert.deepEqual(await posted(), [
		{ type: "switchedHere", session: "s1", how: "return" },
		{ type: "switchedHere", session: "s1", how: "stay" },
	]);
	await send({ type: "status", status: chatStatus({ switchedFrom: { agent: "General Assistant", deleted: true } }) });
	await chat.getByText("You came from General Assistant. That session was deleted.").waitFor();
	assert.equal(await chat.getByRole("button", { name: "Return with Summary" }).count(), 0);
});

it("a summary brought back from another agent is a chip that can be removed", async () => {
	const { chat, posted } = await showSnapshot(await openChat(), snapshot(offered(), { attached: [SUMMARY] }));
	const chips = chat.getByRole("list", { name: "Context for this message" });
	await chips.getByRole("button", { name: SUMMARY.label, exact: true }).click();
	assert.ok(await chat.getByRole("button", { name: "Send" }).isDisabled());
	await chips.getByRole("button", { name: `Remove ${SUMMARY.label}` }).click();
	assert.ok(await hasFocus(chat.getByRole("textbox", { name: "Message", exact: true })));
	const { blob } = SUMMARY;
	assert.deepEqual(await posted(), [
		{ type: "draftAttachment", session: "s1", blob, how: "open" },
		{ type: "draftAttachment", session: "s1", blob, how: "remove" },
	]);
});
