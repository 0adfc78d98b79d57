// Globs with bounded work: what minimatch means with `dot`, without extglobs, comments and negation, in O(pattern × text).
// A backtracking regular expression cannot promise that, and these patterns come from files that others wrote.

export interface Glob {
	matches(text: string): boolean;
}

type Token = { kind: "literal"; text: string } | { kind: "any" } | { kind: "star" } | { kind: "class"; has(character: string): boolean };
type Segment = Token[] | "globstar";

/** Without anything special in it, a pattern is a name. */
const plain = /^[^*?[\]{}\\]*$/;
const MAX_LENGTH = 256;
const MAX_GLOBSTARS = 4;
const MAX_ALTERNATIVES = 64;
/** Characters of all that a pattern's braces stand for. */
const MAX_EXPANDED = 4_096;

/** The pattern compiled once, or why it cannot be taken. */
export function compileGlob(pattern: string, nocase = false): Glob | { invalid: string } {
	if (pattern === "") return { invalid: "it is empty" };
	if (pattern.length > MAX_LENGTH) return { invalid: `it is longer than ${MAX_LENGTH} characters` };
	if (plain.test(pattern)) return { matches: nocase ? (text) => text.toLowerCase() === pattern.toLowerCase() : (text) => text === pattern };
	const alternatives = expandBraces(pattern);
	if ("invalid" in alternatives) return alternatives;
	const words = alternatives.patterns.map((alternative) => wordMatcher(nocase ? alternative.toLowerCase() : alternative));
	if (words.every((word) => word !== undefined)) {
		return { matches: (text) => words.some((word) => word(nocase ? text.toLowerCase() : text)) };
	}
	const compiled: Segment[][] = [];
	for (const alternative of alternatives.patterns) {
		const segments = alternative.split("/").map((segment) => (segment === "**" ? "globstar" : tokens(segment, nocase)));
		if (segments.filter((segment) => segment === "globstar").length > MAX_GLOBSTARS) {
			return { invalid: `it has more than ${MAX_GLOBSTARS} "**"` };
		}
		for (const segment of segments) if (!Array.isArray(segment) && segment !== "globstar") return segment;
		compiled.push(segments as Segment[]);
	}
	return {
		matches(text) {
			const parts = (nocase ? text.toLowerCase() : text).split("/");
			return compiled.some((segments) => matchSegments(segments, parts));
		},
	};
}

/** An entry of an agent's lists: a glob, or after a `!` all that a glob does not take, as minimatch has it. Extended globs are refused. */
export function compileListEntry(entry: string): Glob | { invalid: string } {
	if (isExtended(entry)) return { invalid: "extended globs are off" };
	const marks = entry.length - entry.replace(/^!+/, "").length;
	const glob = compileGlob(entry.slice(marks));
	return "invalid" in glob || marks % 2 === 0 ? glob : { matches: (text) => !glob.matches(text) };
}

