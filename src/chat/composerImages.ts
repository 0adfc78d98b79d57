// Handles the composer's images: takes them, has the page scale them, and shows them.
import { randomUUID } from "node:crypto";
import type { BlobRef } from "../core/events.ts";
import { UserError } from "../core/userError.ts";
import { MAX_IMAGE_BYTES, MessageImages, toWebviewImage } from "../session/transcript/images.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { IntentOf, Update } from "../shared/protocol/chat.ts";
import { reasonOf } from "../shared/reasonOf.ts";
import type { ChatHost } from "./chatHost.ts";

type Handled = "picture" | "noPicture" | "showPicture" | "openPicture";

export interface ComposerImages {
	acts: { [T in Handled]: (intent: IntentOf<T>) => unknown };
	/** Rejects with a displayable message if one no longer exists. */
	find(names: readonly string[]): Promise<BlobRef[]>;
	/** The images that still exist; a message that is returned to the composer may be incomplete. */
	findExisting(names: readonly string[]): Promise<BlobRef[]>;
	/** Allows the page to see images that are returned to it. */
	give(images: readonly BlobRef[]): void;
	/** Has the page scale an image, since only the page can. */
	scale(bytes: Uint8Array, signal: AbortSignal): Promise<BlobRef>;
}

interface ImageOptions {
	sessions: Sessions;
	host: Pick<ChatHost, "openImage">;
	post(update: Update): void;
}

/** Milliseconds for the page to scale an image. */
const SCALING_TIMEOUT = 15_000;

export function createComposerImages({ sessions, host, post }: ImageOptions): ComposerImages {
	const messageImages = new MessageImages(sessions.services.blobs);
	const scaling = new Map<string, { resolve(ref: Promise<BlobRef>): void; reject(why: Error): void }>();

	return {
		acts: {
			async picture({ key, data }) {
				const stored = messageImages.take(key, data);
				const wanted = scaling.get(key);
				if (wanted) return wanted.resolve(stored);
				try {
					post({ type: "pictureKept", key, kept: await stored });
				} catch (error) {
					post({ type: "pictureKept", key, kept: { refused: reasonOf(error, sessions.services.log) } });
				}
			},
			noPicture: ({ key, why }) => scaling.get(key)?.reject(new UserError(why)),
			async showPicture({ session, blob }) {
				const { mime = "", bytes } = (await messageImages.show(blob, await sessions.get(session))) ?? {};
				post({ type: "picture", blob, mime, data: bytes ? Buffer.from(bytes).toString("base64") : "" });
			},
			async openPicture({ session, blob }) {
				const shown = await messageImages.show(blob, await sessions.get(session));
				if (!shown) throw new UserError(t("The image no longer exists."));
				await host.openImage(blob, shown.mime);
			},
		},
		find: (names) => Promise.all(names.map((name) => messageImages.find(name))),
		async findExisting(names) {
			const all = await Promise.allSettled(names.map((name) => messageImages.find(name)));
			return all.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
		},
		give: (images) => messageImages.give(images),
		async scale(bytes, signal) {
			const key = `scale-${randomUUID()}`;
			const timeout = AbortSignal.timeout(SCALING_TIMEOUT);
			try {
				return await new Promise<BlobRef>((resolve, reject) => {
					scaling.set(key, { resolve, reject });
					for (const stop of [signal, timeout]) stop.addEventListener("abort", () => reject(stop.reason as Error), { once: true });
					post({ type: "scale", key, ...toWebviewImage(bytes) });
				});
			} catch (error) {
				if (!timeout.aborted || signal.aborted) throw error;
				if (bytes.length <= MAX_IMAGE_BYTES) return messageImages.keep(bytes);
				throw new UserError(t("Resizing the image took too long. Attach the image with the button instead."));
			} finally {
				scaling.delete(key);
			}
		},
	};
}
