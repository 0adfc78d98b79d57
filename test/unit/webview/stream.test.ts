// Markdown while it arrives: only the open block is made anew.
import assert from "node:assert/strict";
import { appendToStream, EMPTY_STREAM, presentableText, splitBlocks } from "../../../webview-ui/text/markdownStream.ts";

const ANSWER = [
	"# Title\n\nA paragraph\nof two lines.\n\n",
	"- one\n- two\n\n  still two\n\n- three\n\n",
	"```ts\nconst a = 1;\n\n\nconst b = 2;\n```\n\n",
	"> quoted\n\n1. first\n2. second\n\n",
	"| a | b |\n|---|---|\n| 1 | 2 |\n\n***\n[r]: https://example.com\n\nSetext\n---\nlast words",
].join("");

describe("Markdown that streams", () => {
	it("is cut into the same blocks as the whole text, however it arrives", () => {
		for (const size of [1, 2, 3, 7, 50, 1_000]) {
			let stream = EMPTY_STREAM;
			for (let at = 0; at < ANSWER.length; at += size) stream = appendToStream(stream, ANSWER.slice(at, at + size));
			assert.equal([...stream.closedBlocks, stream.openBlock].join(""), ANSWER);
			const whole = splitBlocks(ANSWER);
			assert.deepEqual([...stream.closedBlocks, ...splitBlocks(stream.openBlock)], whole, `in pieces of ${size}`);
		}
	});

	it("never changes a block once it is closed", () => {
		let stream = EMPTY_STREAM;
		for (const character of ANSWER) {
			const before = stream.closedBlocks;
			stream = appendToStream(stream, character);
			assert.deepEqual(stream.closedBlocks.slice(0, before.length), before);
		}
	});

	it("keeps a code block open until its fence closes", () => {
		const { closedBlocks: closed, openBlock: open } = appendToStream(EMPTY_STREAM, "text\n\n```ts\nconst a = 1;\n\n# not a heading\n");
		assert.deepEqual([closed, open], [["text\n\n"], "```ts\nconst a = 1;\n\n# not a heading\n"]);
	});

	it("cuts a long list between its items, the same way however it arrives, and numbers go on", () => {
		const list = Array.from({ length: 300 }, (_, index) => `${index + 1}. item ${"word ".repeat(8)}\n     - below\n`).join("");
		const text = `Before.\n\n${list}\nAfter.`;
		const whole = splitBlocks(text);
		assert.ok(whole.length > 4 && whole.every((block) => block.length < 4_000), `${whole.map(({ length }) => length)}`);
		assert.equal(whole.join(""), text);
		assert.match(whole[2] ?? "", /^\d\d+\. item/);
		for (const size of [7, 400, 5_000]) {
			let stream = EMPTY_STREAM;
			for (let at = 0; at < text.length; at += size) stream = appendToStream(stream, text.slice(at, at + size));
			assert.deepEqual([...stream.closedBlocks, ...splitBlocks(stream.openBlock)], whole, `in pieces of ${size}`);
		}
	});

	it("loses nothing of a long fence or a long table that grows with every flush", () => {
		for (const [head, line] of [
			["```ts\n", "const a = 1; // a line of code\n"],
			["| a | b |\n|---|---|\n", "| a cell | another cell |\n"],
		] as const) {
			let stream = appendToStream(EMPTY_STREAM, head);
			for (let flush = 0; flush < 300; flush += 1) stream = appendToStream(stream, line.repeat(20));
			assert.equal([...stream.closedBlocks, stream.openBlock].join(""), head + line.repeat(6_000));
		}
	});

	it("joined is the text, byte for byte", () => {
		for (const text of ["", "\n\n", "  \n\na\n", "a\n\n\n\nb", "[r]: /x\n", "\n```\n"]) assert.equal(splitBlocks(text).join(""), text);
	});

	it("holds back a last line of bare markers: it would flash as a rule or a heading", () => {
		assert.deepEqual(["a paragraph\n-", "a paragraph\n- b", "`", "1.", "text *"].map(presentableText), [
			"a paragraph\n",
			"a paragraph\n- b",
			"",
			"",
			"text *",
		]);
	});
});
