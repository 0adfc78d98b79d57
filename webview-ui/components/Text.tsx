// Short text in cards: code in backticks and paths in the editor's font, and text that hides nothing.

import { useMemo } from "preact/hooks";
import { type ShownLine, visibleLines } from "../../src/shared/safeText.ts";
import { answeredText } from "../visible.ts";
import { Group } from "./Group.tsx";
import { Lines, Segments } from "./Lines.tsx";

const CODE = /`([^`\n]+)`|((?:[\w@.-]+\/)+[\w@.-]*\.\w+)/g;

/** A sentence with its `code` and its paths set apart. */
export function Inline({ text }: { text: string }) {
	const clean = answeredText(text);
	const parts = [];
	let from = 0;
	for (const match of clean.matchAll(CODE)) {
		if (match.index > from) parts.push(clean.slice(from, match.index));
		parts.push(<code key={match.index}>{match[1] ?? match[2]}</code>);
		from = match.index + match[0].length;
	}
	parts.push(clean.slice(from));
	return <>{parts}</>;
}

/** What a person is asked to approve, to the byte. */
export function Exact({ text, label }: { text: string; label: string }) {
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
	return <Lines lines={lines} limit={LIMIT} draw={lines.length > 1 ? drawNumbered : drawAlone} />;
}

function drawNumbered({ number, segments, continued }: ShownLine, last: boolean) {
	return (
		<span class="line-of" data-line={continued ? "…" : number}>
			<Segments of={segments} />
			{last ? "" : "\n"}
		</span>
	);
}

function drawAlone({ segments }: ShownLine) {
	return (
		<span>
			<Segments of={segments} />
		</span>
	);
}
