// Transcript events → Chat Completions messages, byte for byte the same for the same events, so that prompt caches hold.
import type { ToolCall, TranscriptEvent } from "../core/events.ts";
import { dialogueOf, type Said } from "./dialogue.ts";

export type ChatMessage =
	| { role: "system" | "user"; content: string }
	| { role: "assistant"; content: string | null; tool_calls?: ChatToolCall[] }
	| { role: "tool"; tool_call_id: string; content: string };

export interface ChatToolCall {
	id: string;
	type: "function";
	function: { name: string; arguments: string };
}

export function chatMessages(system: string, events: readonly TranscriptEvent[]): ChatMessage[] {
	const messages = dialogueOf(events).flatMap(messagesOf);
	return system === "" ? messages : [{ role: "system", content: system }, ...messages];
}

function messagesOf(said: Said): ChatMessage[] {
	switch (said.by) {
		case "person": {
			const images = said.images.length > 0 ? `[${said.images.length} attached image(s) cannot be shown to this model.]` : "";
			return [{ role: "user", content: [images, said.text].filter((part) => part !== "").join("\n\n") }];
		}
		case "model":
			if (said.calls.length === 0) return [{ role: "assistant", content: said.text }];
			return [{ role: "assistant", content: said.text === "" ? null : said.text, tool_calls: said.calls.map(chatToolCall) }];
		case "tools":
			return said.results.map(({ call, output }) => ({ role: "tool", tool_call_id: call, content: output }));
	}
}

function chatToolCall({ id, name, input }: ToolCall): ChatToolCall {
	return { id, type: "function", function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}) } };
}
