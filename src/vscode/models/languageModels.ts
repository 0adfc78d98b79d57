// Exposes the editor's own language models (Copilot and other extensions') as one provider.

import * as vscode from "vscode";
import type { BlobRef, ToolCall, TranscriptEvent } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import {
	type ModelChunk,
	ModelError,
	type ModelErrorKind,
	type ModelInfo,
	type ModelProvider,
	type ModelRequest,
} from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import { unlessAborted, withTimeout } from "../../shared/node/withTimeout.ts";

/** Messages in order; the `tools` entry after a model's message answers its calls. */
type ConversationBuilder = (
	events: readonly TranscriptEvent[],
) => readonly (
	| { by: "person"; text: string; images: readonly BlobRef[] }
	| { by: "model"; text: string; calls: readonly ToolCall[] }
	| { by: "tools"; results: readonly { call: string; output: string; images: readonly BlobRef[] }[] }
)[];

/** Returns true if this editor has a language model API. */
export function hasLanguageModels(): boolean {
	return typeof vscode.lm?.selectChatModels === "function";
}

export function createLanguageModelProvider(id: string, dialogue: ConversationBuilder): ModelProvider {
	return {
		id,
		async models(signal) {
			const found = await unlessAborted(vscode.lm.selectChatModels(), signal);
			return [...new Map(found.map((model) => [nameOf(model), infoOf(id, model)])).values()];
		},
		async *stream(request, signal) {
			const model = await find(request.model, signal);
			const cancellation = new vscode.CancellationTokenSource();
			const cancel = (): void => cancellation.cancel();
			signal.addEventListener("abort", cancel, { once: true });
			try {
				signal.throwIfAborted();
				yield* answer({ model, request, messages: await messagesOf(request, dialogue), signal, token: cancellation.token });
			} catch (error) {
				signal.throwIfAborted();
				throw error instanceof ModelError ? error : toModelError(error, model.name);
			} finally {
				signal.removeEventListener("abort", cancel);
				cancellation.cancel();
				cancellation.dispose();
			}
		},
	};
}

interface Asked {
	model: vscode.LanguageModelChat;
	request: ModelRequest;
	messages: vscode.LanguageModelChatMessage[];
	signal: AbortSignal;
	token: vscode.CancellationToken;
}

async function* answer({ model, request, messages, signal, token }: Asked): AsyncGenerator<ModelChunk> {
	const response = await unlessAborted(
		model.sendRequest(
			messages,
			{
				justification: t("Troupe sends your conversation in the Troupe chat to this model."),
				tools: request.tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters })),
			},
			token,
		),
		signal,
	);
	const read = countTokens(model, [...messages.map(wordsOf), JSON.stringify(request.tools)].join("\n"), token);
	let written = "";
	let calls = 0;
	for await (const part of untilAborted(response.stream, signal)) {
		const chunk = chunkOf(part);
		if (!chunk) continue;
		if (chunk.type === "call") calls += 1;
		written += chunk.type === "call" ? `${chunk.name} ${chunk.arguments}` : chunk.text;
		yield chunk;
	}
	if (written === "") {
		throw new ModelError(
			"protocol",
			t("{0} returned no response. Nothing was changed. Send the message again, or select another model.", model.name),
			{
				retryable: true,
			},
		);
	}
	const [input, output] = await Promise.all([read, countTokens(model, written, token)]);
	if (input !== undefined && output !== undefined) yield { type: "usage", usage: { input, output } };
	yield { type: "stop", reason: calls > 0 ? "calls" : "end" };
}

type Part = Extract<ModelChunk, { type: "text" | "thinking" | "call" }>;

/** Unknown part types of newer editors count as thinking if they contain text and are otherwise ignored. */
function chunkOf(part: unknown): Part | undefined {
	if (part instanceof vscode.LanguageModelTextPart) return part.value === "" ? undefined : { type: "text", text: part.value };
	if (part instanceof vscode.LanguageModelToolCallPart) {
		return { type: "call", id: part.callId, name: part.name, arguments: JSON.stringify(part.input ?? {}) };
	}
	const value = typeof part === "object" && part !== null ? (part as { value?: unknown }).value : undefined;
	const words = Array.isArray(value) ? value.join("") : value;
	return typeof words === "string" && words !== "" ? { type: "thinking", text: words } : undefined;
}

