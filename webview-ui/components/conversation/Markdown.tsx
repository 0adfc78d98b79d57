// Markdown on the page, block by block: a block is drawn again only when its source changed.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { liveAnswer } from "../../state.ts";
import { BlockRenderer } from "../../text/blockRenderer.ts";
import { NO_REFERENCES, parseReferences } from "../../text/markdown.ts";
import { presentableText, splitBlocks } from "../../text/markdownStream.ts";

/** Text that is complete, or, without `text`, the answer that streams: its blocks keep their places when it is done. */
export function Markdown({ text }: { text: string | undefined }) {
	const element = useRef<HTMLDivElement>(null);
	const blocks = useRef<BlockRenderer | undefined>(undefined);
	const whole = useMemo(() => (text === undefined ? undefined : { sources: splitBlocks(text), references: parseReferences(text) }), [text]);
	const stream = whole ? undefined : liveAnswer.value;
	useLayoutEffect(() => {
		if (!element.current) return;
		blocks.current ??= new BlockRenderer(element.current);
		if (whole) blocks.current.render(whole.sources, whole.references);
		else if (stream) blocks.current.renderStream(stream.closedBlocks, presentableText(stream.openBlock), NO_REFERENCES);
	}, [whole, stream]);
	useLayoutEffect(() => () => blocks.current?.dispose(), []);
	return <div ref={element} class="markdown" />;
}
