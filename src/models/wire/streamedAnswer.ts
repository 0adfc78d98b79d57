// Converts an SDK's stream to ModelChunks, and guards the response body that the SDK reads.
import { createParser } from "eventsource-parser";
import { type ModelChunk, ModelError } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import { unlessAborted, withTimeout } from "../../shared/node/withTimeout.ts";
import type { StreamAssembler } from "./assembler.ts";
import {
	connectionError,
	emptyAnswerError,
	idleTimeoutError,
	type ProviderRequest,
	toProviderError,
	truncatedAnswerError,
	wrongFormatError,
} from "./providerErrors.ts";
import { parseJson, toFields, toText } from "./untypedJson.ts";

export interface StreamedAnswerOptions {
	/** The SDK's stream of parsed events. */
	events: AsyncIterable<unknown>;
	body: BodyState;
	signal: AbortSignal;
	request: ProviderRequest;
	assembler: StreamAssembler;
	/** Returns the payload of the SDK's error for an error event; undefined for all other errors. */
	complaintIn(error: unknown): unknown;
	/** Called for each part of the answer, even without a chunk, but not for pings. */
	onActivity?: (() => void) | undefined;
}

/** State of the response body that the SDKs' streams don't expose. */
export interface BodyState {
	/** The server sent `[DONE]`, or one complete document. */
	hasEndMark: boolean;
	/** The body ended normally, without a lost connection. */
	hasEnded: boolean;
}

/** Keep-alive events. */
const KEEP_ALIVE: ReadonlySet<unknown> = new Set(["ping", "keepalive"]);

/** Yields text as it arrives, and calls only when the answer is complete. Throws ModelErrors, or the signal's reason. */
export async function* readStreamedAnswer(options: StreamedAnswerOptions): AsyncGenerator<ModelChunk> {
	const { signal, assembler } = options;
	try {
		yield* readEvents(options);
	} catch (error) {
		signal.throwIfAborted();
		// After the stop reason, the answer is complete even if the connection fails.
		if (!assembler.isComplete()) throw toModelError(error, options);
	}
	// The SDKs' streams end without an error when aborted.
	signal.throwIfAborted();
	yield* assembler.finish();
}

/** Returns when the answer is complete; throws if it is not. */
async function* readEvents({ events, body, request, assembler, onActivity }: StreamedAnswerOptions): AsyncGenerator<ModelChunk> {
	let count = 0;
	for await (const event of events) {
		// The SDK aborts the connection unless its stream is read to its end, which comes at once: see guardBody.
		if (assembler.isClosed()) continue;
		count += 1;
		const error = assembler.findError(event);
		if (error) throw toProviderError(request, error);
		const chunks = assembler.addChunk(event);
		if (!KEEP_ALIVE.has(toFields(event)["type"])) onActivity?.();
		yield* chunks;
	}
	if (assembler.isComplete()) return;
	if (!assembler.hasStarted() && (body.hasEndMark || count === 0)) throw emptyAnswerError(request);
	if (!body.hasEndMark || !assembler.endMarkCompletes) throw truncatedAnswerError(request);
}

function toModelError(error: unknown, { body, request, assembler, complaintIn }: StreamedAnswerOptions): ModelError {
	const complaint = complaintIn(error);
	if (complaint !== undefined) {
		const event = toFields(complaint)["error"] === undefined ? { error: complaint } : complaint;
		return toProviderError(request, assembler.findError(event) ?? { body: complaint });
	}
	if (error instanceof SyntaxError && !body.hasEnded) return wrongFormatError(request, t("an event that isn't JSON"));
	return connectionError(request, error, true);
}

export interface BodyGuardOptions {
	request: ProviderRequest;
	signal: AbortSignal;
	/** Milliseconds without a byte before the answer is aborted; read before each wait. */
	idleTimeout(): number;
	/** No more events belong to the answer. */
	isClosed(): boolean;
	/** Converts a complete response, from a server that does not stream, to events. */
	toEvents(document: unknown): readonly object[];
	/** The SDK drops events without a name. */
	requiresEventNames?: boolean | undefined;
	body: BodyState;
}

/** Maximum event size in bytes, and document size in characters. A server that exceeds it does not use this format. */
const MAX_LENGTH = 16 * 1024 * 1024;

/** Milliseconds that the end of a complete answer's body may take to arrive, so that the next request can have its connection. */
const LAST_BYTES_TIMEOUT = 1_000;

/**
 * Wraps a response's body so that an SDK can read it. The SDKs parse the events; these cells of `test/faults/models` show their
 * limitations: "idle" (their timeout ends when the headers arrive; here every byte resets it, including comments) and "HTML body"
 * (treated as a stream without events). Two recorded streams of `test/fixtures/wire` show the rest: `019_no_reason_but_mark`
 * (OpenAI's SDK hides the end mark) and `no_event_names` (Anthropic's drops events without a name).
 */
