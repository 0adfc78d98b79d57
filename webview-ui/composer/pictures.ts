// The pictures of the page: those of the draft, and those of messages as far as the host has sent their bytes.
import { signal } from "@preact/signals";
import type { BlobRef } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";
import type { MOST_PICTURES as HOST_TAKES, Update } from "../../src/shared/protocol/chat.ts";
import { act, post } from "../host.ts";
import { type DraftPicture, draft, keepDraft } from "../persistedState.ts";
import { sessionId } from "../state.ts";
import { hint } from "./hint.ts";
import { NoPicture, readPicture } from "./pictureFile.ts";

/** Of the message that is being written, in their order. */
export const attached = signal<readonly DraftPicture[]>([]);
/** Data URLs by the hash of their bytes; "" where the bytes are gone. */
export const drawn = signal<ReadonlyMap<string, string>>(new Map());

/** As many as the host takes. */
const MOST_PICTURES: typeof HOST_TAKES = 10;
const asked = new Set<string>();
/** Pictures that the page holds at a time. */
const HELD = 60;

export async function attach(files: Iterable<File>): Promise<void> {
	for (const file of files) {
		if (attached.value.length >= MOST_PICTURES) return hint(t("A message takes {0} pictures; the rest was left out.", MOST_PICTURES));
		const name = file.name || t("Picture");
		const session = sessionId.value;
		try {
			const { data, thumb } = await readPicture(file);
			// The person has gone to another session meanwhile.
			if (session !== sessionId.value) return;
			const key = crypto.randomUUID();
			setAttached([...attached.value, { key, name, thumb }]);
			post({ type: "picture", key, data });
		} catch (error) {
			hint(refusal(name, error));
		}
	}
}

export function detach(key: string): void {
	setAttached(attached.value.filter((picture) => picture.key !== key));
}

export function setAttached(pictures: readonly DraftPicture[]): void {
	attached.value = pictures;
	keepDraft({ pictures: [...pictures] });
}

/** Of the session that shows now. */
export function restoreAttached(): void {
	attached.value = draft().pictures;
}

/** Pictures of a message that came back: the host has them still. */
export function reattach(refs: readonly BlobRef[]): void {
	const again = refs.map(({ blob }) => ({ key: blob, name: t("Picture"), thumb: drawn.value.get(blob) ?? "", blob }));
	setAttached([...attached.value, ...again.filter(({ key }) => !attached.value.some((picture) => picture.key === key))]);
}

/** The data URL of a picture; asks the host for it on first use. */
export function drawing(blob: string): string | undefined {
	const url = drawn.value.get(blob);
	if (url === undefined && !asked.has(blob) && sessionId.value !== undefined) {
		asked.add(blob);
		act("showPicture", { blob });
	}
	return url;
}

export function keptByHost({ key, kept }: Extract<Update, { type: "pictureKept" }>): void {
	const found = attached.value.find((picture) => picture.key === key);
	if (!found) return;
	if ("blob" in kept) {
		setAttached(attached.value.map((picture) => (picture.key === key ? { ...picture, blob: kept.blob } : picture)));
		return;
	}
	detach(key);
	hint(t("{0}: {1}", found.name, kept.refused));
}

export function drawnByHost({ blob, mime, data }: Extract<Update, { type: "picture" }>): void {
	asked.delete(blob);
	const url = data === "" ? "" : `data:${mime};base64,${data}`;
	drawn.value = new Map([...drawn.value, [blob, url] as const].slice(-HELD));
}

/** The host has a picture file that a message mentions: it comes back in the size that models take. */
export async function scaleForHost({ key, mime, data }: Extract<Update, { type: "scale" }>): Promise<void> {
	try {
		const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
		const ready = await readPicture(new Blob([bytes], { type: mime }));
		post({ type: "picture", key, data: ready.data });
	} catch (error) {
		post({ type: "noPicture", key, why: refusal("", error).replace(/^: /, "") });
	}
}

function refusal(name: string, error: unknown): string {
	if (error instanceof NoPicture && error.about === "size")
		return t("{0} is too large to be attached. Make it smaller and try again.", name || t("The picture"));
	return t("{0} is no picture that can be attached. PNG, JPEG, WebP and GIF can; mention other files with @.", name || t("The file"));
}
