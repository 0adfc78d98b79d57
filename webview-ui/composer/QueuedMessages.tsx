// Renders queued messages: their text, their state and a button that withdraws one.
import { t } from "../../src/shared/l10n.ts";
import type { QueuedMessage } from "../../src/shared/protocol/chat.ts";
import { Icon, Spinner } from "../components/Icon.tsx";
import { answerText, authorName } from "../conversation/items.ts";
import { taskName } from "../conversation/tasks.ts";
import { postSessionIntent } from "../host.ts";
import { chatStatus, isTurnRunning, labels, transcript } from "../state.ts";
import { cleanText } from "../text/displayText.ts";

export function QueuedMessages() {
	const queued = chatStatus.value?.queued ?? [];
	if (queued.length === 0) return null;
	const waiting = queued.filter(({ state }) => state === "waiting").length;
	return (
		<section class="queued-messages" aria-label={t("Queued messages")}>
			{waiting > 0 && <p>{waiting === 1 ? t("1 message queued") : t("{0} messages queued", waiting)}</p>}
			{!isTurnRunning.value && queued.some(({ own }) => own) && <p>{t("Your queued messages are sent before your next message.")}</p>}
			<ul>
				{queued.map((message) => (
					<Waiting key={message.id} message={message} />
				))}
			</ul>
		</section>
	);
}

/** Names the sender of a message that is not the user's. */
function foreignText(id: string, text: string): string {
	const event = transcript.value.folded.queue.get(id);
	if (!event) return text;
	const { about, from } = event;
	const author = (about?.kind === "task" && taskName(transcript.value.folded, about)) || authorName(from, labels.value);
	return t("{0}: {1}", author, about ? answerText(text, about) : text);
}

function Waiting({ message: { id, text, pictures, state, own } }: { message: QueuedMessage }) {
	const words = own ? text : foreignText(id, text);
	const label = cleanText(words) || (pictures === 1 ? t("1 image") : t("{0} images", pictures));
	return (
		<li>
			{state === "gathering" ? <Spinner /> : <Icon name="history" />}
			<span class="queued-words" title={state === "gathering" ? t("Resolving mentions: {0}", label) : label}>
				{label}
			</span>
			{state === "gathering" && <span class="sr-only">{t("resolving mentions")}</span>}
			{pictures > 0 && text !== "" && <Icon name="file-media" />}
			{own && (
				<button
					type="button"
					class="icon-button"
					aria-label={t("Edit Queued Message: {0}", label)}
					title={t("Edit Queued Message")}
					onClick={() => postSessionIntent("withdraw", { id })}
				>
					<Icon name="edit" />
				</button>
			)}
		</li>
	);
}
