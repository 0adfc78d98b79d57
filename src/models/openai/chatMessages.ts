// Transcript events → Chat Completions messages, byte for byte the same for the same events, so that prompt caches hold.
import { createHash } from "node:crypto";
import type { ToolCall } from "../../core/events.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { serializeArguments } from "../wire/assembler.ts";
import { type ConversationMessage, type MessageToolResult, toConversationMessages } from "../wire/conversationMessages.ts";
import { createImageUrls } from "../wire/imageUrls.ts";
import { toFields, toList } from "../wire/untypedJson.ts";

export type ChatMessage =
	| { role: "system"; content: string }
	| { role: "user"; content: string | ChatPart[] }
	| ({ role: "assistant"; content: string | null; tool_calls?: ChatToolCall[]; reasoning_details?: unknown[] } & {
			[Field in ThinkingField]?: string;
	  })
	| { role: "tool"; tool_call_id: string; content: string };

export type ChatPart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

export interface ChatToolCall {
	id: string;
	type: "function";
	function: { name: string; arguments: string };
	extra_content?: unknown;
}

export type ThinkingField = "reasoning_content" | "reasoning";

/** What a server needs back of an answer; `from` names it and its model, and nobody else gets it. */
export interface ChatOpaque {
	format: "chat";
	from: string;
	/** Where the thinking of the event came in. */
	field?: ThinkingField;
	/** Thinking in structured form, signatures included. */
	details?: unknown[];
	/** For each call, in order. */
	extras?: unknown[];
}

export interface ChatCompatibility {
	serverAndModel: string;
	/** `own`: thinking goes back to who gave it; `every`: each answer must carry some, if only an empty one; `none`: the server knows no such field. */
	thinkingPolicy: "own" | "every" | "none";
	/** What a call carries that another model made. */
	foreignCallExtra?: unknown;
	/** Ids of calls are nine letters and digits, as Mistral wants them. */
	requiresShortCallIds?: boolean;
	/** The model has the last word on results before the person speaks again. */
	requiresAssistantAfterTools?: boolean;
}

type Asked = Pick<ModelRequest, "system" | "events" | "image">;

export async function toChatMessages({ system, events, image }: Asked, habits: ChatCompatibility): Promise<ChatMessage[]> {
	const messages = await Promise.all(toConversationMessages(events).map((said) => messagesOf(said, image, habits)));
	const said = messages.flat().flatMap((message, at, all): ChatMessage[] => {
		const speaksNext = habits.requiresAssistantAfterTools && message.role === "user" && all[at - 1]?.role === "tool";
		return speaksNext ? [{ role: "assistant", content: "Noted." }, message] : [message];
	});
	return [...(system === "" ? [] : [{ role: "system" as const, content: system }]), ...said];
}

async function messagesOf(said: ConversationMessage, image: Asked["image"], habits: ChatCompatibility): Promise<ChatMessage[]> {
	switch (said.by) {
		case "person": {
			const { urls, note } = await createImageUrls(said.images, image);
			const text = [note, said.text].filter((part) => part !== "").join("\n\n");
			if (urls.length === 0) return [{ role: "user", content: text }];
			const shown = urls.map((url): ChatPart => ({ type: "image_url", image_url: { url } }));
			return [{ role: "user", content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...shown] }];
		}
		case "model": {
			const opaque = chatOpaque(said.opaque, habits);
			const thinking = thinkingOf(said, opaque, habits);
			if (said.calls.length === 0) return [{ role: "assistant", content: said.text, ...thinking }];
			const calls = said.calls.map((call, position) =>
				chatToolCall({ ...call, id: callId(call.id, habits) }, opaque?.extras?.[position] ?? habits.foreignCallExtra),
			);
			return [{ role: "assistant", content: said.text === "" ? null : said.text, ...thinking, tool_calls: calls }];
		}
		case "tools":
			return toolMessages(said.results, image, habits);
	}
}

/** These messages take text alone: the images follow in one of the person's, each named by its call. */
async function toolMessages(
	results: readonly MessageToolResult[],
	image: Asked["image"],
	habits: ChatCompatibility,
): Promise<ChatMessage[]> {
	const shown = await Promise.all(results.map(async (result) => ({ ...result, ...(await createImageUrls(result.images, image)) })));
	const messages = shown.map(
		({ call, output, note }): ChatMessage => ({
			role: "tool",
			tool_call_id: callId(call, habits),
			content: note === "" ? output : `${output}\n\n${note}`,
		}),
	);
	const parts = shown.flatMap(({ call, urls }): ChatPart[] => {
		if (urls.length === 0) return [];
		const named = { type: "text" as const, text: `[${urls.length} image(s) of the result of ${callId(call, habits)}:]` };
		return [named, ...urls.map((url) => ({ type: "image_url" as const, image_url: { url } }))];
	});
	return parts.length === 0 ? messages : [...messages, { role: "user", content: parts }];
}

/** Different ids stay different, and one is the same in every request. */
function callId(id: string, { requiresShortCallIds: shortIds }: ChatCompatibility): string {
	if (!shortIds || /^[a-zA-Z0-9]{9}$/.test(id)) return id;
	return createHash("sha256").update(id).digest("hex").slice(0, 9);
}

function thinkingOf(
	{ thinking }: Extract<ConversationMessage, { by: "model" }>,
	opaque: ChatOpaque | undefined,
	habits: ChatCompatibility,
) {
	if (habits.thinkingPolicy === "none") return {};
	if (habits.thinkingPolicy === "every") return { reasoning_content: thinking };
	if (opaque?.details) return { reasoning_details: opaque.details };
	return opaque?.field && thinking !== "" ? { [opaque.field]: thinking } : {};
}

/** What was kept on disk may be anything. */
function chatOpaque(value: unknown, { serverAndModel: from }: ChatCompatibility): ChatOpaque | undefined {
	const { format, field, details, extras, ...fields } = toFields(value);
	if (format !== "chat" || fields["from"] !== from) return undefined;
	return {
		format,
		from,
		...((field === "reasoning_content" || field === "reasoning") && { field }),
		...(toList(details).length > 0 && { details: toList(details) }),
		...(toList(extras).length > 0 && { extras: toList(extras) }),
	};
}

function chatToolCall({ id, name, input }: ToolCall, extra: unknown): ChatToolCall {
	const call: ChatToolCall = { id, type: "function", function: { name, arguments: serializeArguments(input) } };
	if (extra !== undefined && extra !== null) call.extra_content = extra;
	return call;
}
