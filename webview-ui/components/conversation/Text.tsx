// Short text in cards: code and paths in the editor font, with invisible characters escaped.

import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type SafeLine, visibleLines } from "../../../src/shared/safeText.ts";
import { escapeHiddenCharacters } from "../../text/displayText.ts";
import { markFileReference, splitByPaths } from "../../text/fileLinks.ts";
import { renderInline } from "../../text/markdown.ts";
import { FoldedLines, Segments } from "../cards/FoldedLines.tsx";
import { Group } from "./Group.tsx";

const CODE = /`([^`\n]+)`|((?:[\w@.-]+\/)+[\w@.-]*\.\w+)/g;

/** A sentence from the model with inline Markdown. */
export function InlineMarkdown({ text }: { text: string }) {
	const element = useRef<HTMLSpanElement>(null);
	useLayoutEffect(() => element.current?.replaceChildren(renderInline(escapeHiddenCharacters(text))), [text]);
	return <span ref={element} class="sentence" />;
}

/** A sentence with `code` and paths formatted; links are not allowed inside a button. */
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

/** Code in the editor font; a link if it names a file. */
export function InlineCode({ text }: { text: string }) {
	const element = useRef<HTMLElement>(null);
	useLayoutEffect(() => {
		const [only] = splitByPaths(text, true);
		if (element.current && typeof only === "object") markFileReference(element.current, only);
	}, [text]);
	return <code ref={element}>{text}</code>;
}

/** Exact text to approve. */
export function ExactText({ text, label }: { text: string; label: string }) {
	return (
		<Group name={label} class="exact">
			<ExactLines text={text} />
		</Group>
	);
}

const LIMIT = { lines: 24, characters: 1_600 };

/** Numbered if there are several, since a wrapped line looks like two. */
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
