// Converts events to Messages API requests, deterministically except for the cache marks.

import { createHash } from "node:crypto";
import type Anthropic from "@anthropic-ai/sdk";
import type { BlobRef, ToolCall } from "../../core/events.ts";
import { readImageSize } from "../../core/images.ts";
import { isRecord } from "../../core/isRecord.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { type ConversationMessage, type MessageToolResult, toConversationMessages } from "../wire/conversationMessages.ts";

type Block = Anthropic.ContentBlockParam;
type Shown = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;

interface Message {
	role: "user" | "assistant";
	content: Block[];
}

export interface AnthropicRequestContent {
	system?: Anthropic.TextBlockParam[];
	tools?: Anthropic.Tool[];
	messages: Message[];
}

/** `seal` is a hash of everything sent: the API accepts thinking back only after exactly the same content. */
export async function toAnthropicMessages(
	request: ModelRequest,
	thinking: unknown,
	keep: { thinking: boolean; marks: boolean },
): Promise<{ content: AnthropicRequestContent; seal: string }> {
	const tools = request.tools.map(({ name, description, parameters }) => ({
		name,
		description,
		input_schema: { type: "object" as const, ...parameters },
	}));
	const hash = createHash("sha256").update(JSON.stringify([request.model, thinking, request.system, tools]));
	const messages: Message[] = [];
	const add = (role: Message["role"], blocks: readonly Block[]) => {
		if (blocks.length === 0) return;
		const last = messages.at(-1);
		if (last?.role === role) last.content.push(...blocks);
		else messages.push({ role, content: [...blocks] });
		for (const block of blocks) hash.update(role).update(JSON.stringify(block));
	};
	const seal = () => hash.copy().digest("hex").slice(0, 16);
	const session = toConversationMessages(request.events);
	const show = imageBlocks(session, request.image);
	if (session[0]?.by !== "person") add("user", [text("[The conversation goes on from here.]")]);
	for (const message of session) {
		if (message.by === "model") add("assistant", modelBlocks(message, keep.thinking ? seal() : ""));
		else if (message.by === "person") add("user", await personBlocks(message, show));
		else add("user", await Promise.all(message.results.map((result) => toolResult(result, show))));
	}
	// The API requires the last message to be from the user.
	if (messages.at(-1)?.role === "assistant") add("user", [text("[Go on.]")]);
	const content = {
		...(request.system !== "" && { system: [text(request.system)] }),
		...(tools.length > 0 && { tools }),
		messages,
	};
	return { content: keep.marks ? markCachePoints(content) : content, seal: seal() };
}

/** The API rejects a thinking budget when the calls being answered came without thinking. */
export function lacksThinking({ messages }: AnthropicRequestContent): boolean {
	if (messages.at(-1)?.content[0]?.type !== "tool_result") return false;
	return !/thinking$/.test(messages.findLast(({ role }) => role === "assistant")?.content[0]?.type ?? "");
}

/** Marks at most four cache points: the tools, the system prompt, and the ends of this request and the previous one. */
function markCachePoints({ system, tools, messages }: AnthropicRequestContent): AnthropicRequestContent {
	const users = messages.filter(({ role }) => role === "user").slice(-2);
	return {
		...(system && { system: markLast(system) }),
		...(tools && { tools: markLast(tools) }),
		messages: messages.map((message) => (users.includes(message) ? { ...message, content: markLast(message.content) } : message)),
	};
}

function markLast<T extends object>(blocks: readonly T[]): T[] {
	const last = blocks.at(-1);
	return last ? [...blocks.slice(0, -1), { ...last, cache_control: { type: "ephemeral" } }] : [];
}

function modelBlocks(message: Extract<ConversationMessage, { by: "model" }>, seal: string): Block[] {
	const calls = message.calls.map(toolUse);
	const blocks: Block[] = [];
	const parts = readOpaque(message.opaque, message, seal) ?? [{ text: [0, message.text.length] as const }];
	let next = 0;
	for (const part of parts) {
		if ("text" in part) blocks.push(...texts(message.text.slice(...part.text)));
		else if ("call" in part) blocks.push(...calls.slice(next, ++next));
		else if ("redacted" in part) blocks.push({ type: "redacted_thinking", data: part.redacted });
		else {
			const block = { type: "thinking", thinking: message.thinking.slice(...part.thinking) } as const;
			// Only Anthropic's own models sign their thinking, but the SDK's type requires a signature.
			blocks.push(part.signature === "" ? (block as Anthropic.ThinkingBlockParam) : { ...block, signature: part.signature });
		}
	}
	blocks.push(...calls.slice(next));
	return blocks.some(({ type }) => type === "text" || type === "tool_use") ? blocks : [];
}

