// The chat by keyboard: where Tab leads, that the focus is visible in every theme, and that nothing traps it.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Update } from "../../../src/shared/protocol/chat.ts";
import { continueSession, newest, type OpenOptions, ofType, openChat } from "../browser.ts";
import { cardStates } from "../states/cards.ts";
import { suggestions, typeAndOffer } from "../states/composer.ts";
import { states } from "../states/conversation.ts";
import { type ChatState, event } from "../states/events.ts";
import { themeNames } from "../themes/themes.ts";

const opened = async (state: ChatState, options?: OpenOptions) => {
	const page = await openChat({ reducedMotion: "reduce", ...options });
	await page.send(state.update);
	await page.sendAll(state.after ?? []);
	await page.chat.waitForSelector(".content > :last-child");
	await page.posted();
	return page;
};

it("Tab leads from the composer through its controls and the status line", async () => {
	const { chat } = await opened(states.plan);
	await chat.getByRole("textbox", { name: "Message" }).fill("x");
	await chat.getByRole("textbox", { name: "Message" }).focus();
	assert.deepEqual(await walk(chat, "Tab"), [
		"Planner",
		"More roles",
		"Agent",
		"Model",
		"Add Context",
		"Attach Image",
		"Send",
		"Context: 23% of 200k tokens",
		"118.6k tokens, $0.17",
		"Approval mode: Ask Outside Plans",
	]);
});

it("Shift+Tab leads from the composer up through the buttons of the newest card", async () => {
	const { chat } = await opened(states.approval, { height: 2_000 });
	await chat.getByRole("textbox", { name: "Message" }).focus();
	assert.deepEqual((await walk(chat, "Shift+Tab")).slice(0, 4), [
		"Deny",
		"More Ways to Allow",
		"Allow",
		"No rule allows this yet. Runs in shop.",
	]);
	const other = await opened(states.plan, { height: 2_000 });
	await other.chat.getByRole("textbox", { name: "Message" }).focus();
	const above = await walk(other.chat, "Shift+Tab");
	assert.deepEqual(above.slice(0, 4), ["Save", "Revise", "Execute plan", "Rename formatPrice to formatMoneyv2 · Jan 15, 2025, 14:07"]);
	assert.equal(above.at(-1), "Conversation");
});

it("arrow keys and Enter choose a mention, and another Enter sends the message", async () => {
	const page = await opened(states.plan);
	const { chat, posted } = page;
	const box = chat.getByRole("textbox", { name: "Message" });
	await typeAndOffer(page, "Explain @car", suggestions);
	await chat.keyboard.press("ArrowDown");
	const marked = await box.getAttribute("aria-activedescendant");
	assert.equal(await chat.locator(`#${marked}`).getAttribute("aria-label"), "cartSummary.ts, src/checkout");
	await chat.keyboard.press("Enter");
	assert.equal(await box.inputValue(), "Explain @src/checkout/cartSummary.ts ");
	assert.equal(await chat.getByRole("listbox").count(), 0);
	await chat.keyboard.press("Enter");
	assert.equal(ofType(await posted(), "send").at(-1)?.text, "Explain @src/checkout/cartSummary.ts");
});

it("Escape closes the list at an @ and keeps the typed text", async () => {
	const page = await opened(states.plan);
	await typeAndOffer(page, "Explain @car", suggestions);
	await page.chat.keyboard.press("Escape");
	await page.chat.keyboard.press("Tab");
	assert.equal(await page.chat.getByRole("textbox", { name: "Message" }).inputValue(), "Explain @car");
	assert.equal(await focusName(page.chat), "Planner");
});

it("a chat that gets the focus moves it to the waiting approval or the composer", async () => {
	for (const [state, place] of [
		[states.plan, "#message"],
		[states.question, "#message"],
		[states.approval, "[data-pending=approval]"],
	] as const) {
		const { chat } = await opened(state);
		await chat.evaluate(() => {
			(document.activeElement as HTMLElement | null)?.blur();
			window.dispatchEvent(new Event("focus"));
		});
		await chat.waitForFunction((selector) => document.activeElement?.matches(selector), place);
	}
});

it("a focus request of the host takes no focus from outside the chat", async () => {
	const { chat, context } = await opened(states.plan);
	const outer = await context.newPage();
	await outer.goto(new URL("/theme.css?dark,sideBar-background", chat.url()).href);
	await outer.setContent('<input id="palette"><iframe></iframe>');
	await outer.evaluate((url) => document.querySelector("iframe")?.setAttribute("src", url), chat.url());
	const inner = outer.frameLocator("iframe");
	await inner.getByRole("textbox", { name: "Message" }).waitFor();
	const frame = outer.frames()[1];
	assert.ok(frame);
	await frame.evaluate((update) => window.postMessage(update, "*"), states.plan.update);
	const palette = outer.locator("#palette");
	const updates: Update[] = [
		{ type: "focus", where: "composer" },
		{ type: "compose", text: "@src/cart.ts " },
	];
	for (const update of updates) {
		await palette.focus();
		await frame.evaluate((sent) => window.postMessage(sent, "*"), update);
		// What was posted before this has been taken in, and drawn.
		await frame.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100)))));
		await outer.keyboard.type("x");
	}
	assert.equal(await palette.inputValue(), "xx");
	assert.equal(await inner.getByRole("textbox", { name: "Message" }).inputValue(), "@src/cart.ts ");
	await frame.evaluate(() => window.focus());
	await frame.waitForFunction(() => document.hasFocus() && document.activeElement?.id === "message");
});

