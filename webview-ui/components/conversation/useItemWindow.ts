// Selects the items of a long conversation to render, and follows new ones until the user scrolls.

// Items in view are rendered at once, more around them when idle; pending requests are always rendered.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isTaskOver } from "../../../src/core/task.ts";
import { covers, ItemHeights, type ItemRange, overlaps, union } from "../../conversation/itemHeights.ts";
import type { Item } from "../../conversation/items.ts";
import { onNextFrame } from "../../nextFrame.ts";
import { savedScrollOffset, saveScrollOffset } from "../../persistedState.ts";
import { RowMeasurer } from "./rowMeasurer.ts";

/** Pixels from the end that still count as the end. */
const END_TOLERANCE = 24;
/** Pixels rendered above and below the viewport. */
const OVERSCAN = 200;
/** Pixels left free above a card scrolled to the top. */
const TOP_MARGIN = 8;
/** Items rendered when idle, and the maximum before those out of view are removed. */
const IDLE_ITEMS = 120;
const MAX_ITEMS = 280;
/** Milliseconds that rendering more may block the page. */
const RENDER_BUDGET = 20;

type Ref<T> = { current: T | null };

export interface ItemWindow {
	/** Ranges of rendered items, in order. */
	spans: ItemRange[];
	heights: ItemHeights;
	followsEnd: boolean;
	scrollToEnd(): void;
	/** Scrolls to an item. */
	reveal(key: string): void;
}

interface Sight {
	sticks: boolean;
	/** Pixels from the end at the saved position, until that part is rendered. */
	restore?: number | undefined;
	top: number;
	height: number;
	width: number;
	/** Keys of the first and last rendered item. */
	shown?: [string, string] | undefined;
	/** Key of the item to scroll to. */
	target?: string | undefined;
	/** The item at the top of the viewport and the pixels of it above; a key, since indices change when earlier items arrive. */
	anchor?: { key: string; above: number } | undefined;
	/** Key of the very first item. */
	first?: string | undefined;
	/** Key of the newest plan already there; "" if none. */
	plan?: string;
}

