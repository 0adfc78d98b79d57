// Measures text in terminal cells and breaks it into rows.
import { eastAsianWidth } from "get-east-asian-width";

export interface Rows {
	rows: string[];
	/** Position of the character at the cursor, in rows and cells starting at 0. */
	cursor: { row: number; column: number };
}

/** Rows of at most `columns` cells, so that the terminal itself never wraps. `cursor`: a position in the text; line breaks begin rows. */
export function toRows(text: string, cursor: number, columns: number): Rows {
	const rows: string[] = [];
	let at = { row: 0, column: 0 };
	walk(text, columns, ({ position, row, column }, part) => {
		while (rows.length <= row) rows.push("");
		if (position <= cursor) at = { row, column };
		if (part !== "\n") rows[row] += part;
	});
	return { rows, cursor: at };
}

/** The last position in such a row that is not after the column; 0 if there is no such row. */
export function findPosition(text: string, wanted: Rows["cursor"], columns: number): number {
	let found = 0;
	walk(text, columns, ({ position, row, column }) => {
		if (row === wanted.row && column <= wanted.column) found = position;
	});
	return found;
}

interface Place {
	position: number;
	row: number;
	column: number;
}

/** Visits what is drawn at each place, at the end nothing. */
function walk(text: string, columns: number, visit: (place: Place, part: string) => void): void {
	let [position, row, column] = [0, 0, 0];
	const begin = (): void => {
		row += 1;
		column = 0;
	};
	for (const part of splitGraphemes(text)) {
		const width = part === "\n" ? 0 : cellsOf(part);
		if (column + width > columns) begin();
		visit({ position, row, column }, part);
		position += part.length;
		if (part === "\n") begin();
		else column += width;
	}
	if (column >= columns) begin();
	visit({ position, row, column }, "");
}

/** Lines of at most `columns` cells, broken between words where that is possible. What a line begins with is kept below it. */
export function wrapWords(text: string, columns: number): string[] {
	return text.split("\n").flatMap((line) => wrapLine(line.replaceAll("\t", TAB), columns));
}

function wrapLine(line: string, columns: number): string[] {
	const [blank = ""] = /^ */.exec(line) ?? [];
	const indent = blank.length <= columns / 2 ? blank : "";
	const rows: string[] = [];
	let row = "";
	let width = 0;
	/** Position at which the row may end; 0 if there is none yet. */
	let end = 0;
	let before = "";
	for (const part of splitGraphemes(line)) {
		const cells = cellsOf(part);
		if (part !== " " && row.trim() !== "" && mayBreak(before, part)) end = row.length;
		if (width + cells > columns && row !== "") {
			const cut = part === " " ? row.length : end || row.length;
			rows.push(row.slice(0, cut).trimEnd());
			row = indent + (part === " " ? "" : row.slice(cut));
			width = splitGraphemes(row).reduce((sum, one) => sum + cellsOf(one), 0);
			end = 0;
			if (part === " ") continue;
		}
		// A space at which a row was broken is not the next one's.
		if (part === " " && rows.length > 0 && row === indent) continue;
		row += part;
		width += cells;
		before = part;
	}
	return [...rows, row];
}

/** Returns true between words, and around characters of scripts that have no spaces. */
function mayBreak(before: string, after: string): boolean {
	if (before === " ") return true;
	return (cellsOf(before) > 1 || cellsOf(after) > 1) && !/^[\p{Pe}\p{Pf}\p{Po}]/u.test(after);
}

const TAB = "    ";

/** The text, which has one line, cut to so many cells. */
export function fitRow(text: string, columns: number): string {
	const [row = "", ...more] = toRows(text, 0, columns).rows;
	if (more.join("") === "") return row;
	return `${toRows(text, 0, columns - 1).rows[0] ?? ""}…`;
}

export const dim = (text: string): string => `\x1b[2m${text}\x1b[22m`;
export const bold = (text: string): string => `\x1b[1m${text}\x1b[22m`;

const PLAIN = /^[\n -~]*$/;
let segmenter: Intl.Segmenter | undefined;

/** Splits a text into what a person takes for one character; a line break is one of its own. */
export function splitGraphemes(text: string): string[] {
	// The segmenter takes long for a pasted file.
	if (PLAIN.test(text)) return text.split("");
	segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
	return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Symbols that are drawn as emoji. */
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Terminal cells of one such character. */
export function cellsOf(grapheme: string): number {
	if (grapheme.length === 1 && grapheme < "\u0300") return 1;
	if (ZERO.test(grapheme)) return 0;
	return EMOJI.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}
