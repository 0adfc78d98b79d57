// Globs with bounded work: what minimatch means with `dot`, without extglobs, comments and negation, in O(pattern × text).
// Why they are our own and what holds them to minimatch: docs/decisions/0011-globs.md.
import { expandBraces, isBalanced } from "./braces.ts";
import { compileTokenMatcher, type GlobToken } from "./globWords.ts";

export interface Matcher {
	matches(text: string): boolean;
}

export interface Glob extends Matcher {
	/** For what `isWord`: it matches where it is one of these, or where it is none and `negated`. */
	words(): readonly GlobToken[][];
	negated: boolean;
	/** Characters of all that its braces stand for. */
	size: number;
}

export interface InvalidGlob {
	invalid: string;
}

interface Segment extends Matcher {
	tokens: GlobToken[];
}

type Row = (Segment | "globstar")[];

const MAX_LENGTH = 256;
const MAX_GLOBSTARS = 4;
/** Characters of all that a pattern's braces stand for. */
const MAX_EXPANDED = 4_096;

/** The pattern compiled once, or why it cannot be taken. */
export function compileGlob(pattern: string, nocase = false): Glob | InvalidGlob {
	return compile(pattern, nocase, false);
}

/** An entry of an agent's lists: a glob, or after a `!` all that a glob does not take, as minimatch has it. Extended globs are refused, and brackets without a partner: no name has them. */
export function compileListEntry(entry: string): Glob | InvalidGlob {
	if (isExtendedGlob(entry)) return { invalid: "extended globs are off" };
	if (!isBalanced(entry)) return { invalid: "a bracket or brace in it has no partner" };
	let marks = 0;
	while (entry[marks] === "!") marks++;
	return compile(entry.slice(marks), false, marks % 2 === 1);
}

