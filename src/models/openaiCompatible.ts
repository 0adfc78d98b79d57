// Chat Completions of any base URL: OpenAI itself, Ollama, LM Studio, vLLM, gateways. Retries are the runtime's affair.
import OpenAI, { APIConnectionTimeoutError, APIError } from "openai";
import { type ModelChunk, ModelError, type ModelInfo, type ModelProvider, type ModelRequest } from "../core/model.ts";
import { chatMessages } from "./chatMessages.ts";
import { type ChatAssembler, chatAssembler } from "./chatStream.ts";
import { liveBytes, peek } from "./liveBytes.ts";
import { LONGEST_EVENT, serverSentData } from "./sse.ts";
import { type Asked, brokenConnection, cutShort, emptyAnswer, idleTooLong, notThisFormat, refusal, statusInside } from "./wireErrors.ts";

export interface OpenAiCompatibleOptions {
	id: string;
	/** Up to and without `/chat/completions`, for example `http://127.0.0.1:11434/v1`. */
	baseUrl: string;
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

const IDLE_LIMIT = 5 * 60_000;

export function createOpenAiCompatible(options: OpenAiCompatibleOptions): ModelProvider {
	const idleLimit = options.idleLimit ?? IDLE_LIMIT;

	async function ask(model: string, signal: AbortSignal, path: string, body?: object): Promise<{ asked: Asked; response: Response }> {
		signal.throwIfAborted();
		const key = (await options.key())?.trim() || undefined;
		const secrets = [key ?? "", ...Object.values(options.headers ?? {}).filter((value) => value.length >= 8)];
		const asked: Asked = { provider: options.id, origin: originOf(options.baseUrl), model, hasKey: key !== undefined, secrets };
		try {
			const client = clientFor(options, key, idleLimit);
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
				const { asked, response } = await ask("", signal, "/models");
				const names = namesIn(await response.text(), asked);
				return names.map((name) => infoOf(options.id, name));
			} catch (error) {
				signal.throwIfAborted();
				const listed = options.models ?? [];
				if (listed.length > 0 && !(error instanceof ModelError && error.kind === "auth")) {
					return listed.map((name) => infoOf(options.id, name));
				}
				throw error instanceof ModelError
					? error
					: notThisFormat({ ...noOne, provider: options.id, origin: originOf(options.baseUrl) }, "a broken list");
			}
		},
		async *stream(request, signal) {
			const { asked, response } = await ask(request.model, signal, "/chat/completions", bodyOf(request, options.baseUrl));
			const assembler = assemblerFor(request);
			const bytes = liveBytes(response, signal, asked, () => (assembler.finished() ? Math.min(idleLimit, AFTER_LAST_WORD) : idleLimit));
			try {
				yield* answer(bytes, assembler, asked);
			} catch (error) {
				signal.throwIfAborted();
				// Once the server has said why it stopped, the answer is whole, however the connection ends.
				if (!assembler.finished()) throw brokenConnection(asked, error, true);
			} finally {
				await bytes.return(undefined);
			}
			signal.throwIfAborted();
			yield* assembler.finish();
		},
	};
}

/** Milliseconds to wait for usage and the end mark once the reason to stop is known. */
const AFTER_LAST_WORD = 3000;
const noOne = { model: "", hasKey: false, secrets: [] };

/** Yields text as it comes; returns when the answer is whole and throws when it is not. */
async function* answer(bytes: AsyncIterable<Uint8Array>, assembler: ChatAssembler, asked: Asked): AsyncGenerator<ModelChunk> {
	const { first, all } = await peek(bytes);
	if (first === "") throw emptyAnswer(asked);
	if (first === "<") throw notThisFormat(asked, "a web page");
	if (first === "{" || first === "[") {
		yield* wholeAnswer(all, assembler, asked);
		return;
	}
	let events = 0;
	for await (const { data, whole } of serverSentData(all)) {
		if (data.trim() === "[DONE]") {
			if (!assembler.begun()) throw emptyAnswer(asked);
			return;
		}
		const chunk = parse(data);
		if (chunk === undefined) {
			if (!whole) break;
			throw notThisFormat(asked, "an event that is not JSON");
		}
		events += 1;
		yield* takeChecked(chunk, assembler, asked);
	}
	if (assembler.finished()) return;
	throw events === 0 && !assembler.begun() ? emptyAnswer(asked) : cutShort(asked);
}

