// Bytes of UTF-8 text, decoded and cut.
import assert from "node:assert/strict";
import { characterStart, decodeUtf8, nextCharacterStart } from "../../../src/shared/utf8.ts";

describe("decoding UTF-8", () => {
	it("gives the text with its byte order mark or without, and nothing of what is not UTF-8 to the last byte", () => {
		const bytes = Buffer.from("\uFEFFaé𝄞");
		assert.deepEqual([decodeUtf8(bytes), decodeUtf8(bytes, { keepMark: true })], ["aé𝄞", "\uFEFFaé𝄞"]);
		assert.deepEqual([decodeUtf8(bytes.subarray(0, -1)), decodeUtf8(Buffer.from([0x61, 0xff]))], [undefined, undefined]);
		assert.equal(decodeUtf8(new Uint8Array()), "");
	});
});

describe("a cut in UTF-8", () => {
	it("falls before or after a character, never through one, whatever its length", () => {
		const text = "aé€𝄞z";
		const bytes = Buffer.from(text);
		const starts = [...text].map((_, index) => Buffer.byteLength([...text].slice(0, index).join("")));
		for (let at = 0; at < bytes.length; at += 1) {
			assert.equal(
				characterStart(bytes, at),
				starts.findLast((start) => start <= at),
				`back from ${at}`,
			);
			assert.equal(nextCharacterStart(bytes, at), starts.find((start) => start >= at) ?? bytes.length, `on from ${at}`);
		}
		assert.deepEqual([characterStart(bytes, bytes.length), nextCharacterStart(bytes, bytes.length)], [bytes.length, bytes.length]);
	});

	it("moves by no more than a character where the bytes are no text", () => {
		const bytes = new Uint8Array(100).fill(0x80, 1);
		assert.deepEqual([characterStart(bytes, 50), nextCharacterStart(bytes, 50)], [50, 53]);
	});
});
