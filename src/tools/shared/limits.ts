// How much a tool says at once, and how it says that there is more.

/** Bytes of one page of output: with the lines that tell about it, it stays within the 32 KB a model gets at once. */
export const PAGE_BYTES = 31 * 1024;

/** Cuts a line for reading and says by how much; never through the middle of a character. `length` is that of the whole line. */
export function truncateLine(line: string, limit: number, length = line.length): string {
	if (length <= limit) return line;
	const kept = wholeCharacters(line, limit);
	return `${kept} … [${length - kept.length} more characters]`;
}

/** The lines that fit on a page, at least one of them. */
export function fittingLines(lines: readonly string[], bytes = PAGE_BYTES): string[] {
	let left = bytes;
	const end = lines.findIndex((line, index) => {
		left -= Buffer.byteLength(line) + 1;
		return left < 0 && index > 0;
	});
	return end < 0 ? [...lines] : lines.slice(0, end);
}

/** A page of text from an offset in bytes, with a last line that says how to go on where there is more. */
export function textPage(text: string, start: number): string {
	const bytes = Buffer.from(text);
	if (start >= bytes.length) return start === 0 ? "" : `[nothing from byte ${start} on: there are ${bytes.length} bytes]`;
	const from = characterStart(bytes, start);
	const end = characterStart(bytes, Math.min(bytes.length, from + PAGE_BYTES));
	const page = bytes.subarray(from, end).toString();
	if (from === 0 && end === bytes.length) return page;
	const next = end < bytes.length ? `; go on with start=${end}` : "";
	return `${page}\n[bytes ${from}-${end} of ${bytes.length}${next}]`;
}

export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
	return `${count.toLocaleString("en-US")} ${count === 1 ? singular : plural}`;
}

function wholeCharacters(text: string, length: number): string {
	const last = text.charCodeAt(length - 1);
	return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

/** Back from the middle of a UTF-8 sequence to its first byte. */
function characterStart(bytes: Uint8Array, offset: number): number {
	let start = offset;
	while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
	return start;
}