export function guardBody(response: Response, options: BodyGuardOptions): Response {
	const { request, body } = options;
	const reader = response.body?.getReader();
	let start = Buffer.alloc(0);
	let filter: BodyFilter | undefined;

	async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
		if (options.isClosed()) return close(controller);
		for (;;) {
			const value = reader && (await readOrIdle(reader, options)).value;
			if (!value) {
				body.hasEnded = true;
				if (!filter) throw emptyAnswerError(request);
				controller.enqueue(filter.end());
				controller.close();
				return;
			}
			const bytes = filter ? value : Buffer.concat([start, value]);
			filter ??= createFilter(bytes, options);
			if (!filter) {
				start = Buffer.from(bytes);
				continue;
			}
			const passed = filter.push(bytes);
			if (passed.length > 0) controller.enqueue(passed);
			if (body.hasEndMark) return close(controller);
			if (passed.length > 0) return;
		}
	}

	/** Ends the answer now, and keeps the connection if the server ends the body soon. */
	function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
		controller.close();
		if (reader) withTimeout(readToEnd(reader), LAST_BYTES_TIMEOUT, release).catch(release);
	}

	/** Releases the connection; the rejection of a failed body is already handled. */
	function release(): void {
		reader?.cancel().catch(() => undefined);
	}

	const guarded = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				try {
					await pull(controller);
				} catch (error) {
					release();
					throw error;
				}
			},
			cancel: release,
		},
		// No read-ahead: the idle timeout is read only once all data has been consumed.
		{ highWaterMark: 0 },
	);
	return new Response(guarded, { headers: response.headers });
}

async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
	while (!(await reader.read()).done);
}

async function readOrIdle(reader: ReadableStreamDefaultReader<Uint8Array>, { signal, request, idleTimeout }: BodyGuardOptions) {
	signal.throwIfAborted();
	const limit = idleTimeout();
	const read = withTimeout(reader.read(), limit, () => {
		throw idleTimeoutError(request, limit);
	});
	return unlessAborted(read, signal);
}

/** Filters received bytes for the SDK; may return none. */
interface BodyFilter {
	push(bytes: Uint8Array): Uint8Array;
	end(): Uint8Array;
}

/** Returns undefined while only whitespace has arrived. */
function createFilter(bytes: Uint8Array, options: BodyGuardOptions): BodyFilter | undefined {
	// Latin-1 is sufficient to distinguish the formats; a byte order mark counts as whitespace.
	const first = /[^\s\u00ef\u00bb\u00bf]/.exec(toLatin1(bytes))?.[0];
	if (first === undefined) return undefined;
	if (first === "<") throw wrongFormatError(options.request, t("a web page"));
	if (first === "{" || first === "[") return collectDocument(options);
	return options.requiresEventNames && first !== "e" ? nameEvents(options) : passEvents(options);
}

const END_MARK = /[\r\n]data: ?\[DONE\]/;
const BLANK_LINE = /\n\r?\n|\r\r/;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function passEvents({ body }: BodyGuardOptions): BodyFilter {
	/** The last characters, since an end mark may span chunks; the body starts like a line. */
	let tail = "\n";
	let length = 0;
	/** Parts of an incomplete line: OpenAI's SDK rescans an incomplete event with each chunk. */
	let line: Uint8Array[] = [];
	return {
		push(bytes) {
			const text = tail + toLatin1(bytes);
			tail = text.slice(-16);
			body.hasEndMark ||= END_MARK.test(text);
			length = BLANK_LINE.test(text) ? bytes.length : length + bytes.length;
			if (length > MAX_LENGTH) {
				throw new ModelError(
					"protocol",
					t("The model's server sent an event larger than 16 MB. The event was discarded. Try again, or select another model."),
				);
			}
			line.push(bytes);
			if (!bytes.includes(LINE_FEED) && !bytes.includes(CARRIAGE_RETURN)) return new Uint8Array();
			const passed = Buffer.concat(line);
			line = [];
			return passed;
		},
		// Some servers omit the blank line after the last event.
		end: () => Buffer.concat([...line, encode("\n\n")]),
	};
}

function nameEvents(options: BodyGuardOptions): BodyFilter {
	const { push } = passEvents(options);
	const decoder = new TextDecoder();
	let named = "";
	const parser = createParser({
		onEvent({ event, data }) {
			if (data.trim() !== "[DONE]") named += eventText(event ?? toText(toFields(parseJson(data))["type"]), data);
		},
	});
	const feed = (text: string): Uint8Array => {
		named = "";
		parser.feed(text);
		return encode(named);
	};
	return {
		push: (bytes) => feed(decoder.decode(push(bytes), { stream: true })),
		end: () => feed("\n\n"),
	};
}

function collectDocument({ request, body, toEvents }: BodyGuardOptions): BodyFilter {
	const decoder = new TextDecoder();
	let text = "";
	return {
		push(bytes) {
			text += decoder.decode(bytes, { stream: true });
			if (text.length > MAX_LENGTH) throw wrongFormatError(request, t("a document larger than 16 MB"));
			return new Uint8Array();
		},
		end() {
			const document = parseJson(text);
			if (document === undefined) throw truncatedAnswerError(request);
			body.hasEndMark = true;
			const events = toEvents(Array.isArray(document) ? document[0] : document);
			return encode(events.map((event) => eventText(toText(toFields(event)["type"]), JSON.stringify(event))).join(""));
		},
	};
}

function eventText(name: string, data: string): string {
	return `event: ${name || "message"}\n${data
		.split("\n")
		.map((line) => `data: ${line}\n`)
		.join("")}\n`;
}

function toLatin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
	return Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
}

function encode(text: string): Uint8Array {
	return Buffer.from(text);
}
