// The Messages API: Anthropic itself, and whoever speaks the same. Retries are the runtime's affair.
import Anthropic, { APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk";
import { ModelError, type ModelInfo, type ModelProvider, type ModelRequest } from "../core/model.ts";
import { anthropicMessages, lacksThoughts } from "./anthropicMessages.ts";
import { anthropicAssembler } from "./anthropicStream.ts";
import { betaFor, maxTokensFor, thinkingFor } from "./anthropicThinking.ts";
import { listedModel } from "./listedModels.ts";
import { countOf, fieldsOf, parsedJson } from "./loose.ts";
import { streamedAnswer } from "./streamedAnswer.ts";
import { type Asked, brokenConnection, idleTooLong, notThisFormat, originOf, refusal } from "./wireErrors.ts";

export interface AnthropicOptions {
	id: string;
	/** With or without the /v1 at its end; Anthropic's own when absent. */
	baseUrl?: string;
	/** Undefined for servers that need none. Asked anew for every request. */
	key(): Promise<string | undefined>;
	/** Sent with every request, beside the key. */
	headers?: Record<string, string>;
	/** Names to offer where the server has no list of its own. */
	models?: readonly string[];
	fetch?: typeof fetch;
	/** Milliseconds without a byte after which a request is given up; 5 minutes when absent. */
	idleLimit?: number;
}

const HOME = "https://api.anthropic.com";
const IDLE_LIMIT = 5 * 60_000;
const VERSION = "2023-06-01";

export function createAnthropic(options: AnthropicOptions): ModelProvider {
	const idleLimit = options.idleLimit ?? IDLE_LIMIT;
	const baseUrl = (options.baseUrl ?? HOME).replace(/\/+$/, "").replace(/\/v1$/, "");

	async function ask(
		{ model, path, body, beta }: { model: string; path: string; body?: object; beta?: string | undefined },
		signal: AbortSignal,
	): Promise<{ asked: Asked; response: Response }> {
		signal.throwIfAborted();
		const key = (await options.key())?.trim() || undefined;
		const secrets = [key ?? "", ...Object.values(options.headers ?? {}).filter((value) => value.length >= 8)];
		const asked: Asked = {
			provider: options.id,
			origin: originOf(baseUrl),
			model,
			hasKey: key !== undefined,
			secrets,
			speaks: "anthropic",
		};
		try {
			const client = clientFor({ options, baseUrl, key, beta, timeout: idleLimit });
			const request = body ? client.post(path, { body, signal }) : client.get(path, { signal });
			return { asked, response: await request.asResponse() };
		} catch (error) {
			signal.throwIfAborted();
			if (error instanceof APIError && error.status !== undefined) {
				throw refusal(asked, { status: error.status, body: error.error ?? bodyIn(error), headers: error.headers });
			}
			throw error instanceof APIConnectionTimeoutError ? idleTooLong(asked, idleLimit) : brokenConnection(asked, error, false);
		}
	}

	return {
		id: options.id,
		async models(signal) {
			try {
				const { asked, response } = await ask({ model: "", path: "/v1/models?limit=1000" }, signal);
				return listedIn(await response.text(), options.id, asked);
			} catch (error) {
				signal.throwIfAborted();
				const names = options.models ?? [];
				const told = error instanceof ModelError;
				if (names.length === 0 || (told && error.kind === "auth")) throw error;
				return names.map((name) => ({ id: `${options.id}/${name}`, name }));
			}
		},
		async *stream(request, signal) {
			const { body, seal, beta } = await bodyOf(request);
			const { asked, response } = await ask({ model: request.model, path: "/v1/messages", body: { ...body, stream: true }, beta }, signal);
			yield* streamedAnswer({ response, signal, asked, idleLimit, assembler: anthropicAssembler(request, seal), alive: request.alive });
		},
		async count(request, signal) {
			const { body, beta } = await bodyOf(request);
			const { max_tokens: _, ...counted } = body;
			const { asked, response } = await ask({ model: request.model, path: "/v1/messages/count_tokens", body: counted, beta }, signal);
			const count = countOf(fieldsOf(parsedJson(await response.text()))["input_tokens"]);
			if (count === undefined) throw notThisFormat(asked, "no count of tokens");
			return count;
		},
	};
}

async function bodyOf(request: ModelRequest) {
	const maxTokens = request.maxOutput ?? maxTokensFor(request.model);
	const wanted = thinkingFor(request.model, request.effort, maxTokens);
	const { written, seal } = await anthropicMessages(request, wanted);
	const thinking = wanted.thinking?.type === "enabled" && lacksThoughts(written) ? {} : wanted;
	return { body: { model: request.model, max_tokens: maxTokens, ...thinking, ...written }, seal, beta: betaFor(request.model, thinking) };
}

interface ClientParts {
	options: AnthropicOptions;
	baseUrl: string;
	key: string | undefined;
	beta: string | undefined;
	timeout: number;
}

function clientFor({ options, baseUrl, key, beta, timeout }: ClientParts): Anthropic {
	const plainFetch = options.fetch ?? globalThis.fetch;
	// Others than Anthropic take the key under either name.
	const auth = key === undefined ? {} : { "x-api-key": key, ...(baseUrl !== HOME && { authorization: `Bearer ${key}` }) };
	return new Anthropic({
		baseURL: baseUrl,
		apiKey: key ?? "none",
		authToken: null,
		webhookKey: null,
		maxRetries: 0,
		timeout,
		logLevel: "off",
		// Only what is needed goes out: the SDK adds headers about the machine, and from the environment.
		// A redirect is not followed, so that the key stays with the origin it was set for.
		fetch: (url, init) =>
			plainFetch(url, {
				...init,
				redirect: "manual",
				headers: {
					accept: init?.body ? "text/event-stream" : "application/json",
					...(init?.body ? { "content-type": "application/json" } : {}),
					"anthropic-version": VERSION,
					...(beta && { "anthropic-beta": beta }),
					...auth,
					...options.headers,
				},
			}),
	});
}

/** The SDK keeps a body that is not JSON only in its message, after the status. */
function bodyIn(error: APIError): string {
	return error.message.replace(/^\d{3} /, "").replace(/^status code \(no body\)$/, "");
}

function listedIn(body: string, provider: string, asked: Asked): ModelInfo[] {
	const list = fieldsOf(parsedJson(body))["data"];
	if (!Array.isArray(list)) throw notThisFormat(asked, /^\s*</.test(body) ? "a web page" : "no list of models");
	return list.flatMap((entry) => listedModel(provider, entry) ?? []);
}
