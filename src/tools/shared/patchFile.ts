// The hunks of a patch, carried out on the text of one file. Lines that no hunk adds or removes keep their bytes.
import { ToolError } from "../../core/ports/tool.ts";
import { describeClosestMatch } from "./closestMatch.ts";
import { dominantLineEnding } from "./lineEnds.ts";
import type { Hunk } from "./patchFormat.ts";

interface Line {
	text: string;
	/** "" for a last line without one. */
	end: string;
}

/** How alike two lines must be, the strictest first. */
const measures: readonly ((line: string) => string)[] = [(line) => line, (line) => line.trimEnd(), (line) => line.trim()];

/** Throws ToolProblem, which quotes the text, when a hunk has no place. */
export function applyHunks(text: string, hunks: readonly Hunk[], name: string): string {
	const lines = splitLines(text);
	const lineEnd = dominantLineEnding(text);
	const result: Line[] = [];
	let cursor = 0;
	for (const [index, hunk] of hunks.entries()) {
		const label = hunks.length === 1 ? `The hunk of ${name}` : `Hunk ${index + 1} of ${name}`;
		const from = hunk.headers.reduce((at, header) => behindHeader(lines, header, at, label), cursor);
		const start = placeOf(lines, hunk, from, label, text);
		result.push(...lines.slice(cursor, start));
		cursor = start + rewrite(lines, start, hunk, result, lineEnd);
	}
	result.push(...lines.slice(cursor));
	return joinLines(result, lineEnd, text === "" || text.endsWith("\n"));
}

function splitLines(text: string): Line[] {
	const pieces = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
	return pieces.map((piece) => {
		const end = /\r?\n$/.exec(piece)?.[0] ?? "";
		return { text: piece.slice(0, piece.length - end.length), end };
	});
}

function behindHeader(lines: readonly Line[], header: string, from: number, label: string): number {
	const at = find(lines, [header], from, false);
	if (at !== undefined) return at + 1;
	const brief = `${label}: the line after @@ was not found${from > 0 ? ` behind line ${from}` : ""}; no file of the patch was changed.`;
	throw new ToolError(`${brief} It was: ${header}`, brief);
}

function placeOf(lines: readonly Line[], hunk: Hunk, from: number, label: string, text: string): number {
	const wanted = hunk.lines.filter((line) => line.kind !== "add").map((line) => line.text);
	if (wanted.length === 0) return hunk.headers.length > 0 && !hunk.endOfFile ? from : lines.length;
	const at = find(lines, wanted, from, hunk.endOfFile);
	if (at !== undefined) return at;
	const earlier = find(lines, wanted, 0, false);
	if (earlier !== undefined) {
		const where = hunk.endOfFile
			? `its lines stand at line ${earlier + 1}, which is not the end of the file`
			: `its lines stand at line ${earlier + 1}, before the hunk or the @@ line that precedes it; hunks go from top to bottom`;
		throw new ToolError(`${label} does not fit: ${where}. No file of the patch was changed.`);
	}
	const brief = `${label} does not match the file; no file of the patch was changed.`;
	throw new ToolError(`${brief} ${describeClosestMatch(text, wanted.join("\n"), "the hunk")}\nCopy its context from read_file.`, brief);
}

/** The first place from a line on where the lines are as wanted, by the strictest measure that finds one. */
function find(lines: readonly Line[], wanted: readonly string[], from: number, atEnd: boolean): number | undefined {
	const last = lines.length - wanted.length;
	const first = atEnd ? Math.max(from, last) : from;
	for (const measure of measures) {
		const measured = wanted.map(measure);
		for (let start = first; start <= last; start += 1) {
			if (measured.every((line, index) => measure((lines[start + index] as Line).text) === line)) return start;
		}
	}
	return undefined;
}

/** Writes one hunk's lines and returns how many of the file's it took. */
function rewrite(lines: readonly Line[], start: number, hunk: Hunk, result: Line[], lineEnd: string): number {
	let taken = 0;
	let end = lines[start - 1]?.end || lines[start]?.end || lineEnd;
	for (const { kind, text } of hunk.lines) {
		if (kind === "add") {
			result.push({ text, end });
			continue;
		}
		const line = lines[start + taken] as Line;
		taken += 1;
		end = line.end || end;
		if (kind === "keep") result.push(line);
	}
	return taken;
}

/** A file that ended without a line end still does; a line that is no longer the last gets one. */
function joinLines(lines: readonly Line[], lineEnd: string, finalEnd: boolean): string {
	const last = lines.length - 1;
	return lines.map((line, index) => line.text + (index < last || finalEnd ? line.end || lineEnd : "")).join("");
}
