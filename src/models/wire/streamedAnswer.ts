// A response's body → ModelChunks by an assembler: text as it comes, calls once the answer is whole, failures as ModelErrors.
import type { ModelChunk } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import type { StreamAssembler } from "./assembler.ts";
import { peekFirstCharacter, readWithIdleTimeout } from "./idleTimeout.ts";
import {
	connectionError,
	emptyAnswerError,
	type ProviderRequest,
	toProviderError,
	truncatedAnswerError,
	wrongFormatError,
} from "./providerErrors.ts";
import { MAX_EVENT_LENGTH, readServerSentEvents } from "./sse.ts";
import { parseJson, toFields } from "./untypedJson.ts";

export interface StreamedAnswerOptions {
	response: Response;
	signal: AbortSignal;
	request: ProviderRequest;
	/** Milliseconds without a byte after which the answer is given up. */
	idleTimeout: number;
	assembler: StreamAssembler;
	/** Called for each piece of the answer, also where it gives no chunk yet; not for pings. */
	onActivity?: (() => void) | undefined;
}

/** Events that say only that the connection stands: they hold off the idle limit, not the word that nothing comes. */
const KEEP_ALIVE: ReadonlySet<unknown> = new Set(["ping", "keepalive"]);

/** Milliseconds to wait for usage and the end mark once the reason to stop is known. */
const AFTER_LAST_WORD = 3_000;

export async function* readStreamedAnswer(streamed: StreamedAnswerOptions): AsyncGenerator<ModelChunk> {
	const { response, signal, request: asked, idleTimeout: idleLimit, assembler } = streamed;
	const bytes = readWithIdleTimeout(response, signal, asked, () =>
		assembler.isComplete() ? Math.min(idleLimit, AFTER_LAST_WORD) : idleLimit,
	);
	try {
		yield* answer(bytes, streamed);
	} catch (error) {
		signal.throwIfAborted();
		// Once the server has said why it stopped, the answer is whole, however the connection ends.
		if (!assembler.isComplete()) throw connectionError(asked, error, true);
	} finally {
		await bytes.return(undefined);
	}
	signal.throwIfAborted();
	yield* assembler.finish();
}

/** Yields text as it comes; returns when the answer is whole and throws when it is not. */
async function* answer(
	bytes: AsyncIterable<Uint8Array>,
	{ request: asked, assembler, onActivity: alive }: StreamedAnswerOptions,
): AsyncGenerator<ModelChunk> {
	const { first, all } = await peekFirstCharacter(bytes);
	if (first === "") throw emptyAnswerError(asked);
	if (first === "<") throw wrongFormatError(asked, t("a web page"));
	if (first === "{" || first === "[") {
		yield* wholeAnswer(all, asked, assembler);
		return;
	}
	let events = 0;
	for await (const { data, isComplete: whole } of readServerSentEvents(all)) {
		if (data.trim() === "[DONE]") {
			if (!assembler.hasStarted()) throw emptyAnswerError(asked);
			if (assembler.endMarkCompletes) return;
			break;
		}
		const event = parseJson(data);
		if (event === undefined) {
			if (!whole) break;
			throw wrongFormatError(asked, t("an event that is not JSON"));
		}
		events += 1;
		const complaint = assembler.findError(event);
		if (complaint) throw toProviderError(asked, complaint);
		const chunks = assembler.addChunk(event);
		if (!KEEP_ALIVE.has(toFields(event)["type"])) alive?.();
		yield* chunks;
		if (assembler.isClosed()) return;
	}
	if (assembler.isComplete()) return;
	throw events === 0 && !assembler.hasStarted() ? emptyAnswerError(asked) : truncatedAnswerError(asked);
}

/** Some servers and gateways do not stream: the answer, or an error under status 200, is one JSON document. */
async function* wholeAnswer(
	bytes: AsyncIterable<Uint8Array>,
	asked: ProviderRequest,
	assembler: StreamAssembler,
): AsyncGenerator<ModelChunk> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of bytes) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > MAX_EVENT_LENGTH) throw wrongFormatError(asked, t("a document of more than 16 MB"));
	}
	const given = parseJson(text);
	if (given === undefined) throw truncatedAnswerError(asked);
	const document = Array.isArray(given) ? given[0] : given;
	const complaint = assembler.findError(document);
	if (complaint) throw toProviderError(asked, complaint);
	yield* assembler.addDocument(document);
	if (!assembler.hasStarted()) throw emptyAnswerError(asked);
}