export function useItemWindow(
	session: string | undefined,
	items: readonly Item[],
	whole: boolean,
	scroller: Ref<HTMLDivElement>,
	content: Ref<HTMLDivElement>,
): ItemWindow {
	const [, setRound] = useState(0);
	const [stuck, setStuck] = useState(true);
	const redraw = () => setRound((round) => round + 1);
	const heights = useMemo(() => new ItemHeights(), [session]);
	const viewport = useMemo<Sight>(
		() => ({ sticks: true, restore: savedScrollOffset(), top: 0, height: innerHeight, width: innerWidth }),
		[session],
	);
	const pace = useRef({ items: 8, began: 0 });
	const latest = useRef(items);
	latest.current = items;
	/** True if the heights that were measured bring items into view that aren't rendered. */
	const isShort = () => {
		heights.layOut(latest.current, viewport.width);
		const shown = viewport.shown && spanOf(viewport.shown, heights);
		return shown === undefined || !covers(shown, visibleItems(viewport, heights));
	};
	const rows = useMemo(
		() =>
			new RowMeasurer(heights, () => {
				// When the user has scrolled away from the end, the browser's scroll anchoring keeps the position.
				if (scroller.current) restorePosition(scroller.current, viewport, false, setStuck);
				if (isShort()) onNextFrame(redraw);
			}),
		[session],
	);
	heights.layOut(items, viewport.width);
	const prepended = viewport.first !== undefined && viewport.first !== items[0]?.key;
	// The last scroll event may still be pending.
	if (prepended && !viewport.sticks && scroller.current && content.current)
		viewport.anchor = anchorOf(content.current, scroller.current.scrollTop);

	const target = viewport.target === undefined ? undefined : heights.indexOf(viewport.target);
	const visible = target === undefined ? visibleItems(viewport, heights) : around(target, items.length);
	const shown = viewport.shown && spanOf(viewport.shown, heights);
	const rendered = shown && overlaps(shown, visible) ? trim(union(shown, visible), visible) : visible;
	const first = items[rendered.from];
	const last = items[rendered.to - 1];
	viewport.shown = first && last ? [first.key, last.key] : undefined;
	viewport.first = items[0]?.key;
	const plan = items.findLast(({ kind }) => kind === "plan")?.key ?? "";
	const arrived = viewport.plan !== undefined && viewport.plan !== plan && !prepended ? plan : "";
	viewport.plan = plan;

	useLayoutEffect(() => {
		const element = scroller.current;
		if (!element) return;
		const changed = content.current !== null && rows.add(content.current);
		// Reading these during rendering would force another layout.
		viewport.height = element.clientHeight;
		viewport.width = element.clientWidth;
		if (pace.current.began > 0) {
			const factor = Math.min(2, RENDER_BUDGET / Math.max(1, performance.now() - pace.current.began));
			pace.current = { items: Math.min(40, Math.max(3, Math.round(pace.current.items * factor))), began: 0 };
		}
		if (viewport.target !== undefined) {
			rowAt(content.current, viewport.target)?.scrollIntoView({ block: "center" });
			viewport.target = undefined;
			// The scroll event fires a frame later.
			viewport.top = element.scrollTop;
			viewport.anchor = content.current ? anchorOf(content.current, element.scrollTop) : undefined;
		} else restorePosition(element, viewport, whole, setStuck);
		const card = arrived && viewport.sticks ? rowAt(content.current, arrived) : null;
		if (card && element.scrollHeight - card.offsetTop > element.clientHeight) {
			// Scroll to the start of a new plan, whose goal is read first.
			viewport.sticks = false;
			element.scrollTop = card.offsetTop - TOP_MARGIN;
			viewport.top = element.scrollTop;
			viewport.anchor = { key: arrived, above: -TOP_MARGIN };
			setStuck(false);
		}
		if (prepended && viewport.anchor && !viewport.sticks) {
			const row = rowAt(content.current, viewport.anchor.key);
			if (row) element.scrollTop = row.offsetTop + viewport.anchor.above;
		}
		if (content.current && !viewport.sticks && viewport.restore === undefined && (viewport.anchor?.above ?? -1) < 0) {
			// After a jump into a spacer there was nothing visible for scroll anchoring.
			viewport.top = element.scrollTop;
			viewport.anchor = anchorOf(content.current, element.scrollTop);
		}
		if (changed && isShort()) redraw();
	});

	useEffect(() => {
		const more = widen(rendered, pace.current.items, items.length);
		if (covers(rendered, more)) return undefined;
		const idle = requestIdleCallback(
			() => {
				pace.current.began = performance.now();
				viewport.shown = [items[more.from]?.key ?? "", items[more.to - 1]?.key ?? ""];
				redraw();
			},
			{ timeout: 1_000 },
		);
		return () => cancelIdleCallback(idle);
	}, [rendered.from, rendered.to, items.length]);

	useLayoutEffect(() => {
		const element = scroller.current;
		const inner = content.current;
		if (!element || !inner) return undefined;
		const distance = () => element.scrollHeight - element.clientHeight - element.scrollTop;
		setStuck(viewport.restore === undefined);
		const onScroll = ({ isTrusted }: Event) => {
			const stuck = viewport.sticks;
			const up = element.scrollTop < viewport.top - 1;
			viewport.top = element.scrollTop;
			if (distance() < END_TOLERANCE) viewport.sticks = true;
			// What is revealed stays in view, even if it has just moved the end away.
			else if (up || !isTrusted) viewport.sticks = false;
			if (stuck && viewport.sticks) return;
			setStuck(viewport.sticks);
			viewport.anchor = anchorOf(inner, element.scrollTop);
			if (viewport.restore === undefined) saveScrollOffset(viewport.sticks ? undefined : distance());
			redraw();
		};
		// The user scrolls: don't restore the saved position.
		const cancelRestore = () => {
			viewport.restore = undefined;
		};
		rows.observe(element);
		rows.observe(inner);
		element.addEventListener("scroll", onScroll, { passive: true });
		for (const type of ["wheel", "pointerdown", "keydown"] as const) element.addEventListener(type, cancelRestore, { passive: true });
		return () => {
			rows.disconnect();
			element.removeEventListener("scroll", onScroll);
			for (const type of ["wheel", "pointerdown", "keydown"] as const) element.removeEventListener(type, cancelRestore);
		};
	}, [session]);

	return {
		spans: withPins(rendered, pinned(items, heights)),
		heights,
		followsEnd: stuck,
		scrollToEnd() {
			viewport.sticks = true;
			viewport.restore = undefined;
			saveScrollOffset(undefined);
			setStuck(true);
			redraw();
		},
		reveal(key) {
			viewport.sticks = false;
			viewport.restore = undefined;
			viewport.target = key;
			setStuck(false);
			redraw();
		},
	};
}

