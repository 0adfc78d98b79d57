// A response's body → ModelChunks by an assembler: text as it comes, calls once the answer is whole, failures as ModelErrors.
import type { ModelChunk } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import type { Assembler } from "./assembler.ts";
import { liveBytes, peek } from "./idleTimeout.ts";
import { type Asked, brokenConnection, cutShort, emptyAnswer, notThisFormat, refusal } from "./providerErrors.ts";
import { LONGEST_EVENT, serverSentData } from "./sse.ts";
import { fieldsOf, parsedJson } from "./untypedJson.ts";

export interface Streamed {
	response: Response;
	signal: AbortSignal;
	asked: Asked;
	/** Milliseconds without a byte after which the answer is given up. */
	idleLimit: number;
	assembler: Assembler;
	/** Called for each piece of the answer, also where it gives no chunk yet; not for pings. */
	alive?: (() => void) | undefined;
}

/** Events that say only that the connection stands: they hold off the idle limit, not the word that nothing comes. */
const KEEP_ALIVE: ReadonlySet<unknown> = new Set(["ping", "keepalive"]);

/** Milliseconds to wait for usage and the end mark once the reason to stop is known. */
const AFTER_LAST_WORD = 3_000;

export async function* streamedAnswer(streamed: Streamed): AsyncGenerator<ModelChunk> {
	const { response, signal, asked, idleLimit, assembler } = streamed;
	const bytes = liveBytes(response, signal, asked, () => (assembler.finished() ? Math.min(idleLimit, AFTER_LAST_WORD) : idleLimit));
	try {
		yield* answer(bytes, streamed);
	} catch (error) {
		signal.throwIfAborted();
		// Once the server has said why it stopped, the answer is whole, however the connection ends.
		if (!assembler.finished()) throw brokenConnection(asked, error, true);
	} finally {
		await bytes.return(undefined);
	}
	signal.throwIfAborted();
	yield* assembler.finish();
}

/** Yields text as it comes; returns when the answer is whole and throws when it is not. */
async function* answer(bytes: AsyncIterable<Uint8Array>, { asked, assembler, alive }: Streamed): AsyncGenerator<ModelChunk> {
	const { first, all } = await peek(bytes);
	if (first === "") throw emptyAnswer(asked);
	if (first === "<") throw notThisFormat(asked, t("a web page"));
	if (first === "{" || first === "[") {
		yield* wholeAnswer(all, asked, assembler);
		return;
	}
	let events = 0;
	for await (const { data, whole } of serverSentData(all)) {
		if (data.trim() === "[DONE]") {
			if (!assembler.begun()) throw emptyAnswer(asked);
			if (assembler.endsWithMark) return;
			break;
		}
		const event = parsedJson(data);
		if (event === undefined) {
			if (!whole) break;
			throw notThisFormat(asked, t("an event that is not JSON"));
		}
		events += 1;
		const complaint = assembler.complaint(event);
		if (complaint) throw refusal(asked, complaint);
		const chunks = assembler.take(event);
		if (!KEEP_ALIVE.has(fieldsOf(event)["type"])) alive?.();
		yield* chunks;
		if (assembler.over()) return;
	}
	if (assembler.finished()) return;
	throw events === 0 && !assembler.begun() ? emptyAnswer(asked) : cutShort(asked);
}

/** Some servers and gateways do not stream: the answer, or an error under status 200, is one JSON document. */
async function* wholeAnswer(bytes: AsyncIterable<Uint8Array>, asked: Asked, assembler: Assembler): AsyncGenerator<ModelChunk> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of bytes) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > LONGEST_EVENT) throw notThisFormat(asked, t("a document of more than 16 MB"));
	}
	const given = parsedJson(text);
	if (given === undefined) throw cutShort(asked);
	const document = Array.isArray(given) ? given[0] : given;
	const complaint = assembler.complaint(document);
	if (complaint) throw refusal(asked, complaint);
	yield* assembler.takeWhole(document);
	if (!assembler.begun()) throw emptyAnswer(asked);
}
