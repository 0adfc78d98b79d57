// Prepares an image file for a message: scales it to the models' limits and creates a thumbnail.

/** Longest side in pixels, bytes sent, and maximum bytes and pixels of a file to decode. */
export const IMAGE_LIMITS = { side: 1_568, bytes: 700_000, file: 50_000_000, pixels: 120_000_000 };
const THUMBNAIL_SIZE = 64;
/** JPEG qualities tried in order until the image fits. */
const QUALITIES = [0.9, 0.8, 0.65];
const SHRINK_FACTOR = 0.75;

export interface PreparedImage {
	/** Base64. */
	data: string;
	/** A data URL. */
	thumb: string;
}

/** The reason an image can't be attached; selects the message. */
export class ImageFileError extends Error {
	readonly reason: "kind" | "size";
	constructor(about: "kind" | "size") {
		super(about);
		this.reason = about;
	}
}

/** Throws ImageFileError. */
export async function prepareImage(file: Blob): Promise<PreparedImage> {
	if (file.size > IMAGE_LIMITS.file) throw new ImageFileError("size");
	// A small file can declare huge dimensions; check them before decoding.
	if (declaredPixelCount(new Uint8Array(await file.slice(0, 32).arrayBuffer())) > IMAGE_LIMITS.pixels) throw new ImageFileError("size");
	const bitmap = await createImageBitmap(file).catch(() => {
		throw new ImageFileError("kind");
	});
	try {
		if (bitmap.width * bitmap.height > IMAGE_LIMITS.pixels) throw new ImageFileError("size");
		const fits = Math.max(bitmap.width, bitmap.height) <= IMAGE_LIMITS.side && file.size <= IMAGE_LIMITS.bytes;
		const whole = fits && (await isSupported(file)) ? file : await shrink(bitmap, file.type);
		const thumb = await draw(bitmap, Math.min(1, THUMBNAIL_SIZE / Math.min(bitmap.width, bitmap.height)), "image/png");
		return { data: (await dataUrl(whole)).replace(/^[^,]*,/, ""), thumb: await dataUrl(thumb) };
	} finally {
		bitmap.close();
	}
}

/** Recognizes the four formats models accept by their first bytes. */
async function isSupported(file: Blob): Promise<boolean> {
	const head = String.fromCharCode(...new Uint8Array(await file.slice(0, 12).arrayBuffer()));
	return ["\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a"].some((start) => head.startsWith(start)) || /^RIFF.{4}WEBP/s.test(head);
}

async function shrink(bitmap: ImageBitmap, type: string): Promise<Blob> {
	let scale = Math.min(1, IMAGE_LIMITS.side / Math.max(bitmap.width, bitmap.height));
	if (type !== "image/jpeg") {
		const sharp = await draw(bitmap, scale, "image/png");
		if (sharp.size <= IMAGE_LIMITS.bytes) return sharp;
	}
	for (;;) {
		for (const quality of QUALITIES) {
			const small = await draw(bitmap, scale, "image/jpeg", quality);
			if (small.size <= IMAGE_LIMITS.bytes) return small;
		}
		scale *= SHRINK_FACTOR;
	}
}

function draw(bitmap: ImageBitmap, scale: number, type: string, quality?: number): Promise<Blob> {
	const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
	const canvas = new OffscreenCanvas(width, height);
	const context = canvas.getContext("2d");
	if (!context) throw new ImageFileError("size");
	if (type === "image/jpeg") {
		context.fillStyle = "#ffffff";
		context.fillRect(0, 0, width, height);
	}
	context.imageSmoothingQuality = "high";
	context.drawImage(bitmap, 0, 0, width, height);
	return canvas.convertToBlob({ type, ...(quality !== undefined && { quality }) });
}

function dataUrl(blob: Blob): Promise<string> {
	return new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onload = () => resolve(String(reader.result));
		reader.onerror = () => reject(new ImageFileError("kind"));
		reader.readAsDataURL(blob);
	});
}

/** Width times height from the header of a PNG, GIF or WebP; 0 if not declared there. */
export function declaredPixelCount(head: Uint8Array): number {
	const text = String.fromCharCode(...head);
	const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
	const three = (at: number): number => 1 + view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
	if (text.startsWith("\x89PNG\r\n\x1a\n") && head.length >= 24) return view.getUint32(16) * view.getUint32(20);
	if (/^GIF8[79]a/.test(text) && head.length >= 10) return view.getUint16(6, true) * view.getUint16(8, true);
	if (/^RIFF.{4}WEBPVP8X/s.test(text) && head.length >= 30) return three(24) * three(27);
	return 0;
}
