// Describes a file's closest match to text that was not found, so that the next edit succeeds.
import { truncateLine } from "./toolHelpers.ts";

const SHOWN_LINES = 20;
const LINE_LIMIT = 200;
/** Minimum similarity of a match worth showing. */
const ALIKE = 0.45;
/** Longer files and texts are compared only partially, so that a failed edit takes milliseconds. */
const FILE_LINES = 50_000;
const WANTED_LINES = 60;
const CANDIDATES = 6;

/** A sentence or two with the closest lines and their numbers, or that nothing is close. For the model: it quotes the file. */
export function describeClosestMatch(text: string, wanted: string, what: string): string {
	const lines = splitLines(text).slice(0, FILE_LINES);
	const wantedLines = splitLines(wanted).slice(0, WANTED_LINES);
	const spaced = findWhitespaceMatch(lines, wantedLines);
	if (spaced !== undefined) {
		const difference = describeWhitespace(lines.slice(spaced, spaced + wantedLines.length), wantedLines, spaced, what);
		return `${placeName(spaced, wantedLines.length)} ${wantedLines.length > 1 ? "differ" : "differs"} only in whitespace${difference}:\n${quote(lines, spaced, wantedLines.length)}`;
	}
	const near = findMostSimilar(lines, wantedLines);
	if (!near) return "Nothing in the file is close to it.";
	const cased = near.score === 1 ? ", differing in letter case" : "";
	const alike = `${Math.round(near.score * 100)} % alike${cased}`;
	return `Closest: ${placeName(near.start, wantedLines.length).toLowerCase()} (${alike}):\n${quote(lines, near.start, wantedLines.length)}`;
}

function splitLines(text: string): string[] {
	const lines = text.split(/\r?\n/);
	if (lines.length > 1 && lines.at(-1) === "") lines.pop();
	return lines;
}

function findWhitespaceMatch(lines: readonly string[], wanted: readonly string[]): number | undefined {
	const stripped = wanted.map(withoutSpace);
	if (stripped.join("") === "") return undefined;
	const last = stripped.length - 1;
	const starts = lines.slice(0, Math.max(0, lines.length - last)).keys();
	for (const start of starts) {
		const same = stripped.every((line, index) => {
			const candidate = withoutSpace(lines[start + index] ?? "");
			if (last === 0) return candidate.includes(line);
			if (index === 0) return candidate.endsWith(line);
			return index === last ? candidate.startsWith(line) : candidate === line;
		});
		if (same) return start;
	}
	return undefined;
}

function describeWhitespace(found: readonly string[], wanted: readonly string[], start: number, what: string): string {
	const index = wanted.findIndex((line, position) => line !== found[position]);
	const theirs = found[index];
	const ours = wanted[index];
	if (theirs === undefined || ours === undefined) return "";
	const where = ` (line ${start + index + 1}`;
	if (indentOf(theirs) !== indentOf(ours))
		return `${where} begins with ${nameSpace(indentOf(theirs))}, ${what} with ${nameSpace(indentOf(ours))})`;
	if (theirs.trimEnd() === ours.trimEnd()) {
		return `${where} ends with ${nameSpace(tailOf(theirs))}, ${what} with ${nameSpace(tailOf(ours))})`;
	}
	return `${where} has other blanks between its words)`;
}

function findMostSimilar(lines: readonly string[], wanted: readonly string[]): { start: number; score: number } | undefined {
	const pairs = wanted.map((line) => pairsOf(line));
	const weights = wanted.map((line) => Math.max(1, withoutSpace(line).length));
	const longest = weights.indexOf(Math.max(...weights));
	const scored = lines.map((line, at) => ({ start: at - longest, score: similarity(pairs[longest] ?? new Map(), line) }));
	const candidates = scored.sort((one, other) => other.score - one.score).slice(0, CANDIDATES);
	const total = weights.reduce((sum, weight) => sum + weight, 0);
	const best = candidates
		.map(({ start }) => {
			const sum = pairs.reduce((so, pair, index) => so + (weights[index] ?? 0) * similarity(pair, lines[start + index]), 0);
			return { start: Math.max(0, start), score: sum / total };
		})
		.sort((one, other) => other.score - one.score || one.start - other.start)[0];
	return best && best.score >= ALIKE ? best : undefined;
}

/** Pairs of adjacent letters with their counts, for the Dice coefficient; ignores case and indentation. */
function pairsOf(line: string): Map<string, number> {
	const text = `^${line.trim().slice(0, LINE_LIMIT).toLowerCase()}$`;
	const pairs = new Map<string, number>();
	for (let index = 0; index + 1 < text.length; index += 1) {
		const pair = text.slice(index, index + 2);
		pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
	}
	return pairs;
}

function similarity(wanted: ReadonlyMap<string, number>, line: string | undefined): number {
	if (line === undefined) return 0;
	const candidate = pairsOf(line);
	let shared = 0;
	let size = 0;
	for (const count of wanted.values()) size += count;
	for (const [pair, count] of candidate) {
		shared += Math.min(count, wanted.get(pair) ?? 0);
		size += count;
	}
	return (2 * shared) / size;
}

function quote(lines: readonly string[], start: number, count: number): string {
	const end = Math.min(lines.length, start + Math.min(count, SHOWN_LINES));
	return lines
		.slice(start, end)
		.map((line, index) => `${start + index + 1}\t${truncateLine(line, LINE_LIMIT)}`)
		.join("\n");
}

function placeName(start: number, count: number): string {
	return count === 1 ? `Line ${start + 1}` : `Lines ${start + 1}-${start + count}`;
}

function nameSpace(space: string): string {
	const tabs = space.split("\t").length - 1;
	const blanks = space.length - tabs;
	const parts = [tabs > 0 ? `${tabs} tab${tabs === 1 ? "" : "s"}` : "", blanks > 0 ? `${blanks} blank${blanks === 1 ? "" : "s"}` : ""];
	return parts.filter(Boolean).join(" and ") || "no blank";
}

function indentOf(line: string): string {
	return /^\s*/.exec(line)?.[0] ?? "";
}

function tailOf(line: string): string {
	return /\s*$/.exec(line)?.[0] ?? "";
}

function withoutSpace(line: string): string {
	return line.replace(/\s+/g, "");
}
