// Detects image types and sizes from their bytes, and limits the images that tools return.
import type { BlobRef, TranscriptEvent } from "./events.ts";

export type ImageType = "image/png" | "image/jpeg" | "image/webp" | "image/gif";

/** Limits for images from tools: bytes and pixels of one image, and images per result. Providers reject larger requests. */
export const TOOL_IMAGE_LIMITS = { bytes: 2_000_000, side: 8_000, count: 8 } as const;

/** Returns undefined if the bytes are none of the four types that models accept. */
export function detectImageType(bytes: Uint8Array): ImageType | undefined {
	const head = String.fromCharCode(...bytes.subarray(0, 12));
	if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
	if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
	if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
	return head.startsWith("RIFF") && head.slice(8, 12) === "WEBP" ? "image/webp" : undefined;
}

export interface ImageSize {
	/** Pixels. */
	width: number;
	height: number;
}

/** Returns undefined if the header has no valid size. */
export function readImageSize(bytes: Uint8Array): ImageSize | undefined {
	const type = detectImageType(bytes);
	const size = type && SIZES[type](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
	return size && size.width > 0 && size.height > 0 ? size : undefined;
}

const SIZES: Record<ImageType, (view: DataView) => ImageSize | undefined> = {
	"image/png": (view) => (view.byteLength < 24 ? undefined : { width: view.getUint32(16), height: view.getUint32(20) }),
	"image/gif": (view) => (view.byteLength < 10 ? undefined : { width: view.getUint16(6, true), height: view.getUint16(8, true) }),
	"image/jpeg": jpegSize,
	"image/webp": webpSize,
};

/** The size is in the first frame segment; each earlier segment starts with its length. */
function jpegSize(view: DataView): ImageSize | undefined {
	for (let at = 2; at + 9 <= view.byteLength; ) {
		if (view.getUint8(at) !== 0xff) return undefined;
		const marker = view.getUint8(at + 1);
		if (marker === 0xff) {
			at += 1;
			continue;
		}
		// C4, C8, and CC are tables, not frames.
		const frame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
		if (frame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
		at += 2 + Math.max(2, view.getUint16(at + 2));
	}
	return undefined;
}

/** Three formats: extended, lossless, lossy. */
function webpSize(view: DataView): ImageSize | undefined {
	if (view.byteLength < 30) return undefined;
	const form = String.fromCharCode(view.getUint8(12), view.getUint8(13), view.getUint8(14), view.getUint8(15));
	const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
	if (form === "VP8X") return { width: three(24) + 1, height: three(27) + 1 };
	if (form === "VP8L") {
		const bits = view.getUint32(21, true);
		return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
	}
	return form === "VP8 " ? { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff } : undefined;
}

/** The description of an image for the model, or the reason that it is refused. */
export type ImageCheck = { about: string } | { refused: string };

/** Validates an image from a tool. */
export function checkImage(bytes: Uint8Array): ImageCheck {
	const type = detectImageType(bytes);
	const size = readImageSize(bytes);
	if (!type || !size) return { refused: "not a PNG, JPEG, WebP or GIF" };
	// Providers reject every request that contains a truncated image, which would break the rest of the session.
	if (!isWhole(bytes, type)) return { refused: "it is cut or damaged" };
	const { width, height } = size;
	const about = `${type}, ${width} × ${height}, ${bytes.length} bytes`;
	if (bytes.length > TOOL_IMAGE_LIMITS.bytes) return { refused: `${about}: over ${TOOL_IMAGE_LIMITS.bytes} bytes` };
	if (Math.max(width, height) > TOOL_IMAGE_LIMITS.side) return { refused: `${about}: over ${TOOL_IMAGE_LIMITS.side} pixels` };
	return { about };
}

const ENDS: Record<Exclude<ImageType, "image/webp">, readonly number[]> = {
	"image/png": [0x49, 0x45, 0x4e, 0x44],
	"image/jpeg": [0xff, 0xd9],
	"image/gif": [0x3b],
};

function isWhole(bytes: Uint8Array, type: ImageType): boolean {
	if (type === "image/webp") return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) + 8 <= bytes.length;
	const end = ENDS[type];
	// Some programs write a few bytes after the end marker.
	for (let at = bytes.length - end.length; at > 12; at -= 1) if (end.every((byte, index) => bytes[at + index] === byte)) return true;
	return false;
}

/** Maximum bytes of images in one request. */
const MAX_REQUEST_BYTES = 20_000_000;

/**
 * Hashes of the images that a request includes: all of them, or the newest if there are too many. Images are dropped in steps of
 * half the limit, so that most requests share a prefix with the previous one.
 */
export function selectRequestImages(events: readonly TranscriptEvent[], maxBytes = MAX_REQUEST_BYTES): ReadonlySet<string> {
	let selected: BlobRef[] = [];
	let size = 0;
	for (const event of events) {
		const images = event.type === "user" || event.type === "result" ? (event.images ?? []) : [];
		for (const image of images) {
			selected.push(image);
			size += image.size;
		}
		if (size <= maxBytes) continue;
		const candidates = selected;
		selected = [];
		size = 0;
		for (const image of candidates.toReversed()) {
			if (selected.length > 0 && size + image.size > maxBytes / 2) break;
			selected.unshift(image);
			size += image.size;
		}
	}
	return new Set(selected.map(({ blob }) => blob));
}
