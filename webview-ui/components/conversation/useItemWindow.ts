// Selects the items of a long conversation to render, and follows new ones until the user scrolls.

// Items in view are rendered at once and more around them when idle; pending requests are always rendered.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { covers, ItemHeights, type ItemRange, overlaps, union } from "../../conversation/itemHeights.ts";
import type { Item } from "../../conversation/items.ts";
import { savedScrollOffset, saveScrollOffset } from "../../persistedState.ts";

/** Pixels from the end that still count as the end. */
const NEAR = 24;
/** Pixels around the sight that are drawn with it. */
const AROUND = 200;
/** Pixels that stay free above a card that was brought to the top. */
const ABOVE = 8;
/** Items on the page once there was time, and more than which none stay that are out of sight. */
const ENOUGH = 120;
const MOST = 280;
/** How long, in ms, drawing more may hold up the page. */
const HOLD_UP = 20;

type Ref<T> = { current: T | null };

export interface ItemWindow {
	/** Runs of items that are on the page, in order. */
	spans: ItemRange[];
	heights: ItemHeights;
	followsEnd: boolean;
	scrollToEnd(): void;
	/** Brings an item into sight. */
	reveal(key: string): void;
}

interface Sight {
	sticks: boolean;
	/** Pixels from the end where the person was, until that is on the page. */
	restore?: number | undefined;
	top: number;
	height: number;
	width: number;
	/** Keys of the first and the last item on the page. */
	shown?: [string, string] | undefined;
	/** An item that is to come into sight. */
	target?: string | undefined;
	/** The item at the top of the sight, and how many pixels of it are above; indices change when earlier ones arrive. */
	anchor?: { key: string; above: number } | undefined;
	/** Key of the first item of all. */
	first?: string | undefined;
	/** Key of the newest plan that was there already; "" where none was. */
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
	const sight = useMemo<Sight>(
		() => ({ sticks: true, restore: savedScrollOffset(), top: 0, height: innerHeight, width: innerWidth }),
		[session],
	);
	const pace = useRef({ items: 8, began: 0 });
	heights.layOut(items, sight.width);
	const prepended = sight.first !== undefined && sight.first !== items[0]?.key;
	// What was scrolled since the last event is not told of yet.
	if (prepended && !sight.sticks && scroller.current && content.current)
		sight.anchor = anchorOf(content.current, scroller.current.scrollTop);

	const { height } = sight;
	const fromEnd = sight.sticks ? 0 : sight.restore;
	const held = sight.anchor && heights.indexOf(sight.anchor.key);
	const anchored = sight.anchor && held !== undefined ? heights.top(held) + sight.anchor.above : sight.top;
	const top = fromEnd === undefined ? anchored : heights.total - height - fromEnd;
	const target = sight.target === undefined ? undefined : heights.indexOf(sight.target);
	const seen = target === undefined ? heights.itemsBetween(top - AROUND, top + height + AROUND) : around(target, items.length);
	const shown = sight.shown && spanOf(sight.shown, heights);
	const kept = shown && overlaps(shown, seen) ? trim(union(shown, seen), seen) : seen;
	const first = items[kept.from];
	const last = items[kept.to - 1];
	sight.shown = first && last ? [first.key, last.key] : undefined;
	sight.first = items[0]?.key;
	const plan = items.findLast(({ kind }) => kind === "plan")?.key ?? "";
	const arrived = sight.plan !== undefined && sight.plan !== plan && !prepended ? plan : "";
	sight.plan = plan;

	useLayoutEffect(() => {
		const element = scroller.current;
		if (!element) return;
		let news = false;
		for (const row of content.current?.querySelectorAll<HTMLElement>(":scope > .row") ?? []) {
			news = heights.measure(row.dataset["key"] ?? "", row.offsetHeight) || news;
		}
		// Asked for in the middle of drawing they would have the page laid out once more.
		sight.height = element.clientHeight;
		sight.width = element.clientWidth;
		if (pace.current.began > 0) {
			const factor = Math.min(2, HOLD_UP / Math.max(1, performance.now() - pace.current.began));
			pace.current = { items: Math.min(40, Math.max(3, Math.round(pace.current.items * factor))), began: 0 };
		}
		if (sight.target !== undefined) {
			rowAt(content.current, sight.target)?.scrollIntoView({ block: "center" });
			sight.target = undefined;
			// The event that tells of it comes a frame later.
			sight.top = element.scrollTop;
			sight.anchor = content.current ? anchorOf(content.current, element.scrollTop) : undefined;
		} else settle(element, sight, whole, setStuck);
		const card = arrived && sight.sticks ? rowAt(content.current, arrived) : null;
		if (card && element.scrollHeight - card.offsetTop > element.clientHeight) {
			// Who reads a plan begins with its goal.
			sight.sticks = false;
			element.scrollTop = card.offsetTop - ABOVE;
			sight.top = element.scrollTop;
			sight.anchor = { key: arrived, above: -ABOVE };
			setStuck(false);
		}
		if (prepended && sight.anchor && !sight.sticks) {
			const row = rowAt(content.current, sight.anchor.key);
			if (row) element.scrollTop = row.offsetTop + sight.anchor.above;
		}
		if (content.current && !sight.sticks && sight.restore === undefined && (sight.anchor?.above ?? -1) < 0) {
			// A jump into a blank: nothing was in sight that the browser could hold on to.
			sight.top = element.scrollTop;
			sight.anchor = anchorOf(content.current, element.scrollTop);
		}
		if (news) redraw();
	});

