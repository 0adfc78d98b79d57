// Find in the conversation: matches in all items of the session, rendered or not.
import { effect, signal } from "@preact/signals";
import { expand } from "../components/useExpanded.ts";
import type { Item } from "../conversation/items.ts";
import { requestEarlier } from "../conversation/requestEarlier.ts";
import { postSessionIntent } from "../host.ts";
import { savedExpansion } from "../persistedState.ts";
import { firstSeq, hasEarlierEvents, items, loadingEarlier, sessionId } from "../state.ts";
import { countOccurrences, normalizeForSearch, type SearchablePart, searchableParts } from "./findText.ts";

interface Match {
	item: Item;
	partIndex: number;
	/** 0-based index among the item's and the part's matches. */
	indexInItem: number;
	indexInPart: number;
}

export const isFindOpen = signal(false);
/** A new object focuses the field again and sets its text. */
export const findRequest = signal<{ words: string }>({ words: "" });
export const findQuery = signal("");
export const matches = signal<readonly Match[]>([]);
/** Index in `matches`; -1 if there is none. */
export const currentMatch = signal(-1);
/** The search is not complete. */
export const isSearching = signal(false);
/** The match to scroll to; a new object each time. */
export const revealedMatch = signal<Match | undefined>(undefined);

const partsCache = new WeakMap<Item, { stamp: string; parts: SearchablePart[] }>();

/** Matches in messages not yet on the page: their number and the last one's seq. */
export const earlierMatches = signal<{ words: string; before: number; count: number; seq?: number } | undefined>(undefined);
/** Go to the match before the first one once it is loaded. */
let goesBack = false;

/** Milliseconds without typing before the host is asked. */
const TYPING_DELAY = 250;
let requestTimer: ReturnType<typeof setTimeout> | undefined;

effect(() => {
	const words = isFindOpen.value && hasEarlierEvents.value ? findQuery.value : "";
	const before = items.value.length > 0 ? firstSeq() : 0;
	const partsCache = earlierMatches.peek();
	if (partsCache?.words === words && partsCache.before === before) return;
	earlierMatches.value = undefined;
	clearTimeout(requestTimer);
	if (words !== "") requestTimer = setTimeout(() => postSessionIntent("findEarlier", { words, before }), TYPING_DELAY);
});

/** Milliseconds of searching before yielding to the page. */
const SLICE = 12;
let run = 0;

/** Searches all items, and again after each change. */
effect(() => {
	const all = items.value;
	const wanted = isFindOpen.value ? findQuery.value : "";
	run += 1;
	if (wanted === "") {
		matches.value = [];
		currentMatch.value = -1;
		isSearching.value = false;
		return;
	}
	search(run, all, wanted, 0, []);
});

function search(searchRun: number, all: readonly Item[], wanted: string, from: number, found: Match[]): void {
	if (searchRun !== run) return;
	const until = performance.now() + SLICE;
	let at = from;
	while (at < all.length && performance.now() < until) found.push(...matchesOf(all[at++] as Item, wanted));
	isSearching.value = at < all.length;
	if (at < all.length) {
		setTimeout(() => search(searchRun, all, wanted, at, found));
		return;
	}
	const before = matches.peek()[currentMatch.peek()];
	matches.value = found;
	const same = before ? found.findIndex((match) => match.item.key === before.item.key && match.indexInItem === before.indexInItem) : -1;
	currentMatch.value = same >= 0 ? same : found.length > 0 ? 0 : -1;
	if (goesBack && !loadingEarlier.peek()) {
		goesBack = false;
		const place = same >= 0 ? same - 1 : found.length - 1;
		if (place >= 0) go(place);
		if (place >= 0) return;
	}
	if (same < 0 && found.length > 0) goToNearest(found);
}

