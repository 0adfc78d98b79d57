// One server that speaks a format of OpenAI's: asks it, hears what it does not know and leaves that out from then on.
import OpenAI, { APIConnectionTimeoutError, APIError } from "openai";
import { ModelError, type ModelInfo, type ModelProvider, type ModelRequest } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import { parseListedModel } from "../selection/listedModels.ts";
import type { StreamAssembler } from "../wire/assembler.ts";
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
import { parseJson, toFields } from "../wire/untypedJson.ts";

export interface OpenAiServerOptions {
	id: string;
	/** Up to and without `/chat/completions`, for example `http://127.0.0.1:11434/v1`. */
	baseUrl: string;
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

/** A wire format as such a server speaks it. */
export interface OpenAiWireFormat {
	path: string;
	/** `without` names the concessions made to this server so far. `from` names server and model. */
	createBody(request: ModelRequest, without: ReadonlySet<string>, from: string): Promise<object>;
	createAssembler(request: ModelRequest, from: string): StreamAssembler;
	fallbacks: readonly CompatFallback[];
	/** Whether a model of the server's list can hold a conversation; all can when absent. */
	isChatModel?(name: string): boolean;
}

/** Something to leave out or to do differently, since servers differ in what they know. */
export interface CompatFallback {
	name: string;
	/** What a server says that needs it. */
	errorPattern: RegExp;
	/** For one session, since it is about what was said there; else for the model. */
	perSession?: boolean;
}

const IDLE_LIMIT = 5 * 60_000;
/** Statuses under which servers refuse what they do not know; llama.cpp says 500 to images. */
const REFUSES: ReadonlySet<number> = new Set([400, 404, 415, 422, 500, 501]);

export function createOpenAiServerProvider(options: OpenAiServerOptions, wire: OpenAiWireFormat): ModelProvider {
	const idleLimit = options.idleTimeout ?? IDLE_LIMIT;
	const origin = originOf(options.baseUrl);
	const made = new Map<string, Set<string>>();

	async function askedFor(model: string): Promise<{ asked: ProviderRequest; key: string | undefined }> {
		const key = (await options.apiKey())?.trim() || undefined;
		const secrets = secretsToRedact(key, options.headers);
		return { key, asked: { provider: options.id, origin, model, hasKey: key !== undefined, secrets } };
	}

	/** Rejects with the SDK's own error where the server answered with an error's status, else with a ModelError. */
	async function send(
		key: string | undefined,
		asked: ProviderRequest,
		signal: AbortSignal,
		path: string,
		body?: object,
	): Promise<Response> {
		try {
			const client = clientFor(options, key, idleLimit);
			return await (body ? client.post(path, { body: wellFormed(body), signal }) : client.get(path, { signal })).asResponse();
		} catch (error) {
			signal.throwIfAborted();
			if (error instanceof APIError && error.status !== undefined) throw error;
			throw error instanceof APIConnectionTimeoutError ? idleTimeoutError(asked, idleLimit) : connectionError(asked, error, false);
		}
	}

	/** Asks again at once for each concession the server wants; none of its answer has come then. */
	async function ask(request: ModelRequest, asked: ProviderRequest, key: string | undefined, signal: AbortSignal): Promise<Response> {
		const from = `${origin} ${request.model}`;
		const scopes = { model: from, session: `${from} ${sessionKey(request)}` };
		const without = new Set([...(made.get(scopes.model) ?? []), ...(made.get(scopes.session) ?? [])]);
		for (;;) {
			const body = await wire.createBody(request, without, from);
			signal.throwIfAborted();
			try {
				return await send(key, asked, signal, wire.path, body);
			} catch (error) {
				if (!(error instanceof APIError)) throw error;
				const concession = await concessionTo(error, body, without, (changed) => wire.createBody(request, changed, from));
				if (!concession) throw refused(asked, error);
				without.add(concession.name);
				const scope = concession.perSession ? scopes.session : scopes.model;
				made.set(scope, (made.get(scope) ?? new Set()).add(concession.name));
			}
		}
	}

	/** The first that the complaint is about and that changes what is sent. */
	async function concessionTo(
		error: APIError,
		body: object,
		without: ReadonlySet<string>,
		build: (without: ReadonlySet<string>) => Promise<object>,
	): Promise<CompatFallback | undefined> {
		if (!REFUSES.has(error.status ?? 0)) return undefined;
		const said = [bodyIn(error), error.param, error.code].join(" ");
		const sent = JSON.stringify(body);
		for (const concession of wire.fallbacks) {
			if (without.has(concession.name) || !concession.errorPattern.test(said)) continue;
			if (JSON.stringify(await build(new Set([...without, concession.name]))) !== sent) return concession;
		}
		return undefined;
	}

	function modelsIn(body: string, asked: ProviderRequest): ModelInfo[] {
		const document = parseJson(body);
		const list = Array.isArray(document) ? document : toFields(document)["data"];
		if (!Array.isArray(list)) throw wrongFormatError(asked, /^\s*</.test(body) ? t("a web page") : t("no list of models"));
		return list.filter(answers).flatMap((entry) => parseListedModel(options.id, entry) ?? []);
	}

	return {
		id: options.id,
		async models(signal) {
			signal.throwIfAborted();
			const { asked, key } = await askedFor("");
			try {
				const response = await send(key, asked, signal, "/models");
				return modelsIn(await response.text(), asked).filter(({ id }) => wire.isChatModel?.(id.slice(options.id.length + 1)) ?? true);
			} catch (error) {
				signal.throwIfAborted();
				const failure = error instanceof APIError ? refused(asked, error) : error;
				const listed = options.models ?? [];
				if (listed.length > 0 && !(failure instanceof ModelError && failure.kind === "auth")) {
					return listed.map((name) => ({ id: `${options.id}/${name}`, name }));
				}
				throw failure instanceof ModelError ? failure : wrongFormatError(asked, t("a broken list"));
			}
		},
		async *stream(request, signal) {
			signal.throwIfAborted();
			const { asked, key } = await askedFor(request.model);
			const response = await ask(request, asked, key, signal);
			const assembler = wire.createAssembler(request, `${origin} ${request.model}`);
			yield* readStreamedAnswer({ request: asked, response, signal, assembler, idleTimeout: idleLimit, onActivity: request.alive });
		},
	};
}

/** Where the list tells: models that only embed or are switched off are left out. */
function answers(entry: unknown): boolean {
	const fields = toFields(entry);
	return toFields(fields["capabilities"])["completion_chat"] !== false && fields["active"] !== false;
}

/** Stays the same while a session goes on, and is another's in no other. */
export function sessionKey({ events }: ModelRequest): string {
	return events[0]?.id ?? "";
}

function clientFor(options: OpenAiServerOptions, key: string | undefined, timeout: number): OpenAI {
	const plainFetch = options.fetch ?? globalThis.fetch;
	return new OpenAI({
		baseURL: options.baseUrl.replace(/\/+$/, ""),
		apiKey: key ?? "none",
		adminAPIKey: null,
		organization: null,
		project: null,
		webhookSecret: null,
		maxRetries: 0,
		timeout,
		logLevel: "off",
		// Only what is needed goes out: the SDK adds headers about the machine, and from the environment.
		// A redirect is not followed, so that the key stays with the origin it was set for.
		fetch: async (url, init) =>
			complained(
				await plainFetch(url, {
					...init,
					redirect: "manual",
					headers: {
						accept: init?.body ? "text/event-stream" : "application/json",
						...(init?.body ? { "content-type": "application/json" } : {}),
						...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
						...options.headers,
					},
				}),
			),
	});
}

/** The SDK hears a complaint under "error" alone; Mistral, vLLM and FastAPI put theirs at the top. */
async function complained(response: Response): Promise<Response> {
	if (response.ok || !/json/.test(response.headers.get("content-type") ?? "")) return response;
	const text = await response.text();
	const said = toFields(parseJson(text));
	const body = Object.keys(said).length > 0 && said["error"] === undefined ? JSON.stringify({ error: said }) : text;
	const headers = new Headers(response.headers);
	for (const name of ["content-length", "content-encoding"]) headers.delete(name);
	return new Response(body === "" ? null : body, { status: response.status, headers });
}

function refused(asked: ProviderRequest, error: APIError): ModelError {
	return toProviderError(asked, { status: error.status, body: error.error ?? bodyIn(error), headers: error.headers });
}

/** Half of a surrogate pair is no text: strict servers refuse the whole request, and would do so for the rest of the session. */
function wellFormed<T>(value: T): T {
	if (isWellFormed(value)) return value;
	if (typeof value === "string") return value.toWellFormed() as T;
	if (Array.isArray(value)) return value.map(wellFormed) as T;
	return Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, wellFormed(part)])) as T;
}

/** Of a long conversation all is, and is not copied. */
function isWellFormed(value: unknown): boolean {
	if (typeof value === "string") return value.isWellFormed();
	if (typeof value !== "object" || value === null) return true;
	for (const name in value) if (!isWellFormed((value as Record<string, unknown>)[name])) return false;
	return true;
}

/** The SDK keeps a body that is not JSON only in its message, after the status. */
function bodyIn(error: APIError): string {
	return error.message.replace(/^\d{3} /, "").replace(/^status code \(no body\)$/, "");
}
