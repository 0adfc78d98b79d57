// Images of the draft, and data URLs of images in messages.
import { signal } from "@preact/signals";
import type { BlobRef } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";
import type { MAX_MESSAGE_IMAGES as HOST_TAKES, Update } from "../../src/shared/protocol/chat.ts";
import { postIntent, postSessionIntent } from "../host.ts";
import { type DraftImage, draft, updateDraft } from "../persistedState.ts";
import { sessionId } from "../state.ts";
import { showHint } from "./hint.ts";
import { ImageFileError, prepareImage } from "./imageFile.ts";

/** Images of the draft, in order. */
export const draftImages = signal<readonly DraftImage[]>([]);
/** Data URLs by blob hash; "" if the data no longer exists. */
export const imageUrls = signal<ReadonlyMap<string, string>>(new Map());

/** The host's limit. */
const MAX_IMAGES: typeof HOST_TAKES = 10;
const requested = new Set<string>();
/** Maximum image URLs stored. */
const MAX_URLS = 60;

export async function attachImages(files: Iterable<File>): Promise<void> {
	for (const file of files) {
		if (draftImages.value.length >= MAX_IMAGES)
			return showHint(t("A message can contain up to {0} images. The rest weren't included.", MAX_IMAGES));
		const name = file.name || t("Image");
		const session = sessionId.value;
		try {
			const { data, thumb } = await prepareImage(file);
			// The user switched sessions meanwhile.
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

/** Loads the draft images of the shown session. */
export function restoreDraftImages(): void {
	draftImages.value = draft().pictures;
}

/** Images of a message returned to the composer; the host still has their data. */
export function reattachImages(refs: readonly BlobRef[]): void {
	const returned = refs.map(({ blob }) => ({ key: blob, name: t("Image"), thumb: imageUrls.value.get(blob) ?? "", blob }));
	setDraftImages([...draftImages.value, ...returned.filter(({ key }) => !draftImages.value.some((picture) => picture.key === key))]);
}

/** The data URL of an image; requested from the host on first use. */
export function imageUrl(blob: string): string | undefined {
	const url = imageUrls.value.get(blob);
	if (url === undefined && !requested.has(blob) && sessionId.value !== undefined) {
		requested.add(blob);
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
	requested.delete(blob);
	const url = data === "" ? "" : `data:${mime};base64,${data}`;
	imageUrls.value = new Map([...imageUrls.value, [blob, url] as const].slice(-MAX_URLS));
}

/** Scales an image file that a message mentions and returns it to the host. */
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
