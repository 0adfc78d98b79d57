// Measured or estimated heights of the conversation's items, and their positions.

// No DOM access.
import type { Item } from "./items.ts";

/** Pixels between items. */
export const GAP = 12;

/** A run of items, `to` not included. */
export interface ItemRange {
	from: number;
	to: number;
}

export class ItemHeights {
	private readonly measured = new Map<string, number>();
	private readonly guesses = new WeakMap<Item, number>();
	/** Of the conversation, in pixels. */
	private width = 0;
	private items: readonly Item[] = [];
	/** Where each item begins, and behind the last where the next would. */
	private readonly offsets: number[] = [0];
	/** Indices by key. */
	private readonly indices = new Map<string, number>();
	/** How many messages there are up to each item, itself among them. */
	private readonly messages: number[] = [];
	/** The first item behind which something was measured since. */
	private stale = 0;

	/** To be called when something was measured or the items have changed. What is as it was is not gone through again. */
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

	/** Whether that is news. */
	measure(key: string, heightOf: number): boolean {
		if (Math.abs((this.measured.get(key) ?? -1) - heightOf) < 0.5) return false;
		this.measured.set(key, heightOf);
		this.stale = Math.min(this.stale, this.indices.get(key) ?? 0);
		return true;
	}

	indexOf(key: string): number | undefined {
		return this.indices.get(key);
	}

	/** Which message of how many an item is, from 1. */
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

	/** The items between two heights. */
	itemsBetween(top: number, bottom: number): ItemRange {
		const from = Math.max(0, this.firstBeyond(top + GAP) - 1);
		return { from, to: Math.max(Math.min(this.items.length, from + 1), Math.min(this.items.length, this.firstBeyond(bottom))) };
	}

	/** What stands in for the items of a span. */
	height({ from, to }: ItemRange): number {
		return this.top(to) - this.top(from) - GAP;
	}

	private of(item: Item): number {
		const measured = this.measured.get(item.key);
		if (measured !== undefined) return measured;
		const guessed = this.guesses.get(item) ?? guess(item, this.width);
		this.guesses.set(item, guessed);
		return guessed;
	}

	/** The first item that begins at that height or below. */
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

export function union(one: ItemRange, other: ItemRange): ItemRange {
	return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}

export function overlaps(one: ItemRange, other: ItemRange): boolean {
	return one.from <= other.to && other.from <= one.to;
}

export function covers(one: ItemRange, other: ItemRange): boolean {
	return one.from <= other.from && one.to >= other.to;
}

/** Pixels of a line of text, and of a character in it. */
const LINE = 19;
const CHARACTER = 6.6;

function guess(item: Item, width: number): number {
	switch (item.kind) {
		case "message":
			return textHeight(item.text, item.speaker === "person" ? width - 72 : width - 32) + (item.speaker === "person" ? 16 : 0);
		case "calls":
			return 22 * Math.min(item.calls.length + item.thoughts.length, 6);
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

/** Characters that are looked at; the rest is taken to be like them. */
const SAMPLE = 4_000;

function textHeight(text: string, width: number): number {
	const across = Math.max(16, width / CHARACTER);
	const sample = text.slice(0, SAMPLE).trimEnd();
	let height = 0;
	for (const line of sample.split("\n")) height += line.trim() === "" ? 8 : LINE * Math.ceil(line.length / across);
	// The bar and the rim of a block of code.
	height += 24 * (sample.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) * 0.5;
	return Math.max(LINE, (height * Math.max(text.trimEnd().length, 1)) / Math.max(sample.length, 1));
}
