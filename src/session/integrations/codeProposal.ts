// Computes a file's proposed text from a code block of an answer.

// Only a proposal: the user reviews it as a diff.

export interface TextRange {
	/** Offsets of what is selected, or twice that of the cursor. */
	from: number;
	to: number;
}

/** The selection gives way; else the lines that the code begins and ends with; else the whole file where it is about that. */
export function proposeCode(text: string, code: string, place?: TextRange): string {
	const words = withLineEndsOf(text, code);
	if (place && place.to > place.from) return splice(text, place, text[place.to - 1] === "\n" ? words : words.replace(/\r?\n$/, ""));
	if (text.trim() === "") return words;
	const found = anchored(text, words);
	if (found !== undefined) return found;
	if (words.split("\n").length * 2 >= text.split("\n").length) return words;
	return place ? splice(text, place, words) : `${text}${text.endsWith("\n") ? "" : lineEnd(text)}${words}`;
}

function splice(text: string, { from, to }: TextRange, words: string): string {
	return text.slice(0, from) + words + text.slice(to);
}

/** The file's lines from the code's first line to its last, where both stand in it once, replaced by the code. */
function anchored(text: string, code: string): string | undefined {
	const lines = text.split("\n");
	const own = code.replace(/\r?\n$/, "").split(/\r?\n/);
	const [first, last] = [own.find(isTelling), own.findLast(isTelling)];
	if (first === undefined || last === undefined || first === last) return undefined;
	const from = only(lines, first);
	const to = only(lines, last) ?? lastAfter(lines, last, from);
	if (from === undefined || to === undefined || to <= from) return undefined;
	const deeper = indentOf(lines[from] as string).slice(indentOf(first).length);
	const end = lines[to]?.endsWith("\r") ? "\r" : "";
	const replaced = own.map((line) => (line.trim() === "" ? line : deeper + line) + end);
	return [...lines.slice(0, from), ...replaced, ...lines.slice(to + 1)].join("\n");
}

/** The first line after `from` that closes what begins there: as deep as it is. */
function lastAfter(lines: readonly string[], last: string, from: number | undefined): number | undefined {
	if (from === undefined) return undefined;
	const depth = indentOf(lines[from] as string);
	const at = lines.findIndex((line, index) => index > from && line.trim() === last.trim() && indentOf(line) === depth);
	return at < 0 ? undefined : at;
}

function only(lines: readonly string[], wanted: string): number | undefined {
	const matches = lines.flatMap((line, index) => (line.trim() === wanted.trim() ? [index] : []));
	return matches.length === 1 ? matches[0] : undefined;
}

/** Not blank, and no remark that stands for what was left out. */
function isTelling(line: string): boolean {
	return line.trim() !== "" && !/^\s*(?:\/\/|#|\/\*|<!--)?\s*\.{3}/.test(line);
}

function indentOf(line: string): string {
	return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function lineEnd(text: string): string {
	return /\r\n/.test(text) ? "\r\n" : "\n";
}

function withLineEndsOf(text: string, code: string): string {
	return code.replaceAll("\r\n", "\n").replaceAll("\n", lineEnd(text));
}
