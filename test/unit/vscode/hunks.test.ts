// One part of a difference: taken over or put back, with every other byte as it was.
import assert from "node:assert/strict";
import { findReplacement, keepHunkInText, undoHunkInText } from "../../../src/vscode/review/hunks.ts";

/** As the editor tells a part: first and last line on either side, 0 where there is none. */
const part = (
	originalStartLineNumber: number,
	originalEndLineNumber: number,
	modifiedStartLineNumber: number,
	modifiedEndLineNumber: number,
) => ({
	originalStartLineNumber,
	originalEndLineNumber,
	modifiedStartLineNumber,
	modifiedEndLineNumber,
});

describe("one part of a difference", () => {
	for (const [what, original, modified, change, kept, undone] of [
		["lines that changed", "a\nb\nc\nd\n", "a\nB\nc\nD\n", part(2, 2, 2, 2), "a\nB\nc\nd\n", "a\nb\nc\nD\n"],
		["lines that came", "a\nd\n", "a\nb\nc\nD\n", part(1, 0, 2, 3), "a\nb\nc\nd\n", "a\nD\n"],
		["lines that came at the beginning", "b\n", "a\nb\n", part(0, 0, 1, 1), "a\nb\n", "b\n"],
		["lines that went", "a\nb\nc\nd\n", "a\nD\n", part(2, 3, 1, 0), "a\nd\n", "a\nb\nc\nD\n"],
		["the end of the last line", "a\nb\n", "a\nb", part(3, 3, 2, 0), "a\nb", "a\nb\n"],
		["lines after a last one without an end", "a", "a\nb", part(1, 0, 2, 2), "a\nb", "a"],
		["everything", "", "a\nb\n", part(1, 1, 1, 3), "a\nb\n", ""],
		["ends of lines that differ", "a\r\nb\r\n", "a\nB\n", part(2, 2, 2, 2), "a\r\nB\r\n", "a\nb\n"],
		["mixed ends elsewhere", "a\r\nb\nc\r\n", "a\r\nB\nc\r\n", part(2, 2, 2, 2), "a\r\nB\r\nc\r\n", "a\r\nb\r\nc\r\n"],
	] as const) {
		it(`${what}: is kept, and is undone`, () => {
			assert.equal(keepHunkInText(original, modified, change), kept);
			assert.equal(undoHunkInText(original, modified, change), undone);
		});
	}

	it("is put into a document by the smallest edit", () => {
		assert.deepEqual(findReplacement("one\ntwo\nthree", "one\n2\nthree"), { from: 4, to: 7, text: "2" });
		assert.deepEqual(findReplacement("aa", "aaa"), { from: 2, to: 2, text: "a" });
		assert.deepEqual(findReplacement("same", "same"), { from: 4, to: 4, text: "" });
	});

	it("splits neither the end of a line nor a character", () => {
		assert.deepEqual(findReplacement("a\r\nb", "a\r\n\r\nb"), { from: 3, to: 3, text: "\r\n" });
		assert.deepEqual(findReplacement("😀", "😁"), { from: 0, to: 2, text: "😁" });
	});
});
