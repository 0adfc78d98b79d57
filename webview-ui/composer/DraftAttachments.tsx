// Renders the draft's attachments: editor context, and removable images and summaries of other sessions.
import { t } from "../../src/shared/l10n.ts";
import { Icon } from "../components/Icon.tsx";
import { postSessionIntent } from "../host.ts";
import { chatStatus } from "../state.ts";
import { cleanText } from "../text/displayText.ts";
import { ContextChip } from "./ContextChip.tsx";
import { detachImage, draftImages, imageUrl } from "./images.ts";

export function DraftAttachments({ after }: { after: () => void }) {
	const pictures = draftImages.value;
	const { model, panel, attached = [] } = chatStatus.value ?? {};
	if (pictures.length === 0 && attached.length === 0 && !panel) return null;
	return (
		<>
			<ul class="attachments" aria-label={pictures.length > 0 ? t("Images in this message") : t("Context for this message")}>
				<ContextChip />
				{attached.map(({ blob, label }) => (
					<DraftConversation key={blob} blob={blob} label={cleanText(label)} after={after} />
				))}
				{pictures.map(({ key, name, thumb, blob }) => (
					<li key={key} class="attachment">
						<img src={thumb || (blob && imageUrl(blob)) || undefined} alt="" />
						<span class="attachment-name" title={cleanText(name)}>
							{cleanText(name)}
						</span>
						<button
							type="button"
							class="attachment-remove"
							aria-label={t("Remove {0}", cleanText(name))}
							title={t("Remove")}
							onClick={() => {
								detachImage(key);
								after();
							}}
						>
							<Icon name="close" />
						</button>
					</li>
				))}
			</ul>
			{model?.images === false && pictures.length > 0 && (
				<p class="composer-note warning">
					<Icon name="warning" />
					<span>
						{pictures.length === 1
							? t("{0} doesn't support images and won't see this image.", cleanText(model.name))
							: t("{0} doesn't support images and won't see these images.", cleanText(model.name))}
					</span>
				</p>
			)}
		</>
	);
}

/** A summary of another session: a click opens it. */
function DraftConversation({ blob, label, after }: { blob: string; label: string; after: () => void }) {
	return (
		<li class="attachment">
			<button
				type="button"
				class="attachment-open"
				title={t("Open {0}", label)}
				onClick={() => postSessionIntent("draftAttachment", { blob, how: "open" })}
			>
				<Icon name="comment-discussion" />
				<span class="attachment-name">{label}</span>
			</button>
			<button
				type="button"
				class="attachment-remove"
				aria-label={t("Remove {0}", label)}
				title={t("Remove")}
				onClick={() => {
					postSessionIntent("draftAttachment", { blob, how: "remove" });
					after();
				}}
			>
				<Icon name="close" />
			</button>
		</li>
	);
}
