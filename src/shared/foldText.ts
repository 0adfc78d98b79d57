// Folds the middle of long text: both ends stay visible, and the hidden part is counted.
import { t } from "./l10n.ts";
import { createNote, type SafeLine, type Segment } from "./safeText.ts";

export interface FoldLimit {
	lines: number;
	characters: number;
}

export interface FoldedText<Line> {
	head: Line[];
	/** The last lines; empty if everything is in `head`. */
	tail: Line[];
	/** The part between them: lines that are not complete in either, or characters if there is only one such line. */
	hidden?: { lines: number; characters: number };
}

/** Each end gets half of the limit. A line that does not fit is truncated, but never inside an escape. */
export function foldLines<Line extends SafeLine>(lines: readonly Line[], limit: FoldLimit): FoldedText<Line> {
	const all = lines.reduce((sum, line) => sum + lengthOf(line), 0);
	if (lines.length <= limit.lines && all <= limit.characters) return { head: [...lines], tail: [] };
	const half = { lines: Math.max(1, Math.floor(limit.lines / 2)), characters: Math.floor(limit.characters / 2) };
	const head = takeLines(lines, half, cutHead);
	const tail = takeLines(lines.toReversed(), half, cutTail);
	const characters = all - [...head.lines, ...tail.lines].reduce((sum, line) => sum + lengthOf(line), 0);
	return { head: head.lines, tail: tail.lines.toReversed(), hidden: { lines: lines.length - head.whole - tail.whole, characters } };
}

/** The mark between the two ends where folded text cannot be expanded. */
export function createFoldMark({ lines, characters }: { lines: number; characters: number }): SafeLine {
	return { segments: [createNote(lines > 1 ? t("{0} more lines", lines) : t("{0} more characters", characters))] };
}

function takeLines<Line extends SafeLine>(
	lines: readonly Line[],
	available: FoldLimit,
	cut: (line: Line, characters: number) => Line,
): { lines: Line[]; whole: number } {
	const taken: Line[] = [];
	let remaining = available.characters;
	for (const line of lines.slice(0, available.lines)) {
		if (lengthOf(line) > remaining) {
			// A fragment of a few characters is not useful.
			if (remaining > MIN_FRAGMENT || taken.length === 0) taken.push(cut(line, remaining));
			return { lines: taken, whole: taken.filter((candidate) => lines.includes(candidate)).length };
		}
		taken.push(line);
		remaining -= lengthOf(line);
	}
	return { lines: taken, whole: taken.length };
}

const MIN_FRAGMENT = 20;

function lengthOf({ segments }: SafeLine): number {
	return segments.reduce((sum, { text }) => sum + text.length, 0);
}

function cutHead<Line extends SafeLine>(line: Line, characters: number): Line {
	const segments: Segment[] = [];
	let remaining = characters;
	for (const segment of line.segments) {
		if (segment.text.length > remaining) {
			if (segment.kind === "text" && remaining > 0)
				segments.push({ ...segment, text: segment.text.slice(0, characterBoundary(segment.text, remaining)) });
			break;
		}
		segments.push(segment);
		remaining -= segment.text.length;
	}
	return { ...line, segments };
}

function cutTail<Line extends SafeLine>(line: Line, characters: number): Line {
	const segments: Segment[] = [];
	let remaining = characters;
	for (const segment of line.segments.toReversed()) {
		if (segment.text.length > remaining) {
			const from = characterBoundary(segment.text, segment.text.length - remaining);
			if (segment.kind === "text" && remaining > 0) segments.push({ ...segment, text: segment.text.slice(from) });
			break;
		}
		segments.push(segment);
		remaining -= segment.text.length;
	}
	return { ...line, segments: segments.toReversed(), continued: true };
}

/** Avoids splitting a surrogate pair. */
function characterBoundary(text: string, index: number): number {
	const code = text.charCodeAt(index);
	return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}
