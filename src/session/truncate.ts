// Truncates the middle of long text, by bytes and never inside a character.
export function truncateMiddle(text: string, limit: number): string {
	const bytes = Buffer.from(text);
	if (bytes.length <= limit) return text;
	const half = Math.floor(limit / 2);
	const head = charBoundaryBefore(bytes, half);
	const tail = charBoundaryAfter(bytes, bytes.length - half);
	const omitted = tail - head;
	return `${bytes.toString("utf8", 0, head)}\n[${omitted} bytes left out here]\n${bytes.toString("utf8", tail)}`;
}

/** UTF-8 continuation bytes have the form 10xxxxxx. */
function isInside(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}

function charBoundaryBefore(bytes: Buffer, end: number): number {
	let index = end;
	while (index > 0 && isInside(bytes[index])) index -= 1;
	return index;
}

function charBoundaryAfter(bytes: Buffer, start: number): number {
	let index = start;
	while (index < bytes.length && isInside(bytes[index])) index += 1;
	return index;
}
