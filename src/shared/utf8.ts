// UTF-8: strict decoding, and character boundaries in bytes.

/** Undefined where the bytes aren't valid UTF-8. A byte order mark is dropped unless `keepMark`, for who writes the text back. */
export function decodeUtf8(bytes: Uint8Array, { keepMark = false } = {}): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: keepMark }).decode(bytes);
	} catch {
		return undefined;
	}
}

/** Bytes of a character after its first. */
const MAX_CONTINUATION = 3;

/** The start of the character that the byte at `at` belongs to; `at` itself at the end of the bytes, and in bytes that are no UTF-8. */
export function characterStart(bytes: Uint8Array, at: number): number {
	let start = at;
	while (start > 0 && at - start < MAX_CONTINUATION && isContinuation(bytes[start])) start -= 1;
	return isContinuation(bytes[start]) ? at : start;
}

/** The start of the first character that begins at `at` or after it. */
export function nextCharacterStart(bytes: Uint8Array, at: number): number {
	let start = at;
	while (start < bytes.length && start - at < MAX_CONTINUATION && isContinuation(bytes[start])) start += 1;
	return start;
}

/** Continuation bytes look like 10xxxxxx. */
function isContinuation(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}
