// A model provider over an SDK: omits features that the server has rejected, and parses its responses.
import { ModelError, type ModelErrorKind, type ModelInfo, type ModelProvider, type ModelRequest } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import type { StreamAssembler } from "./assembler.ts";
import { serializeBody } from "./json.ts";
import { parseListedModel } from "./listedModels.ts";
import {
	connectionError,
	idleTimeoutError,
	originOf,
	type ProviderRequest,
	secretsToRedact,
	toProviderError,
	wrongFormatError,
} from "./providerErrors.ts";
import { type BodyState, guardBody, readStreamedAnswer } from "./streamedAnswer.ts";
import { parseJson, toCount, toFields } from "./untypedJson.ts";

export interface HttpProviderOptions {
	id: string;
	/** Base URL for the SDK's paths. */
	baseUrl: string;
	/** Resolves to undefined for servers that need no key. Called for every request, since the key may change. */
	apiKey(): Promise<string | undefined>;
	/** Headers sent with every request in addition to the key. */
	headers?: Record<string, string>;
	/** Names to offer if the server has no model list. */
	models?: readonly string[];
	fetch?: typeof fetch;
	/** Milliseconds without a byte before a request is aborted; default: 5 minutes. */
	idleTimeout?: number;
}

/** Options of both SDKs. The runtime handles retries, and we do the logging. */
export interface ClientOptions {
	baseURL: string;
	apiKey: string;
	timeout: number;
	maxRetries: 0;
	logLevel: "off";
	fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>;
}

interface SdkError extends Error {
	/** HTTP status; undefined if no response arrived, and for error events in a stream. */
	status: number | undefined;
	headers: Headers | undefined;
	error: unknown;
	param?: string | null | undefined;
	code?: string | null | undefined;
}

type SdkErrorClass = abstract new (...parts: never[]) => SdkError;

interface SdkClient {
	/** The method for endpoints without one of their own. It sends bytes as they are, and returns the stream of an answer. */
	post<Answer>(path: string, options: { body: Uint8Array; signal: AbortSignal; stream?: boolean }): PromiseLike<Answer>;
}

export interface Sdk<Client extends SdkClient> {
	createClient(options: ClientOptions): Client;
	listModels(client: Client, signal: AbortSignal): Promise<Response>;
	/** The key and other headers of each request. */
	headers(key: string | undefined): Record<string, string>;
	errors: { APIError: SdkErrorClass; APIConnectionTimeoutError: SdkErrorClass };
	/** See `guardBody`. */
	requiresEventNames?: boolean;
	/** Statuses with which servers reject unsupported features. */
	refusalStatuses: ReadonlySet<number>;
}

export interface PreparedRequest {
	/** Its fields may be `Serialized`. */
	body: object;
	headers?: Record<string, string> | undefined;
	assembler: StreamAssembler;
}

/** A wire format: its endpoints, requests, and responses. */
export interface WireFormat {
	/** `without` contains the fallbacks that this server has required so far. */
	prepare(request: ModelRequest, without: ReadonlySet<string>, serverAndModel: string): Promise<PreparedRequest>;
	path: string;
	/** The endpoint that responds with an object with `input_tokens`, and the fields of the body that it doesn't accept. */
	countTokens?: { path: string; without: readonly string[] };
	/** Converts a complete response, from a server that does not stream, to events. */
	toEvents(document: unknown): readonly object[];
	/** Fallbacks in order of preference. */
	fallbacks: readonly CompatFallback[];
}

/** A feature to omit or change, since servers differ in what they support. */
export interface CompatFallback {
	name: string;
	/** Matches the server's message when the fallback is needed. */
	errorPattern: RegExp;
	/** Applies to one session because it concerns its content; otherwise to the model. */
	perSession?: boolean;
}

/** The model and key of one request. */
interface Connection {
	asked: ProviderRequest;
	key: string | undefined;
}

const DEFAULT_IDLE_TIMEOUT = 5 * 60_000;
/** Milliseconds to wait for usage and the end mark after the stop reason. */
const AFTER_STOP_TIMEOUT = 3_000;
/** Kinds of errors that no fallback can resolve. */
const UNRELATED: ReadonlySet<ModelErrorKind> = new Set(["auth", "credits", "context"]);

