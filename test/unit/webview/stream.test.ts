import assert from "node:assert/strict";
import { append, emptyStream, presentable, splitBlocks } from "../../../webview-ui/stream.ts";

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
			let stream = emptyStream;
			for (let at = 0; at < ANSWER.length; at += size) stream = append(stream, ANSWER.slice(at, at + size));
			assert.equal([...stream.closed, stream.open].join(""), ANSWER);
			const whole = splitBlocks(ANSWER);
			assert.deepEqual([...stream.closed, ...splitBlocks(stream.open)], whole, `in pieces of ${size}`);
		}
	});

	it("never changes a block once it is closed", () => {
		let stream = emptyStream;
		for (const character of ANSWER) {
			const before = stream.closed;
			stream = append(stream, character);
			assert.deepEqual(stream.closed.slice(0, before.length), before);
		}
	});

	it("keeps a code block open until its fence closes", () => {
		const stream = append(emptyStream, "text\n\n```ts\nconst a = 1;\n\n# not a heading\n");
		assert.deepEqual(stream, { closed: ["text\n\n"], open: "```ts\nconst a = 1;\n\n# not a heading\n" });
	});

	it("joined is the text, byte for byte", () => {
		for (const text of ["", "\n\n", "  \n\na\n", "a\n\n\n\nb", "[r]: /x\n", "\n```\n"]) assert.equal(splitBlocks(text).join(""), text);
	});

	it("holds back a last line of bare markers: it would flash as a rule or a heading", () => {
		assert.deepEqual(["a paragraph\n-", "a paragraph\n- b", "`", "1.", "text *"].map(presentable), [
			"a paragraph\n",
			"a paragraph\n- b",
			"",
			"",
			"text *",
		]);
	});
});
