// One message: the user's in a bubble, the agent's across the full width.

import { t } from "../../../src/shared/l10n.ts";
import { SentImages, SentMentions } from "../../composer/SentAttachments.tsx";
import { type MessageItem, thinkingKey } from "../../conversation/items.ts";
import { chatStatus, labels, sessionId } from "../../state.ts";
import { cleanText } from "../../text/displayText.ts";
import { Icon } from "../Icon.tsx";
import { useExpanded } from "../useExpanded.ts";
import { Markdown } from "./Markdown.tsx";
import { EditMessage, isBeingEdited, MessageActions } from "./MessageActions.tsx";

export function Message({ item }: { item: MessageItem }) {
	const isFromAgent = item.speaker === "agent" || item.speaker === "live";
	const name = isFromAgent ? labels.value.agent(item.author) : item.author;
	const sessionAgent = chatStatus.value?.session?.agentId;
	const showsName = item.speaker === "other" || (isFromAgent && sessionAgent !== undefined && item.author !== sessionAgent);
	return (
		<article aria-label={name} class={`message ${isFromAgent ? "from-agent" : "from-person"}`}>
			{showsName && <div class="speaker">{name}</div>}
			{item.thinking && <Thinking id={item.key} text={item.thinking} />}
			{isBeingEdited(item) ? <EditMessage item={item} /> : <Markdown text={item.speaker === "live" ? undefined : item.text} />}
			{item.images && <SentImages pictures={item.images} />}
			{item.attachments && item.event && <SentMentions mentions={item.attachments} event={item.event} />}
			{item.speaker !== "live" && !isBeingEdited(item) && <MessageActions item={item} />}
		</article>
	);
}

export function Thinking({ id, text }: { id: string; text: string }) {
	const [open, toggle] = useExpanded(thinkingKey(sessionId.value, id), false);
	return (
		<div class="thinking">
			<button type="button" class="line" aria-expanded={open} onClick={toggle}>
				<Icon name={open ? "chevron-down" : "chevron-right"} />
				<Icon name="lightbulb" />
				<span class="verb">{t("Thought")}</span>
			</button>
			{open && <div class="body thinking-text">{cleanText(text)}</div>}
		</div>
	);
}
