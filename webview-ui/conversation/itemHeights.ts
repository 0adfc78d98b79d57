// Measured or estimated heights of the conversation's items, and their positions.

// No DOM access.
import type { Item } from "./items.ts";

/** Pixels between items. */
export const GAP = 12;

/** A range of items; `to` is exclusive. */
export interface ItemRange {
	from: number;
	to: number;
}

export class ItemHeights {
	private readonly measured = new Map<string, number>();
	private readonly guesses = new WeakMap<Item, number>();
	/** Width of the conversation in pixels. */
	private width = 0;
	private items: readonly Item[] = [];
	/** Top of each item, plus the top of a next one. */
	private readonly offsets: number[] = [0];
	/** Item indices by key. */
	private readonly indices = new Map<string, number>();
	/** Number of messages up to and including each item. */
	private readonly messages: number[] = [];
	/** First item whose following offsets are outdated. */
	private stale = 0;

	/** Call after measuring or when the items change. Unchanged items at the start are skipped. */
	layOut(items: readonly Item[], width: number): void {
		this.width = width;
		let at = 0;
		while (at < this.stale && at < items.length && items[at] === this.items[at]) at += 1;
		for (const { key } of this.items.slice(at)) this.indices.delete(key);
		this.offsets.length = at + 1;
		this.messages.length = at;
		for (const item of items.slice(at)) {
			this.indices.set(item.key, this.messages.length);
			this.messages.push((this.messages.at(-1) ?? 0) + (item.kind === "message" ? 1 : 0));
			this.offsets.push((this.offsets.at(-1) ?? 0) + this.of(item) + GAP);
		}
		this.items = items;
		this.stale = items.length;
	}

	/** Returns true if the height changed. */
	measure(key: string, heightOf: number): boolean {
		if (Math.abs((this.measured.get(key) ?? -1) - heightOf) < 0.5) return false;
		this.measured.set(key, heightOf);
		this.stale = Math.min(this.stale, this.indices.get(key) ?? 0);
		return true;
	}

	indexOf(key: string): number | undefined {
		return this.indices.get(key);
	}

	/** 1-based position of a message and the total. */
	messagePosition(key: string): [number, number] | undefined {
		const index = this.indices.get(key);
		return index === undefined ? undefined : [this.messages[index] ?? 0, this.messages.at(-1) ?? 0];
	}

	get total(): number {
		return Math.max(0, this.top(this.items.length) - GAP);
	}

	top(index: number): number {
		return this.offsets[index] ?? this.offsets.at(-1) ?? 0;
	}

	/** Items between two offsets. */
	itemsBetween(top: number, bottom: number): ItemRange {
		const from = Math.max(0, this.firstBeyond(top + GAP) - 1);
		return { from, to: Math.max(Math.min(this.items.length, from + 1), Math.min(this.items.length, this.firstBeyond(bottom))) };
	}

	/** Height of a range's spacer. */
	height({ from, to }: ItemRange): number {
		return this.top(to) - this.top(from) - GAP;
	}

	private of(item: Item): number {
		const measured = this.measured.get(item.key);
		if (measured !== undefined) return measured;
		const estimated = this.guesses.get(item) ?? estimate(item, this.width);
		this.guesses.set(item, estimated);
		return estimated;
	}

	/** The first item that begins at or below that offset. */
	private firstBeyond(height: number): number {
		let [low, high] = [0, this.items.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((this.offsets[middle] ?? 0) < height) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}

export function union(left: ItemRange, right: ItemRange): ItemRange {
	return { from: Math.min(left.from, right.from), to: Math.max(left.to, right.to) };
}

export function overlaps(left: ItemRange, right: ItemRange): boolean {
	return left.from <= right.to && right.from <= left.to;
}

export function covers(left: ItemRange, right: ItemRange): boolean {
	return left.from <= right.from && left.to >= right.to;
}

/** Pixels per line of text and per character. */
const LINE = 19;
const CHARACTER = 6.6;

function estimate(item: Item, width: number): number {
	switch (item.kind) {
		case "message":
			return textHeight(item.text, item.speaker === "person" ? width - 72 : width - 32) + (item.speaker === "person" ? 16 : 0);
		case "calls":
			return 22 * Math.min(item.calls.length + item.thoughts.length, 6);
		case "agentCall":
		case "task":
			return 160;
		case "change":
			return item.view.changes.reduce((height, { diff }) => height + 76 + LINE * Math.min(30, diff.split("\n").length), 0);
		case "plan":
			return 90 + 44 * item.plan.event.plan.steps.length;
		case "question":
			return item.request.state === "pending" ? 220 : LINE;
		case "approval":
			return item.request.state === "pending" ? 220 : LINE;
		case "turn":
			return 28;
		case "note":
			return LINE;
		case "failure":
			return 96;
	}
}

/** Characters measured; the rest is extrapolated. */
const SAMPLE = 4_000;

function textHeight(text: string, width: number): number {
	const across = Math.max(16, width / CHARACTER);
	const sample = text.slice(0, SAMPLE).trimEnd();
	let height = 0;
	for (const line of sample.split("\n")) height += line.trim() === "" ? 8 : LINE * Math.ceil(line.length / across);
	// Bar and border of a code block.
	height += 24 * (sample.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) * 0.5;
	return Math.max(LINE, (height * Math.max(text.trimEnd().length, 1)) / Math.max(sample.length, 1));
}
