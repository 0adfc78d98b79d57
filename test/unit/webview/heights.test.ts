// Tests the positions of items in a long conversation, measured or estimated.
import assert from "node:assert/strict";
import { GAP, ItemHeights } from "../../../webview-ui/conversation/itemHeights.ts";
import type { Item } from "../../../webview-ui/conversation/items.ts";

const items = Array.from(
	{ length: 1_000 },
	(_, index): Item => ({ kind: "note", key: `n${index}`, stamp: "", level: "info", text: "note" }),
);

describe("the heights of a conversation", () => {
	it("put items where they are: guessed first, then as measured", () => {
		const heights = new ItemHeights();
		heights.layOut(items, 380);
		const guessed = heights.top(1) - GAP;
		assert.equal(heights.top(10), 10 * (guessed + GAP));
		assert.equal(heights.measure("n0", 100), true);
		assert.equal(heights.measure("n0", 100.2), false);
		heights.layOut(items, 380);
		assert.equal(heights.top(1), 100 + GAP);
		assert.equal(heights.total, 100 + 999 * guessed + 999 * GAP);
	});

	it("name the items in sight, never none while there are some", () => {
		const heights = new ItemHeights();
		for (const { key } of items) heights.measure(key, 88);
		heights.layOut(items, 380);
		assert.deepEqual(heights.itemsBetween(0, 100), { from: 0, to: 1 });
		assert.deepEqual(heights.itemsBetween(95, 105), { from: 1, to: 2 });
		assert.deepEqual(heights.itemsBetween(80, 105), { from: 0, to: 2 });
		assert.deepEqual(heights.itemsBetween(5_000, 5_900), { from: 50, to: 59 });
		assert.deepEqual(heights.itemsBetween(-500, -400), { from: 0, to: 1 });
		assert.deepEqual(heights.itemsBetween(1e9, 1e9 + 500), { from: 999, to: 1_000 });
		const none = new ItemHeights();
		none.layOut([], 380);
		assert.deepEqual(none.itemsBetween(0, 900), { from: 0, to: 0 });
	});

	it("give a blank the height of what it stands for", () => {
		const heights = new ItemHeights();
		for (const { key } of items) heights.measure(key, 88);
		heights.layOut(items, 380);
		assert.equal(heights.height({ from: 10, to: 20 }) + GAP, heights.top(20) - heights.top(10));
	});

	it("guess a message by its text, long lines and code included", () => {
		const message = (key: string, text: string): Item => ({
			kind: "message",
			key,
			stamp: "",
			speaker: "agent",
			author: "a",
			text,
		});
		const heights = new ItemHeights();
		heights.layOut(
			[message("a", "short"), message("b", "word ".repeat(400)), message("c", "```ts\n".concat("line\n".repeat(50), "```"))],
			380,
		);
		const [short, long, code] = [0, 1, 2].map((index) => heights.top(index + 1) - heights.top(index) - GAP) as [number, number, number];
		assert.ok(short < 30 && long > 500 && long < 1_200 && code > 800 && code < 1_300, `${short}, ${long}, ${code}`);
	});

	it("are the same whether items came one by one, were replaced and measured between, or are there at once", () => {
		const item = (index: number, kind: "note" | "message"): Item =>
			kind === "note"
				? { kind, key: `k${index}`, stamp: "", level: "info", text: "note" }
				: { kind, key: `k${index}`, stamp: "", speaker: "person", author: "", text: `message ${index}` };
		const heights = new ItemHeights();
		let session: Item[] = [];
		for (let step = 0; step < 200; step += 1) {
			const kind = step % 3 === 0 ? "message" : "note";
			session =
				step % 17 === 16 ? [item(1_000 + step, kind), ...session] : [...session.slice(0, step % 5 ? undefined : -2), item(step, kind)];
			if (step % 4 === 0) heights.measure(session[step % session.length]?.key ?? "", 10 + step);
			heights.layOut(session, 380);
		}
		const fresh = new ItemHeights();
		for (const [index, { key }] of session.entries()) fresh.measure(key, heights.height({ from: index, to: index + 1 }));
		fresh.layOut(session, 380);
		let messages = 0;
		for (const [index, { key, kind }] of session.entries()) {
			if (kind === "message") messages += 1;
			assert.equal(heights.indexOf(key), index);
			assert.equal(heights.top(index), fresh.top(index));
			assert.equal(heights.messagePosition(key)?.[0], messages);
		}
		assert.equal(heights.total, fresh.total);
		assert.equal(heights.messagePosition(session[0]?.key ?? "")?.[1], messages);
		assert.equal(heights.indexOf("k9999"), undefined);
	});
});
