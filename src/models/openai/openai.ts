// Providers for OpenAI and compatible servers: Ollama, LM Studio, vLLM, gateways.
import OpenAI, { APIConnectionTimeoutError, APIError } from "openai";
import type { ModelProvider } from "../../core/ports/model.ts";
import { createHttpProvider, type HttpProviderOptions, type Sdk, type WireFormat } from "../wire/httpProvider.ts";
import { toWellFormed } from "../wire/json.ts";
import { originOf } from "../wire/providerErrors.ts";
import { parseJson, toFields } from "../wire/untypedJson.ts";
import { compatibleChat, openAiChat } from "./chat.ts";
import { responsesFormat } from "./responses.ts";

/** `baseUrl` is the part before `/chat/completions`, for example `http://127.0.0.1:11434/v1`. */
export type OpenAiCompatibleOptions = HttpProviderOptions;

export interface OpenAiOptions extends Omit<HttpProviderOptions, "baseUrl"> {
	/** OpenAI's own URL when absent. */
	baseUrl?: string;
	/** Default: `responses`. */
	api?: "responses" | "chat";
}

const OPENAI = "https://api.openai.com/v1";

/** Uses the Responses API, or Chat Completions if `api` says so. */
export function createOpenAiProvider({ baseUrl = OPENAI, api = "responses", ...options }: OpenAiOptions): ModelProvider {
	const isChatModel = isOpenAi(baseUrl) ? (name: string) => !SPECIALISTS.test(name) : undefined;
	return api === "chat"
		? create({ ...options, baseUrl }, openAiChat, isChatModel)
		: create({ ...options, baseUrl }, responsesFormat, isChatModel);
}

/** Uses Chat Completions at any base URL. */
export function createOpenAiCompatibleProvider(options: OpenAiCompatibleOptions): ModelProvider {
	return create(options, isOpenAi(options.baseUrl) ? openAiChat : compatibleChat);
}

function create(options: HttpProviderOptions, format: WireFormat, isChatModel?: (name: string) => boolean): ModelProvider {
	const baseUrl = options.baseUrl.replace(/\/+$/, "");
	return createHttpProvider({ ...options, baseUrl }, { sdk, format: withWellFormedText(format), ...(isChatModel && { isChatModel }) });
}

function isOpenAi(baseUrl: string): boolean {
	return originOf(baseUrl) === originOf(OPENAI);
}

/** OpenAI models for embeddings, images, speech, audio or moderation, or from before chat. */
const SPECIALISTS =
	/embedding|whisper|tts|dall-e|moderation|audio|realtime|image|transcribe|translate|sora|davinci|babbage|instruct|computer-use|search-(preview|api)/;

const sdk: Sdk<OpenAI> = {
	createClient: ({ fetch, ...options }) =>
		new OpenAI({
			...options,
			adminAPIKey: null,
			organization: null,
			project: null,
			webhookSecret: null,
			fetch: async (url, init) => wrapErrorBody(await fetch(url, init)),
		}),
	listModels: (client, signal) => client.models.list({ signal }).asResponse(),
	headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
	errors: { APIError, APIConnectionTimeoutError },
	// llama.cpp responds to images with 500.
	refusalStatuses: new Set([400, 404, 415, 422, 500, 501]),
};

/** The SDK reads only `error` in an error body; Mistral, vLLM and FastAPI put the fields at the top level. */
async function wrapErrorBody(response: Response): Promise<Response> {
	if (response.ok || !/json/.test(response.headers.get("content-type") ?? "")) return response;
	const text = await response.text();
	const fields = toFields(parseJson(text));
	const body = Object.keys(fields).length > 0 && fields["error"] === undefined ? JSON.stringify({ error: fields }) : text;
	const headers = new Headers(response.headers);
	for (const name of ["content-length", "content-encoding"]) headers.delete(name);
	return new Response(body === "" ? null : body, { status: response.status, headers });
}

/** See `toWellFormed`. The conversation is written in such a form already. */
function withWellFormedText(format: WireFormat): WireFormat {
	return {
		...format,
		async prepare(request, without, serverAndModel) {
			const { body, ...prepared } = await format.prepare(request, without, serverAndModel);
			return { ...prepared, body: toWellFormed(body) };
		},
	};
}
