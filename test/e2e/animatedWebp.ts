// Puts pictures in WebP one after the other into an animated WebP, as its container format says.
// https://developers.google.com/speed/webp/docs/riff_container

export interface WebpFrame {
	/** A still picture without transparency, in WebP. */
	bytes: Uint8Array;
	/** Where it lies on the canvas: even numbers, in pixels. */
	x: number;
	y: number;
	width: number;
	height: number;
	/** Milliseconds. */
	duration: number;
}

const ANIMATION = 0x02;
/** Draw over what is there, and leave it there. */
const NO_BLENDING = 0x02;

/** Repeats for ever. Each frame is drawn on top of those before it. */
export function animatedWebp(width: number, height: number, frames: readonly WebpFrame[]): Buffer {
	const canvas = Buffer.concat([Buffer.from([ANIMATION, 0, 0, 0]), uint24(width - 1), uint24(height - 1)]);
	const chunks = [chunk("VP8X", canvas), chunk("ANIM", Buffer.alloc(6)), ...frames.map((frame) => chunk("ANMF", frameData(frame)))];
	return chunk("RIFF", Buffer.concat([Buffer.from("WEBP"), ...chunks]));
}

function frameData({ bytes, x, y, width, height, duration }: WebpFrame): Buffer {
	const head = [x / 2, y / 2, width - 1, height - 1, duration].map(uint24);
	return Buffer.concat([...head, Buffer.from([NO_BLENDING]), pictureChunk(Buffer.from(bytes))]);
}

/** The chunk with the pixels of a still picture. */
function pictureChunk(file: Buffer): Buffer {
	for (let at = 12; at + 8 <= file.length; ) {
		const name = file.toString("latin1", at, at + 4);
		const size = file.readUInt32LE(at + 4);
		const end = at + 8 + size + (size % 2);
		if (name === "VP8L" || name === "VP8 ") return file.subarray(at, end);
		at = end;
	}
	throw new Error("This is not a picture in WebP.");
}

function chunk(name: string, data: Buffer): Buffer {
	const size = Buffer.alloc(4);
	size.writeUInt32LE(data.length);
	return Buffer.concat([Buffer.from(name), size, data, Buffer.alloc(data.length % 2)]);
}

function uint24(value: number): Buffer {
	const bytes = Buffer.alloc(3);
	bytes.writeUIntLE(value, 0, 3);
	return bytes;
}
