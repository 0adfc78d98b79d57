// Parses patches and applies their hunks to a file's text; untouched lines keep their bytes.
import { type PathUse, ToolError } from "../../core/ports/tool.ts";
import { describeClosestMatch } from "./closestMatch.ts";
import { dominantLineEnding } from "./textFile.ts";

interface Line {
	text: string;
	/** "" for a last line without a line ending. */
	end: string;
}

/** Normalizations under which lines are compared, strictest first. */
const normalizations: readonly ((line: string) => string)[] = [(line) => line, (line) => line.trimEnd(), (line) => line.trim()];

/** Throws ToolError, which quotes the text, if a hunk does not match. */
export function applyHunks(text: string, hunks: readonly Hunk[], name: string): string {
	const lines = splitLines(text);
	const lineEnd = dominantLineEnding(text);
	const result: Line[] = [];
	let cursor = 0;
	for (const [index, hunk] of hunks.entries()) {
		const label = hunks.length === 1 ? `The hunk of ${name}` : `Hunk ${index + 1} of ${name}`;
		const from = hunk.headers.reduce((at, header) => findAfterHeader(lines, header, at, label), cursor);
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

function findAfterHeader(lines: readonly Line[], header: string, from: number, label: string): number {
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

/** The first position from `from` on where the lines match, under the strictest normalization that finds one. */
function find(lines: readonly Line[], wanted: readonly string[], from: number, atEnd: boolean): number | undefined {
	const last = lines.length - wanted.length;
	const first = atEnd ? Math.max(from, last) : from;
	for (const normalize of normalizations) {
		const normalized = wanted.map(normalize);
		for (let start = first; start <= last; start += 1) {
			if (normalized.every((line, index) => normalize((lines[start + index] as Line).text) === line)) return start;
		}
	}
	return undefined;
}

/** Writes one hunk's lines; returns the number of the file's lines it replaced. */
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

/** A file without a final line ending keeps none; a line that is no longer the last gets one. */
function joinLines(lines: readonly Line[], lineEnd: string, finalEnd: boolean): string {
	const last = lines.length - 1;
	return lines.map((line, index) => line.text + (index < last || finalEnd ? line.end || lineEnd : "")).join("");
}

export type PatchSection =
	| { action: "add"; path: string; lines: string[] }
	| { action: "delete"; path: string }
	| { action: "update"; path: string; moveTo?: string; hunks: Hunk[] };

interface Hunk {
	/** Lines named after `@@`, outermost first; each is searched for after the previous one. */
	headers: string[];
	lines: { kind: "keep" | "remove" | "add"; text: string }[];
	/** The hunk's last line is the last line of the file. */
	endOfFile: boolean;
}

/** Throws ToolError with the number of the invalid line. */
export function parsePatch(patch: string): PatchSection[] {
	const lines = patch.trim().split(/\r?\n/);
	if (lines[0]?.trim() !== "*** Begin Patch") throw malformed(1, "a patch begins with `*** Begin Patch`");
	const sections: PatchSection[] = [];
	// Empty lines are context only if the hunk continues after them; elsewhere they are separators.
	let blanks = 0;
	for (let index = 1; index < lines.length; index += 1) {
		const line = lines[index] as string;
		const open = sections.at(-1);
		if (line.trim() === "*** End Patch" && isMarker(line, open)) {
			if (index < lines.length - 1) throw malformed(index + 2, "text follows `*** End Patch`");
			return validateSections(sections);
		}
		if (line === "") {
			blanks += 1;
			continue;
		}
		const section = isMarker(line, open) ? beginSection(line.trim()) : undefined;
		if (section) sections.push(section);
		else takeLine(open, line, blanks, index + 1);
		blanks = 0;
	}
	throw malformed(lines.length, "`*** End Patch` is missing: the patch may have been cut off");
}

/** Every path in a patch and how it is used; lenient if the patch is malformed, so that every path is authorized. */
export function pathsOfPatch(patch: string): { path: string; use: PathUse }[] {
	const uses = sectionsOrNames(patch).flatMap((section): { path: string; use: PathUse }[] => {
		if (section.action === "add") return [{ path: section.path, use: "create" }];
		if (section.action === "delete") return [{ path: section.path, use: "delete" }];
		const update = { path: section.path, use: "write" } as const;
		return section.moveTo === undefined ? [update] : [update, { path: section.moveTo, use: "create" }];
	});
	return uses.filter((one, index) => uses.findIndex((other) => other.path === one.path && other.use === one.use) === index);
}

function sectionsOrNames(patch: string): PatchSection[] {
	try {
		return parsePatch(patch);
	} catch {
		return patch.split(/\r?\n/).flatMap((line): PatchSection[] => {
			const section = beginSection(line.trim());
			if (section) return [section];
			const target = moveTarget(line.trim());
			return target === undefined ? [] : [{ action: "add", path: target, lines: [] }];
		});
	}
}

function beginSection(line: string): PatchSection | undefined {
	const [, verb, name] = /^\*\*\* (Add|Delete|Update) File:(.*)$/.exec(line) ?? [];
	const path = name?.trim();
	if (!path) return undefined;
	if (verb === "Add") return { action: "add", path, lines: [] };
	return verb === "Delete" ? { action: "delete", path } : { action: "update", path, hunks: [] };
}

function moveTarget(line: string): string | undefined {
	return /^\*\*\* Move to:(.*)$/.exec(line)?.[1]?.trim() || undefined;
}

/** In an update, an indented line is context even if it looks like a marker. */
function isMarker(line: string, open: PatchSection | undefined): boolean {
	return open?.action !== "update" || open.hunks.length === 0 || line.startsWith("***");
}

function takeLine(section: PatchSection | undefined, line: string, blanks: number, number: number): void {
	if (section?.action === "update") {
		takeUpdateLine(section, line, blanks, number);
		return;
	}
	if (section?.action === "add") {
		if (!line.startsWith("+") || (blanks > 0 && section.lines.length > 0)) {
			throw malformed(number, "every line of an added file begins with `+`, empty ones too");
		}
		section.lines.push(line.slice(1));
		return;
	}
	if (line.trim() !== "") {
		throw malformed(number, "expected `*** Add File: `, `*** Update File: `, `*** Delete File: ` or `*** End Patch`");
	}
}

function takeUpdateLine(section: Extract<PatchSection, { action: "update" }>, line: string, blanks: number, number: number): void {
	const target = moveTarget(line.trim());
	if (target !== undefined && section.hunks.length === 0 && section.moveTo === undefined) {
		section.moveTo = target;
		return;
	}
	const open = section.hunks.at(-1);
	if (line.startsWith("@@")) {
		const header = headerOf(line);
		if (open && open.lines.length === 0 && header !== undefined) open.headers.push(header);
		else section.hunks.push({ headers: header === undefined ? [] : [header], lines: [], endOfFile: false });
		return;
	}
	if (line.trimEnd() === "*** End of File" && open) {
		open.endOfFile = true;
		return;
	}
	const entry = hunkLine(line);
	if (!entry) throw malformed(number, "a line of a hunk begins with a blank, `-` or `+`, and a hunk with `@@`");
	if (open?.endOfFile) throw malformed(number, "the file ends here; another hunk begins with `@@`");
	if (!open) section.hunks.push({ headers: [], lines: [entry], endOfFile: false });
	else open.lines.push(...Array<Hunk["lines"][number]>(blanks).fill(emptyLine), entry);
}

const emptyLine: Hunk["lines"][number] = { kind: "keep", text: "" };

/** The line named after `@@`; undefined for line numbers as in unified diffs. */
function headerOf(line: string): string | undefined {
	const header = line.slice(2).trim();
	return header === "" || /^-\d+(,\d+)? \+\d+(,\d+)? @@/.test(header) ? undefined : header;
}

function hunkLine(line: string): Hunk["lines"][number] | undefined {
	const kind = ({ " ": "keep", "-": "remove", "+": "add" } as const)[line[0] as string];
	return kind && { kind, text: line.slice(1) };
}

function validateSections(sections: PatchSection[]): PatchSection[] {
	if (sections.length === 0) throw new ToolError("The patch names no file; nothing was changed.");
	for (const section of sections) {
		if (section.action !== "update") continue;
		const unchanged = section.hunks.find((hunk) => hunk.lines.every((line) => line.kind === "keep"));
		if (unchanged) throw new ToolError(`A hunk of ${section.path} neither removes nor adds a line; nothing was changed.`);
		if (section.hunks.length === 0 && section.moveTo === undefined) {
			throw new ToolError(`The section of ${section.path} has no hunk; nothing was changed.`);
		}
	}
	return sections;
}

function malformed(line: number, reason: string): ToolError {
	return new ToolError(`The patch cannot be read: line ${line}: ${reason}. Nothing was changed.`);
}