	useEffect(() => {
		const more = widen(kept, pace.current.items, items.length);
		if (covers(kept, more)) return undefined;
		const idle = requestIdleCallback(
			() => {
				pace.current.began = performance.now();
				sight.shown = [items[more.from]?.key ?? "", items[more.to - 1]?.key ?? ""];
				redraw();
			},
			{ timeout: 1_000 },
		);
		return () => cancelIdleCallback(idle);
	}, [kept.from, kept.to, items.length]);

	useLayoutEffect(() => {
		const element = scroller.current;
		const inner = content.current;
		if (!element || !inner) return undefined;
		const distance = () => element.scrollHeight - element.clientHeight - element.scrollTop;
		setStuck(sight.restore === undefined);
		const follow = () => {
			// Where the person has scrolled away from the end, the browser keeps the place.
			settle(element, sight, false, setStuck);
			for (const row of inner.querySelectorAll<HTMLElement>(":scope > .row")) heights.measure(row.dataset["key"] ?? "", row.offsetHeight);
		};
		const onScroll = () => {
			const stuck = sight.sticks;
			const up = element.scrollTop < sight.top - 1;
			sight.top = element.scrollTop;
			if (distance() < NEAR) sight.sticks = true;
			else if (up) sight.sticks = false;
			if (stuck && sight.sticks) return;
			setStuck(sight.sticks);
			sight.anchor = anchorOf(inner, element.scrollTop);
			if (sight.restore === undefined) saveScrollOffset(sight.sticks ? undefined : distance());
			redraw();
		};
		// Who turns the wheel or takes the bar does not want to be brought back to where they were.
		const own = () => {
			sight.restore = undefined;
		};
		const observer = new ResizeObserver(follow);
		observer.observe(element);
		observer.observe(inner);
		element.addEventListener("scroll", onScroll, { passive: true });
		for (const type of ["wheel", "pointerdown", "keydown"] as const) element.addEventListener(type, own, { passive: true });
		return () => {
			observer.disconnect();
			element.removeEventListener("scroll", onScroll);
			for (const type of ["wheel", "pointerdown", "keydown"] as const) element.removeEventListener(type, own);
		};
	}, [session]);

	return {
		spans: withPins(kept, pinned(items, heights)),
		heights,
		followsEnd: stuck,
		scrollToEnd() {
			sight.sticks = true;
			sight.restore = undefined;
			setStuck(true);
			redraw();
		},
		reveal(key) {
			sight.sticks = false;
			sight.restore = undefined;
			sight.target = key;
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

/** Puts the end, or what the person had looked at, into sight. */
function settle(element: HTMLElement, sight: Sight, whole: boolean, setStuck: (stuck: boolean) => void): void {
	const most = element.scrollHeight - element.clientHeight;
	if (sight.restore !== undefined) {
		element.scrollTop = most - sight.restore;
		sight.sticks = false;
		setStuck(sight.restore < NEAR);
		if (whole && most >= sight.restore) sight.restore = undefined;
	} else if (sight.sticks) element.scrollTop = most + 1;
	sight.top = element.scrollTop;
}

function spanOf([first, last]: [string, string], heights: ItemHeights): ItemRange | undefined {
	const [from, to] = [heights.indexOf(first), heights.indexOf(last)];
	return from === undefined || to === undefined ? undefined : { from, to: to + 1 };
}

function around(index: number, count: number): ItemRange {
	return { from: Math.max(0, index - 4), to: Math.min(count, index + 5) };
}

/** Not more than may stay, and all that is in sight. */
function trim(span: ItemRange, seen: ItemRange): ItemRange {
	if (span.to - span.from <= MOST) return span;
	const spare = Math.max(0, Math.floor((ENOUGH - (seen.to - seen.from)) / 2));
	return { from: Math.max(span.from, seen.from - spare), to: Math.min(span.to, seen.to + spare) };
}

function widen({ from, to }: ItemRange, by: number, count: number): ItemRange {
	const missing = Math.min(by, ENOUGH - (to - from));
	if (missing <= 0) return { from, to };
	const above = Math.min(from, missing);
	return { from: from - above, to: Math.min(count, to + missing - above) };
}

/** What is there wherever the person looks: what waits for them, what has the focus, and what they have selected. */
function pinned(items: readonly Item[], heights: ItemHeights): ItemRange[] {
	const pins: ItemRange[] = [];
	for (const [index, item] of items.entries()) if (waits(item)) pins.push({ from: index, to: index + 1 });
	const selection = getSelection();
	const chosen = selection && !selection.isCollapsed ? [selection.anchorNode, selection.focusNode] : [];
	const holding = [document.activeElement, ...chosen].flatMap((node) => heights.indexOf(rowOf(node)) ?? []);
	if (holding.length > 0) pins.push({ from: Math.min(...holding), to: Math.max(...holding) + 1 });
	return pins;
}

function waits(item: Item): boolean {
	if (item.kind === "plan") return item.plan.state === "running" || (item.isLatest && item.plan.state === "proposed");
	return (item.kind === "approval" || item.kind === "question") && item.request.state === "pending";
}

function rowOf(node: Node | null): string {
	const element = node instanceof Element ? node : node?.parentElement;
	return element?.closest<HTMLElement>(".content > .row")?.dataset["key"] ?? "";
}

function withPins(shown: ItemRange, pins: readonly ItemRange[]): ItemRange[] {
	const spans: ItemRange[] = [];
	for (const span of [shown, ...pins].sort((one, other) => one.from - other.from)) {
		const before = spans.at(-1);
		if (before && span.from <= before.to) before.to = Math.max(before.to, span.to);
		else spans.push({ ...span });
	}
	return spans;
}
