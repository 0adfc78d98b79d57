// Renders the draft's attachments: editor context and removable images.
import { t } from "../../src/shared/l10n.ts";
import { Icon } from "../components/Icon.tsx";
import { chatStatus } from "../state.ts";
import { cleanText } from "../text/displayText.ts";
import { ContextChip } from "./ContextChip.tsx";
import { detachImage, draftImages, imageUrl } from "./images.ts";

export function DraftAttachments({ after }: { after: () => void }) {
	const pictures = draftImages.value;
	const model = chatStatus.value?.model;
	if (pictures.length === 0 && !chatStatus.value?.panel) return null;
	return (
		<>
			<ul class="attachments" aria-label={pictures.length > 0 ? t("Images in this message") : t("Context for this message")}>
				<ContextChip />
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
