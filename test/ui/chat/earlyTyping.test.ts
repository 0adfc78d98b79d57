// Typing before the page's script and the session are loaded.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ofType, openChat, showSnapshot } from "../browser.ts";
import { states } from "../states/conversation.ts";
import { chatStatus, session } from "../states/events.ts";

const { update } = states.done;
const boxIn = (chat: Page) => chat.getByRole("textbox", { name: "Message", exact: true });
const focused = (chat: Page) => chat.evaluate(() => document.activeElement?.id);

it("the composer takes keys before the page's script loads, and keeps text and focus", async () => {
	const page = await openChat({
		async before(chat) {
			await boxIn(chat).waitFor();
			await chat.waitForFunction(() => document.activeElement?.id === "message");
			await chat.keyboard.type("Explin this");
			for (let step = 0; step < 7; step += 1) await chat.keyboard.press("ArrowLeft");
			await chat.evaluate(() => {
				const box = document.querySelector("#message");
				window.marked = box;
				box?.addEventListener("blur", () => {
					document.body.dataset["blurred"] = "";
				});
			});
		},
	});
	const { chat } = page;
	await chat.keyboard.type("a");
	await showSnapshot(page, update);
	assert.equal(await boxIn(chat).inputValue(), "Explain this");
	assert.equal(await focused(chat), "message");
	assert.deepEqual(await chat.evaluate(() => [document.body.dataset["blurred"], document.querySelector("#message") === window.marked]), [
		undefined,
		true,
	]);
	await chat.waitForFunction(() => !(document.querySelector(".send") as HTMLButtonElement).disabled);
	await chat.keyboard.press("Enter");
	await chat.waitForFunction(() => window.posted.some(({ type }) => type === "send"));
	assert.equal(ofType(await page.posted(), "send").at(0)?.text, "Explain this");
	assert.equal(await chat.locator("textarea").count(), 1);
});

it("Enter pressed before the page's script is loaded sends the message without a line break", async () => {
	const page = await openChat({
		async before(chat) {
			await boxIn(chat).pressSequentially("Run the tests");
			await chat.keyboard.press("Enter");
		},
	});
	await page.send(update);
	await page.chat.waitForFunction(() => window.posted.some(({ type }) => type === "send"));
	const sent = ofType(await page.posted(), "send");
	assert.deepEqual(
		sent.map(({ text }) => text),
		["Run the tests"],
	);
	assert.equal(await boxIn(page.chat).inputValue(), "");
});

it("Enter pressed while the browser still reads the page sends the message", async () => {
	const page = await openChat({
		initScript: () => {
			const watcher = new MutationObserver(() => {
				const box = document.querySelector<HTMLTextAreaElement>("#message");
				if (!box) return;
				watcher.disconnect();
				box.value = "Run the tests\n";
			});
			watcher.observe(document, { childList: true, subtree: true });
		},
	});
	await page.send(update);
	await page.chat.waitForFunction(() => window.posted.some(({ type }) => type === "send"));
	assert.equal(ofType(await page.posted(), "send").at(0)?.text, "Run the tests");
	assert.equal(await boxIn(page.chat).inputValue(), "");
});

it("a draft appears before the page's script is loaded, and stays away once deleted", async () => {
	const page = await showSnapshot(await openChat(), update);
	const { chat } = page;
	await boxIn(chat).fill("a draft");
	await chat.reload();
	await boxIn(chat).pressSequentially(", typed on");
	await showSnapshot(page, update);
	assert.equal(await boxIn(chat).inputValue(), "a draft, typed on");
	await boxIn(chat).fill("");
	await chat.reload();
	await showSnapshot(page, update);
	assert.equal(await boxIn(chat).inputValue(), "");
});

it("a draft stays with its session when another session is shown after a reload", async () => {
	const page = await showSnapshot(await openChat(), update);
	const { chat } = page;
	await boxIn(chat).fill("a draft");
	await chat.reload();
	await boxIn(chat).pressSequentially(", typed early");
	const other = { ...update, status: chatStatus({ session: { ...session, sessionId: "s2" } }) };
	await showSnapshot(page, other);
	assert.equal(await boxIn(chat).inputValue(), ", typed early");
	await showSnapshot(page, update);
	assert.equal(await boxIn(chat).inputValue(), "a draft");
});

it("the composer that took the focus on loading gives the focus to a waiting approval", async () => {
	const { chat } = await openChat({
		async before(chat) {
			await chat.waitForFunction(() => window.posted && document.activeElement?.id === "message");
			await chat.evaluate((sent) => {
				window.posted.push = (message) => {
					if (message.type === "ready") window.postMessage(sent, "*");
					return Array.prototype.push.call(window.posted, message);
				};
			}, states.approval.update);
		},
	});
	await chat.waitForFunction(() => document.activeElement?.getAttribute("data-pending") === "approval");
});

it("what is typed while the browser still reads the page stays in the composer", async () => {
	const { chat } = await openChat({
		initScript: () => {
			const watcher = new MutationObserver(() => {
				const box = document.querySelector<HTMLTextAreaElement>("#message");
				if (!box) return;
				watcher.disconnect();
				box.value = "Ru";
			});
			watcher.observe(document, { childList: true, subtree: true });
		},
		async before(chat) {
			await boxIn(chat).press("End");
			await chat.keyboard.type("n it");
		},
	});
	assert.equal(await boxIn(chat).inputValue(), "Run it");
});
