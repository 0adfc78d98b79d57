// Markdown on the page, block by block: a block is rendered again only when its source changed.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type References, referencesOf, renderBlock } from "../markdown.ts";
import { live } from "../state.ts";
import { presentable, type Stream, splitBlocks } from "../stream.ts";

const none: References = {};

export function Markdown({ text }: { text: string }) {
	const blocks = useMemo(() => splitBlocks(text), [text]);
	const references = useMemo(() => referencesOf(text), [text]);
	return <Blocks of={blocks} references={references} />;
}

/** The answer that streams: shares its blocks' places with the final text, so that nothing moves when it comes. */
export function LiveMarkdown() {
	const { closed, open }: Stream = live.value;
	const shown = presentable(open);
	return <Blocks of={shown.trim() ? [...closed, shown] : closed} references={none} />;
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
	const key = source.trimEnd() + (references === none ? "" : JSON.stringify(references));
	useLayoutEffect(() => element.current?.replaceChildren(renderBlock(source, references)), [key]);
	return <div ref={element} class="block" />;
}
