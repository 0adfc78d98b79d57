// The Messages API: Anthropic itself, and whoever speaks the same. Retries are the runtime's affair.
import Anthropic, { APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk";
import { ModelError, type ModelInfo, type ModelProvider, type ModelRequest } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import { parseListedModel } from "../selection/listedModels.ts";
import { withoutToolImages } from "../wire/imageUrls.ts";
import {
	connectionError,
	idleTimeoutError,
	originOf,
	type ProviderRequest,
	secretsToRedact,
	toProviderError,
	wrongFormatError,
} from "../wire/providerErrors.ts";
import { readStreamedAnswer } from "../wire/streamedAnswer.ts";
import { parseJson, toCount, toFields } from "../wire/untypedJson.ts";
import { lacksThinking, toAnthropicMessages } from "./messages.ts";
import { createAnthropicAssembler } from "./stream.ts";
import { betaHeader, defaultMaxTokens, type ThinkingParameters, thinkingParameters } from "./thinking.ts";

export interface AnthropicOptions {
	id: string;
	/** With or without the /v1 at its end; Anthropic's own when absent. */
	baseUrl?: string;
	/** Undefined for servers that need none. Asked anew for every request. */
	apiKey(): Promise<string | undefined>;
	/** Sent with every request, beside the key. */
	headers?: Record<string, string>;
	/** Names to offer where the server has no list of its own. */
	models?: readonly string[];
	fetch?: typeof fetch;
	/** Milliseconds without a byte after which a request is given up; 5 minutes when absent. */
	idleTimeout?: number;
}

const HOME = "https://api.anthropic.com";
const IDLE_LIMIT = 5 * 60_000;
const VERSION = "2023-06-01";

export function createAnthropicProvider(options: AnthropicOptions): ModelProvider {
	const idleLimit = options.idleTimeout ?? IDLE_LIMIT;
	/** Concessions made so far, by model and by session. */
	const made = new Map<string, ReadonlySet<string>>();
	const baseUrl = (options.baseUrl ?? HOME).replace(/\/+$/, "").replace(/\/v1$/, "");

	async function ask(
		{ model, path, body, beta }: { model: string; path: string; body?: object; beta?: string | undefined },
		signal: AbortSignal,
	): Promise<{ asked: ProviderRequest; response: Response }> {
		signal.throwIfAborted();
		const key = (await options.apiKey())?.trim() || undefined;
		const secrets = secretsToRedact(key, options.headers);
		const asked: ProviderRequest = {
			provider: options.id,
			origin: originOf(baseUrl),
			model,
			hasKey: key !== undefined,
			secrets,
			wireFormat: "anthropic",
		};
		try {
			const client = clientFor({ options, baseUrl, key, beta, timeout: idleLimit });
			const request = body ? client.post(path, { body, signal }) : client.get(path, { signal });
			return { asked, response: await request.asResponse() };
		} catch (error) {
			signal.throwIfAborted();
			if (error instanceof APIError && error.status !== undefined) {
				throw toProviderError(asked, { status: error.status, body: error.error ?? bodyIn(error), headers: error.headers });
			}
			throw error instanceof APIConnectionTimeoutError ? idleTimeoutError(asked, idleLimit) : connectionError(asked, error, false);
		}
	}

	/** Asks again at once for each concession the server wants; none of its answer has come then. */
	async function send(request: ModelRequest, signal: AbortSignal, path: string, more: object) {
		const scopes = { model: request.model, session: `${request.model} ${request.events[0]?.id}` };
		for (;;) {
			const without = new Set([...(made.get(scopes.model) ?? []), ...(made.get(scopes.session) ?? [])]);
			const { body, seal, beta } = await bodyOf(request, without);
			try {
				return { ...(await ask({ model: request.model, path, body: { ...body, ...more }, beta }, signal)), seal };
			} catch (error) {
				const concession = CONCESSIONS.find((one) => !without.has(one.name) && isWanted(one, error, body));
				if (!concession) throw error;
				const scope = scopes[concession.scope];
				made.set(scope, new Set([...(made.get(scope) ?? []), concession.name]));
			}
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
			const { asked, response, seal } = await send(request, signal, "/v1/messages", { stream: true });
			yield* readStreamedAnswer({
				response,
				signal,
				request: asked,
				idleTimeout: idleLimit,
				assembler: createAnthropicAssembler(request, seal),
				onActivity: request.alive,
			});
		},
		async count(request, signal) {
			const { asked, response } = await send(request, signal, "/v1/messages/count_tokens", { max_tokens: undefined });
			const count = toCount(toFields(parseJson(await response.text()))["input_tokens"]);
			if (count === undefined) throw wrongFormatError(asked, "no count of tokens");
			return count;
		},
	};
}

/** What to leave out for a server or a model that refuses it. */
interface Concession {
	name: "past thoughts" | "effort" | "thinking" | "cache marks" | "tool images";
	/** For the model, or for one session, since it is about what was said there. */
	scope: "model" | "session";
	complaint: RegExp;
	/** What the request must hold for the complaint to be about it. */
	holds: RegExp;
}

/** The first that fits is made first. */
const CONCESSIONS: readonly Concession[] = [
	{ name: "past thoughts", scope: "session", complaint: /signature|thinking.{0,20}block/i, holds: /"type":"(redacted_)?thinking"/ },
	{ name: "effort", scope: "model", complaint: /effort|output_config/i, holds: /"output_config":/ },
	{ name: "thinking", scope: "model", complaint: /thinking|adaptive|budget_tokens/i, holds: /"thinking":\{"type":/ },
	{ name: "tool images", scope: "session", complaint: /image/i, holds: /"tool_result".*"type":"image"/ },
	{ name: "cache marks", scope: "model", complaint: /cache_control/i, holds: /"cache_control":/ },
];

function isWanted({ complaint, holds }: Concession, error: unknown, body: object): boolean {
	return (
		error instanceof ModelError && error.kind === "invalid_request" && complaint.test(error.message) && holds.test(JSON.stringify(body))
	);
}

async function bodyOf(request: ModelRequest, without: ReadonlySet<string>) {
	const maxTokens = request.maxOutput ?? defaultMaxTokens(request.model);
	const { output_config, ...manner } = without.has("thinking")
		? ({} as ThinkingParameters)
		: thinkingParameters(request.model, request.effort, maxTokens);
	const wanted: ThinkingParameters = { ...manner, ...(output_config && !without.has("effort") && { output_config }) };
	const keep = { thoughts: !without.has("past thoughts"), marks: !without.has("cache marks") };
	const seen = without.has("tool images") ? withoutToolImages(request) : request;
	const { written, seal } = await toAnthropicMessages(seen, wanted, keep);
	const thinking = wanted.thinking?.type === "enabled" && lacksThinking(written) ? {} : wanted;
	return {
		body: { model: request.model, max_tokens: maxTokens, ...thinking, ...written },
		seal,
		beta: betaHeader(request.model, thinking),
	};
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
		openTelemetry: false,
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

function listedIn(body: string, provider: string, asked: ProviderRequest): ModelInfo[] {
	const list = toFields(parseJson(body))["data"];
	if (!Array.isArray(list)) throw wrongFormatError(asked, /^\s*</.test(body) ? t("a web page") : t("no list of models"));
	return list.flatMap((entry) => parseListedModel(provider, entry) ?? []);
}
