// A unified diff: hunks with their sign, their lines in the editor's diff colours.

import { useState } from "preact/hooks";
import { shownNumber, t } from "../../src/l10n.ts";
import { cleanText } from "../visible.ts";
import { Group, scrollable } from "./Group.tsx";

const SHOWN = 60;

export function Diff({ diff, label }: { diff: string; label: string }) {
	const [whole, setWhole] = useState(false);
	const lines = diffLines(diff);
	if (lines.length === 0) return null;
	const shown = whole || lines.length <= SHOWN + 10 ? lines : lines.slice(0, SHOWN);
	return (
		<div class="diff">
			<Group name={label} class="diff-lines" {...scrollable}>
				<pre>
					<code>
						{shown.map(({ kind, text }, index) => (
							<span key={index} class={`diff-line ${kind}`}>
								{kind === "gap" ? <span class="diff-gap">⋯</span> : `${SIGNS[kind]} ${text}`}
								{"\n"}
							</span>
						))}
					</code>
				</pre>
			</Group>
			{shown.length < lines.length && (
				<button type="button" class="link more" onClick={() => setWhole(true)}>
					{t("Show all {0} lines", shownNumber(lines.length))}
				</button>
			)}
		</div>
	);
}

type Kind = "same" | "added" | "removed" | "gap";
const SIGNS = { same: " ", added: "+", removed: "-" } as const;

/** The lines of all hunks, a gap between two of them; file headers are left out. */
function diffLines(diff: string): { kind: Kind; text: string }[] {
	const lines: { kind: Kind; text: string }[] = [];
	let inHunk = false;
	for (const line of cleanText(diff).split("\n")) {
		if (line.startsWith("@@")) {
			if (lines.length > 0) lines.push({ kind: "gap", text: "" });
			inHunk = true;
			continue;
		}
		if (!inHunk || line === "" || line.startsWith("\\")) continue;
		const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
		lines.push({ kind, text: line.slice(1) });
	}
	return lines;
}
