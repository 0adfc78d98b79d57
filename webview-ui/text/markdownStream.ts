// Cuts Markdown into blocks, whole or while it streams: only the open block changes, the closed ones are final.
import { markdownParser } from "./markdownParser.ts";

/** A Markdown text that grows. `closed` and `open` joined are the text, byte for byte. */
export interface MarkdownStream {
	closedBlocks: readonly string[];
	openBlock: string;
	/** Characters of `open` that were looked through and hold one block. */
	scannedLength?: number;
}

export const EMPTY_STREAM: MarkdownStream = { closedBlocks: [], openBlock: "" };

/** Blocks from this length on are not looked through for their end with every delta. */
const LONG = 8_000;

/** Adds what arrived. Costs as much as the open block is long at most, however long the answer. */
export function appendToStream(stream: MarkdownStream, delta: string): MarkdownStream {
	const { closedBlocks: closed, scannedLength: looked = 0 } = stream;
	const text = stream.openBlock + delta;
	const wholeLines = text.lastIndexOf("\n") + 1;
	// A line that is not complete may still turn out to belong to the block above it.
	if (!delta.includes("\n")) return { closedBlocks: closed, openBlock: text, scannedLength: looked };
	// Nothing ends a fence but its own end; and a long table ends with the next blank line, or a while later.
	const still = isOpenFence(text) || (looked > LONG && wholeLines < looked * 1.25 && !/\n[ \t]*\n/.test(text.slice(looked - 1)));
	if (still) return { closedBlocks: closed, openBlock: text, scannedLength: looked };
	const blocks = splitBlocks(text.slice(0, wholeLines));
	const last = blocks.pop() ?? "";
	return {
		closedBlocks: blocks.length ? closed.concat(blocks) : closed,
		openBlock: last + text.slice(wholeLines),
		scannedLength: last.length,
	};
}

/** The source of each block with the blank lines after it; joined they are the text. */
export function splitBlocks(text: string): string[] {
	const tokens: ReturnType<typeof markdownParser.parse> = [];
	markdownParser.block.parse(text, markdownParser, {}, tokens);
	const lines = text.split("\n");
	const starts = tokens.filter((token) => token.level === 0 && token.map && token.nesting >= 0).map((token) => token.map?.[0] ?? 0);
	if (starts.length === 0) return text ? [text] : [];
	starts[0] = 0;
	const lists = tokens.filter((token) => token.level === 1 && token.type === "list_item_open");
	return cutLists(
		starts,
		lists.map((token) => token.map?.[0] ?? 0),
		lines,
	).map((start, index, all) => {
		const end = all[index + 1];
		return lines.slice(start, end).join("\n") + (end === undefined ? "" : "\n");
	});
}

/** Characters after which a list goes on in a block of its own: its end stays cheap to draw however long it gets. */
const LONG_LIST = 3_000;

function cutLists(starts: readonly number[], listItems: readonly number[], lines: readonly string[]): number[] {
	const firsts = new Set(starts);
	const cuts: number[] = [];
	let length = 0;
	let from = 0;
	for (const start of [...new Set([...starts, ...listItems])].sort((one, other) => one - other)) {
		for (; from < start; from += 1) length += (lines[from]?.length ?? 0) + 1;
		if (!firsts.has(start) && length < LONG_LIST) continue;
		cuts.push(start);
		length = 0;
	}
	return cuts;
}

/** What of an open block can be shown: a last line of bare markers waits, it would flash as a rule or a heading. */
export function presentableText(open: string): string {
	return open.replace(/(^|\n)[ \t]*(?:[-=*_#+>`~|:]+|\d+[.)]?)[ \t]*$/, "$1");
}

/** A fence at the margin that no later line closes. */
export function isOpenFence(source: string): boolean {
	const opening = /^(`{3,}|~{3,})[^\n`]*\n/.exec(source);
	if (!opening) return false;
	const fence = opening[1] as string;
	const closing = new RegExp(`\\n {0,3}${fence[0]}{${fence.length},}[ \\t]*(?:\\n|$)`);
	return !closing.test(source.slice(opening[0].length - 1));
}
