// Measures the rows of the conversation: each when it is rendered, and then only when its height changes.
import type { ItemHeights } from "../../conversation/itemHeights.ts";

export class RowMeasurer {
	private readonly heights: ItemHeights;
	private readonly observer: ResizeObserver;
	private readonly measured = new WeakSet<Element>();

	/** `resized` is called once a frame when the height of a row, or the size of another observed element, has changed. */
	constructor(heights: ItemHeights, resized: () => void) {
		this.heights = heights;
		this.observer = new ResizeObserver((entries) => {
			for (const { target } of entries) if (this.measured.has(target) && target.isConnected) this.measure(target as HTMLElement);
			resized();
		});
	}

	/** Measures the rows that are new. Returns true if one of them differs from what was known of it. */
	add(content: HTMLElement): boolean {
		let differs = false;
		for (const row of content.querySelectorAll<HTMLElement>(":scope > .row")) {
			if (this.measured.has(row)) continue;
			this.measured.add(row);
			this.observer.observe(row);
			differs = this.measure(row) || differs;
		}
		return differs;
	}

	observe(element: HTMLElement): void {
		this.observer.observe(element);
	}

	disconnect(): void {
		this.observer.disconnect();
	}

	private measure(row: HTMLElement): boolean {
		return this.heights.measure(row.dataset["key"] ?? "", row.offsetHeight);
	}
}
