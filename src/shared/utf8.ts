// UTF-8: strict decoding, character boundaries in bytes, and truncation.

/**
 * Returns undefined if the bytes aren't valid UTF-8. Removes a byte order mark unless `keepMark` is set, for callers that write the
 * text back.
 */
export function decodeUtf8(bytes: Uint8Array, { keepMark = false } = {}): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: keepMark }).decode(bytes);
	} catch {
		return undefined;
	}
}

/** Maximum number of bytes in a character after the first. */
const MAX_CONTINUATION = 3;

/** Start of the character that contains the byte at `at`; `at` itself at the end of the bytes and in invalid UTF-8. */
export function characterStart(bytes: Uint8Array, at: number): number {
	let start = at;
	while (start > 0 && at - start < MAX_CONTINUATION && isContinuation(bytes[start])) start -= 1;
	return isContinuation(bytes[start]) ? at : start;
}

/** Start of the first character at or after `at`. */
export function nextCharacterStart(bytes: Uint8Array, at: number): number {
	let start = at;
	while (start < bytes.length && start - at < MAX_CONTINUATION && isContinuation(bytes[start])) start += 1;
	return start;
}

/** Continuation bytes have the form 10xxxxxx. */
function isContinuation(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Leaves out the middle of text that has more than `limit` bytes, never inside a character. */
export function truncateMiddle(text: string, limit: number): string {
	const bytes = new TextEncoder().encode(text);
	if (bytes.length <= limit) return text;
	const half = Math.floor(limit / 2);
	const head = characterStart(bytes, half);
	const tail = nextCharacterStart(bytes, bytes.length - half);
	const decode = (part: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(part);
	return `${decode(bytes.subarray(0, head))}\n[${tail - head} bytes left out here]\n${decode(bytes.subarray(tail))}`;
}
