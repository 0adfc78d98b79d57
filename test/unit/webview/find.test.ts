// Tests the searchable text of an item, and the sections to expand for a match.
import assert from "node:assert/strict";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import { buildItems } from "../../../webview-ui/conversation/itemCache.ts";
import type { Item } from "../../../webview-ui/conversation/items.ts";
import { countOccurrences, searchableParts } from "../../../webview-ui/find/findText.ts";

const message = (text: string): Item => ({ kind: "message", key: "m", stamp: "", speaker: "agent", author: "a", text });
const count = (item: Item, query: string) => searchableParts(item, "s").reduce((sum, { text }) => sum + countOccurrences(text, query), 0);

describe("finding in the conversation", () => {
	it("sees words as they stand on the page, whatever marks they have", () => {
		const item = message(
			"A **nee**dle, `needle`, [need](https://needle.example)le\nand\nneedle\n\n```ts\nconst needle = 1;\n```\n\n| needle | x |\n|---|---|\n| b | c |",
		);
		assert.equal(count(item, "needle"), 6);
		assert.equal(count(item, "NEEDLE,"), 2);
		assert.equal(count(item, "and needle"), 1, "a line that the page breaks elsewhere");
		assert.equal(count(item, "https"), 0, "an address that does not show");
		assert.equal(count(item, "**"), 0);
	});

	it("does not find what begins in one block and ends in another, nor anything for nothing", () => {
		assert.equal(count(message("one\n\ntwo"), "onetwo"), 0);
		assert.equal(count(message("one\n\ntwo"), "one two"), 0);
		assert.equal(count(message("one"), ""), 0);
	});

	it("names what has to be opened for a call's output to show", () => {
		const event = (seq: number, body: object) =>
			({ id: `e${seq}`, seq, at: "2025-01-15T14:07:00Z", by: "host", ...body }) as TranscriptEvent;
		const transcript = [
			event(1, { type: "assistant", text: "", calls: [{ id: "c1", name: "read_file", input: { path: "src/a.ts" } }] }),
			event(2, { type: "result", call: "c1", status: "ok", output: "the \u001b[31mneedle\u001b[0m" }),
		].reduce(applyEvent, createTranscript());
		const [item] = buildItems(transcript, { role: (id) => id, agent: (id) => id });
		assert.ok(item);
		const found = searchableParts(item, "s").filter(({ text }) => countOccurrences(text, "the needle") > 0);
		assert.deepEqual(found, [{ text: "the needle", expansionKeys: ["fold:calls:c1", "call:c1", "output:c1"] }]);
	});
});
