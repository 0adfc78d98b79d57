// Markdown on the page, block by block: a block is rendered again only when its source changed.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { noReferences, type References, referencesOf, renderBlock } from "../markdown.ts";
import { live } from "../state.ts";
import { presentable, splitBlocks } from "../stream.ts";

/** Text that is complete, or, without `text`, the answer that streams: its blocks keep their places when it is done. */
export function Markdown({ text }: { text: string | undefined }) {
	const { blocks, references } = useMemo(() => whole(text ?? ""), [text]);
	if (text !== undefined) return <Blocks of={blocks} references={references} />;
	const { closed, open } = live.value;
	const shown = presentable(open);
	return <Blocks of={shown.trim() ? [...closed, shown] : closed} references={noReferences} />;
}

function whole(text: string) {
	return { blocks: splitBlocks(text), references: referencesOf(text) };
}

function Blocks({ of, references }: { of: readonly string[]; references: References }) {
	return (
		<div class="markdown">
			{of.map((source, index) => (
				<Block key={index} source={source} references={references} />
			))}
		</div>
	);
}

function Block({ source, references }: { source: string; references: References }) {
	const element = useRef<HTMLDivElement>(null);
	const key = source.trimEnd() + (references === noReferences ? "" : JSON.stringify(references));
	useLayoutEffect(() => element.current?.replaceChildren(renderBlock(source, references)), [key]);
	return <div ref={element} class="block" />;
}
