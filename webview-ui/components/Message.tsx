// One message: the person's in a quiet bubble, the agent's plain across the width.
import type { MessageItem } from "../items.ts";
import { labels, sessionId, surroundings } from "../state.ts";
import { cleanText } from "../visible.ts";
import { useOpen } from "./hooks.ts";
import { Icon } from "./Icon.tsx";
import { Markdown } from "./Markdown.tsx";

export function Message({ item }: { item: MessageItem }) {
	const ofAgent = item.speaker === "agent" || item.speaker === "live";
	const name = ofAgent ? labels.value.agent(item.author) : item.author;
	const own = surroundings.value?.session?.agentId;
	const named = item.speaker === "other" || (ofAgent && own !== undefined && item.author !== own);
	return (
		<article aria-label={name} class={`message ${ofAgent ? "from-agent" : "from-person"}`}>
			{named && <div class="speaker">{name}</div>}
			{item.thinking && <Thinking of={item} />}
			<Markdown text={item.speaker === "live" ? undefined : item.text} />
			{(item.context || item.images > 0) && <Attached item={item} />}
		</article>
	);
}

function Thinking({ of }: { of: MessageItem }) {
	const [open, toggle] = useOpen(`thinking:${sessionId.value}:${of.key}`, false);
	return (
		<div class="thinking">
			<button type="button" class="line" aria-expanded={open} onClick={toggle}>
				<Icon name={open ? "chevron-down" : "chevron-right"} />
				<Icon name="lightbulb" />
				<span class="verb">Thought</span>
			</button>
			{open && <div class="body thinking-text">{cleanText(of.thinking ?? "")}</div>}
		</div>
	);
}

function Attached({ item }: { item: MessageItem }) {
	const parts = [item.context && "context from the editor", item.images && `${item.images} ${item.images === 1 ? "picture" : "pictures"}`];
	return (
		<div class="attached" title={item.context}>
			<Icon name="paperclip" /> With {parts.filter(Boolean).join(" and ")}
		</div>
	);
}
