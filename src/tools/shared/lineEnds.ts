// Text compared with \n alone, and put back with the line ends of the place it lands in.

/** A text without carriage returns before line feeds, and where each of its positions lies in the original. */
export interface NormalizedText {
	plain: string;
	/** Of a position in `plain`; one before a line feed lies before its carriage return. */
	original(position: number): number;
}

export function normalizeLineEndings(text: string): NormalizedText {
	const removed: number[] = [];
	for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) removed.push(at - removed.length);
	if (removed.length === 0) return { plain: text, original: (position) => position };
	return { plain: text.replaceAll("\r\n", "\n"), original: (position) => position + countBelow(removed, position) };
}

/** The line end that a piece of text uses most; `fallback` when it has none. */
export function dominantLineEnding(text: string, fallback: "\n" | "\r\n" = "\n"): "\n" | "\r\n" {
	const windows = text.match(/\r\n/g)?.length ?? 0;
	const all = text.match(/\n/g)?.length ?? 0;
	if (all === 0) return fallback;
	return windows * 2 > all ? "\r\n" : "\n";
}

export function withLineEndings(text: string, end: "\n" | "\r\n"): string {
	const plain = text.replaceAll("\r\n", "\n");
	return end === "\n" ? plain : plain.replaceAll("\n", "\r\n");
}

/** How many numbers of a sorted list are smaller. */
function countBelow(sorted: readonly number[], limit: number): number {
	let low = 0;
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((sorted[middle] as number) < limit) low = middle + 1;
		else high = middle;
	}
	return low;
}
