// One part of a difference: taken over or put back, with every other byte as it was.
import assert from "node:assert/strict";
import { findReplacement, findSelectedHunks, keepHunkInText, undoHunkInText } from "../../../src/vscode/review/hunks.ts";

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

describe("lines that are selected in the new text", () => {
	const diff = ["@@ -1,3 +1,3 @@", " a", "-b", "+B", " c", "@@ -10,3 +10,2 @@", " j", "-k", " l", "@@ -20,0 +20,2 @@", "+x", "+y"].join(
		"\n",
	);

	it("name the hunks that change them, and removed lines by their neighbors", () => {
		const found = (first: number, last = first) => findSelectedHunks(diff, [{ first, last }]);
		assert.deepEqual(found(2), [0]);
		assert.deepEqual(found(3), []);
		assert.deepEqual(found(10), [1]);
		assert.deepEqual(found(11), [1]);
		assert.deepEqual(found(12), []);
		assert.deepEqual(found(21), [2]);
		assert.deepEqual(found(1, 30), [0, 1, 2]);
		assert.deepEqual(
			findSelectedHunks(
				diff,
				[2, 20].map((line) => ({ first: line, last: line })),
			),
			[0, 2],
		);
	});

	it("name none in an empty diff", () => assert.deepEqual(findSelectedHunks("", [{ first: 1, last: 9 }]), []));
});
