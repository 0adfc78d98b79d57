// Renders the Markdown blocks of one text, with distant blocks deferred and the growing block throttled.

// Distant blocks are drawn when they come near or when idle; the growing one is drawn no more often than it can be
// drawn cheaply.
import { StreamingCodeBlock } from "./codeBlock.ts";
import { type LinkReferences, NO_REFERENCES, renderBlock } from "./markdown.ts";
import { isOpenFence } from "./markdownStream.ts";

interface Block {
	source: string;
	element: HTMLElement;
	/** Stands as a blank of about its height. */
	blank: boolean;
	growing?: StreamingCodeBlock;
}

/** Characters of a text that are drawn at once, from its end. */
const AT_ONCE = 6_000;
/** The open block is drawn again after this many times what drawing it has cost. */
const REST = 8;

export class BlockRenderer {
	private readonly container: HTMLElement;
	private blocks: Block[] = [];
	private references = NO_REFERENCES;
	private near: IntersectionObserver | undefined;
	private later: ReturnType<typeof setTimeout> | undefined;
	private notBefore = 0;

	constructor(container: HTMLElement) {
		this.container = container;
		container.addEventListener("draw", () => this.drawAll());
	}

	/** The whole text. */
	render(sources: readonly string[], references: LinkReferences): void {
		this.forgetLater();
		if (references !== this.references && JSON.stringify(references) !== JSON.stringify(this.references)) this.cut(0);
		this.references = references;
		let length = 0;
		let from = sources.length;
		while (from > 0 && length < AT_ONCE) length += (sources[--from] as string).length;
		this.sync(sources, from);
	}

	/** A text that grows: blocks that are final, and the one that is not. */
	renderStream(closed: readonly string[], open: string, references: LinkReferences): void {
		this.references = references;
		// What waits is the block that was open; it may be closed by now.
		this.forgetLater();
		const resting = performance.now() < this.notBefore && open.length > 200 && this.blocks.length > closed.length;
		if (resting) this.sync(closed, 0, true);
		else this.sync(open.trim() ? [...closed, open] : closed, 0);
		if (resting) {
			this.later = setTimeout(() => this.renderStream(closed, open, references), this.notBefore - performance.now() + 1);
		}
	}

	dispose(): void {
		this.forgetLater();
		this.near?.disconnect();
	}

	private forgetLater(): void {
		clearTimeout(this.later);
	}

	/** Makes the blocks those of `sources`; before `from` they may stand as blanks. `keepMore`: one more block stays as it is. */
	private sync(sources: readonly string[], from: number, keepMore = false): void {
		const { blocks } = this;
		let at = 0;
		while (at < blocks.length && at < sources.length && blocks[at]?.source === sources[at]) at += 1;
		for (; at < sources.length; at += 1) {
			const source = sources[at] as string;
			const block = blocks[at] ?? this.add(source, sources[at - 1]);
			if (block.source !== source || !block.element.hasChildNodes()) this.draw(block, source, at < from);
		}
		this.cut(sources.length + (keepMore ? 1 : 0));
	}

	private add(source: string, before: string | undefined): Block {
		const element = document.createElement("div");
		element.className = before !== undefined && goesOn(before, source) ? "block goes-on" : "block";
		const block = { source: "", element, blank: false };
		this.container.append(element);
		this.blocks.push(block);
		return block;
	}

	private cut(count: number): void {
		for (const { element } of this.blocks.splice(count)) {
			this.near?.unobserve(element);
			element.remove();
		}
	}

	private draw(block: Block, source: string, blank: boolean): void {
		const began = performance.now();
		const same = block.source.trimEnd() === source.trimEnd() && block.element.hasChildNodes();
		block.source = source;
		if (same) return;
		if (blank) {
			this.leaveBlank(block);
			return;
		}
		this.fill(block);
		if (block.growing?.isPrefixOf(source)) block.growing.update(source);
		else if (isOpenFence(source)) {
			block.growing = new StreamingCodeBlock(source);
			block.element.replaceChildren(block.growing.element);
		} else {
			delete block.growing;
			block.element.replaceChildren(renderBlock(source, this.references));
		}
		this.notBefore = performance.now() + (performance.now() - began) * REST;
	}

	private leaveBlank(block: Block): void {
		block.blank = true;
		block.element.style.minHeight = `${blankHeight(block.source, this.container.clientWidth)}px`;
		this.near ??= new IntersectionObserver((entries) => this.drawNear(entries), {
			root: this.container.closest(".scroller"),
			rootMargin: "600px 0px",
		});
		this.near.observe(block.element);
	}

	/** Something is looked for in it. */
	private drawAll(): void {
		for (const block of this.blocks) {
			if (!block.blank) continue;
			this.fill(block);
			block.element.replaceChildren(renderBlock(block.source, this.references));
		}
	}

	/** It is no blank any more. */
	private fill(block: Block): void {
		if (!block.blank) return;
		this.near?.unobserve(block.element);
		block.blank = false;
		block.element.style.minHeight = "";
	}

	private drawNear(entries: readonly IntersectionObserverEntry[]): void {
		for (const { isIntersecting, target } of entries) {
			const block = isIntersecting ? this.blocks.find(({ element }) => element === target) : undefined;
			if (!block?.blank) continue;
			this.fill(block);
			block.element.replaceChildren(renderBlock(block.source, this.references));
		}
	}
}

/** Pixels that a block will about need. */
function blankHeight(source: string, width: number): number {
	const across = Math.max(20, (width || 340) / 6.6);
	return source.split("\n").reduce((height, line) => height + Math.ceil(line.length / across) * 19, 0);
}

/** A list so long that it was cut into blocks. */
function goesOn(before: string, source: string): boolean {
	const item = /^ {0,3}(?:[-*+]|\d+[.)])[ \t]/;
	return item.test(before) && item.test(source);
}