function rowAt(content: HTMLElement | null, key: string): HTMLElement | null {
	return content?.querySelector<HTMLElement>(`:scope > .row[data-key="${CSS.escape(key)}"]`) ?? null;
}

/** The first row that ends below `top`. */
function anchorOf(content: HTMLElement, top: number): Sight["anchor"] {
	for (const row of content.querySelectorAll<HTMLElement>(":scope > .row")) {
		if (row.offsetTop + row.offsetHeight > top) return { key: row.dataset["key"] ?? "", above: top - row.offsetTop };
	}
	return undefined;
}

/** Scrolls to the end or to the saved position. */
function restorePosition(element: HTMLElement, viewport: Sight, whole: boolean, setStuck: (stuck: boolean) => void): void {
	const most = element.scrollHeight - element.clientHeight;
	if (viewport.restore !== undefined) {
		element.scrollTop = most - viewport.restore;
		viewport.sticks = false;
		setStuck(viewport.restore < END_TOLERANCE);
		if (whole && most >= viewport.restore) viewport.restore = undefined;
	} else if (viewport.sticks) element.scrollTop = most + 1;
	viewport.top = element.scrollTop;
}

function spanOf([first, last]: [string, string], heights: ItemHeights): ItemRange | undefined {
	const [from, to] = [heights.indexOf(first), heights.indexOf(last)];
	return from === undefined || to === undefined ? undefined : { from, to: to + 1 };
}

/** Items in view and shortly above and below it. */
function visibleItems(viewport: Sight, heights: ItemHeights): ItemRange {
	const { height, anchor } = viewport;
	const fromEnd = viewport.sticks ? 0 : viewport.restore;
	const anchorIndex = anchor && heights.indexOf(anchor.key);
	const anchored = anchor && anchorIndex !== undefined ? heights.top(anchorIndex) + anchor.above : viewport.top;
	const top = fromEnd === undefined ? anchored : heights.total - height - fromEnd;
	return heights.itemsBetween(top - OVERSCAN, top + height + OVERSCAN);
}

function around(index: number, count: number): ItemRange {
	return { from: Math.max(0, index - 4), to: Math.min(count, index + 5) };
}

/** Limits the number of items but keeps all visible ones. */
function trim(span: ItemRange, visible: ItemRange): ItemRange {
	if (span.to - span.from <= MAX_ITEMS) return span;
	const spare = Math.max(0, Math.floor((IDLE_ITEMS - (visible.to - visible.from)) / 2));
	return { from: Math.max(span.from, visible.from - spare), to: Math.min(span.to, visible.to + spare) };
}

function widen({ from, to }: ItemRange, by: number, count: number): ItemRange {
	const missing = Math.min(by, IDLE_ITEMS - (to - from));
	if (missing <= 0) return { from, to };
	const above = Math.min(from, missing);
	return { from: from - above, to: Math.min(count, to + missing - above) };
}

/** Items that are always rendered: pending requests, and those with the focus or the selection. */
function pinned(items: readonly Item[], heights: ItemHeights): ItemRange[] {
	const pins: ItemRange[] = [];
	for (const [index, item] of items.entries()) if (isPending(item)) pins.push({ from: index, to: index + 1 });
	const selection = getSelection();
	const chosen = selection && !selection.isCollapsed ? [selection.anchorNode, selection.focusNode] : [];
	const activeRows = [document.activeElement, ...chosen].flatMap((node) => heights.indexOf(rowOf(node)) ?? []);
	if (activeRows.length > 0) pins.push({ from: Math.min(...activeRows), to: Math.max(...activeRows) + 1 });
	return pins;
}

function isPending(item: Item): boolean {
	if (item.kind === "plan") return item.plan.state === "running" || (item.isLatest && item.plan.state === "proposed");
	if (item.kind === "agentCall") return item.delegation.ended === undefined;
	if (item.kind === "task") return item.task !== undefined && !isTaskOver(item.task.state);
	return (item.kind === "approval" || item.kind === "question") && item.request.state === "pending";
}

function rowOf(node: Node | null): string {
	const element = node instanceof Element ? node : node?.parentElement;
	return element?.closest<HTMLElement>(".content > .row")?.dataset["key"] ?? "";
}

function withPins(shown: ItemRange, pins: readonly ItemRange[]): ItemRange[] {
	const spans: ItemRange[] = [];
	for (const span of [shown, ...pins].sort((left, right) => left.from - right.from)) {
		const before = spans.at(-1);
		if (before && span.from <= before.to) before.to = Math.max(before.to, span.to);
		else spans.push({ ...span });
	}
	return spans;
}