it("a click on text of the chat does not move the focus to the composer", async () => {
	const { chat } = await opened(states.plan);
	await chat.evaluate(() => {
		(document.activeElement as HTMLElement | null)?.blur();
		const nowhere = document.querySelector(".content");
		nowhere?.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
		window.dispatchEvent(new Event("focus"));
	});
	await chat.evaluate(() => new Promise((resolve) => setTimeout(resolve, 150)));
	assert.equal(await chat.evaluate(() => document.activeElement === document.body), true);
});

it("an answered approval moves the focus to the next approval or the composer", async () => {
	const page = await opened(states.approval, { height: 2_000 });
	const { chat } = page;
	const { events } = states.approval.update;
	const { turn } = newest(events);
	const happens = continueSession(page, events);
	const next = { request: "r2", call: "c6", summary: "Run npm run build", hash: "h2", reason: "It asks." };
	await happens(event("asked", next, "host", turn));
	await chat.getByRole("group", { name: "Approval: Run npm test" }).getByRole("button", { name: "Allow", exact: true }).focus();
	await happens(event("answered", { request: "r1", hash: "hash-c6", answer: { allow: true } }, "person", turn));
	await chat.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Approval: Run npm run build");
	await happens(event("answered", { request: "r2", hash: "h2", answer: { allow: false } }, "person", turn));
	await chat.waitForFunction(() => document.activeElement?.id === "message");
});

it("Ctrl+Enter allows and Ctrl+Backspace denies only the approval that has the focus", async () => {
	for (const [key, allow] of [
		["Control+Enter", true],
		["Control+Backspace", false],
	] as const) {
		const { chat, send, posted } = await opened(states.approval, { height: 2_000 });
		await chat.waitForFunction(() => !document.querySelector("[data-pending] [aria-disabled=true]"));
		await chat.getByRole("textbox", { name: "Message" }).press(key);
		assert.deepEqual(await posted(), []);
		await send({ type: "focus", where: "approval" });
		await chat.waitForFunction(() => document.activeElement?.matches("[data-pending=approval]"));
		await chat.keyboard.press(key);
		assert.deepEqual(ofType(await posted(), "answer").at(0)?.answer, { allow });
	}
});

it("Escape in the composer stops the turn only if nothing is typed", async () => {
	const { chat, posted } = await opened(states.approval);
	const box = chat.getByRole("textbox", { name: "Message" });
	await box.fill("x");
	await box.press("Escape");
	assert.deepEqual(await posted(), []);
	await box.fill("");
	await box.press("Escape");
	assert.deepEqual(
		(await posted()).map(({ type }) => type),
		["stop"],
	);
});

it("the focus is in the composer after Execute plan, never on Stop", async () => {
	const { chat, send } = await opened(states.plan, { height: 2_000 });
	await chat.getByRole("button", { name: "Execute plan" }).focus();
	const { seq } = newest(states.plan.update.events);
	const plan = { planId: "p1", version: 2, hash: "hash-2" };
	await send({
		type: "event",
		event: { id: "f1", seq: seq + 1, at: "2026-03-02T14:08:00Z", by: "person", type: "role", role: "actor", plan },
	});
	await chat.getByRole("region", { name: /^Plan/ }).getByRole("button", { name: "Stop" }).waitFor();
	await chat.waitForFunction(() => document.activeElement?.id === "message");
});

for (const theme of themeNames) {
	it(`the focus is visible wherever Tab leads in the ${theme} theme`, async () => {
		for (const state of [states.done, states.question, cardStates.questionOpen, cardStates.failedKey, cardStates.changes, states.empty]) {
			const { chat } = await opened(state, { theme, height: 3_000 });
			await chat.getByRole("textbox", { name: "Message" }).focus();
			const hidden: string[] = [];
			for (const key of ["Shift+Tab", "Tab"]) {
				await walk(chat, key, async (name) => {
					if (!(await chat.evaluate(showsFocus))) hidden.push(name);
				});
			}
			assert.deepEqual(hidden, []);
		}
	});
}

/** Presses a key until the focus returns, leaves the page or reaches a waiting card; resolves with the names of what had it. */
async function walk(chat: Page, key: string, visit: (name: string) => Promise<void> = async () => undefined): Promise<string[]> {
	const names: string[] = [];
	const begun = await chat.evaluateHandle(() => document.activeElement);
	for (let presses = 0; presses < 200; presses += 1) {
		await chat.keyboard.press(key);
		const goesOn = await chat.evaluate(
			(first) => ![first, document.body].includes(document.activeElement) && !document.activeElement?.matches("[data-pending]"),
			begun,
		);
		if (!goesOn) return names;
		const name = await focusName(chat);
		names.push(name);
		await visit(name);
	}
	throw new Error(`The focus is trapped: ${names.slice(-6).join(", ")}`);
}

function focusName(chat: Page): Promise<string> {
	return chat.evaluate(() => {
		const { activeElement: at } = document;
		return at?.getAttribute("aria-label") ?? at?.textContent ?? "";
	});
}

/** In the page: the focused element, or one around it, has another outline or border than without the focus. */
function showsFocus(): boolean {
	const at = document.activeElement as HTMLElement;
	const frames = [at, at.parentElement, at.parentElement?.parentElement].filter((element) => element instanceof HTMLElement);
	const look = () =>
		frames.map((element) => {
			const { outlineStyle, outlineWidth, outlineColor, borderColor } = getComputedStyle(element);
			const seen = outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0 && !/, 0\)$|transparent/.test(outlineColor);
			return `${seen ? `${outlineStyle} ${outlineWidth} ${outlineColor}` : ""} ${borderColor}`;
		});
	const focused = look().join();
	at.blur();
	const without = look().join();
	at.focus();
	return focused !== without;
}
