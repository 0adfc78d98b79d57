// Converts events to Messages API requests, deterministically except for the cache marks.

import { createHash, type Hash } from "node:crypto";
import type Anthropic from "@anthropic-ai/sdk";
import type { BlobRef, ToolCall } from "../../core/events.ts";
import { readImageSize } from "../../core/images.ts";
import { isRecord } from "../../core/isRecord.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import type { ConversationMessage, MessageToolResult } from "../wire/conversationMessages.ts";
import { GrowingText, Serialized } from "../wire/json.ts";
import { type MessageWriter, type ReadImage, writeMessages } from "../wire/writtenMessages.ts";

type Block = Anthropic.ContentBlockParam;
type Shown = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;

/** The request's content as it is sent. */
export interface AnthropicRequestContent {
	system?: Anthropic.TextBlockParam[];
	tools?: Anthropic.Tool[];
	messages: Serialized;
}

interface WrittenMessages {
	messages: Serialized;
	/** A hash of everything sent: the API accepts thinking back only after exactly the same content. */
	seal: string;
	/** The API rejects a thinking budget when the calls being answered came without thinking. */
	lacksThinking: boolean;
}

interface Keep {
	thinking: boolean;
	/** Cache points. */
	marks: boolean;
}

type Role = "user" | "assistant";

/** The messages so far. The last one is still open, since the next blocks may belong to it. */
interface Writing {
	text: GrowingText;
	hash: Hash;
	role?: Role;
	/** Lengths of the text after the last two user messages, before their lists are closed. */
	ends: number[];
	/** Type of the first block of the last message of a role. */
	first: Partial<Record<Role, Block["type"]>>;
}

export async function writeAnthropicMessages(
	request: ModelRequest,
	thinking: unknown,
	keep: Keep,
): Promise<Omit<WrittenMessages, "messages"> & { content: AnthropicRequestContent }> {
	const tools = request.tools.map(({ name, description, parameters }) => ({
		name,
		description,
		input_schema: { type: "object" as const, ...parameters },
	}));
	const beginning = JSON.stringify([request.model, thinking, request.system, tools]);
	const { messages, ...written } = await writeMessages(request, ({ length }) => createWriter(beginning, length > MANY_IMAGES.images, keep));
	const system = request.system === "" ? undefined : [text(request.system)];
	const content = {
		...(system && { system: keep.marks ? markLast(system) : system }),
		...(tools.length > 0 && { tools: keep.marks ? markLast(tools) : tools }),
		messages,
	};
	return { content, ...written };
}

function createWriter(beginning: string, many: boolean, keep: Keep): MessageWriter<Writing, WrittenMessages> {
	return {
		key: `anthropic ${many} ${keep.thinking} ${beginning}`,
		begin([first]) {
			const writing: Writing = { text: new GrowingText(), hash: createHash("sha256").update(beginning), ends: [], first: {} };
			if (first?.by !== "person") addBlocks(writing, "user", [text("[The conversation goes on from here.]")]);
			return writing;
		},
		add(writing, message, image) {
			const show = imageBlocks(many, image);
			if (message.by === "model") addBlocks(writing, "assistant", modelBlocks(message, keep.thinking ? toSeal(writing.hash.copy()) : ""));
			if (message.by === "person") addBlocks(writing, "user", [...message.images.map(show), ...texts(message.text)]);
			if (message.by === "tools") for (const result of message.results) addBlocks(writing, "user", [toolResult(result, show)]);
		},
		finish: (writing) => finish(writing, keep.marks),
	};
}

function addBlocks(writing: Writing, role: Role, blocks: readonly Block[]): void {
	for (const block of blocks) {
		const json = JSON.stringify(block);
		writing.hash.update(role).update(json);
		writing.text.add(writing.role === role ? `,${json}` : `${openMessage(writing.role, role)}${json}`);
		if (writing.role !== role) writing.first[role] = block.type;
		if (role === "user")
			writing.ends = [...(writing.role === role ? writing.ends.slice(0, -1) : writing.ends.slice(-1)), writing.text.length];
		writing.role = role;
	}
}

function openMessage(before: Role | undefined, role: Role): string {
	return `${before ? "]}," : ""}{"role":"${role}","content":[`;
}

function toSeal(hash: Hash): string {
	return hash.digest("hex").slice(0, 16);
}

/** Closes the list of messages, and marks the ends of this request and the previous one. */
function finish({ text: written, hash, role, ends, first }: Writing, marks: boolean): WrittenMessages {
	// The API requires the last message to be from the user.
	const isAnswered = role === "assistant";
	const goOn = JSON.stringify(text("[Go on.]"));
	const last = isAnswered ? `${openMessage(role, "user")}${marks ? mark(goOn) : goOn}` : "";
	const seal = toSeal(isAnswered ? hash.copy().update("user").update(goOn) : hash.copy());
	// Inserted before the brace that closes the block.
	const places = marks ? ends.slice(isAnswered ? -1 : -2).map((end) => end - 1) : [];
	const pieces = [0, ...places].flatMap((from, at) => [at === 0 ? "[" : MARK, written.read(from, places[at])]);
	const lacksThinking = !isAnswered && first.user === "tool_result" && !/thinking$/.test(first.assistant ?? "");
	return { messages: new Serialized(...pieces, role ? `${last}]}]` : "]"), seal, lacksThinking };
}

/** At most four cache points are allowed: the tools, the system prompt, and two in the messages. */
const CACHE_POINT = { cache_control: { type: "ephemeral" } } as const;
const MARK = `,${JSON.stringify(CACHE_POINT).slice(1, -1)}`;

function mark(block: string): string {
	return `${block.slice(0, -1)}${MARK}}`;
}

function markLast<T extends object>(blocks: readonly T[]): T[] {
	const last = blocks.at(-1);
	return last ? [...blocks.slice(0, -1), { ...last, ...CACHE_POINT }] : [];
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

type Show = (ref: BlobRef) => Shown;

/** Types that the API accepts; others are replaced by a line of text. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
/** In a request with more images than this, none may exceed this many pixels on a side. */
const MANY_IMAGES = { images: 20, side: 2_000 };

function imageBlocks(many: boolean, image: ReadImage | undefined): Show {
	return (ref) => {
		if (!image) return text("[An attached image cannot be shown to this model.]");
		const type = IMAGE_TYPES.find((known) => known === (ref.mime ?? "image/png"));
		const bytes = type && image(ref);
		if (!bytes) return text("[An attached image could not be read.]");
		const { width = 0, height = 0 } = readImageSize(bytes) ?? {};
		if (many && Math.max(width, height) > MANY_IMAGES.side)
			return text("[An attached image was left out: there are too many for one so large.]");
		return { type: "image", source: { type: "base64", media_type: type, data: Buffer.from(bytes).toString("base64") } };
	};
}

/** Arguments that were not a JSON object were never executed; the result says so. */
function toolUse({ id, name, input }: ToolCall): Block {
	const whole = isRecord(input) ? input : {};
	return { type: "tool_use", id: callId(id), name: name.replace(/[^\w-]/g, "_") || "unknown", input: wellFormedDeep(whole) };
}

function toolResult({ call, output, ok, images }: MessageToolResult, show: Show): Block {
	const words = wellFormed(output);
	const content = images.length === 0 ? words : [...texts(output), ...images.map(show)];
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
