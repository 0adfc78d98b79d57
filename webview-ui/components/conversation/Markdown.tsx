// Markdown on the page, block by block: a block is drawn again only when its source changed.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { live } from "../../state.ts";
import { Blocks } from "../../text/blocks.ts";
import { noReferences, referencesOf } from "../../text/markdown.ts";
import { presentable, splitBlocks } from "../../text/stream.ts";

/** Text that is complete, or, without `text`, the answer that streams: its blocks keep their places when it is done. */
export function Markdown({ text }: { text: string | undefined }) {
	const element = useRef<HTMLDivElement>(null);
	const blocks = useRef<Blocks | undefined>(undefined);
	const whole = useMemo(() => (text === undefined ? undefined : { sources: splitBlocks(text), references: referencesOf(text) }), [text]);
	const stream = whole ? undefined : live.value;
	useLayoutEffect(() => {
		if (!element.current) return;
		blocks.current ??= new Blocks(element.current);
		if (whole) blocks.current.show(whole.sources, whole.references);
		else if (stream) blocks.current.grow(stream.closed, presentable(stream.open), noReferences);
	}, [whole, stream]);
	useLayoutEffect(() => () => blocks.current?.dispose(), []);
	return <div ref={element} class="markdown" />;
}