/** This API has no system prompt, so it becomes the first user message. */
async function messagesOf(
	{ system, events, image }: ModelRequest,
	dialogue: ConversationBuilder,
): Promise<vscode.LanguageModelChatMessage[]> {
	const { User, Assistant } = vscode.LanguageModelChatMessage;
	const text = (words: string) => new vscode.LanguageModelTextPart(words);
	const session = await Promise.all(
		dialogue(events).map(async (each) => {
			if (each.by === "model") {
				const calls = each.calls.map((call) => new vscode.LanguageModelToolCallPart(call.id, call.name, asObject(call.input)));
				return Assistant([...(each.text === "" ? [] : [text(each.text)]), ...calls]);
			}
			if (each.by === "tools") {
				const results = each.results.map(async ({ call, output, images }) => {
					const { shown, note } = await toImageParts(images, image);
					const words = [output, note].filter((part) => part !== "").join("\n\n") || "(no output)";
					return new vscode.LanguageModelToolResultPart(call, [text(words), ...shown]);
				});
				return User(await Promise.all(results));
			}
			const { shown, note } = await toImageParts(each.images, image);
			const words = [note, each.text].filter((part) => part !== "").join("\n\n");
			return User([...(words === "" ? [] : [text(words)]), ...shown]);
		}),
	);
	return [...(system === "" ? [] : [User([text(system)])]), ...session];
}

/** Newer than the oldest supported editor, where images are omitted. */
interface Images {
	LanguageModelDataPart?: { image(data: Uint8Array, mime: string): vscode.LanguageModelTextPart };
}

async function toImageParts(
	refs: readonly BlobRef[],
	image: ModelRequest["image"],
): Promise<{ shown: vscode.LanguageModelTextPart[]; note: string }> {
	const parts = (vscode as unknown as Images).LanguageModelDataPart;
	const found =
		parts && image ? await Promise.all(refs.map(async (ref) => ({ mime: ref.mime ?? "image/png", bytes: await image(ref) }))) : [];
	const shown = found.flatMap(({ mime, bytes }) => (parts && bytes && bytes.length > 0 ? [parts.image(bytes, mime)] : []));
	const omitted = refs.length - shown.length;
	return { shown, note: omitted > 0 ? `[${omitted} attached image(s) cannot be shown to this model.]` : "" };
}

function infoOf(id: string, model: vscode.LanguageModelChat): ModelInfo {
	const { supportsImageToText: images } = (model as { capabilities?: { supportsImageToText?: boolean } }).capabilities ?? {};
	const takesImages = (vscode as unknown as Images).LanguageModelDataPart ? images : false;
	return {
		id: `${id}/${nameOf(model)}`,
		name: model.name,
		...(model.maxInputTokens > 0 && { window: model.maxInputTokens }),
		...(takesImages !== undefined && { images: takesImages }),
	};
}

/** Starts with the vendor. */
function nameOf({ vendor, id }: vscode.LanguageModelChat): string {
	return `${vendor}/${id}`;
}

async function find(name: string, signal: AbortSignal): Promise<vscode.LanguageModelChat> {
	const slash = name.indexOf("/");
	const [found] = await unlessAborted(vscode.lm.selectChatModels({ vendor: name.slice(0, slash), id: name.slice(slash + 1) }), signal);
	if (found) return found;
	throw new ModelError("not_found", t("VS Code no longer provides the model “{0}”. Nothing was sent. Select another model.", name));
}

/** The model's own token count; undefined if unavailable or slow. */
async function countTokens(model: vscode.LanguageModelChat, text: string, token: vscode.CancellationToken): Promise<number | undefined> {
	try {
		const count = await withTimeout(model.countTokens(text, token), COUNT_MS, () => undefined);
		return count !== undefined && Number.isFinite(count) ? Math.round(count) : undefined;
	} catch {
		return undefined;
	}
}

const COUNT_MS = 2_000;

function wordsOf({ content }: vscode.LanguageModelChatMessage): string {
	return content
		.map((part) => {
			if (part instanceof vscode.LanguageModelTextPart) return part.value;
			return JSON.stringify(part, (_, inner: unknown) => (isImage(inner) ? undefined : inner)) ?? "";
		})
		.join("\n");
}

