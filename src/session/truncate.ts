// Cuts the middle out of long text, by bytes and never through a character.
export function truncateMiddle(text: string, limit: number): string {
	const bytes = Buffer.from(text);
	if (bytes.length <= limit) return text;
	const half = Math.floor(limit / 2);
	const head = whole(bytes, half);
	const tail = wholeFrom(bytes, bytes.length - half);
	const omitted = tail - head;
	return `${bytes.toString("utf8", 0, head)}\n[${omitted} bytes left out here]\n${bytes.toString("utf8", tail)}`;
}

/** Continuation bytes of UTF-8 look like 10xxxxxx. */
function isInside(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}

function whole(bytes: Buffer, end: number): number {
	let at = end;
	while (at > 0 && isInside(bytes[at])) at -= 1;
	return at;
}

function wholeFrom(bytes: Buffer, start: number): number {
	let at = start;
	while (at < bytes.length && isInside(bytes[at])) at += 1;
	return at;
}
