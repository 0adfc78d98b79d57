// Short text in cards: code in backticks and paths in the editor's font, and text that hides nothing.

import { useState } from "preact/hooks";
import { cleanText, clip, type Segment, visibleSegments } from "../visible.ts";
import { Group } from "./Group.tsx";

const CODE = /`([^`\n]+)`|((?:[\w@.-]+\/)+[\w@.-]*\.\w+)/g;

/** A sentence with its `code` and its paths set apart. */
export function Inline({ text }: { text: string }) {
	const clean = cleanText(text);
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

/** What a person is asked to approve, in full: nothing invisible, both ends in sight. */
export function Exact({ text, label }: { text: string; label: string }) {
	const [whole, setWhole] = useState(false);
	const segments = visibleSegments(text);
	const { head, tail, hidden } = whole ? { head: segments, tail: undefined, hidden: "" } : clip(segments);
	return (
		<Group name={label} class="exact">
			<Segments of={head} />
			{tail && (
				<button type="button" class="link exact-more" onClick={() => setWhole(true)}>
					{hidden}
				</button>
			)}
			{tail && <Segments of={tail} />}
		</Group>
	);
}

function Segments({ of }: { of: Segment[] }) {
	return (
		<code>
			{of.map((segment, index) =>
				segment.kind === "text" ? (
					segment.text
				) : (
					<mark key={index} class={segment.kind}>
						{segment.text}
					</mark>
				),
			)}
		</code>
	);
}
