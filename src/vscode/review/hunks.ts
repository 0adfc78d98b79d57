// Applies one hunk of lines to the baseline, or reverts it in the file.

/** 1-based as in the editor; an end of 0 means no lines, after the start. */
export interface LineChange {
	originalStartLineNumber: number;
	originalEndLineNumber: number;
	modifiedStartLineNumber: number;
	modifiedEndLineNumber: number;
}

/** The original with this hunk from the modified text. All other lines keep their bytes. */
export function keepHunkInText(original: string, modified: string, change: LineChange): string {
	const [into, from] = [linesOf(original), linesOf(modified)];
	const { originalStartLineNumber: start, originalEndLineNumber: end } = change;
	const hunk = slice(from, change.modifiedStartLineNumber, change.modifiedEndLineNumber);
	const first = end === 0 ? start : start - 1;
	return joined([...into.slice(0, first), ...hunk, ...into.slice(end === 0 ? start : end)], endOf(into) ?? endOf(from) ?? "\n");
}

/** The modified text with this hunk from the original. */
export function undoHunkInText(original: string, modified: string, change: LineChange): string {
	return keepHunkInText(modified, original, {
		originalStartLineNumber: change.modifiedStartLineNumber,
		originalEndLineNumber: change.modifiedEndLineNumber,
		modifiedStartLineNumber: change.originalStartLineNumber,
		modifiedEndLineNumber: change.originalEndLineNumber,
	});
}

/** Indexes of the hunks of a unified diff that change selected lines of the new text; 1-based, both ends included. */
export function findSelectedHunks(diff: string, selected: readonly { first: number; last: number }[]): number[] {
	return diff.split(/\n(?=@@ )/).flatMap((hunk, index) => {
		const isSelected = changedLines(hunk).some((line) => selected.some(({ first, last }) => line >= first && line <= last));
		return isSelected ? [index] : [];
	});
}

/** Lines of the new text; removed ones count as both of their neighbors. */
function changedLines(hunk: string): number[] {
	const [header = "", ...lines] = hunk.split("\n");
	const [, start = "1", count = "1"] = /\+(\d+)(?:,(\d+))? @@/.exec(header) ?? [];
	let next = Number(start) + (count === "0" ? 1 : 0);
	return lines.flatMap((line) => {
		if (line.startsWith("-")) return [next - 1, next];
		if (line.startsWith("\\")) return [];
		next += 1;
		return line.startsWith("+") ? [next - 1] : [];
	});
}

/** The minimal replacement that turns `before` into `after`. */
export function findReplacement(before: string, after: string): { from: number; to: number; text: string } {
	const shorter = Math.min(before.length, after.length);
	let head = 0;
	while (head < shorter && before[head] === after[head]) head += 1;
	let tail = 0;
	while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
	// Don't split a line end or a surrogate pair.
	while (head > 0 && splits(before, head, after)) head -= 1;
	while (tail > 0 && splits(before, before.length - tail, after, after.length - tail)) tail -= 1;
	return { from: head, to: before.length - tail, text: after.slice(head, after.length - tail) };
}

interface Line {
	text: string;
	/** "" only on the last line. */
	end: string;
}

function linesOf(text: string): Line[] {
	const lines: Line[] = [];
	let from = 0;
	for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
		lines.push({ text: text.slice(from, index), end });
		from = index + end.length;
	}
	return [...lines, { text: text.slice(from), end: "" }];
}

function slice(lines: readonly Line[], start: number, end: number): Line[] {
	return end === 0 ? [] : lines.slice(start - 1, end).map(({ text }) => ({ text, end: "" }));
}

function endOf(lines: readonly Line[]): string | undefined {
	return lines[0]?.end || undefined;
}

function joined(lines: readonly Line[], lineEnd: string): string {
	return lines.map(({ text, end }, index) => (index === lines.length - 1 ? text : `${text}${end || lineEnd}`)).join("");
}

function splits(before: string, at: number, after: string, afterAt = at): boolean {
	return [[before, at] as const, [after, afterAt] as const].some(([text, place]) =>
		/^(?:\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(text.slice(place - 1, place + 1)),
	);
}
