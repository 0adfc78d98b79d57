// Character boundaries in bytes of UTF-8 text.

// Bytes that are no UTF-8 are cut where they were to be cut.

/** Bytes of a character after its first. */
const MAX_CONTINUATION = 3;

/** The start of the character that the byte at `at` belongs to; `at` itself where it is one, and at the end of the bytes. */
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
