// The page's images: those of the draft, and those of messages whose bytes the host has sent.
import { signal } from "@preact/signals";
import type { BlobRef } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";
import type { MAX_MESSAGE_IMAGES as HOST_TAKES, Update } from "../../src/shared/protocol/chat.ts";
import { postIntent, postSessionIntent } from "../host.ts";
import { type DraftImage, draft, updateDraft } from "../persistedState.ts";
import { sessionId } from "../state.ts";
import { showHint } from "./hint.ts";
import { ImageFileError, prepareImage } from "./imageFile.ts";

/** Of the message that is being written, in their order. */
export const draftImages = signal<readonly DraftImage[]>([]);
/** Data URLs by the hash of their bytes; "" where the bytes are gone. */
export const imageUrls = signal<ReadonlyMap<string, string>>(new Map());

/** As many as the host takes. */
const MOST_PICTURES: typeof HOST_TAKES = 10;
const asked = new Set<string>();
/** Pictures that the page holds at a time. */
const HELD = 60;

export async function attachImages(files: Iterable<File>): Promise<void> {
	for (const file of files) {
		if (draftImages.value.length >= MOST_PICTURES)
			return showHint(t("A message can contain up to {0} images. The rest weren't included.", MOST_PICTURES));
		const name = file.name || t("Image");
		const session = sessionId.value;
		try {
			const { data, thumb } = await prepareImage(file);
			// The person has gone to another session meanwhile.
			if (session !== sessionId.value) return;
			const key = crypto.randomUUID();
			setDraftImages([...draftImages.value, { key, name, thumb }]);
			postIntent({ type: "picture", key, data });
		} catch (error) {
			showHint(refusal(name, error));
		}
	}
}

export function detachImage(key: string): void {
	setDraftImages(draftImages.value.filter((picture) => picture.key !== key));
}

export function setDraftImages(pictures: readonly DraftImage[]): void {
	draftImages.value = pictures;
	updateDraft({ pictures: [...pictures] });
}

/** Of the session that shows now. */
export function restoreDraftImages(): void {
	draftImages.value = draft().pictures;
}

/** Pictures of a message that came back: the host has them still. */
export function reattachImages(refs: readonly BlobRef[]): void {
	const again = refs.map(({ blob }) => ({ key: blob, name: t("Image"), thumb: imageUrls.value.get(blob) ?? "", blob }));
	setDraftImages([...draftImages.value, ...again.filter(({ key }) => !draftImages.value.some((picture) => picture.key === key))]);
}

/** The data URL of a picture; asks the host for it on first use. */
export function imageUrl(blob: string): string | undefined {
	const url = imageUrls.value.get(blob);
	if (url === undefined && !asked.has(blob) && sessionId.value !== undefined) {
		asked.add(blob);
		postSessionIntent("showPicture", { blob });
	}
	return url;
}

export function handleImageStored({ key, kept }: Extract<Update, { type: "pictureKept" }>): void {
	const found = draftImages.value.find((picture) => picture.key === key);
	if (!found) return;
	if ("blob" in kept) {
		setDraftImages(draftImages.value.map((picture) => (picture.key === key ? { ...picture, blob: kept.blob } : picture)));
		return;
	}
	detachImage(key);
	showHint(t("{0}: {1}", found.name, kept.refused));
}

export function handleImageData({ blob, mime, data }: Extract<Update, { type: "picture" }>): void {
	asked.delete(blob);
	const url = data === "" ? "" : `data:${mime};base64,${data}`;
	imageUrls.value = new Map([...imageUrls.value, [blob, url] as const].slice(-HELD));
}

/** The host has a picture file that a message mentions: it comes back in the size that models take. */
export async function scaleImageForHost({ key, mime, data }: Extract<Update, { type: "scale" }>): Promise<void> {
	try {
		const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
		const ready = await prepareImage(new Blob([bytes], { type: mime }));
		postIntent({ type: "picture", key, data: ready.data });
	} catch (error) {
		postIntent({ type: "noPicture", key, why: refusal(undefined, error) });
	}
}

function refusal(name: string | undefined, error: unknown): string {
	if (error instanceof ImageFileError && error.reason === "size") {
		if (!name) return t("The image is too large to attach. Use a smaller image and try again.");
		return t("{0} is too large to attach. Use a smaller image and try again.", name);
	}
	if (!name)
		return t("The file can't be attached. Supported image formats are PNG, JPEG, WebP, and GIF. To add other files, mention them with @.");
	return t("{0} can't be attached. Supported image formats are PNG, JPEG, WebP, and GIF. To add other files, mention them with @.", name);
}
