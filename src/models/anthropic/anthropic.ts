// Provider for Anthropic and servers that speak its Messages API.
import Anthropic, { APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk";
import type { ModelProvider, ModelRequest } from "../../core/ports/model.ts";
import { createHttpProvider, type HttpProviderOptions, type PreparedRequest, type Sdk, type WireFormat } from "../wire/httpProvider.ts";
import { withoutToolImages } from "../wire/imageUrls.ts";
import { toFields } from "../wire/untypedJson.ts";
import { type AnthropicRequestContent, writeAnthropicMessages } from "./messages.ts";
import { createAnthropicAssembler } from "./stream.ts";
import { betaHeader, defaultMaxTokens, type ThinkingParameters, thinkingParameters } from "./thinking.ts";

export interface AnthropicOptions extends Omit<HttpProviderOptions, "baseUrl"> {
	/** Base URL with or without a trailing /v1; Anthropic's own URL when absent. */
	baseUrl?: string;
}

type MessagesBody = Omit<Anthropic.MessageCreateParamsStreaming, keyof AnthropicRequestContent> & AnthropicRequestContent;

const ANTHROPIC = "https://api.anthropic.com";
const VERSION = "2023-06-01";

export function createAnthropicProvider(options: AnthropicOptions): ModelProvider {
	const baseUrl = (options.baseUrl ?? ANTHROPIC).replace(/\/+$/, "").replace(/\/v1$/, "");
	const headers = (key: string | undefined) => ({ "anthropic-version": VERSION, ...keyHeaders(baseUrl, key) });
	return createHttpProvider({ ...options, baseUrl }, { sdk: { ...sdk, headers }, format: messagesFormat, wireFormat: "anthropic" });
}

/** Compatible servers read the key from either header. */
function keyHeaders(baseUrl: string, key: string | undefined): Record<string, string> {
	if (key === undefined) return {};
	return { "x-api-key": key, ...(baseUrl !== ANTHROPIC && { authorization: `Bearer ${key}` }) };
}

const sdk: Omit<Sdk<Anthropic>, "headers"> = {
	createClient: (options) => new Anthropic({ ...options, authToken: null, webhookKey: null, openTelemetry: false }),
	listModels: (client, signal) => client.models.list({ limit: 1_000 }, { signal }).asResponse(),
	errors: { APIError, APIConnectionTimeoutError },
	requiresEventNames: true,
	refusalStatuses: new Set([400, 422]),
};

const messagesFormat: WireFormat = {
	prepare,
	path: "/v1/messages",
	countTokens: { path: "/v1/messages/count_tokens", without: ["max_tokens", "stream"] },
	toEvents(document) {
		const { type, error } = toFields(document);
		if (type === "message") return [{ type: "message_start", message: document }, { type: "message_stop" }];
		return type === "error" || error ? [{ ...toFields(document), type: "error" }] : [];
	},
	fallbacks: [
		{ name: "past thinking", errorPattern: /signature|thinking.{0,20}block/i, perSession: true },
		{ name: "effort", errorPattern: /effort|output_config/i },
		{ name: "thinking", errorPattern: /thinking|adaptive|budget_tokens/i },
		{ name: "tool images", errorPattern: /image/i, perSession: true },
		{ name: "cache marks", errorPattern: /cache_control/i },
	],
};

async function prepare(request: ModelRequest, without: ReadonlySet<string>): Promise<PreparedRequest> {
	const maxTokens = request.maxOutput ?? defaultMaxTokens(request.model);
	const { output_config, ...supported } = without.has("thinking")
		? ({} as ThinkingParameters)
		: thinkingParameters(request.model, request.effort, maxTokens);
	const wanted: ThinkingParameters = { ...supported, ...(output_config && !without.has("effort") && { output_config }) };
	const keep = { thinking: !without.has("past thinking"), marks: !without.has("cache marks") };
	const visible = without.has("tool images") ? withoutToolImages(request) : request;
	const { content, seal, lacksThinking } = await writeAnthropicMessages(visible, wanted, keep);
	const thinking = wanted.thinking?.type === "enabled" && lacksThinking ? {} : wanted;
	const beta = betaHeader(request.model, thinking);
	const body: MessagesBody = { model: request.model, max_tokens: maxTokens, ...thinking, ...content, stream: true };
	return {
		body,
		headers: beta === undefined ? undefined : { "anthropic-beta": beta },
		assembler: createAnthropicAssembler(request, seal),
	};
}
