// Scrolling: the chat follows new items, keeps what the person reads in place, and holds thousands of messages.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { DisplayEvent } from "../../../src/shared/protocol/chat.ts";
import { continueSession, newest, type OpenOptions, openChat, showSnapshot } from "../browser.ts";
import { parts, states } from "../states/conversation.ts";
import { chatStatus, event, model, user } from "../states/events.ts";

const opened = async (state: keyof typeof states, options?: OpenOptions) => showSnapshot(await openChat(options), states[state].update);

it("the chat follows new items until the person scrolls up", async () => {
	const { chat, send, ...rest } = await opened("done", { height: 500 });
	const fromEnd = () =>
		chat.evaluate(() => {
			const box = document.querySelector(".scroller") as Element;
			return Math.round(box.scrollHeight - box.clientHeight - box.scrollTop);
		});
	await chat.waitForFunction(() => {
		const box = document.querySelector(".scroller") as Element;
		return box.scrollTop > 0 && box.scrollHeight - box.clientHeight - box.scrollTop < 2;
	});
	await chat.mouse.move(150, 150);
	await chat.mouse.wheel(0, -400);
	await chat.getByRole("button", { name: "Jump to Latest" }).waitFor();
	const before = await fromEnd();
	await send({ type: "live", event: { type: "delta", text: "more\n\n".repeat(30) } });
	await chat.getByText("more").last().waitFor();
	assert.ok((await fromEnd()) > before, "it moved although the person had scrolled up");
	await chat.getByRole("button", { name: "Jump to Latest" }).click();
	await chat.waitForFunction(() => {
		const box = document.querySelector(".scroller") as Element;
		return box.scrollHeight - box.clientHeight - box.scrollTop < 2;
	});
	assert.equal(await chat.getByRole("button", { name: "Jump to Latest" }).count(), 0);
	await chat.reload();
	await showSnapshot({ chat, send, ...rest }, states.done.update);
	await chat.waitForFunction(() => {
		const box = document.querySelector(".scroller") as Element;
		return box.scrollTop > 0 && box.scrollHeight - box.clientHeight - box.scrollTop < 2;
	});
	assert.equal(await chat.getByRole("button", { name: "Jump to Latest" }).count(), 0, "it opens at the end again");
});

it("a change of a plan's running step does not scroll away from the end", async () => {
	const page = await opened("approval", { height: 500 });
	const { chat } = page;
	const bar = chat.getByRole("button", { name: "Step 4 of 4: Run the tests" });
	await bar.waitFor();
	const { events } = states.approval.update;
	await continueSession(page, events)(event("step", { step_number: 3, status: "running" }, "model", newest(events).turn));
	await chat.getByRole("button", { name: "Step 3 of 4: Update the tests" }).waitFor();
	assert.equal(await chat.getByRole("button", { name: "Jump to Latest" }).count(), 0);
	await chat.locator(".run-bar").click();
	await chat.waitForFunction(() => !document.querySelector(".run-bar"));
	assert.equal(await chat.evaluate(() => document.activeElement?.closest("section")?.ariaLabel), "Plan: Rename formatPrice to formatMoney");
});

it("a session of 2,000 messages opens at its end and can be scrolled throughout", async () => {
	const { chat, send } = await openChat();
	await chat.evaluate(() => {
		const durations: number[] = [];
		window.marked = durations;
		const observer = new PerformanceObserver((list) => durations.push(...list.getEntries().map(({ duration }) => Math.round(duration))));
		observer.observe({ type: "longtask" });
	});
	const events = Array.from(
		{ length: 2_000 },
		(_, index): DisplayEvent => ({
			...(index % 2 ? model({ text: `**${index}** ${parts.answer}` }) : user(`message ${index}`)),
			id: `l${index}`,
			seq: index + 1,
		}),
	);
	await send({ type: "snapshot", events: events.slice(1_900), earlier: true, status: chatStatus(), live: "", token: "t" });
	await chat.getByText("message 1998", { exact: true }).waitFor();
	for (let from = 0; from < 1_900; from += 500)
		await send({
			type: "earlier",
			session: "s1",
			before: 1_901,
			events: events.slice(from, Math.min(1_900, from + 500)),
			last: from + 500 >= 1_900,
		});
	await chat.waitForFunction(() => document.querySelector("article[aria-setsize='2000']"));
	assert.equal(await fromEnd(chat), 0);
	const heights = await chat.locator(".scroller").evaluate(({ scrollHeight }) => scrollHeight);
	assert.ok(heights > 2_000 * 60, `${heights} px for 2,000 messages`);
	assert.ok((await chat.locator("article").count()) <= 280);
	await chat.mouse.move(150, 150);
	for (let turn = 0; turn < 12; turn += 1) {
		await chat.mouse.wheel(0, -2_500);
		// Within a frame: between two of them the page has scrolled, and has neither been told nor painted.
		const blank = await chat.evaluate(
			() =>
				new Promise((resolve) => {
					const look = () => {
						const { top, height } = (document.querySelector(".scroller") as Element).getBoundingClientRect();
						resolve([0.1, 0.5, 0.9].some((share) => document.elementFromPoint(100, top + height * share)?.closest(".blank")));
					};
					requestAnimationFrame(() => requestAnimationFrame(look));
				}),
		);
		assert.equal(blank, false, "a blank was in sight");
	}
	await chat.locator(".scroller").focus();
	await chat.keyboard.press("Home");
	await chat.getByText("message 0", { exact: true }).waitFor();
	assert.equal(await chat.locator("article").first().getAttribute("aria-posinset"), "1");
	await chat.getByRole("button", { name: "Jump to Latest" }).click();
	await chat.getByText("message 1998", { exact: true }).waitFor();
	assert.equal(await fromEnd(chat), 0);
	const tasks = await chat.evaluate(() => window.marked as number[]);
	console.log(`  2,000 messages: long tasks ${tasks.join(", ") || "none"}`);
});

