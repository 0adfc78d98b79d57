// Stores images of messages and tools as blobs, and limits which ones the page may see.
import type { BlobRef } from "../../core/events.ts";
import { checkImage, detectImageType, type ImageType, TOOL_IMAGE_LIMITS } from "../../core/images.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import type { SessionContext } from "../sessionContext.ts";
import { findEvent } from "./eventLookup.ts";

/** Maximum bytes of an image in a message; the page scales larger ones down. */
export const MAX_IMAGE_BYTES = 700_000;

/** Encodes an image for the webview. */
export function toWebviewImage(bytes: Uint8Array): { mime: string; data: string } {
	return { mime: detectImageType(bytes) ?? "", data: Buffer.from(bytes).toString("base64") };
}

export function isImagePath(path: string): boolean {
	return /\.(png|jpe?g|gif|webp)$/i.test(path);
}

/** The images of a tool's result that a model can accept; the tool's text mentions the others. */
export async function storeToolImages(blobs: BlobStore, images: readonly Uint8Array[]): Promise<BlobRef[]> {
	const usable = images.filter((bytes) => "about" in checkImage(bytes)).slice(0, TOOL_IMAGE_LIMITS.count);
	return Promise.all(
		usable.map(async (bytes) => ({ blob: await blobs.put(bytes), size: bytes.length, mime: detectImageType(bytes) ?? "image/png" })),
	);
}

/** Images sent by a page, under the page's own names for them, for the lifetime of the page. */
export class MessageImages {
	private readonly blobs: BlobStore;
	private readonly handed = new Map<string, Promise<BlobRef>>();
	private readonly own = new Set<string>();

	constructor(blobs: BlobStore) {
		this.blobs = blobs;
	}

	/** Rejects with a displayable message if the data is not an image. */
	take(key: string, data: string): Promise<BlobRef> {
		const stored = this.keep(Buffer.from(data, "base64"));
		stored.catch(() => undefined);
		this.handed.set(key, stored);
		for (const old of [...this.handed.keys()].slice(0, -MOST_HANDED)) this.handed.delete(old);
		return stored;
	}

	async keep(bytes: Uint8Array): Promise<BlobRef> {
		const mime = detectImageType(bytes);
		if (!mime) throw new UserError(t("This file isn't a PNG, JPEG, WebP, or GIF image. Nothing was attached."));
		if (bytes.length > MAX_IMAGE_BYTES) throw new UserError(t("The image is too large. Nothing was attached. Try a smaller image."));
		const ref: BlobRef = { blob: await this.blobs.put(bytes), size: bytes.length, mime };
		this.own.add(ref.blob);
		return ref;
	}

	/** Looks up an image by the page's name, or by the hash that a draft kept across a reload. */
	async find(name: string): Promise<BlobRef> {
		const handed = this.handed.get(name);
		if (handed !== undefined) return handed;
		const bytes = await this.blobs.get(name).catch(() => undefined);
		const mime = bytes && bytes.length <= MAX_IMAGE_BYTES ? detectImageType(bytes) : undefined;
		if (!bytes || !mime)
			throw new UserError(t("An image in this message no longer exists. Attach the image again, then send the message."));
		this.own.add(name);
		return { blob: name, size: bytes.length, mime };
	}

	/** Allows the page to see images that were returned to it. */
	give(refs: readonly BlobRef[]): void {
		for (const { blob } of refs) this.own.add(blob);
	}

	/** An image that the page may see: one of its own, or one that its session references. */
	async show(blob: string, session: SessionContext): Promise<{ mime: ImageType; bytes: Uint8Array } | undefined> {
		if (!this.own.has(blob) && !(await isReferenced(blob, session))) return undefined;
		const bytes = await this.blobs.get(blob);
		const mime = bytes && detectImageType(bytes);
		return bytes && mime ? { mime, bytes } : undefined;
	}
}

const MOST_HANDED = 200;

async function isReferenced(blob: string, session: SessionContext): Promise<boolean> {
	const named = await findEvent(
		session,
		(event) => ((event.type === "user" || event.type === "result") && event.images?.some((image) => image.blob === blob)) || undefined,
	);
	return named === true;
}
