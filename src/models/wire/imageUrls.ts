// Converts a message's images to data URLs, with a note to the model about missing ones.
import type { BlobRef, TranscriptEvent } from "../../core/events.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import type { ReadImage } from "./writtenMessages.ts";

export interface ImageUrls {
	urls: string[];
	/** Note on missing images; "" if none is missing. */
	note: string;
}

/** `image` is absent if the model does not support images. */
export function createImageUrls(images: readonly BlobRef[], image: ReadImage | undefined): ImageUrls {
	if (images.length === 0) return { urls: [], note: "" };
	if (!image) return { urls: [], note: `[${images.length} attached image(s) cannot be shown to this model.]` };
	const urls = images.flatMap((ref) => {
		const bytes = image(ref);
		return bytes && bytes.length > 0 ? [dataUrl(ref, bytes)] : [];
	});
	const gone = images.length - urls.length;
	return { urls, note: gone === 0 ? "" : `[${gone} attached image(s) are not kept any more and cannot be shown.]` };
}

/** Matches errors about images that a server cannot read. */
export const IMAGE_ERROR_PATTERN =
	/(invalid|corrupt|damaged|malformed|unsupported|not a valid|(could|can)( ?n[o']t)? (process|decode|read|parse)|failed to \w+)\b.{0,60}\bimage|\bimage\b.{0,80}(invalid|corrupt|damaged|malformed|not valid|too large|exceed)/is;

/** Removes the images from tool results, for a server that rejects an image without saying which one. */
export function withoutToolImages<Part extends Pick<ModelRequest, "events">>(request: Part): Part {
	return { ...request, events: request.events.map(withoutImages) };
}

const imageless = new WeakMap<TranscriptEvent, TranscriptEvent>();

/** Returns the same object each time, so that it is written only once. */
function withoutImages(event: TranscriptEvent): TranscriptEvent {
	if (event.type !== "result" || !event.images) return event;
	const { images, ...rest } = event;
	const known = imageless.get(event) ?? { ...rest, output: `${event.output}\n[${images.length} image(s) of this result cannot be shown.]` };
	imageless.set(event, known);
	return known;
}

function dataUrl({ mime }: BlobRef, bytes: Uint8Array): string {
	const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
	return `data:${mime ?? mimeOf(bytes)};base64,${base64}`;
}

/** Magic bytes of the types that models accept. */
const MAGIC_BYTES: readonly [string, string][] = [
	["ffd8ff", "image/jpeg"],
	["47494638", "image/gif"],
	["52494646", "image/webp"],
];

function mimeOf(bytes: Uint8Array): string {
	const start = Buffer.from(bytes.subarray(0, 4)).toString("hex");
	return MAGIC_BYTES.find(([magic]) => start.startsWith(magic))?.[1] ?? "image/png";
}