function matchesOf(item: Item, wanted: string): Match[] {
	const found: Match[] = [];
	for (const [part, { text }] of parts(item).entries()) {
		const count = countOccurrences(text, wanted);
		for (let inPart = 0; inPart < count; inPart += 1) found.push({ item, partIndex: part, indexInItem: found.length, indexInPart: inPart });
	}
	return found;
}

function parts(item: Item): SearchablePart[] {
	const before = partsCache.get(item);
	if (before?.stamp === item.stamp) return before.parts;
	const computed = searchableParts(item, sessionId.peek());
	partsCache.set(item, { stamp: item.stamp, parts: computed });
	return computed;
}

/** Index among the highlights on the page; collapsed text has none. */
export function rangeIndex({ item, partIndex: part, indexInPart: inPart }: Match, wanted: string): number {
	const before = parts(item).slice(0, part).filter(isUnfolded);
	return before.reduce((count, { text }) => count + countOccurrences(text, wanted), inPart);
}

/** Changes are expanded unless the user collapsed them; calls and thinking only if the user expanded them. */
function isUnfolded({ expansionKeys: within }: SearchablePart): boolean {
	return within.every((key) => /^(?:fold|output):/.test(key) || (savedExpansion(key) ?? key.startsWith("change:")));
}

/** Starts with a visible match, or else the last one. */
function goToNearest(found: readonly Match[]): void {
	const visible = visibleKeys();
	const seen = found.findIndex(({ item }) => visible.has(item.key));
	go(seen >= 0 ? seen : found.length - 1);
}

function visibleKeys(): Set<string> {
	const box = document.querySelector(".scroller")?.getBoundingClientRect();
	const rows = [...document.querySelectorAll<HTMLElement>(".content > .row")].filter((row) => {
		const { top, bottom } = row.getBoundingClientRect();
		return box !== undefined && bottom > box.top && top < box.bottom;
	});
	return new Set(rows.map((row) => row.dataset["key"] ?? ""));
}

/** Goes to the next match or, with -1, the previous one; wraps around. */
export function stepMatch(by: 1 | -1): void {
	const count = matches.value.length;
	const seq = earlierMatches.value?.seq;
	if (seq !== undefined && (count === 0 || (by < 0 && currentMatch.value === 0))) {
		goesBack = true;
		requestEarlier(seq);
		return;
	}
	if (count > 0) go((currentMatch.value + by + count) % count);
}

function go(index: number): void {
	const match = matches.peek()[index];
	if (!match) return;
	currentMatch.value = index;
	for (const key of parts(match.item)[match.partIndex]?.expansionKeys ?? []) expand(key);
	revealedMatch.value = { ...match };
}

export function openFind(): void {
	const selection = getSelection();
	const words = selection?.anchorNode?.parentElement?.closest(".content") ? String(selection).trim() : "";
	isFindOpen.value = true;
	findRequest.value = { words: words.includes("\n") ? "" : words.slice(0, 200) };
}

const ALL = "troupe-find";
const CURRENT = "troupe-find-current";
/** Selector of the page's own labels, which are not searched. */
const UNSEARCHED = ".code-bar, .link-host, .message-actions, button:not(.line, .card-head), .sr-only, .figure, .block-waiting";

/** Highlights all matches on the page; returns the current one's range if rendered. */
export function highlightMatches(wanted: string, meant: { key: string; inItem: number } | undefined): Range | undefined {
	const all: Range[] = [];
	let currentRange: Range | undefined;
	for (const row of document.querySelectorAll<HTMLElement>(".content > .row")) {
		const ranges = rangesIn(row, wanted);
		all.push(...ranges);
		if (meant && row.dataset["key"] === meant.key) currentRange = ranges[Math.min(meant.inItem, ranges.length - 1)];
	}
	CSS.highlights.set(ALL, new Highlight(...all));
	CSS.highlights.set(CURRENT, new Highlight(...(currentRange ? [currentRange] : [])));
	return currentRange;
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
		if (!parent || parent.closest(UNSEARCHED)) continue;
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
