// Pictures of a message: what counts as one is told by its first bytes, and they are kept as blobs.
import type { BlobRef } from "../core/events.ts";
import type { Blobs } from "../core/ports.ts";
import type { Transcript } from "../core/transcript.ts";
import { t } from "../l10n.ts";

export type PictureType = "image/png" | "image/jpeg" | "image/webp" | "image/gif";

/** Bytes of a picture that a message takes; the page scales larger ones down. */
export const PICTURE_BYTES = 700_000;

/** Undefined when the bytes are none of the four that models take. */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
	const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
	if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
	if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
	if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
	return head.startsWith("RIFF") && head.slice(8, 12) === "WEBP" ? "image/webp" : undefined;
}

export function isPictureName(path: string): boolean {
	return /\.(png|jpe?g|gif|webp)$/i.test(path);
}

/** The pictures that a page has handed over, by the page's own names for them, for as long as the page lives. */
export class Pictures {
	private readonly blobs: Blobs;
	private readonly handed = new Map<string, Promise<BlobRef>>();
	private readonly own = new Set<string>();

	constructor(blobs: Blobs) {
		this.blobs = blobs;
	}

	/** Rejects with a sentence when it is no picture. */
	take(key: string, data: string): Promise<BlobRef> {
		const kept = this.keep(Buffer.from(data, "base64"));
		kept.catch(() => undefined);
		this.handed.set(key, kept);
		for (const old of [...this.handed.keys()].slice(0, -MOST_HANDED)) this.handed.delete(old);
		return kept;
	}

	async keep(bytes: Uint8Array): Promise<BlobRef> {
		const mime = pictureType(bytes);
		if (!mime) throw new Error(t("This is no PNG, JPEG, WebP or GIF picture, so it was not attached."));
		if (bytes.length > PICTURE_BYTES) throw new Error(t("The picture is too large to be sent. Nothing was attached; try a smaller one."));
		const ref: BlobRef = { blob: await this.blobs.put(bytes), size: bytes.length, mime };
		this.own.add(ref.blob);
		return ref;
	}

	/** By the page's name for it, or by the hash that its draft has kept over a reload. */
	async find(name: string): Promise<BlobRef> {
		const handed = this.handed.get(name);
		if (handed !== undefined) return handed;
		const bytes = await this.blobs.get(name).catch(() => undefined);
		const mime = bytes && bytes.length <= PICTURE_BYTES ? pictureType(bytes) : undefined;
		if (!bytes || !mime) throw new Error(t("A picture of this message is not there any more. Attach it again, then send."));
		this.own.add(name);
		return { blob: name, size: bytes.length, mime };
	}

	/** These were given back to the page: it may see them. */
	give(refs: readonly BlobRef[]): void {
		for (const { blob } of refs) this.own.add(blob);
	}

	/** A picture that the page may see: one of its own, or one that the session it shows names. */
	async show(blob: string, state: Transcript): Promise<{ mime: PictureType; bytes: Uint8Array } | undefined> {
		if (!this.own.has(blob) && !isNamed(blob, state)) return undefined;
		const bytes = await this.blobs.get(blob);
		const mime = bytes && pictureType(bytes);
		return bytes && mime ? { mime, bytes } : undefined;
	}
}

const MOST_HANDED = 200;

function isNamed(blob: string, state: Transcript): boolean {
	return state.events.some((event) => event.type === "user" && event.images?.some((image) => image.blob === blob));
}
