// A response's body with a watch on it: gives up when nothing came for too long, stops when the person stops.
import { emptyAnswerError, idleTimeoutError, type ProviderRequest } from "./providerErrors.ts";

/** Every chunk counts as a sign of life, comments and pings too. `limit` is in milliseconds and asked before each wait. */
export async function* readWithIdleTimeout(
	response: Response,
	signal: AbortSignal,
	asked: ProviderRequest,
	limit: () => number,
): AsyncGenerator<Uint8Array> {
	if (!response.body) throw emptyAnswerError(asked);
	const reader = response.body.getReader();
	try {
		while (true) {
			signal.throwIfAborted();
			const { value, done } = await nextOrIdle(reader, limit(), asked, signal);
			if (done) return;
			yield value;
		}
	} finally {
		// Frees the connection; a body that has failed already rejects, which is known by then.
		reader.cancel().catch(() => undefined);
	}
}

async function nextOrIdle(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number, asked: ProviderRequest, signal: AbortSignal) {
	let timer: NodeJS.Timeout | undefined;
	let onAbort: (() => void) | undefined;
	const given = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(idleTimeoutError(asked, limit)), limit);
		onAbort = () => reject(signal.reason);
		signal.addEventListener("abort", onAbort, { once: true });
	});
	try {
		return await Promise.race([reader.read(), given]);
	} finally {
		clearTimeout(timer);
		if (onAbort) signal.removeEventListener("abort", onAbort);
	}
}

/** The first character that is not blank ("" when there is none), and all of the bytes, it included. */
export async function peekFirstCharacter(bytes: AsyncIterable<Uint8Array>): Promise<{ first: string; all: AsyncIterable<Uint8Array> }> {
	const iterator = bytes[Symbol.asyncIterator]();
	const held: Uint8Array[] = [];
	let first = "";
	while (first === "") {
		const { value, done } = await iterator.next();
		if (done) break;
		held.push(value);
		// One byte a character is enough to tell the formats apart; a byte order mark is blank.
		first = String.fromCharCode(...value.subarray(0, 64)).replace(/[\s\u00ef\u00bb\u00bf]/g, "")[0] ?? "";
	}
	async function* all(): AsyncGenerator<Uint8Array> {
		try {
			yield* held;
			for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
		} finally {
			await iterator.return?.();
		}
	}
	return { first, all: all() };
}
