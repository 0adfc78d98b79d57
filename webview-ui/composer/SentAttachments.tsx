// Renders the attachments of a sent message: images, and a tag that opens each mention.
import type { Attachment, BlobRef } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";
import { Icon } from "../components/Icon.tsx";
import { postSessionIntent } from "../host.ts";
import { cleanText } from "../text/displayText.ts";
import { attachmentIcon } from "./completion.ts";
import { imageUrl } from "./images.ts";

export function SentImages({ pictures }: { pictures: readonly BlobRef[] }) {
	return (
		<div class="sent-pictures">
			{pictures.map(({ blob }, index) => {
				const url = imageUrl(blob);
				const name = pictures.length === 1 ? t("Image") : t("Image {0}", index + 1);
				if (url === "") {
					return (
						<span key={blob} class="sent-picture gone" title={t("The image no longer exists.")}>
							<Icon name="file-media" />
							<span class="sr-only">{t("{0}: no longer available", name)}</span>
						</span>
					);
				}
				return (
					<button
						key={blob}
						type="button"
						class="sent-picture"
						title={t("Open in Editor")}
						onClick={() => postSessionIntent("openPicture", { blob })}
					>
						{url === undefined ? <Icon name="file-media" /> : <img src={url} alt="" />}
						<span class="sr-only">{name}</span>
					</button>
				);
			})}
		</div>
	);
}

/** `event`: the message's id. */
export function SentMentions({ mentions, event }: { mentions: readonly Attachment[]; event: string }) {
	return (
		<ul class="sent-mentions" aria-label={t("Attached")}>
			{mentions.map(({ kind, label, path }, index) => (
				<li key={index}>
					<button
						type="button"
						class="brought"
						title={t("Open {0}", cleanText(path ?? label))}
						onClick={() => postSessionIntent("openAttachment", { event, index })}
					>
						<Icon name={attachmentIcon(kind)} />
						<span>{cleanText(kind === "conversation" ? label : shortened(label))}</span>
					</button>
				</li>
			))}
		</ul>
	);
}

/** Truncates at the start, since a path's end identifies it best. */
function shortened(label: string): string {
	return label.length > 40 && !label.includes("://") ? `…${label.slice(-39)}` : label;
}
