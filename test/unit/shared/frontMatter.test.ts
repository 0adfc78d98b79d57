// Front matter of agents, skills and notes.
import assert from "node:assert/strict";
import { parseFrontMatter, splitFrontMatter } from "../../../src/shared/node/frontMatter.ts";

describe("front matter", () => {
	it("is what stands between two fences at the start of a text, whatever the line endings", () => {
		assert.deepEqual(splitFrontMatter("---\na: 1\nb: 2\n---\ntext\n---\n"), { head: "a: 1\nb: 2\n", body: "text\n---\n" });
		assert.deepEqual(splitFrontMatter("\uFEFF--- \r\na: 1\r\n---\t\r\ntext"), { head: "a: 1\r\n", body: "text" });
		assert.deepEqual(splitFrontMatter("---\n---"), { head: "", body: "" });
		assert.deepEqual(splitFrontMatter("---\n\n---\n"), { head: "\n", body: "" });
	});

	it("is missing where a text begins with something else, or where it is never closed", () => {
		for (const text of ["", "text", " ---\na: 1\n---\n", "---", "---\na: 1", "---\na: 1\n----\n", "---\na: ---\n", "\n---\na: 1\n---\n"])
			assert.equal(splitFrontMatter(text), undefined, JSON.stringify(text));
	});

	it("that is never closed is found out in time that grows with its length only", () => {
		const started = performance.now();
		assert.equal(splitFrontMatter(`---\n${"-- \n".repeat(500_000)}`), undefined);
		assert.ok(performance.now() - started < 2_000);
	});

	it("gives its value, and the line of the text that each field stands on", async () => {
		const read = await parseFrontMatter("a: 1\nb:\n  - x\nc: yes\n");
		assert.ok("value" in read);
		assert.deepEqual(read.value, { a: 1, b: ["x"], c: "yes" });
		assert.deepEqual(["a", "b", "c", "d"].map(read.lineOf), [2, 3, 5, undefined]);
	});

	it("says what is wrong with it, and where", async () => {
		const invalid = await parseFrontMatter('a: 1\nb: "x\n');
		assert.ok("problem" in invalid && invalid.problem === "syntax");
		assert.match(invalid.detail, /^Missing closing "quote$/);
		assert.ok((invalid.line ?? 0) >= 3);
		assert.deepEqual(await parseFrontMatter("a: &x 1\nb: *x\n"), { problem: "aliases" });
		assert.deepEqual(await parseFrontMatter(`a: ${"x".repeat(16 * 1024)}\n`), { problem: "long" });
		for (const twice of ["a: 1\na: 2\n", "a: 1\n...\nb: 2\n"]) assert.ok("problem" in (await parseFrontMatter(twice)), twice);
	});

	it("is repaired where that makes it valid, with the lines as they stand in the text", async () => {
		const repair = (head: string) => head.replace("b: c: d", 'b: "c: d"');
		const read = await parseFrontMatter("a: 1\nb: c: d\ne: 2\n", repair);
		assert.ok("value" in read);
		assert.deepEqual([read.value, read.lineOf("e")], [{ a: 1, b: "c: d", e: 2 }, 4]);
		assert.ok("problem" in (await parseFrontMatter("b: c: d\n")));
	});
});
