// What can be done with a message, in the hand: by pointer and by keyboard, and not while a turn runs.
import assert from "node:assert/strict";
import { event, model, snapshot, started, user } from "./told.mjs";

export function messageActions(test, open) {
	const talk = () => [
		user("First"),
		started("planner"),
		model({ text: "One." }),
		event("ended", { outcome: "done" }),
		user("Second"),
		started("planner"),
		model({ text: "Two." }),
	];
	const shown = async (events) => {
		const page = await open();
		await page.send(snapshot(events));
		await page.chat.getByText("Two.").waitFor();
		await page.posted();
		return page;
	};
	const names = (bar) => bar.getByRole("button").evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label")));
	const said = (chat, text) => chat.getByRole("article", { name: "You" }).filter({ hasText: text });

	test("message actions: every message of the person leads back, the last one can be edited, the last answer had again", async () => {
		const { chat, posted } = await shown([...talk(), event("ended", { outcome: "done" })]);
		const answer = chat.getByRole("article", { name: "General Assistant" }).last().getByRole("toolbar");
		assert.deepEqual(await names(answer), ["Copy", "Retry"]);
		await answer.getByRole("button", { name: "Retry" }).click();
		await said(chat, "First").hover();
		assert.deepEqual(await names(said(chat, "First")), ["Copy", "Undo to here"]);
		await said(chat, "First").getByRole("button", { name: "Undo to here" }).click();
		const intents = await posted();
		assert.deepEqual(
			intents.map(({ type }) => type),
			["retry", "rewind"],
		);
		await said(chat, "Second").getByRole("toolbar").focus();
		await chat.keyboard.press("ArrowRight");
		await chat.keyboard.press("Enter");
		const box = chat.getByRole("textbox", { name: "Edit message" });
		await box.fill("Third");
		await box.press("Enter");
		const [intent] = await posted();
		assert.deepEqual([intent.type, intent.text], ["resend", "Third"]);
		await box.press("Escape");
		assert.equal(await box.count(), 0);
	});

	test("message actions: while a turn runs a message can be copied, and nothing else", async () => {
		const { chat, posted } = await shown(talk());
		await said(chat, "Second").hover();
		assert.deepEqual(await names(said(chat, "Second")), ["Copy"]);
		await said(chat, "Second").getByRole("button", { name: "Copy" }).click();
		const [intent] = await posted();
		assert.deepEqual([intent.type, intent.text], ["copy", "Second"]);
	});
}