it("updates that arrive together are rendered together, once a frame", async () => {
	const { chat } = await opened("done", { height: 500 });
	const { seq } = newest(states.done.update.events);
	const updates = Array.from({ length: 40 }, (_, index) => ({
		type: "event",
		event: { ...model({ text: `answer ${index}` }), id: `d${index}`, seq: seq + 1 + index },
	}));
	const drawn = await chat.evaluate(async (sent) => {
		const content = document.querySelector(".content") as Element;
		let changes = 0;
		let frames = 0;
		const count = () => {
			frames += 1;
			requestAnimationFrame(count);
		};
		new MutationObserver(() => {
			changes += 1;
		}).observe(content, { childList: true, subtree: true, characterData: true });
		requestAnimationFrame(count);
		for (const update of sent) window.postMessage(update, "*");
		while (!content.textContent?.includes("answer 39")) await new Promise(requestAnimationFrame);
		return { changes, frames };
	}, updates);
	assert.ok(drawn.changes <= 3 * drawn.frames && drawn.changes < 20, `${drawn.changes} times in ${drawn.frames} frames`);
});

it("what the person reads stays in place while items above are rendered", async () => {
	const { chat, send } = await openChat({ height: 600 });
	const events = Array.from(
		{ length: 600 },
		(_, index): DisplayEvent => ({
			...(index % 2 ? model({ text: `**${index}** ${"words ".repeat((index * 37) % 300)}` }) : user(`message ${index}`)),
			id: `l${index}`,
			seq: index + 1,
		}),
	);
	await send({ type: "snapshot", events: events.slice(300), earlier: true, status: chatStatus(), live: "", token: "t" });
	await chat.getByText("message 598", { exact: true }).waitFor();
	await chat.mouse.move(150, 150);
	await chat.mouse.wheel(0, -3_000);
	await chat.getByRole("button", { name: "Jump to Latest" }).waitFor();
	await settled(chat);
	const look = () =>
		chat.evaluate(() => {
			const row = document.elementFromPoint(100, 300)?.closest<HTMLElement>(".row");
			return { key: row?.dataset["key"], top: Math.round(row?.getBoundingClientRect().top ?? 0) };
		});
	const before = await look();
	await send({ type: "earlier", session: "s1", before: 301, events: events.slice(0, 300), last: true });
	await chat.waitForFunction(() => document.querySelector("article[aria-setsize='600']"));
	await settled(chat);
	const after = await look();
	assert.equal(after.key, before.key);
	assert.ok(Math.abs(after.top - before.top) <= 2, `moved from ${before.top} to ${after.top}`);
});

it("what the person reads stays in place when earlier items arrive while scrolling", async () => {
	const { chat, send } = await openChat({ height: 600 });
	const events = Array.from({ length: 100 }, (_, index) => ({ ...user(`message ${index}`), id: `m${index}`, seq: index + 1 }));
	await send({ type: "snapshot", events: events.slice(50), earlier: true, status: chatStatus(), live: "", token: "t" });
	await chat.getByText("message 99", { exact: true }).waitFor();
	await chat.mouse.move(150, 150);
	await chat.mouse.wheel(0, -300);
	await chat.getByRole("button", { name: "Jump to Latest" }).waitFor();
	await settled(chat);
	const places = await chat.evaluate(
		(update) => {
			const look = () => {
				const row = document.elementFromPoint(100, 300)?.closest<HTMLElement>(".row");
				return { key: row?.dataset["key"], top: Math.round(row?.getBoundingClientRect().top ?? 0) };
			};
			(document.querySelector(".scroller") as Element).scrollTop -= 400;
			const before = look();
			window.dispatchEvent(new MessageEvent("message", { data: update }));
			// A key has what is due drawn at once.
			document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Shift", bubbles: true }));
			return { before, after: look(), drawn: document.querySelector("article[aria-setsize='100']") !== null };
		},
		{ type: "earlier", session: "s1", before: 51, events: events.slice(0, 50), last: true },
	);
	assert.ok(places.drawn, "not drawn at once");
	assert.deepEqual(places.after, places.before);
});

/** Pixels that are left below. */
const fromEnd = (chat: Page) =>
	chat.evaluate(() => {
		const box = document.querySelector(".scroller") as Element;
		return Math.max(0, Math.round(box.scrollHeight - box.clientHeight - box.scrollTop));
	});

/** The place has not changed for some frames, with time between them for what is drawn when there is time. */
const settled = (chat: Page) =>
	chat.evaluate(async () => {
		const box = document.querySelector(".scroller") as Element;
		let before: number[] = [];
		for (let same = 0; same < 5; ) {
			await new Promise((resolve) => requestIdleCallback(() => requestAnimationFrame(resolve)));
			const now = [box.scrollTop, box.scrollHeight];
			same = now.join() === before.join() ? same + 1 : 0;
			before = now;
		}
	});