export interface HttpProviderParts<Client extends SdkClient> {
	sdk: Sdk<Client>;
	format: WireFormat;
	wireFormat?: ProviderRequest["wireFormat"];
	/** Returns true if a listed model supports chat; by default, all do. */
	isChatModel?(name: string): boolean;
}

export function createHttpProvider<Client extends SdkClient>(
	options: HttpProviderOptions,
	{ sdk, format, wireFormat, isChatModel = () => true }: HttpProviderParts<Client>,
): ModelProvider {
	const idleTimeout = options.idleTimeout ?? DEFAULT_IDLE_TIMEOUT;
	const origin = originOf(options.baseUrl);
	/** Names of active fallbacks, by model and by session. */
	const taken = new Map<string, ReadonlySet<string>>();

	async function connect(model: string, signal: AbortSignal): Promise<Connection> {
		signal.throwIfAborted();
		const key = (await options.apiKey())?.trim() || undefined;
		const secrets = secretsToRedact(key, options.headers);
		const asked = { provider: options.id, origin, model, hasKey: key !== undefined, secrets, ...(wireFormat && { wireFormat }) };
		return { key, asked };
	}

	/** Rejects with the SDK's own error if the server returned an error status, otherwise with a ModelError. */
	async function send<Answer>(
		{ key, asked }: Connection,
		signal: AbortSignal,
		ask: (client: Client) => PromiseLike<Answer>,
		{ headers, guard }: { headers?: Record<string, string> | undefined; guard?(response: Response): Response } = {},
	): Promise<Answer> {
		const plainFetch = options.fetch ?? globalThis.fetch;
		const client = sdk.createClient({
			baseURL: options.baseUrl,
			apiKey: key ?? "none",
			timeout: idleTimeout,
			maxRetries: 0,
			logLevel: "off",
			async fetch(url, init) {
				const response = await plainFetch(url, {
					...init,
					// Redirects are not followed, so that the key is sent only to its own origin.
					redirect: "manual",
					// Sends only required headers: the SDKs add some about the machine and from the environment.
					headers: {
						accept: init?.body ? "text/event-stream" : "application/json",
						...(init?.body ? { "content-type": "application/json" } : {}),
						...sdk.headers(key),
						...headers,
						...options.headers,
					},
				});
				return guard && response.ok ? guard(response) : response;
			},
		});
		try {
			return await ask(client);
		} catch (error) {
			signal.throwIfAborted();
			if (error instanceof sdk.errors.APIError && error.status !== undefined) throw error;
			throw error instanceof sdk.errors.APIConnectionTimeoutError
				? idleTimeoutError(asked, idleTimeout)
				: connectionError(asked, error, false);
		}
	}

	/** Retries immediately with each fallback that the server needs; no answer has been received at that point. */
	async function ask<Answer>(
		request: ModelRequest,
		connection: Connection,
		signal: AbortSignal,
		attempt: (prepared: PreparedRequest) => Promise<Answer>,
	): Promise<Answer> {
		const serverAndModel = `${origin} ${request.model}`;
		const scopes = { model: serverAndModel, session: `${serverAndModel} ${sessionKey(request)}` };
		for (;;) {
			const without = new Set([...(taken.get(scopes.model) ?? []), ...(taken.get(scopes.session) ?? [])]);
			const prepared = await format.prepare(request, without, serverAndModel);
			signal.throwIfAborted();
			try {
				return await attempt(prepared);
			} catch (error) {
				if (!(error instanceof sdk.errors.APIError)) throw error;
				const build = async (names: ReadonlySet<string>) => (await format.prepare(request, names, serverAndModel)).body;
				const refusal = toRefusal(connection.asked, error);
				const fallback = UNRELATED.has(refusal.kind) ? undefined : await findFallback(error, prepared.body, without, build);
				if (!fallback) throw refusal;
				const scope = fallback.perSession ? scopes.session : scopes.model;
				taken.set(scope, new Set([...(taken.get(scope) ?? []), fallback.name]));
			}
		}
	}

	/** Returns the first fallback that matches the error and changes the request. */
	async function findFallback(
		error: SdkError,
		body: object,
		without: ReadonlySet<string>,
		build: (without: ReadonlySet<string>) => Promise<object>,
	): Promise<CompatFallback | undefined> {
		if (!sdk.refusalStatuses.has(error.status ?? 0)) return undefined;
		const complaint = [messageIn(error), error.param, error.code].join(" ");
		const sent = serializeBody(body);
		for (const fallback of format.fallbacks) {
			if (without.has(fallback.name) || !fallback.errorPattern.test(complaint)) continue;
			if (!sent.equals(serializeBody(await build(new Set([...without, fallback.name]))))) return fallback;
		}
		return undefined;
	}

	function modelsIn(body: string, asked: ProviderRequest): ModelInfo[] {
		const document = parseJson(body);
		const list = Array.isArray(document) ? document : toFields(document)["data"];
		if (!Array.isArray(list)) throw wrongFormatError(asked, /^\s*</.test(body) ? t("a web page") : t("not a list of models"));
		const models = list.filter(isOffered).flatMap((entry) => parseListedModel(options.id, entry) ?? []);
		return models.filter(({ id }) => isChatModel(id.slice(options.id.length + 1)));
	}

	const { countTokens } = format;
	return {
		id: options.id,
		async models(signal) {
			const connection = await connect("", signal);
			try {
				const response = await send(connection, signal, (client) => sdk.listModels(client, signal));
				return modelsIn(await response.text(), connection.asked);
			} catch (error) {
				signal.throwIfAborted();
				const failure = error instanceof sdk.errors.APIError ? toRefusal(connection.asked, error) : error;
				const names = options.models ?? [];
				if (names.length > 0 && !(failure instanceof ModelError && failure.kind === "auth")) {
					return names.map((name) => ({ id: `${options.id}/${name}`, name }));
				}
				throw failure instanceof ModelError ? failure : wrongFormatError(connection.asked, t("a malformed list"));
			}
		},
		async *stream(request, signal) {
			const connection = await connect(request.model, signal);
			const answer = await ask(request, connection, signal, async ({ body, headers, assembler }) => {
				const state: BodyState = { hasEndMark: false, hasEnded: false };
				const guard = (response: Response) =>
					guardBody(response, {
						request: connection.asked,
						signal,
						idleTimeout: () => (assembler.isComplete() ? Math.min(idleTimeout, AFTER_STOP_TIMEOUT) : idleTimeout),
						isClosed: assembler.isClosed,
						toEvents: format.toEvents,
						requiresEventNames: sdk.requiresEventNames,
						body: state,
					});
				const post = (client: Client) =>
					client.post<AsyncIterable<unknown>>(format.path, { body: serializeBody(body), signal, stream: true });
				const events = await send(connection, signal, post, { headers, guard });
				return { events, assembler, body: state };
			});
			yield* readStreamedAnswer({
				...answer,
				signal,
				request: connection.asked,
				complaintIn: (error) => (error instanceof sdk.errors.APIError ? error.error : undefined),
				onActivity: request.alive,
			});
		},
		...(countTokens && {
			async count(request, signal) {
				const connection = await connect(request.model, signal);
				const counted = await ask(request, connection, signal, ({ body, headers }) => {
					const post = (client: Client) =>
						client.post<unknown>(countTokens.path, { body: serializeBody(body, countTokens.without), signal });
					return send(connection, signal, post, { headers });
				});
				const count = toCount(toFields(counted)["input_tokens"]);
				if (count === undefined) throw wrongFormatError(connection.asked, "no count of tokens");
				return count;
			},
		}),
	};
}

/** Constant within a session and unique to it. */
export function sessionKey({ events }: ModelRequest): string {
	return events[0]?.id ?? "";
}

/** Excludes models that are listed as embedding-only or inactive. */
function isOffered(entry: unknown): boolean {
	const fields = toFields(entry);
	return toFields(fields["capabilities"])["completion_chat"] !== false && fields["active"] !== false;
}

function toRefusal(asked: ProviderRequest, error: SdkError): ModelError {
	return toProviderError(asked, { status: error.status, body: error.error ?? messageIn(error), headers: error.headers });
}

/** For a non-JSON body, the SDKs' message contains it after the status. */
function messageIn(error: SdkError): string {
	return error.message.replace(/^\d{3} /, "").replace(/^status code \(no body\)$/, "");
}
