// One message: the person's in a quiet bubble, the agent's plain across the width.
import { SentImages, SentMentions } from "../../composer/Sent.tsx";
import type { MessageItem } from "../../conversation/items.ts";
import { chatStatus, labels } from "../../state.ts";
import { Markdown } from "./Markdown.tsx";
import { EditMessage, isBeingEdited, MessageActions } from "./MessageActions.tsx";
import { Thinking } from "./Thinking.tsx";

export function Message({ item }: { item: MessageItem }) {
	const ofAgent = item.speaker === "agent" || item.speaker === "live";
	const name = ofAgent ? labels.value.agent(item.author) : item.author;
	const own = chatStatus.value?.session?.agentId;
	const named = item.speaker === "other" || (ofAgent && own !== undefined && item.author !== own);
	return (
		<article aria-label={name} class={`message ${ofAgent ? "from-agent" : "from-person"}`}>
			{named && <div class="speaker">{name}</div>}
			{item.thinking && <Thinking id={item.key} text={item.thinking} />}
			{isBeingEdited(item) ? <EditMessage item={item} /> : <Markdown text={item.speaker === "live" ? undefined : item.text} />}
			{item.images && <SentImages pictures={item.images} />}
			{item.attachments && item.event && <SentMentions mentions={item.attachments} event={item.event} />}
			{item.speaker !== "live" && !isBeingEdited(item) && <MessageActions item={item} />}
		</article>
	);
}
