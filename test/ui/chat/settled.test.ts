// The mark that says that nothing is on its way between the page and its host.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type OpenOptions, openAgentsPage, openChat, showSnapshot, waitUntilSettled } from "../browser.ts";
import { states } from "../states/conversation.ts";

const opened = async (options?: OpenOptions) => showSnapshot(await openChat(options), states.approval.update);

const marks = (page: Page) => page.evaluate(() => ({ ...document.documentElement.dataset }));

const holdBack = (page: Page) =>
	page.evaluate(() => {
		window.holds = [];
	});

const acknowledgeAll = (page: Page) =>
	page.evaluate(() => {
		for (const acknowledge of window.holds?.splice(0) ?? []) acknowledge();
	});

it("the page isn't settled from a press until the host has acknowledged it", async () => {
	const { chat } = await opened();
	await waitUntilSettled(chat);
	await holdBack(chat);
	await chat.getByRole("radio", { name: "Actor" }).click();
	assert.equal((await marks(chat))["settled"], undefined);
	assert.match((await marks(chat))["unacknowledged"] ?? "", /\brole\b/);
	await acknowledgeAll(chat);
	await waitUntilSettled(chat);
	assert.equal((await marks(chat))["unacknowledged"], undefined);
});

it("the page isn't settled before an update is painted", async () => {
	const { chat } = await opened();
	await waitUntilSettled(chat);
	const [atOnce, painted] = await chat.evaluate(async () => {
		const { dataset } = document.documentElement;
		await new Promise((received) => {
			window.addEventListener("message", received, { once: true });
			window.postMessage({ type: "hint", text: "A line that is new" }, "*");
		});
		const first = dataset["settled"];
		await new Promise<void>((done) => {
			new MutationObserver((_, observer) => {
				if (dataset["settled"] === undefined) return;
				observer.disconnect();
				done();
			}).observe(document.documentElement, { attributes: true });
		});
		return [first, document.body.textContent?.includes("A line that is new")];
	});
	assert.deepEqual([atOnce, painted], [undefined, true]);
});

it("a hidden page, which gets no animation frames, still settles", async () => {
	const { chat } = await opened({
		initScript: () => {
			window.requestAnimationFrame = () => 0;
		},
	});
	await chat.getByRole("radio", { name: "Actor" }).click();
	await waitUntilSettled(chat);
});

it("Manage Agents isn't settled until the host has acknowledged what the page posted", async () => {
	const { chat } = await openAgentsPage();
	await waitUntilSettled(chat);
	await holdBack(chat);
	await chat.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
	assert.match((await marks(chat))["unacknowledged"] ?? "", /ready/);
	await acknowledgeAll(chat);
	await waitUntilSettled(chat);
});
