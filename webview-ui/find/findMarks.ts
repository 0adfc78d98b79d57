// Marks what was found where it is on the page, without changing the page: the browser paints ranges.
import { normalizeForSearch } from "./findText.ts";

const ALL = "troupe-find";
const CURRENT = "troupe-find-current";
/** Words of the page itself, which no search counts. */
const NOT_SAID = ".code-bar, .link-host, .message-actions, button:not(.line, .card-head), .sr-only, .figure, .block-waiting";

/** Marks every match on the page; resolves the one that is meant, once it is there. */
export function highlightMatches(wanted: string, meant: { key: string; inItem: number } | undefined): Range | undefined {
	const all: Range[] = [];
	let one: Range | undefined;
	for (const row of document.querySelectorAll<HTMLElement>(".content > .row")) {
		const ranges = rangesIn(row, wanted);
		all.push(...ranges);
		if (meant && row.dataset["key"] === meant.key) one = ranges[Math.min(meant.inItem, ranges.length - 1)];
	}
	CSS.highlights.set(ALL, new Highlight(...all));
	CSS.highlights.set(CURRENT, new Highlight(...(one ? [one] : [])));
	return one;
}

export function clearHighlights(): void {
	CSS.highlights.delete(ALL);
	CSS.highlights.delete(CURRENT);
}

interface Piece {
	node: Text;
	from: number;
}

function rangesIn(row: HTMLElement, wanted: string): Range[] {
	const query = normalizeForSearch(wanted);
	if (query === "") return [];
	const pieces: Piece[] = [];
	let text = "";
	let block: Element | null = null;
	const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
	for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
		const parent = node.parentElement;
		if (!parent || parent.closest(NOT_SAID)) continue;
		const around = parent.closest("p, li, pre, td, th, h1, h2, h3, h4, h5, h6, blockquote, div, fieldset, button, dt, dd");
		if (around !== block) text += "\0";
		block = around;
		pieces.push({ node, from: text.length });
		text += normalizeForSearch(node.data);
	}
	const ranges: Range[] = [];
	for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length))
		ranges.push(rangeOf(pieces, at, at + query.length));
	return ranges;
}

function rangeOf(pieces: readonly Piece[], from: number, to: number): Range {
	const range = document.createRange();
	const begin = pieces.findLast((piece) => piece.from <= from) as Piece;
	const end = pieces.findLast((piece) => piece.from < to) as Piece;
	range.setStart(begin.node, from - begin.from);
	range.setEnd(end.node, to - end.from);
	return range;
}
