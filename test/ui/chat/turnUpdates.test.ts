// Tests the work of the page for a turn's updates: counted, not timed.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { DisplayEvent, Update } from "../../../src/shared/protocol/chat.ts";
import { type ChatPage, openChat, showSnapshot } from "../browser.ts";
import { call, contextUsage, model, result, snapshot, started, user } from "../states/events.ts";

const FOLDED = 8;
/** Messages before the turn. */
const EARLIER = 10;

const read = (id: string): [DisplayEvent, DisplayEvent] => [
	model({ text: "", calls: [call(id, "read_file", { path: `src/file${id}.ts` })] }),
	result(id, "export const a = 1;", { kind: "text", figure: "1 line" }),
];

/** A turn with some calls in a folded group, and a function that gives the updates of its next call. */
async function openTurn(): Promise<{ page: ChatPage; nextCall(index: number): Update[] }> {
	const numbered: DisplayEvent[] = [];
	const number = (event: DisplayEvent): DisplayEvent => {
		const seq = (numbered.at(-1)?.seq ?? 0) + 1;
		numbered.push({ ...event, seq, id: `n${seq}` });
		return { ...event, seq, id: `n${seq}` };
	};
	const said = Array.from({ length: EARLIER }, (_, index) => user(`Message ${index}`));
	const calls = Array.from({ length: FOLDED }, (_, index) => read(`${index}`)).flat();
	const page = await showSnapshot(await openChat(), snapshot([...said, started("planner"), ...calls].map(number)));
	return {
		page,
		nextCall(index) {
			const [begun, over] = read(`${FOLDED + index}`).map((event): Update => ({ type: "event", event: number(event) }));
			return [begun, { type: "context", context: contextUsage({ used: 50_000 + index * 1_000 }) }, over] as Update[];
		},
	};
}

/** Counts what changes among the rows, what is announced, and how often the height of a row is asked for. */
const watchRows = (chat: Page) =>
	chat.evaluate(() => {
		const counts = { inserted: 0, announced: 0, measured: 0 };
		window.marked = counts;
		const added = (changes: MutationRecord[]) => changes.reduce((sum, { addedNodes }) => sum + addedNodes.length, 0);
		const watch = (selector: string, note: (changes: MutationRecord[]) => void) =>
			new MutationObserver(note).observe(document.querySelector(selector) as Element, { subtree: true, childList: true });
		watch(".content", (changes) => {
			counts.inserted += added(changes);
		});
		watch("[role=status][aria-live]", (changes) => {
			counts.announced += added(changes);
		});
		const height = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "offsetHeight");
		Object.defineProperty(HTMLElement.prototype, "offsetHeight", {
			get() {
				if (this.matches(".row")) counts.measured += 1;
				return height?.get?.call(this);
			},
		});
	});

const counted = (chat: Page) => chat.evaluate(() => window.marked as { inserted: number; announced: number; measured: number });

it("a call that is over at once changes only the name of the folded group", async () => {
	const { page, nextCall } = await openTurn();
	const { chat, sendTogether } = page;
	const group = (count: number) => chat.getByRole("group", { name: `Read ${count} files`, exact: true });
	await group(FOLDED).waitFor();
	await watchRows(chat);
	for (let index = 0; index < 10; index += 1) await sendTogether(nextCall(index));
	await group(FOLDED + 10).waitFor();
	assert.deepEqual(await counted(chat), { inserted: 0, announced: 0, measured: 0 });
	await group(FOLDED + 10)
		.getByRole("button")
		.click();
	assert.equal(await chat.locator(".nested > .call").count(), FOLDED + 10, "all of them are there when the group is opened");
});

it("rows that do not change are not measured again", async () => {
	const { page, nextCall } = await openTurn();
	const { chat, send } = page;
	const rows = await chat.locator(".content > .row").count();
	assert.ok(rows > EARLIER);
	await watchRows(chat);
	for (let index = 0; index < 10; index += 1) for (const update of nextCall(index)) await send(update);
	const { measured } = await counted(chat);
	// The row of the calls grows by a line for a call, and loses it when the call joins the group.
	assert.ok(measured <= 20, `${measured} times`);
});

it("the page asks for fewer frames than it gets updates at the same time", async () => {
	const { page, nextCall } = await openTurn();
	const { chat, sendAll, sendTogether } = page;
	await chat.evaluate(() => {
		const frames = { asked: 0 };
		window.marked = frames;
		const { requestAnimationFrame: request } = window;
		window.requestAnimationFrame = (act) => {
			frames.asked += 1;
			return request(act);
		};
	});
	const asked = () => chat.evaluate(() => (window.marked as { asked: number }).asked);
	await sendTogether(Array.from({ length: 10 }, (_, index) => nextCall(index)).flat());
	// To draw, and to see that it is drawn.
	const together = await asked();
	assert.ok(together <= 3, `${together} frames for one message`);
	const updates = Array.from({ length: 10 }, (_, index) => nextCall(10 + index)).flat();
	await sendAll(updates);
	const apart = (await asked()) - together;
	assert.ok(apart < updates.length, `${apart} frames for ${updates.length} messages`);
});

it("all that fails at the same time is announced", async () => {
	const { page, nextCall } = await openTurn();
	const updates = Array.from({ length: 7 }, (_, index) => nextCall(index)).flat();
	const failed = updates.map(
		(update): Update =>
			update.type === "event" && update.event.type === "result"
				? { ...update, event: { ...update.event, status: "error", output: "No such file" } }
				: update,
	);
	await page.sendTogether(failed);
	const said = await page.chat.getByRole("status").locator("p").allTextContents();
	assert.equal(said.filter((text) => text.startsWith("Failed: Read")).length, 7);
});

it("an update that fails takes none of its message's other updates with it", async () => {
	const { page, nextCall } = await openTurn();
	await page.sendTogether([{ type: "event" } as Update, ...nextCall(0)]);
	await page.chat.getByRole("group", { name: `Read ${FOLDED + 1} files`, exact: true }).waitFor();
	assert.equal(page.errors.splice(0).length, 1);
});
