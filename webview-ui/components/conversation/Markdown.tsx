// Renders Markdown block by block; a block is re-rendered only when its source changes.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { liveAnswer } from "../../state.ts";
import { BlockRenderer } from "../../text/blockRenderer.ts";
import { NO_REFERENCES, parseReferences } from "../../text/markdown.ts";
import { presentableText, splitBlocks } from "../../text/markdownStream.ts";

/** Renders complete text or, without `text`, the streaming answer, whose blocks keep their positions when it ends. */
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