/** Some servers and gateways do not stream: the answer, or an error under status 200, is one JSON document. */
async function* wholeAnswer(bytes: AsyncIterable<Uint8Array>, assembler: ChatAssembler, asked: Asked): AsyncGenerator<ModelChunk> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of bytes) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > LONGEST_EVENT) throw notThisFormat(asked, "a document of more than 16 MB");
	}
	const document = parse(text);
	if (document === undefined) throw cutShort(asked);
	yield* takeChecked(Array.isArray(document) ? document[0] : document, assembler, asked);
	if (!assembler.begun()) throw emptyAnswer(asked);
	if (!assembler.finished()) yield* assembler.take({ choices: [{ finish_reason: "stop" }] });
}

function takeChecked(chunk: unknown, assembler: ChatAssembler, asked: Asked): ModelChunk[] {
	const error = typeof chunk === "object" && chunk !== null ? (chunk as Record<string, unknown>)["error"] : undefined;
	if (error) throw refusal(asked, { status: statusInside(error), body: chunk });
	const taken = assembler.take(chunk);
	if (assembler.failed()) throw refusal(asked, {});
	return taken;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function bodyOf(request: ModelRequest, baseUrl: string): object {
	// OpenAI's newer models refuse the old name, most other servers do not know the new one.
	const limitName = originOf(baseUrl) === "https://api.openai.com" ? "max_completion_tokens" : "max_tokens";
	return {
		model: request.model,
		messages: chatMessages(request.system, request.events),
		...(request.tools.length > 0 ? { tools: request.tools.map((tool) => ({ type: "function", function: { ...tool } })) } : {}),
		...(request.maxOutput === undefined ? {} : { [limitName]: request.maxOutput }),
		stream: true,
		stream_options: { include_usage: true },
	};
}

function assemblerFor({ events }: ModelRequest): ChatAssembler {
	const taken = new Set(events.flatMap((event) => (event.type === "assistant" ? (event.calls ?? []) : [])).map((call) => call.id));
	const position = events.at(-1)?.seq ?? 0;
	return chatAssembler((index) => `call_${position}_${index}`, taken);
}

function clientFor(options: OpenAiCompatibleOptions, key: string | undefined, timeout: number): OpenAI {
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
		fetch: (url, init) =>
			plainFetch(url, {
				...init,
				redirect: "manual",
				headers: {
					accept: init?.body ? "text/event-stream" : "application/json",
					...(init?.body ? { "content-type": "application/json" } : {}),
					...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
					...options.headers,
				},
			}),
	});
}

function originOf(baseUrl: string): string {
	return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
}

/** The SDK keeps a body that is not JSON only in its message, after the status. */
function bodyIn(error: APIError): string {
	return error.message.replace(/^\d{3} /, "").replace(/^status code \(no body\)$/, "");
}

function namesIn(body: string, asked: Asked): string[] {
	const document = parse(body);
	const list = Array.isArray(document) ? document : (document as { data?: unknown; models?: unknown } | undefined)?.data;
	if (!Array.isArray(list)) throw notThisFormat(asked, /^\s*</.test(body) ? "a web page" : "no list of models");
	const names = list.map((entry) => (entry as { id?: unknown } | null)?.id).filter((id) => typeof id === "string");
	return names as string[];
}

function infoOf(provider: string, name: string): ModelInfo {
	return { id: `${provider}/${name}`, name };
}
