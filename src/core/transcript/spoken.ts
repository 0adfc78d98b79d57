// Tells what of a transcript was said to others, and what an agent only thought.

import type { Channel } from "../channel.ts";
import type { EventOf, TranscriptEvent } from "../events.ts";

/** Empty texts if the answer was thought: its agent speaks in replies alone. */
export function spokenBy({ text, thinking = "", unspoken }: Pick<EventOf<"assistant">, "text" | "thinking" | "unspoken">): {
	text: string;
	thinking: string;
} {
	return unspoken ? { text: "", thinking: "" } : { text, thinking };
}

/**
 * Returns what an event of an agent says: the text of an answer, or of a reply; "" if nothing. `hears`: whether replies to a channel count;
 * all if absent.
 */
export function saidIn(event: TranscriptEvent, hears: (channel: Channel) => boolean = () => true): string {
	if (event.type === "assistant") return spokenBy(event).text;
	return event.type === "reply" && hears(event.channel) ? event.text : "";
}

/** The event as others may read it. What a provider adds to an answer may hold its thinking. */
export function withoutThought(event: TranscriptEvent): TranscriptEvent {
	if (event.type !== "assistant" || !event.unspoken) return event;
	const { thinking: _, opaque: __, ...rest } = event;
	return { ...rest, text: "" };
}
