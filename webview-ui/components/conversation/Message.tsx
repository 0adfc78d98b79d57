// One message: the user's in a bubble, the agent's across the full width.

import { t } from "../../../src/shared/l10n.ts";
import { SentImages, SentMentions } from "../../composer/SentAttachments.tsx";
import { type MessageCause, type MessageItem, thinkingKey } from "../../conversation/items.ts";
import { chatStatus, labels, sessionId } from "../../state.ts";
import { cleanText, visibleLine } from "../../text/displayText.ts";
import { Icon } from "../Icon.tsx";
import { useExpanded } from "../useExpanded.ts";
import { Markdown } from "./Markdown.tsx";
import { EditMessage, isBeingEdited, MessageActions } from "./MessageActions.tsx";
import { OpenSession } from "./OpenSession.tsx";

export function Message({ item }: { item: MessageItem }) {
	const isFromAgent = item.speaker === "agent" || item.speaker === "live";
	const name = isFromAgent ? labels.value.agent(item.author) : item.author;
	const sessionAgent = chatStatus.value?.session?.agentId;
	const showsName = item.speaker === "other" || (isFromAgent && sessionAgent !== undefined && item.author !== sessionAgent);
	return (
		<article aria-label={name} class={`message ${isFromAgent ? "from-agent" : item.call ? "from-caller" : "from-person"}`}>
			{showsName && <Speaker item={item} name={name} />}
			{item.thinking && <Thinking id={item.key} text={item.thinking} />}
			{isBeingEdited(item) ? <EditMessage item={item} /> : <Markdown text={item.speaker === "live" ? undefined : item.text} />}
			{item.images && <SentImages pictures={item.images} />}
			{item.attachments && item.event && <SentMentions mentions={item.attachments} event={item.event} />}
			{item.speaker !== "live" && !isBeingEdited(item) && <MessageActions item={item} />}
		</article>
	);
}

const CALLS: Record<MessageCause, (name: string) => string> = {
	asked: (name) => t("{0} asked", name),
	answered: (name) => t("{0} answered", name),
	reported: (name) => t("“{0}” reported", name),
	needsInformation: (name) => t("“{0}” needs information", name),
	failed: (name) => t("“{0}” failed", name),
	interrupted: (name) => t("“{0}” was interrupted", name),
	stopped: (name) => t("“{0}” was stopped", name),
};

/** Its sender is named after its session. */
function isOfTask(kind: MessageCause): boolean {
	return kind !== "asked" && kind !== "answered";
}

function Speaker({ item: { call }, name }: { item: MessageItem; name: string }) {
	return (
		<div class="speaker">
			<span>{call ? CALLS[call.kind](visibleLine(name)) : name}</span>
			{call && (
				<OpenSession session={call.session} class="link" label={t("Open")} {...(isOfTask(call.kind) && { name: visibleLine(name) })} />
			)}
		</div>
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
