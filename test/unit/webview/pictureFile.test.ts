// A small file that says it is an enormous picture is not unpacked.
import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { declaredPixelCount, IMAGE_LIMITS, ImageFileError, prepareImage } from "../../../webview-ui/composer/imageFile.ts";

function png(width: number, height: number): Buffer {
	const head = Buffer.alloc(33);
	head.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
	head.writeUInt32BE(width, 16);
	head.writeUInt32BE(height, 20);
	return Buffer.concat([head, deflateSync(Buffer.alloc(10_000))]);
}

describe("how large a picture says it is", () => {
	it("is in its head", () => {
		const gif = Buffer.from("GIF89a\x10\x27\x20\x4e\0\0", "latin1");
		const webp = Buffer.from("RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\xff\0\x0f\x27\0\0\0", "latin1");
		assert.deepEqual([png(640, 480), gif, webp].map(declaredPixelCount), [640 * 480, 10_000 * 20_000, 65_536 * 10_000]);
		for (const odd of ["", "\x89PNG\r\n\x1a\n", "GIF89a", "RIFF", "plain words"])
			assert.equal(declaredPixelCount(Buffer.from(odd, "latin1")), 0);
	});

	it("keeps it from being unpacked where that is too much", async () => {
		let unpacked = 0;
		const before = globalThis.createImageBitmap;
		globalThis.createImageBitmap = (async () => {
			unpacked += 1;
			throw new Error("no canvas here");
		}) as never;
		try {
			const bomb = new Blob([new Uint8Array(png(60_000, 60_000))]);
			assert.ok(bomb.size < IMAGE_LIMITS.bytes);
			await assert.rejects(prepareImage(bomb), (error) => error instanceof ImageFileError && error.reason === "size");
			assert.equal(unpacked, 0);
			await assert.rejects(
				prepareImage(new Blob([new Uint8Array(png(600, 600))])),
				(error) => error instanceof ImageFileError && error.reason === "kind",
			);
			assert.equal(unpacked, 1);
		} finally {
			globalThis.createImageBitmap = before;
		}
	});
});
