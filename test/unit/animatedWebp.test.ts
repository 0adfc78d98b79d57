// The moving picture of the README: its container says what the pictures in it are.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { animatedWebp } from "../e2e/animatedWebp.ts";

/** A still picture: a chunk to be skipped, then pixels of an odd number of bytes. */
const still = Buffer.concat([Buffer.from("RIFF\x1c\0\0\0WEBP"), Buffer.from("ICCP\x02\0\0\0ab"), Buffer.from("VP8L\x03\0\0\0xyz\0")]);

interface Chunk {
	name: string;
	data: Buffer;
}

function chunks(bytes: Buffer): Chunk[] {
	const found: Chunk[] = [];
	for (let at = 0; at < bytes.length; ) {
		const size = bytes.readUInt32LE(at + 4);
		found.push({ name: bytes.toString("latin1", at, at + 4), data: bytes.subarray(at + 8, at + 8 + size) });
		at += 8 + size + (size % 2);
	}
	return found;
}

/** The canvas, and each frame's place, size and milliseconds. */
function read(file: Buffer) {
	const [riff] = chunks(file);
	assert.ok(riff && riff.data.length === file.length - 8, "the file is one RIFF chunk");
	const [canvas, , ...frames] = chunks(riff.data.subarray(4));
	assert.equal(canvas?.name, "VP8X");
	return {
		canvas: [4, 7].map((at) => (canvas?.data.readUIntLE(at, 3) ?? 0) + 1),
		frames: frames.map(({ name, data }) => {
			assert.equal(name, "ANMF");
			const [x = 0, y = 0, width = 0, height = 0, duration = 0] = [0, 3, 6, 9, 12].map((at) => data.readUIntLE(at, 3));
			return { x: x * 2, y: y * 2, width: width + 1, height: height + 1, duration, pixels: chunks(data.subarray(16))[0] };
		}),
	};
}

describe("an animated WebP", () => {
	it("holds each picture's pixels with its place and its time", () => {
		const place = { x: 4, y: 6, width: 3, height: 2 };
		const { canvas, frames } = read(animatedWebp(300, 200, [{ ...place, bytes: still, duration: 1_500 }]));
		assert.deepEqual(canvas, [300, 200]);
		assert.deepEqual(frames, [{ ...place, duration: 1_500, pixels: { name: "VP8L", data: Buffer.from("xyz") } }]);
	});

	it("refuses what is no picture", () => {
		const bytes = Buffer.from("RIFF\x04\0\0\0WEBP");
		assert.throws(() => animatedWebp(2, 2, [{ bytes, x: 0, y: 0, width: 2, height: 2, duration: 1 }]), /not a picture/);
	});
});

describe("the moving picture of the README", () => {
	it("takes 12 seconds and less than 1.5 MB", () => {
		const file = readFileSync("media/demo.webp");
		assert.ok(file.length < 1_500_000, `${file.length} bytes`);
		const { canvas, frames } = read(file);
		const [width = 0, height = 0] = canvas;
		assert.ok(frames.length > 20);
		assert.ok(frames.every((frame) => frame.x + frame.width <= width && frame.y + frame.height <= height));
		const length = frames.reduce((sum, { duration }) => sum + duration, 0);
		assert.ok(Math.abs(length - 12_000) < 100, `${length} ms`);
	});
});
