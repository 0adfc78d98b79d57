// Short text in cards: code in backticks and paths in the editor's font, and text that hides nothing.

import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type SafeLine, visibleLines } from "../../../src/shared/safeText.ts";
import { escapeHiddenCharacters } from "../../text/displayText.ts";
import { markFileReference, splitByPaths } from "../../text/fileLinks.ts";
import { renderInline } from "../../text/markdown.ts";
import { FoldedLines, Segments } from "../cards/FoldedLines.tsx";
import { Group } from "./Group.tsx";

const CODE = /`([^`\n]+)`|((?:[\w@.-]+\/)+[\w@.-]*\.\w+)/g;

/** A sentence of the model's with its Markdown drawn. */
export function InlineMarkdown({ text }: { text: string }) {
	const element = useRef<HTMLSpanElement>(null);
	useLayoutEffect(() => element.current?.replaceChildren(renderInline(escapeHiddenCharacters(text))), [text]);
	return <span ref={element} class="sentence" />;
}

/** A sentence with its `code` and its paths set apart; `linked` not within a button. */
export function InlineText({ text, linked = true }: { text: string; linked?: boolean }) {
	const clean = escapeHiddenCharacters(text);
	const parts = [];
	let from = 0;
	for (const match of clean.matchAll(CODE)) {
		if (match.index > from) parts.push(clean.slice(from, match.index));
		const code = match[1] ?? match[2] ?? "";
		parts.push(linked ? <InlineCode key={match.index} text={code} /> : <code key={match.index}>{code}</code>);
		from = match.index + match[0].length;
	}
	parts.push(clean.slice(from));
	return <>{parts}</>;
}

/** In the editor's font; a link where it names a file. */
export function InlineCode({ text }: { text: string }) {
	const element = useRef<HTMLElement>(null);
	useLayoutEffect(() => {
		const [only] = splitByPaths(text, true);
		if (element.current && typeof only === "object") markFileReference(element.current, only);
	}, [text]);
	return <code ref={element}>{text}</code>;
}

/** What a person is asked to approve, to the byte. */
export function ExactText({ text, label }: { text: string; label: string }) {
	return (
		<Group name={label} class="exact">
			<ExactLines text={text} />
		</Group>
	);
}

const LIMIT = { lines: 24, characters: 1_600 };

/** Numbered where there is more than one: a line that wraps looks like two. */
export function ExactLines({ text }: { text: string }) {
	const lines = useMemo(() => visibleLines(text), [text]);
	return <FoldedLines lines={lines} limit={LIMIT} draw={lines.length > 1 ? drawNumbered : drawAlone} />;
}

function drawNumbered({ number, segments, continued }: SafeLine, last: boolean) {
	return (
		<span class="line-of" data-line={continued ? "…" : number}>
			<Segments of={segments} />
			{last ? "" : "\n"}
		</span>
	);
}

function drawAlone({ segments }: SafeLine) {
	return (
		<span>
			<Segments of={segments} />
		</span>
	);
}