export function isExtended(pattern: string): boolean {
	return /[?*+@!]\(/.test(pattern);
}

/** Most patterns name things with a `*` or two, and whole strings are compared much quicker than characters. Undefined for others. */
function wordMatcher(pattern: string): ((text: string) => boolean) | undefined {
	if (!/^[\x20-\x7e]+$/.test(pattern) || /[?[\]{}\\/]/.test(pattern) || pattern === "**") return undefined;
	const [first = "", ...rest] = pattern.split(/\*+/);
	const last = rest.pop();
	if (last === undefined) return (text) => text === pattern;
	return (text) => {
		const end = text.length - last.length;
		if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
		let at = first.length;
		for (const piece of rest) {
			const found = text.indexOf(piece, at);
			if (found < 0 || found + piece.length > end) return false;
			at = found + piece.length;
		}
		return !text.includes("/") && text !== "" && text !== "." && text !== "..";
	};
}

/** A word in which only `*` is special, and matches any characters, `/` included. */
export function compileWord(pattern: string): Glob {
	if (!pattern.includes("*")) return { matches: (text) => text === pattern };
	const parts = collapse(pattern.split(/(\*)/).map((part) => (part === "*" ? star : { kind: "literal" as const, text: part })));
	return { matches: (text) => matchTokens(parts, text) };
}

const star: Token = { kind: "star" };

function collapse(parts: Token[]): Token[] {
	const split = parts.flatMap((part): Token[] =>
		part.kind === "literal" ? [...part.text].map((text) => ({ kind: "literal", text })) : [part],
	);
	return split.filter((part, index) => part.kind !== "star" || split[index - 1]?.kind !== "star");
}

function tokens(segment: string, nocase: boolean): Token[] | { invalid: string } {
	const found: Token[] = [];
	const text = [...(nocase ? segment.toLowerCase() : segment)];
	for (let index = 0; index < text.length; index++) {
		const character = text[index] as string;
		if (character === "*") {
			found.push(star);
			continue;
		}
		if (character === "?") {
			found.push({ kind: "any" });
			continue;
		}
		if (character === "\\" && index + 1 < text.length) {
			found.push({ kind: "literal", text: text[++index] as string });
			continue;
		}
		const end = character === "[" ? text.indexOf("]", index + 2) : -1;
		if (end < 0) {
			found.push({ kind: "literal", text: character });
			continue;
		}
		const body = text.slice(index + 1, end);
		if (body.includes("[") || body.includes("\\")) return { invalid: "its character class is not understood" };
		found.push(characterClass(body));
		index = end;
	}
	return collapse(found);
}

function characterClass(body: string[]): Token {
	const negated = body[0] === "!" || body[0] === "^";
	const members = negated ? body.slice(1) : body;
	const ranges: [string, string][] = [];
	for (let index = 0; index < members.length; index++) {
		const from = members[index] as string;
		const to = members[index + 1] === "-" ? members[index + 2] : undefined;
		ranges.push([from, to ?? from]);
		if (to !== undefined) index += 2;
	}
	return { kind: "class", has: (character) => ranges.some(([from, to]) => character >= from && character <= to) !== negated };
}

function expandBraces(pattern: string): { patterns: string[] } | { invalid: string } {
	let open = [pattern];
	const done: string[] = [];
	while (open.length > 0) {
		const next: string[] = [];
		for (const candidate of open) {
			const parts = firstBrace(candidate);
			if (parts === undefined) done.push(candidate);
			else if (parts.length === 0) return { invalid: "ranges in braces are not supported" };
			else next.push(...parts);
			if (done.length + next.length > MAX_ALTERNATIVES) return { invalid: `its braces stand for more than ${MAX_ALTERNATIVES} patterns` };
		}
		open = next;
	}
	if (done.join("").length > MAX_EXPANDED) return { invalid: `its braces stand for more than ${MAX_EXPANDED} characters` };
	return { patterns: done };
}

/** The alternatives of the first brace group with a comma; none for a range; undefined when there is no group. */
function firstBrace(pattern: string): string[] | undefined {
	for (let start = 0; start < pattern.length; start++) {
		if (pattern[start] === "\\") {
			start++;
			continue;
		}
		if (pattern[start] !== "{") continue;
		const commas: number[] = [];
		let depth = 0;
		for (let index = start; index < pattern.length; index++) {
			const character = pattern[index];
			if (character === "\\") index++;
			else if (character === "{") depth++;
			else if (character === "," && depth === 1) commas.push(index);
			else if (character === "}" && --depth === 0) {
				if (commas.length === 0) {
					if (pattern.slice(start, index).includes("..")) return [];
					break;
				}
				const edges = [start, ...commas, index];
				const [head, tail] = [pattern.slice(0, start), pattern.slice(index + 1)];
				return edges.slice(1).map((edge, at) => head + pattern.slice((edges[at] as number) + 1, edge) + tail);
			}
		}
	}
	return undefined;
}

/** Two pointers and a mark at the last star: a later star never needs an earlier one to be tried again. */
function matchTokens(parts: readonly Token[], text: string): boolean {
	const characters = [...text];
	let [part, at, mark, markAt] = [0, 0, -1, 0];
	while (at < characters.length) {
		const token = parts[part];
		if (token?.kind === "star") {
			[mark, markAt] = [part++, at];
		} else if (token && matchesOne(token, characters[at] as string)) {
			part++;
			at++;
		} else if (mark >= 0) {
			part = mark + 1;
			at = ++markAt;
		} else return false;
	}
	while (parts[part]?.kind === "star") part++;
	return part === parts.length;
}

function matchesOne(token: Token, character: string): boolean {
	if (token.kind === "literal") return token.text === character;
	return token.kind === "class" ? token.has(character) : true;
}

/** Wild cards stand for names, and these are none. */
function matchSegment(segment: Token[], text: string): boolean {
	if (text === "") return segment.length === 0;
	const climbs = text === "." || text === "..";
	return (!climbs || segment.every(({ kind }) => kind === "literal")) && matchTokens(segment, text);
}

function matchSegments(segments: readonly Segment[], parts: readonly string[]): boolean {
	let [segment, at, mark, markAt] = [0, 0, -1, 0];
	while (at < parts.length) {
		const current = segments[segment];
		const climbs = parts[at] === "." || parts[at] === "..";
		if (current === "globstar") {
			if (segment === segments.length - 1) return parts.slice(at).every((part) => part !== "." && part !== "..");
			[mark, markAt] = [segment++, at];
		} else if (current && matchSegment(current, parts[at] as string)) {
			segment++;
			at++;
		} else if (mark >= 0 && !climbs) {
			segment = mark + 1;
			at = ++markAt;
		} else return false;
	}
	return segment === segments.length;
}
