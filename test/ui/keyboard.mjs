// The chat without a pointer: where Tab leads, that the focus can be seen in every theme, and that nothing traps it.
import assert from "node:assert/strict";
import { cardStates } from "./cardStates.mjs";
import { suggestions, typeAndOffer } from "./composerStates.mjs";
import { states } from "./script.mjs";
import { themes } from "./themes.mjs";

export function keyboard(test, open) {
	const opened = async (state, options) => {
		const page = await open({ reducedMotion: "reduce", ...options });
		await page.send(state.update);
		await page.sendAll(state.after ?? []);
		await page.chat.waitForSelector(".content > :last-child");
		await page.posted();
		return page;
	};

	test("keyboard: Tab leads from the composer through its controls and the last line", async () => {
		const { chat } = await opened(states.plan);
		await chat.getByRole("textbox", { name: "Message" }).fill("x");
		await chat.getByRole("textbox", { name: "Message" }).focus();
		assert.deepEqual(await walk(chat, "Tab"), [
			"Planner",
			"More roles",
			"Agent",
			"Model",
			"Add context",
			"Attach image",
			"Send",
			"Context: 23% of 200k tokens",
			"118.6k tokens, $0.17",
			"Approval mode: Ask outside plans",
		]);
	});

	test("keyboard: Shift+Tab leads from the composer up through the newest card, in the order of its buttons", async () => {
		const { chat } = await opened(states.approval, { height: 2_000 });
		await chat.getByRole("textbox", { name: "Message" }).focus();
		assert.deepEqual((await walk(chat, "Shift+Tab")).slice(0, 4), [
			"Deny",
			"More Ways to Allow",
			"Allow",
			"Asks because no rule allows it. Runs in shop.",
		]);
		const other = await opened(states.plan, { height: 2_000 });
		await other.chat.getByRole("textbox", { name: "Message" }).focus();
		const above = await walk(other.chat, "Shift+Tab");
		assert.deepEqual(above.slice(0, 4), ["Save", "Revise", "Execute plan", "Rename formatPrice to formatMoneyv2 · Jan 15, 2025, 14:07"]);
		assert.equal(above.at(-1), "Conversation");
	});

	test("keyboard: a mention is chosen with arrows and Enter, and the message goes with another Enter", async () => {
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
		assert.equal((await posted()).at(-1)?.text, "Explain @src/checkout/cartSummary.ts");
	});

	test("keyboard: Escape closes the list at an @ and keeps what was typed, and Tab then leads on", async () => {
		const page = await opened(states.plan);
		await typeAndOffer(page, "Explain @car", suggestions);
		await page.chat.keyboard.press("Escape");
		await page.chat.keyboard.press("Tab");
		assert.equal(await page.chat.getByRole("textbox", { name: "Message" }).inputValue(), "Explain @car");
		assert.equal(await focusName(page.chat), "Planner");
	});

	test("keyboard: a page that gets the focus leads to the approval that waits, else to the composer", async () => {
		for (const [state, place] of [
			[states.plan, "#message"],
			[states.question, "#message"],
			[states.approval, "[data-pending=approval]"],
		]) {
			const { chat } = await opened(state);
			await chat.evaluate(() => {
				document.activeElement?.blur();
				window.dispatchEvent(new Event("focus"));
			});
			await chat.waitForFunction((selector) => document.activeElement?.matches(selector), place);
		}
	});

	test("keyboard: what the host asks for takes the focus from nobody outside the page, and holds once the page has it", async () => {
		const { chat, context } = await opened(states.plan);
		const outer = await context.newPage();
		await outer.goto(new URL("/theme.css?dark,sideBar-background", chat.url()).href);
		await outer.setContent('<input id="palette"><iframe></iframe>');
		await outer.evaluate((url) => document.querySelector("iframe")?.setAttribute("src", url), chat.url());
		const inner = outer.frameLocator("iframe");
		await inner.getByRole("textbox", { name: "Message" }).waitFor();
		const frame = outer.frames()[1];
		await frame.evaluate((update) => window.postMessage(update, "*"), states.plan.update);
		const palette = outer.locator("#palette");
		for (const update of [
			{ type: "focus", where: "composer" },
			{ type: "compose", text: "@src/cart.ts " },
		]) {
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

	test("keyboard: a press on text that brings the page its focus leaves it where it is", async () => {
		const { chat } = await opened(states.plan);
		await chat.evaluate(() => {
			document.activeElement?.blur();
			const nowhere = document.querySelector(".content");
			nowhere?.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
			window.dispatchEvent(new Event("focus"));
		});
		await chat.evaluate(() => new Promise((resolve) => setTimeout(resolve, 150)));
		assert.equal(await chat.evaluate(() => document.activeElement === document.body), true);
	});

	test("keyboard: an approval that was answered leads to the next one, and the last of them to the composer", async () => {
		const { chat, send } = await opened(states.approval, { height: 2_000 });
		const { events } = states.approval.update;
		let { seq } = events.at(-1);
		const happens = (event) => {
			seq += 1;
			return send({ type: "event", event: { ...events.at(-1), id: `f${seq}`, seq, by: "host", ...event } });
		};
		const next = { type: "asked", request: "r2", call: "c6", summary: "Run npm run build", hash: "h2", reason: "It asks." };
		await happens(next);
		await chat.getByRole("group", { name: "Approval: Run npm test" }).getByRole("button", { name: "Allow", exact: true }).focus();
		await happens({ type: "answered", by: "person", request: "r1", hash: "hash-c6", answer: { allow: true } });
		await chat.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Approval: Run npm run build");
		await happens({ type: "answered", by: "person", request: "r2", hash: "h2", answer: { allow: false } });
		await chat.waitForFunction(() => document.activeElement?.id === "message");
	});

	test("keyboard: keys allow once or deny on the card that has the focus, nowhere else and not at once", async () => {
		for (const [key, allow] of [
			["Control+Enter", true],
			["Control+Backspace", false],
		]) {
			const { chat, send, posted } = await opened(states.approval, { height: 2_000 });
			await chat.waitForFunction(() => !document.querySelector("[data-pending] [aria-disabled=true]"));
			await chat.getByRole("textbox", { name: "Message" }).press(key);
			assert.deepEqual(await posted(), []);
			await send({ type: "focus", where: "approval" });
			await chat.waitForFunction(() => document.activeElement?.matches("[data-pending=approval]"));
			await chat.keyboard.press(key);
			assert.deepEqual((await posted()).at(0)?.answer, { allow });
		}
	});

	test("keyboard: Escape stops the turn where nothing was typed, and only there", async () => {
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

	test("keyboard: after Execute plan the focus is in the composer, never on Stop", async () => {
		const { chat, send } = await opened(states.plan, { height: 2_000 });
		await chat.getByRole("button", { name: "Execute plan" }).focus();
		const { seq } = states.plan.update.events.at(-1);
		const plan = { planId: "p1", version: 2, hash: "hash-2" };
		await send({
			type: "event",
			event: { id: "f1", seq: seq + 1, at: "2026-03-02T14:08:00Z", by: "person", type: "role", role: "actor", plan },
		});
		await chat.getByRole("region", { name: /^Plan/ }).getByRole("button", { name: "Stop" }).waitFor();
		await chat.waitForFunction(() => document.activeElement?.id === "message");
	});

	for (const theme of Object.keys(themes)) {
		test(`keyboard: the focus can be seen wherever Tab leads, in ${theme}`, async () => {
			for (const state of [states.done, states.question, cardStates.questionOpen, cardStates.failedKey, cardStates.changes, states.empty]) {
				const { chat } = await opened(state, { theme, height: 3_000 });
				await chat.getByRole("textbox", { name: "Message" }).focus();
				const hidden = [];
				for (const key of ["Shift+Tab", "Tab"]) {
					await walk(chat, key, async (name) => {
						if (!(await chat.evaluate(showsFocus))) hidden.push(name);
					});
				}
				assert.deepEqual(hidden, []);
			}
		});
	}
}

/** Presses a key until the focus comes round, leaves the page or is moved on, as where a visit takes away what has it; the names of what it was on. */
async function walk(chat, key, visit = async () => undefined) {
	const names = [];
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

function focusName(chat) {
	return chat.evaluate(() => {
		const { activeElement: at } = document;
		return at?.getAttribute("aria-label") ?? at?.textContent ?? "";
	});
}

/** Whether it looks otherwise with the focus than without: an outline or an edge of its own, or of what frames it. */
function showsFocus() {
	const at = document.activeElement;
	const frames = [at, at?.parentElement, at?.parentElement?.parentElement].filter((element) => element instanceof HTMLElement);
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
