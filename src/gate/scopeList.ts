// Compiles the tool lists of an agent's definition, and matches names against them.

// Limits bound the cost of a list; entries beyond them are reported.
import type { ScopeListKind, ScopeListReport, ScopeLists } from "../core/ports/gate.ts";
import { t } from "../shared/l10n.ts";
import { compileGlob, type Glob, type InvalidGlob, withoutEscapes } from "./glob.ts";

export const scopeLists: ScopeLists = {
	inspect: (list, kind) => compileOnce(list, kind).report,
	allows: (list, name) => findEntry(list, "allow", name) !== undefined,
};

/** The entry that matches the name. An invalid entry matches everything in a deny list and nothing in an allow list. */
export function findEntry(list: readonly string[], kind: ScopeListKind, name: string): string | undefined {
	const { names, globs, found } = compileOnce(list, kind);
	const exact = names.get(name);
	if (exact !== undefined) return exact;
	let entry = found.get(name);
	if (entry === undefined) {
		entry = globs.find(({ matches }) => matches(name))?.entry ?? null;
		if (found.size >= MAX_REMEMBERED) found.clear();
		found.set(name, entry);
	}
	return entry ?? undefined;
}

interface CompiledList {
	report: ScopeListReport;
	/** Entries that are plain names, so that a long list of them is cheap. */
	names: ReadonlyMap<string, string>;
	globs: readonly { entry: string; matches: Glob["matches"] }[];
	/** Cache of matches, null if no glob matches: every request checks the same tools. */
	found: Map<string, string | null>;
}

const MAX_REMEMBERED = 5_000;

/** Released with its definition, so other agents cannot evict it. */
const compiled: Record<ScopeListKind, WeakMap<readonly string[], CompiledList>> = { allow: new WeakMap(), deny: new WeakMap() };

function compileOnce(list: readonly string[], kind: ScopeListKind): CompiledList {
	const known = compiled[kind].get(list) ?? compile(list, kind);
	compiled[kind].set(list, known);
	return known;
}

/** Maximum number of wildcard patterns; each alternative of braces counts, and some count as several. */
const MAX_PATTERNS = 64;
/** Maximum total characters of all patterns after brace expansion. Lists of earlier versions can be that long. */
const MAX_CHARACTERS = 4_096;

function compile(list: readonly string[], kind: ScopeListKind): CompiledList {
	const written = list.reduce((sum, text) => sum + (isPattern(text) ? text.length : 0), 0);
	const entries = written > MAX_CHARACTERS ? [] : list.map(readEntry);
	if (written > MAX_CHARACTERS || entries.reduce((sum, { size }) => sum + size, 0) > MAX_CHARACTERS) return refusedList(kind);
	const patterns = entries.reduce((sum, entry) => sum + entry.patterns, 0);
	const tooMany =
		patterns > MAX_PATTERNS
			? [t("More than {0} patterns with wildcards; a pattern with text between two wildcards counts as several", MAX_PATTERNS)]
			: [];
	const unusable: { index: number; reason: string }[] = [];
	const excess: { index?: number; reason: string }[] = tooMany.map((reason) => ({ reason }));
	const names = new Map<string, string>();
	const globs: { entry: string; matches: Glob["matches"] }[] = [];
	for (const [index, { text, names: plainNames, patterns, glob }] of entries.entries()) {
		const reason = glob && ("invalid" in glob ? glob.invalid : glob.excess);
		const stillApplies = kind === "deny" && glob !== undefined && "matches" in glob;
		if (reason !== undefined) (stillApplies ? excess : unusable).push({ index, reason });
		if (reason !== undefined && !stillApplies) {
			if (kind === "deny") globs.push({ entry: text, matches: () => true });
			continue;
		}
		for (const name of plainNames) names.set(name, names.get(name) ?? text);
		if (glob && "matches" in glob && patterns > 0 && (kind === "deny" || tooMany.length === 0))
			globs.push({ entry: text, matches: glob.matches });
	}
	return { report: { unusable, excess }, names, globs, found: new Map() };
}

function refusedList(kind: ScopeListKind): CompiledList {
	const refused = t("Patterns with wildcards have more than {0} characters in total", MAX_CHARACTERS);
	const globs = kind === "deny" ? [{ entry: "*", matches: () => true }] : [];
	return { report: { unusable: [], excess: [], refused }, names: new Map(), globs, found: new Map() };
}

/** minimatch tries the text between two wildcards at every position of a name, so a pattern with such text counts as several. */
function countPatterns(alternative: string): number {
	const parts = withoutEscapes(alternative).split("/");
	const between = parts.flatMap((part) => (WILDCARDS.exec(part)?.[1] ?? "").split("*")).filter((text) => !/^\?*$/.test(text));
	return between.reduce((sum, text) => sum + 1 + 2 * countStarts(text), 1);
}

/** The number of positions at which the text may start again: with fewer of them, a wrong position is abandoned sooner. */
function countStarts(text: string): number {
	return /[?[\]]/.test(text) ? text.length : text.split(text.charAt(0)).length - 1;
}

/** Everything after the first wildcard, up to the last. */
const WILDCARDS = /(?:\*+|\?|\[\]?[^\]]*\])(.*[*?\]])/s;

interface Entry {
	text: string;
	/** The plain names among its alternatives. */
	names: readonly string[];
	/** The cost of its other alternatives. */
	patterns: number;
	/** Characters after brace expansion, for a pattern; otherwise 0. */
	size: number;
	/** Absent for a plain name. */
	glob?: Glob | InvalidGlob;
}

function readEntry(text: string): Entry {
	if (/^[\w.-]{1,64}$/.test(text)) return { text, names: [text], patterns: 0, size: 0 };
	const glob = compileEntry(text);
	if ("invalid" in glob) return { text, names: [], patterns: 0, size: isPattern(text) ? text.length : 0, glob };
	const { alternatives, wildcards } = glob;
	const names: string[] = [];
	let patterns = 0;
	for (const [index, alternative] of alternatives.entries()) {
		if (wildcards[index] === 0 && !alternative.includes("/") && !text.startsWith("!")) names.push(alternative.replace(/\\(.)/gs, "$1"));
		else patterns += wildcards[index] === 1 ? 1 : countPatterns(alternative);
	}
	return { text, names, patterns, size: isPattern(text) ? alternatives.reduce((sum, { length }) => sum + length, 0) : 0, glob };
}

function compileEntry(text: string): Glob | InvalidGlob {
	if (/[?*+@!]\(/.test(text)) return { invalid: t("Extended globs aren't supported") };
	if (!isBalanced(text)) return { invalid: t("A bracket or brace isn't closed") };
	return compileGlob(text, "entry");
}

function isPattern(text: string): boolean {
	return /[*?[{\\!]/.test(text);
}

/** Names contain neither brackets nor braces, so an unmatched one is a mistake. */
function isBalanced(text: string): boolean {
	if (!/[[\]{}]/.test(text)) return true;
	let rest = withoutEscapes(text).replace(/\[[!^]?(?:\][^\]]*|[^\]]+)\]/g, "");
	for (let before = ""; before !== rest; ) {
		before = rest;
		rest = rest.replace(/\{[^{}]*\}/g, "");
	}
	return !/[[\]{}]/.test(rest);
}
