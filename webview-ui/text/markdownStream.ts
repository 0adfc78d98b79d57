// Splits Markdown into blocks, complete or streaming: only the open block changes, closed ones are final.
import { markdownParser } from "./markdownParser.ts";

/** A growing Markdown text. `closedBlocks` and `openBlock` joined are the text, byte for byte. */
export interface MarkdownStream {
	closedBlocks: readonly string[];
	openBlock: string;
	/** Characters of `openBlock` already scanned as one block. */
	scannedLength?: number;
}

export const EMPTY_STREAM: MarkdownStream = { closedBlocks: [], openBlock: "" };

/** Length from which a block is not scanned on every delta. */
const LONG_BLOCK = 8_000;

/** Appends a delta. Cost is at most proportional to the open block's length. */
export function appendToStream(stream: MarkdownStream, delta: string): MarkdownStream {
	const { closedBlocks: closed, scannedLength: scanned = 0 } = stream;
	const text = stream.openBlock + delta;
	const wholeLines = text.lastIndexOf("\n") + 1;
	// An incomplete line may still belong to the block above it.
	if (!delta.includes("\n")) return { closedBlocks: closed, openBlock: text, scannedLength: scanned };
	// Only its own end closes a fence; a long table is rescanned after a blank line or some growth.
	const isStillOpen =
		isOpenFence(text) || (scanned > LONG_BLOCK && wholeLines < scanned * 1.25 && !/\n[ \t]*\n/.test(text.slice(scanned - 1)));
	if (isStillOpen) return { closedBlocks: closed, openBlock: text, scannedLength: scanned };
	const blocks = splitBlocks(text.slice(0, wholeLines));
	const last = blocks.pop() ?? "";
	return {
		closedBlocks: blocks.length ? closed.concat(blocks) : closed,
		openBlock: last + text.slice(wholeLines),
		scannedLength: last.length,
	};
}

/** Source of each block with the blank lines after it; joined, they are the text. */
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

/** Characters after which a list continues in a separate block, so that its end stays cheap to render. */
const LONG_LIST = 3_000;

function cutLists(starts: readonly number[], listItems: readonly number[], lines: readonly string[]): number[] {
	const firsts = new Set(starts);
	const cuts: number[] = [];
	let length = 0;
	let from = 0;
	for (const start of [...new Set([...starts, ...listItems])].sort((left, right) => left - right)) {
		for (; from < start; from += 1) length += (lines[from]?.length ?? 0) + 1;
		if (!firsts.has(start) && length < LONG_LIST) continue;
		cuts.push(start);
		length = 0;
	}
	return cuts;
}

/** Removes a trailing line of bare markers, which could briefly render as a rule or heading. */
export function presentableText(open: string): string {
	return open.replace(/(^|\n)[ \t]*(?:[-=*_#+>`~|:]+|\d+[.)]?)[ \t]*$/, "$1");
}

/** A fence at the margin that is not closed. */
export function isOpenFence(source: string): boolean {
	const opening = /^(`{3,}|~{3,})[^\n`]*\n/.exec(source);
	if (!opening) return false;
	const fence = opening[1] as string;
	const closing = new RegExp(`\\n {0,3}${fence[0]}{${fence.length},}[ \\t]*(?:\\n|$)`);
	return !closing.test(source.slice(opening[0].length - 1));
}
