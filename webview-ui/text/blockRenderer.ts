// Renders the Markdown blocks of one text; distant blocks are deferred and the growing one throttled.

// Distant blocks are rendered when they come near the viewport; the growing one only as often as is cheap.
import { StreamingCodeBlock } from "./codeBlock.ts";
import { type LinkReferences, NO_REFERENCES, renderBlock } from "./markdown.ts";
import { isOpenFence } from "./markdownStream.ts";

interface Block {
	source: string;
	element: HTMLElement;
	/** Rendered as a spacer of its estimated height. */
	blank: boolean;
	growing?: StreamingCodeBlock;
}

/** Characters rendered at once, from the end of the text. */
const EAGER_CHARACTERS = 6_000;
/** The open block is re-rendered after this multiple of its last rendering time. */
const THROTTLE_FACTOR = 8;

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

	/** Renders a complete text. */
	render(sources: readonly string[], references: LinkReferences): void {
		this.forgetLater();
		if (references !== this.references && JSON.stringify(references) !== JSON.stringify(this.references)) this.cut(0);
		this.references = references;
		let length = 0;
		let from = sources.length;
		while (from > 0 && length < EAGER_CHARACTERS) length += (sources[--from] as string).length;
		this.sync(sources, from);
	}

	/** Renders a streaming text: final blocks and the open one. */
	renderStream(closed: readonly string[], open: string, references: LinkReferences): void {
		this.references = references;
		// The delayed rendering is outdated: its block may be closed now.
		this.forgetLater();
		const isThrottled = performance.now() < this.notBefore && open.length > 200 && this.blocks.length > closed.length;
		if (isThrottled) this.sync(closed, 0, true);
		else this.sync(open.trim() ? [...closed, open] : closed, 0);
		if (isThrottled) {
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

	/** Updates the blocks to `sources`; those before `from` may become spacers. `keepMore`: leaves one more block unchanged. */
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
		element.className = before !== undefined && continuesList(before, source) ? "block goes-on" : "block";
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
		this.notBefore = performance.now() + (performance.now() - began) * THROTTLE_FACTOR;
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

	/** Renders all blocks, for Find. */
	private drawAll(): void {
		for (const block of this.blocks) {
			if (!block.blank) continue;
			this.fill(block);
			block.element.replaceChildren(renderBlock(block.source, this.references));
		}
	}

	/** Removes the spacer's height. */
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

/** Estimated height in pixels. */
function blankHeight(source: string, width: number): number {
	const across = Math.max(20, (width || 340) / 6.6);
	return source.split("\n").reduce((height, line) => height + Math.ceil(line.length / across) * 19, 0);
}

/** Returns true if both are parts of one list split into blocks. */
function continuesList(before: string, source: string): boolean {
	const item = /^ {0,3}(?:[-*+]|\d+[.)])[ \t]/;
	return item.test(before) && item.test(source);
}
