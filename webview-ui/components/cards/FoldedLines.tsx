// Renders lines with invisible characters marked; shows both ends and expands the middle on request.
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { type FoldLimit, foldLines } from "../../../src/shared/foldText.ts";
import { formatNumber, t } from "../../../src/shared/l10n.ts";
import { RIGHT_TO_LEFT, type SafeLine, type Segment, segmentLine } from "../../../src/shared/safeText.ts";

/** Factor by which each click expands: rendering a megabyte at once would block the page. */
const GROWTH = 8;

interface LinesProps<Line> {
	lines: readonly Line[];
	limit: FoldLimit;
	draw(line: Line, last: boolean): VNode;
	/** Highest line number that has to fit; that of the lines if absent. */
	highest?: number;
}

export function FoldedLines<Line extends SafeLine>({ lines, limit, draw, highest = 1 }: LinesProps<Line>) {
	const [factor, setFactor] = useState(1);
	const { head, tail, hidden } = useMemo(
		() => foldLines(lines, { lines: limit.lines * factor, characters: limit.characters * factor }),
		[lines, limit, factor],
	);
	const last = (tail.length > 0 ? tail : head).at(-1);
	const drawLine = (line: Line) => draw(line, line === last);
	const digits = String([...head, ...tail].reduce((most, { number = 1 }) => Math.max(most, number), highest)).length;
	return (
		<>
			<code class="lines" dir="ltr" data-digits={digits}>
				{head.map(drawLine)}
			</code>
			{hidden && (
				<button type="button" class="link more" onClick={() => setFactor(factor * GROWTH)}>
					{hidden.lines > 1
						? t("Show {0} More Lines", formatNumber(hidden.lines))
						: t("Show {0} More Characters", formatNumber(hidden.characters))}
				</button>
			)}
			{tail.length > 0 && (
				<code class="lines" dir="ltr" data-digits={digits}>
					{tail.map(drawLine)}
				</code>
			)}
		</>
	);
}

/** A name, path or sentence with external text, on one line that wraps. */
export function SafeText({ text }: { text: string }) {
	return (
		<span class="shown" dir="ltr">
			<Segments of={segmentLine(text, { blanks: true })} />
		</span>
	);
}

export function Segments({ of }: { of: readonly Segment[] }) {
	return (
		<>
			{of.map((segment, index) =>
				segment.kind === "text" ? (
					isolateDirection(segment.text)
				) : (
					<mark key={index} {...(segment.kind === "escape" ? { class: "escape", title: nameOf(segment.text) } : { class: "remark" })}>
						{segment.text}
					</mark>
				),
			)}
		</>
	);
}

/** Right-to-left letters would otherwise reorder the words between them. */
const RIGHT_TO_LEFT_RUN = new RegExp(`(${RIGHT_TO_LEFT}+)`, "u");

function isolateDirection(text: string) {
	if (!RIGHT_TO_LEFT_RUN.test(text)) return text;
	return text.split(RIGHT_TO_LEFT_RUN).map((part, index) => (index % 2 === 1 ? <bdi key={index}>{part}</bdi> : part));
}

/** Short Unicode names of the most common ones. */
const NAMES: Readonly<Record<string, string>> = {
	"0000": "NUL",
	"0007": "BEL",
	"0008": "BS",
	"0009": "TAB",
	"000a": "LF",
	"000b": "VT",
	"000c": "FF",
	"000d": "CR",
	"001b": "ESC",
	"007f": "DEL",
	"0085": "NEL",
	"00a0": "NBSP",
	"00ad": "SHY",
	"061c": "ALM",
	"200b": "ZWSP",
	"200c": "ZWNJ",
	"200d": "ZWJ",
	"200e": "LRM",
	"200f": "RLM",
	"202a": "LRE",
	"202b": "RLE",
	"202c": "PDF",
	"202d": "LRO",
	"202e": "RLO",
	"2060": "WJ",
	"2066": "LRI",
	"2067": "RLI",
	"2068": "FSI",
	"2069": "PDI",
	feff: "BOM",
};

function nameOf(escaped: string): string {
	const code = escaped.slice("\\u{".length, -1);
	return [`U+${code.toUpperCase()}`, NAMES[code] ?? ""].join(" ").trim();
}
