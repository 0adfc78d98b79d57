// Computes a file's proposed text from a code block of an answer.

// Only a proposal: the user reviews it as a diff.

export interface TextRange {
	/** Offsets of the selection; both are the cursor's if nothing is selected. */
	from: number;
	to: number;
}

/** Replaces the selection, else the lines between the code's first and last line, else the whole file if the code covers it. */
export function proposeCode(text: string, code: string, place?: TextRange): string {
	const replacement = withLineEndsOf(text, code);
	if (place && place.to > place.from)
		return splice(text, place, text[place.to - 1] === "\n" ? replacement : replacement.replace(/\r?\n$/, ""));
	if (text.trim() === "") return replacement;
	const anchored = replaceBetweenAnchors(text, replacement);
	if (anchored !== undefined) return anchored;
	if (replacement.split("\n").length * 2 >= text.split("\n").length) return replacement;
	return place ? splice(text, place, replacement) : `${text}${text.endsWith("\n") ? "" : lineEnd(text)}${replacement}`;
}

function splice(text: string, { from, to }: TextRange, replacement: string): string {
	return text.slice(0, from) + replacement + text.slice(to);
}

/** Replaces the lines from the code's first to its last line, if each can be found unambiguously. */
function replaceBetweenAnchors(text: string, code: string): string | undefined {
	const lines = text.split("\n");
	const codeLines = code.replace(/\r?\n$/, "").split(/\r?\n/);
	const [first, last] = [codeLines.find(isMeaningful), codeLines.findLast(isMeaningful)];
	if (first === undefined || last === undefined || first === last) return undefined;
	const from = findUnique(lines, first);
	const to = findUnique(lines, last) ?? lastAfter(lines, last, from);
	if (from === undefined || to === undefined || to <= from) return undefined;
	const deeper = indentOf(lines[from] as string).slice(indentOf(first).length);
	const end = lines[to]?.endsWith("\r") ? "\r" : "";
	const replaced = codeLines.map((line) => (line.trim() === "" ? line : deeper + line) + end);
	return [...lines.slice(0, from), ...replaced, ...lines.slice(to + 1)].join("\n");
}

/** The first line after `from` that closes the block there: same text, same indentation. */
function lastAfter(lines: readonly string[], last: string, from: number | undefined): number | undefined {
	if (from === undefined) return undefined;
	const depth = indentOf(lines[from] as string);
	const at = lines.findIndex((line, index) => index > from && line.trim() === last.trim() && indentOf(line) === depth);
	return at < 0 ? undefined : at;
}

function findUnique(lines: readonly string[], wanted: string): number | undefined {
	const matches = lines.flatMap((line, index) => (line.trim() === wanted.trim() ? [index] : []));
	return matches.length === 1 ? matches[0] : undefined;
}

/** Returns true if a line is neither blank nor a comment that stands for omitted code. */
function isMeaningful(line: string): boolean {
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
