// Cuts Markdown into blocks, whole or while it streams: only the open block changes, the closed ones are final.
import { markdownParser } from "./parser.ts";

/** A Markdown text that grows. `closed` and `open` joined are the text, byte for byte. */
export interface Stream {
	closed: readonly string[];
	open: string;
}

export const emptyStream: Stream = { closed: [], open: "" };

/** Adds what arrived. Costs as much as the open block is long, however long the answer. */
export function append(stream: Stream, delta: string): Stream {
	const text = stream.open + delta;
	const wholeLines = text.lastIndexOf("\n") + 1;
	// A line that is not complete may still turn out to belong to the block above it.
	if (!delta.includes("\n")) return { closed: stream.closed, open: text };
	const blocks = splitBlocks(text.slice(0, wholeLines));
	const last = blocks.pop() ?? "";
	return { closed: blocks.length ? [...stream.closed, ...blocks] : stream.closed, open: last + text.slice(wholeLines) };
}

/** The source of each block with the blank lines after it; joined they are the text. */
export function splitBlocks(text: string): string[] {
	const tokens: ReturnType<typeof markdownParser.parse> = [];
	markdownParser.block.parse(text, markdownParser, {}, tokens);
	const lines = text.split("\n");
	const starts = tokens.filter((token) => token.level === 0 && token.map && token.nesting >= 0).map((token) => token.map?.[0] ?? 0);
	if (starts.length === 0) return text ? [text] : [];
	starts[0] = 0;
	return starts.map((start, index) => {
		const end = starts[index + 1];
		return lines.slice(start, end).join("\n") + (end === undefined ? "" : "\n");
	});
}

/** What of an open block can be shown: a last line of bare markers waits, it would flash as a rule or a heading. */
export function presentable(open: string): string {
	return open.replace(/(^|\n)[ \t]*(?:[-=*_#+>`~|:]+|\d+[.)]?)[ \t]*$/, "$1");
}
