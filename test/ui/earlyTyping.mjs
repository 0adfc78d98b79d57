// What the person types before the page's script and the session are there.
import assert from "node:assert/strict";
import { showIn } from "./page.mjs";
import { states } from "./script.mjs";

export function earlyTyping(test, open) {
	const { update } = states.done;
	const boxIn = (chat) => chat.getByRole("textbox", { name: "Message", exact: true });
	const focused = (chat) => chat.evaluate(() => document.activeElement?.id);

	test("early: the composer takes keys before the script is there, and both take it over as it is", async () => {
		const page = await open({
			async before(chat) {
				await boxIn(chat).waitFor();
				await chat.waitForFunction(() => document.activeElement?.id === "message");
				await chat.keyboard.type("Explin this");
				for (let step = 0; step < 7; step += 1) await chat.keyboard.press("ArrowLeft");
				await chat.evaluate(() => {
					window.earlyBox = document.querySelector("#message");
					earlyBox.addEventListener("blur", () => {
						window.blurred = true;
					});
				});
			},
		});
		const { chat } = page;
		await chat.keyboard.type("a");
		await showIn(page, update);
		assert.equal(await boxIn(chat).inputValue(), "Explain this");
		assert.equal(await focused(chat), "message");
		assert.deepEqual(await chat.evaluate(() => [window.blurred, document.querySelector("#message") === window.earlyBox]), [
			undefined,
			true,
		]);
		await chat.waitForFunction(() => !document.querySelector(".send").disabled);
		await chat.keyboard.press("Enter");
		await chat.waitForFunction(() => window.posted.some(({ type }) => type === "send"));
		assert.equal((await page.posted()).find(({ type }) => type === "send").text, "Explain this");
		assert.equal(await chat.locator("textarea").count(), 1);
	});

	test("early: an Enter from before the script sends once the session is there, without a line break", async () => {
		const page = await open({
			async before(chat) {
				await boxIn(chat).pressSequentially("Run the tests");
				await chat.keyboard.press("Enter");
			},
		});
		await page.send(update);
		await page.chat.waitForFunction(() => window.posted.some(({ type }) => type === "send"));
		const sent = (await page.posted()).filter(({ type }) => type === "send");
		assert.deepEqual(
			sent.map(({ text }) => text),
			["Run the tests"],
		);
		assert.equal(await boxIn(page.chat).inputValue(), "");
	});

	test("early: the draft stands there before the script, is typed on, and does not come back another time", async () => {
		const page = await showIn(await open(), update);
		const { chat } = page;
		await boxIn(chat).fill("a draft");
		await chat.reload();
		await boxIn(chat).pressSequentially(", typed on");
		await showIn(page, update);
		assert.equal(await boxIn(chat).inputValue(), "a draft, typed on");
		await boxIn(chat).fill("");
		await chat.reload();
		await showIn(page, update);
		assert.equal(await boxIn(chat).inputValue(), "");
	});

	test("early: a draft of another session than the one that comes stays with its own, and what was typed goes along", async () => {
		const page = await showIn(await open(), update);
		const { chat } = page;
		await boxIn(chat).fill("a draft");
		await chat.reload();
		await boxIn(chat).pressSequentially(", typed early");
		const other = { ...update, surroundings: { ...update.surroundings, session: { ...update.surroundings.session, sessionId: "s2" } } };
		await showIn(page, other);
		assert.equal(await boxIn(chat).inputValue(), ", typed early");
		await showIn(page, update);
		assert.equal(await boxIn(chat).inputValue(), "a draft");
	});

	test("early: a composer that got the focus for want of anything else leaves it to an approval that waits", async () => {
		const { chat } = await open({
			async before(chat) {
				await chat.waitForFunction(() => window.posted && document.activeElement?.id === "message");
				await chat.evaluate((snapshot) => {
					window.posted.push = (message) => {
						if (message.type === "ready") window.postMessage(snapshot, "*");
						return Array.prototype.push.call(window.posted, message);
					};
				}, states.approval.update);
			},
		});
		await chat.waitForFunction(() => document.activeElement?.dataset.pending === "approval");
	});
}