function isImage(part: unknown): boolean {
	const { data, mimeType } = (typeof part === "object" && part !== null ? part : {}) as { data?: unknown; mimeType?: unknown };
	return data instanceof Uint8Array || (typeof mimeType === "string" && mimeType.startsWith("image/"));
}

/** Arguments that are no JSON object are wrapped, since the API accepts only objects. */
function asObject(input: unknown): object {
	return isRecord(input) ? input : { input };
}

/** A model's extension that ignores cancellation keeps its stream open; don't wait for it. */
async function* untilAborted(stream: AsyncIterable<unknown>, signal: AbortSignal): AsyncGenerator<unknown> {
	const parts = stream[Symbol.asyncIterator]();
	for (;;) {
		const { done, value } = await unlessAborted(parts.next(), signal);
		if (done) return;
		yield value;
	}
}

interface Known {
	/** Matched against the error's code, name and message. */
	sign: RegExp;
	kind: ModelErrorKind;
	retryable?: boolean;
	/** The message says what is kept. */
	kept?: true;
	words(model: string, detail: string): string;
}

/** The first match counts. */
const KNOWN: readonly Known[] = [
	{
		sign: /\bNoPermissions\b/,
		kind: "consent",
		words: (model) =>
			t(
				"VS Code didn't allow Troupe to use {0}. Nothing was sent. Send the message again and allow access when VS Code asks, or select another model. If VS Code no longer asks, run “Manage Language Model Access”.",
				model,
			),
	},
	{
		sign: /\bNotFound\b/,
		kind: "not_found",
		words: (model) => t("VS Code no longer provides {0}. Nothing was sent. Select another model.", model),
	},
	{
		sign: /rate.?limit|too many requests|\b429\b/i,
		kind: "rate_limit",
		retryable: true,
		words: (model, detail) => t("Rate limit reached for {0}: {1}.", model, detail),
	},
	{
		sign: /\bBlocked\b|quota/i,
		kind: "credits",
		kept: true,
		words: (model, detail) =>
			t(
				"VS Code rejected the request to {0}. The quota may be used up. Your messages are saved. Wait until the quota resets, or select another model. Server response: “{1}”",
				model,
				detail,
			),
	},
	{
		sign: /context (window|length)|too (long|large|many tokens)|maximum.{0,30}tokens|token limit/i,
		kind: "context",
		kept: true,
		words: (model, detail) =>
			t(
				"The conversation is too long for {0}. Your messages are saved. Start a new session, or select a model with a larger context window. Server response: “{1}”",
				model,
				detail,
			),
	},
	{
		sign: /filtered|refus|responsible ai/i,
		kind: "invalid_request",
		words: (model, detail) => t("{0} refused to answer: {1}.", model, detail),
	},
	{
		sign: /ECONN|ENOTFOUND|ETIMEDOUT|EPIPE|socket|network|fetch failed|offline|timed? ?out|\b50[0-4]\b|overloaded/i,
		kind: "network",
		retryable: true,
		words: (model, detail) => t("Could not reach {0} through VS Code: {1}.", model, detail),
	},
];

const OTHER: Omit<Known, "sign"> = {
	kind: "protocol",
	kept: true,
	words: (model, detail) => t("{0} failed: {1}. Your messages are saved. Send the message again, or select another model.", model, detail),
};

function toModelError(error: unknown, model: string): ModelError {
	const signs = signsOf(error);
	const detail = detailOf(error);
	const { kind, retryable = false, kept, words } = KNOWN.find(({ sign }) => sign.test(signs)) ?? OTHER;
	return new ModelError(kind, words(model, detail).trim(), { retryable, ...(kept && { kept }), cause: error });
}

function signsOf(error: unknown): string {
	const { code, name, message, cause } = (typeof error === "object" && error !== null ? error : { message: error }) as Record<
		string,
		unknown
	>;
	const ownSigns = [code, name, message].filter((part) => typeof part === "string" || typeof part === "number").join(" ");
	return cause === undefined || cause === error ? ownSigns : `${ownSigns} ${signsOf(cause)}`;
}

function detailOf(error: unknown): string {
	const message = typeof error === "object" && error !== null ? (error as { message?: unknown }).message : error;
	const words = typeof message === "string" ? message : t("no reason given");
	return words.replace(/\s+/g, " ").trim().replace(/\.$/, "").slice(0, 300);
}