type Show = (ref: BlobRef) => Promise<Shown>;

async function personBlocks(message: Extract<ConversationMessage, { by: "person" }>, show: Show): Promise<Block[]> {
	return [...(await Promise.all(message.images.map(show))), ...texts(message.text)];
}

/** Types that the API accepts; others are replaced by a line of text. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
/** In a request with more images than this, none may exceed this many pixels on a side. */
const MANY_IMAGES = { images: 20, side: 2_000 };

function imageBlocks(session: readonly ConversationMessage[], image: ModelRequest["image"]): Show {
	const many = session.reduce((sum, message) => sum + imagesOf(message), 0) > MANY_IMAGES.images;
	return async (ref) => {
		if (!image) return text("[An attached image cannot be shown to this model.]");
		const type = IMAGE_TYPES.find((known) => known === (ref.mime ?? "image/png"));
		const bytes = type && (await image(ref));
		if (!bytes) return text("[An attached image could not be read.]");
		const { width = 0, height = 0 } = readImageSize(bytes) ?? {};
		if (many && Math.max(width, height) > MANY_IMAGES.side)
			return text("[An attached image was left out: there are too many for one so large.]");
		return { type: "image", source: { type: "base64", media_type: type, data: Buffer.from(bytes).toString("base64") } };
	};
}

function imagesOf(message: ConversationMessage): number {
	if (message.by === "person") return message.images.length;
	return message.by === "tools" ? message.results.reduce((sum, { images }) => sum + images.length, 0) : 0;
}

/** Arguments that were not a JSON object were never executed; the result says so. */
function toolUse({ id, name, input }: ToolCall): Block {
	const whole = isRecord(input) ? input : {};
	return { type: "tool_use", id: callId(id), name: name.replace(/[^\w-]/g, "_") || "unknown", input: wellFormedDeep(whole) };
}

async function toolResult({ call, output, ok, images }: MessageToolResult, show: Show): Promise<Block> {
	const words = wellFormed(output);
	const content = images.length === 0 ? words : [...texts(output), ...(await Promise.all(images.map(show)))];
	return { type: "tool_result", tool_use_id: callId(call), content, ...(!ok && { is_error: true }) };
}

/** IDs from other providers may contain characters that this API rejects; distinct IDs stay distinct. */
function callId(id: string): string {
	return id.replace(/[^\w-]/g, (character) => `_${character.codePointAt(0)?.toString(16)}_`);
}

/** The API rejects text that is only whitespace. */
function texts(value: string): Anthropic.TextBlockParam[] {
	return value.trim() === "" ? [] : [text(value)];
}

function text(value: string): Anthropic.TextBlockParam {
	return { type: "text", text: wellFormed(value) };
}

/** The API rejects lone surrogates, which truncated output may contain. */
function wellFormed(value: string): string {
	return value.replace(LONE_SURROGATES, "\ufffd");
}

const LONE_SURROGATES = /\p{Surrogate}/gu;

function wellFormedDeep(value: object): unknown {
	try {
		return JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === "string" ? wellFormed(inner) : inner));
	} catch {
		// Too deeply nested to serialize; the result says so.
		return {};
	}
}

/** Start and end, in UTF-16 code units of the event's text or thinking. */
export type TextRange = readonly [number, number];

export type AnthropicPart = { text: TextRange } | { call: true } | { thinking: TextRange; signature: string } | { redacted: string };

export interface AnthropicOpaque {
	format: "anthropic";
	/** Seal of the request that this answers. */
	seal: string;
	parts: AnthropicPart[];
}

/**
 * Returns the parts in order, or undefined if they have another format or no longer match the event. Omits thinking when the
 * model, its instructions or any earlier content has changed, since the API would reject it.
 */
export function readOpaque(
	value: unknown,
	message: Extract<ConversationMessage, { by: "model" }>,
	seal: string,
): AnthropicPart[] | undefined {
	if (!isOpaque(value)) return undefined;
	const texts = value.parts.flatMap((part) => ("text" in part ? [part.text] : []));
	if ((texts.at(-1)?.[1] ?? 0) !== message.text.length) return undefined;
	const thinking = value.parts.flatMap((part) => ("thinking" in part ? [part.thinking] : []));
	const fits = value.seal === seal && (thinking.at(-1)?.[1] ?? 0) === message.thinking.length;
	return fits ? value.parts : value.parts.filter((part) => "text" in part || "call" in part);
}

function isOpaque(value: unknown): value is AnthropicOpaque {
	const fields = value as Partial<AnthropicOpaque> | undefined | null;
	return typeof fields === "object" && fields?.format === "anthropic" && Array.isArray(fields.parts);
}