function compile(pattern: string, nocase: boolean, negated: boolean): Glob | InvalidGlob {
	if (pattern === "") return { invalid: "it is empty" };
	if (pattern.length > MAX_LENGTH) return { invalid: `it is longer than ${MAX_LENGTH} characters` };
	const alternatives = pattern.includes("{") ? expandBraces(pattern) : [pattern];
	if (!alternatives) return { invalid: "its braces stand for more than 64 patterns" };
	const size = alternatives.reduce((sum, { length }) => sum + length, 0);
	if (size > MAX_EXPANDED) return { invalid: `its braces stand for more than ${MAX_EXPANDED} characters` };
	if (alternatives.some((alternative) => alternative.includes("**") && globstars(alternative) > MAX_GLOBSTARS)) {
		return { invalid: `it has more than ${MAX_GLOBSTARS} "**"` };
	}
	if (alternatives.some((alternative) => /\[[^\]]*\[:/.test(alternative))) return { invalid: "its character class is not understood" };
	// Most are looked at, when a definition is read, and never held against anything.
	let made: Row[] | undefined;
	const rows = (): Row[] => {
		made ??= [...new Set(alternatives)].map((alternative) =>
			simpler(alternative.split(/\/+/)).map((part) => (part === "**" ? "globstar" : segment(part, nocase))),
		);
		return made;
	};
	return {
		matches(text) {
			const parts = text.split(/\/+/);
			const more = parts.length > 1 && parts.at(-1) === "" ? parts.slice(0, -1) : undefined;
			return rows().some((row) => matchRow(row, parts) || (more !== undefined && matchRow(row, more))) !== negated;
		},
		words: () => rows().flatMap(wordOf),
		negated,
		size,
	};
}

function globstars(pattern: string): number {
	return pattern.split("/").filter((part) => part === "**").length;
}

export function isExtendedGlob(pattern: string): boolean {
	return /[?*+@!]\(/.test(pattern);
}

/** A word in which only `*` is special, and matches any characters, `/` included. */
export function compileWildcard(pattern: string): Matcher {
	if (!pattern.includes("*")) return { matches: (text) => text === pattern };
	const match = compileTokenMatcher([[...pattern].map((character) => (character === "*" ? star : literal(character, false)))]);
	return { matches: (text) => match(text)(0) };
}

/** As minimatch has them before it begins: `a/../b` is `b`, and one `**` is as good as two. */
function simpler(parts: readonly string[]): string[] {
	const kept: string[] = [];
	for (const part of parts) {
		const before = kept.at(-1);
		if (part === "**" && before === "**") continue;
		if (part === ".." && before && ![".", "..", "**"].includes(before)) kept.pop();
		else kept.push(part);
	}
	return kept.length > 0 ? kept : [""];
}

/** The row as a text of one part can match it: without what stands for no part at all. */
function wordOf(row: Readonly<Row>): GlobToken[][] {
	const at = row.findIndex((part) => part !== "globstar");
	if (at < 0) return [[any, star]];
	return at === row.length - 1 ? [(row[at] as Segment).tokens] : [];
}

const star: GlobToken = { star: true, takes: () => true };
const any: GlobToken = { star: false, takes: () => true };

function literal(character: string, nocase: boolean): GlobToken {
	const lower = character.toLowerCase();
	const takes = nocase ? (other: string) => other.toLowerCase() === lower : (other: string) => other === character;
	return { star: false, takes, literal: character };
}

/** Wild cards stand for names, and nothing, `.` and `..` are none. */
function segment(text: string, nocase: boolean): Segment {
	const tokens = tokensOf(text, nocase);
	const exact = tokens.every((token) => token.literal !== undefined) ? tokens.map((token) => token.literal).join("") : undefined;
	if (exact !== undefined) {
		const lower = exact.toLowerCase();
		return { tokens, matches: nocase ? (other) => other.toLowerCase() === lower : (other) => other === exact };
	}
	let match: ReturnType<typeof compileTokenMatcher> | undefined;
	return {
		tokens,
		matches(other) {
			match ??= compileTokenMatcher([tokens]);
			return isSingleSegment(other) && match(other)(0);
		},
	};
}

function tokensOf(segment: string, nocase: boolean): GlobToken[] {
	const found: GlobToken[] = [];
	const text = [...segment];
	for (let index = 0; index < text.length; index++) {
		const character = text[index] as string;
		if (character === "*") {
			if (found.at(-1) !== star) found.push(star);
			continue;
		}
		if (character === "?") {
			found.push(any);
			continue;
		}
		const group = character === "[" ? characterClass(text, index, nocase) : undefined;
		if (group) {
			found.push(group.token);
			index = group.end;
			continue;
		}
		const escaped = character === "\\" && index + 1 < text.length;
		found.push(literal(escaped ? (text[++index] as string) : character, nocase));
	}
	return found;
}

/** Undefined where nothing closes it. A class of nothing takes nothing. */
function characterClass(text: readonly string[], start: number, nocase: boolean): { token: GlobToken; end: number } | undefined {
	const members: [from: string, to: string][] = [];
	const negated = text[start + 1] === "!" || text[start + 1] === "^";
	const begin = start + (negated ? 2 : 1);
	let from: string | undefined;
	for (let index = begin; index < text.length; index++) {
		if (text[index] === "]" && index > begin) {
			const has = (character: string) => members.some(([first, last]) => isWithin(character, first, last));
			const takes = nocase ? (other: string) => has(other.toLowerCase()) || has(other.toUpperCase()) : has;
			return { token: { star: false, takes: (other) => members.length > 0 && takes(other) !== negated }, end: index };
		}
		if (text[index] === "\\") index++;
		const member = text[index];
		if (member === undefined) return undefined;
		if (from !== undefined) {
			if (!isBefore(member, from)) members.push([from, member]);
			from = undefined;
		} else if (text[index + 1] !== "-") members.push([member, member]);
		else if (text[index + 2] === "]") {
			members.push([member, member], ["-", "-"]);
			index++;
		} else {
			from = member;
			index++;
		}
	}
	return undefined;
}

function isBefore(one: string, other: string): boolean {
	return (one.codePointAt(0) as number) < (other.codePointAt(0) as number);
}

function isWithin(character: string, first: string, last: string): boolean {
	return !isBefore(character, first) && !isBefore(last, character);
}

/** Whether a text can be told by a glob's words alone. */
export function isSingleSegment(text: string): boolean {
	return text !== "" && !climbs(text) && !text.includes("/");
}

function climbs(part: string | undefined): boolean {
	return part === "." || part === "..";
}

/** A mark at the last `**`: a later one never needs an earlier one to be tried again. */
function matchRow(row: Readonly<Row>, parts: readonly string[]): boolean {
	let [at, part, mark, markPart] = [0, 0, -1, 0];
	while (part < parts.length) {
		const current = row[at];
		if (current === "globstar") {
			if (at === row.length - 1) return !parts.slice(part).some(climbs);
			[mark, markPart] = [at++, part];
		} else if (current?.matches(parts[part] as string)) {
			at++;
			part++;
		} else if (mark >= 0 && !climbs(parts[markPart])) {
			at = mark + 1;
			part = ++markPart;
		} else return false;
	}
	return at === row.length;
}
