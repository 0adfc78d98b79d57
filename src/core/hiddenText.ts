// Defines which characters are hidden from a reader; finds, removes, and replaces them.

/** Control, format, private-use, unassigned, and surrogate characters, line separators, and characters that fonts draw as nothing. */
const HIDDEN = "\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc\\u{13441}-\\u{13446}\\u{16fe4}\\u{1d159}";

/** Hidden characters that a caller may keep, and why. */
const EXCEPTIONS = {
	/** Line feed and tab. */
	lines: "\\n\\t",
	/** Carriage return. */
	returns: "\\r",
	/** ZWNJ and ZWJ: needed in Persian and Indic words, and in emoji made of several. */
	joiners: "\\u200c\\u200d",
	/** Text or emoji presentation, after an emoji. The other selectors are for rare glyph variants, and can carry hidden data. */
	selectors: "\\ufe0e\\ufe0f",
	/** Drawn as boxes, or as emoji newer than this runtime. */
	unassigned: "[\\p{Cn}--[\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}]]",
	/** Icons of fonts, surrogates of a pair that a stream has split, and the empty cell of braille plots. */
	glyphs: "\\p{Co}\\p{Cs}\\u2800",
} as const;

export type Kept = keyof typeof EXCEPTIONS;

/** Everything that some font draws, for text that is only displayed. */
export const DRAWN: readonly Kept[] = ["joiners", "selectors", "unassigned", "glyphs"];

/** The source of a pattern for one hidden character, for the flag `v`. */
export function hiddenPattern(...kept: readonly Kept[]): string {
	return `[[${HIDDEN}]--[${kept.map((name) => EXCEPTIONS[name]).join("")}]]`;
}

const compiled = new Map<string, RegExp>();

function hidden(kept: readonly Kept[]): RegExp {
	const key = kept.join();
	const known = compiled.get(key);
	if (known) {
		known.lastIndex = 0;
		return known;
	}
	const pattern = new RegExp(hiddenPattern(...kept), "gv");
	compiled.set(key, pattern);
	return pattern;
}

export function hasHidden(text: string, ...kept: readonly Kept[]): boolean {
	return hidden(kept).test(text);
}

export function removeHidden(text: string, ...kept: readonly Kept[]): string {
	return text.replace(hidden(kept), "");
}

export function replaceHidden(text: string, replace: (character: string) => string, ...kept: readonly Kept[]): string {
	return text.replace(hidden(kept), replace);
}

export function escapeHidden(text: string, ...kept: readonly Kept[]): string {
	return replaceHidden(text, escapeCharacter, ...kept);
}

/** "\u{00a0}" */
export function escapeCharacter(character: string): string {
	return `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`;
}

/** The byte order mark is hidden, not whitespace. */
const BLANK = /(?!\ufeff)\s|\u0085/gu;

/** Collapses line breaks and whitespace to single spaces, and removes hidden characters. */
export function toOneLine(text: string, ...kept: readonly Kept[]): string {
	return removeHidden(text.replace(BLANK, " "), ...kept)
		.replace(/ {2,}/g, " ")
		.trim();
}

const CONTROL = /\p{Cc}/u;

/** Used for syntax that only control characters break, and for paths on disk, which may contain any other character. */
export function hasControl(text: string): boolean {
	return CONTROL.test(text);
}

/** Contains nothing that URL parsers drop or change, so the displayed text is the real target. */
export function isPlainAddress(address: string): boolean {
	return !/[\s\\]/.test(address) && !hasHidden(address, "selectors");
}

const IDLE_JOINER = new RegExp(
	`(?<=^|[\\s\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Han}])[${EXCEPTIONS.joiners}${EXCEPTIONS.selectors}]`,
	"u",
);

/** Nothing in the name is hidden, and every joiner has an effect: different names look different. */
export function isVisibleName(name: string): boolean {
	return !hasHidden(name, "joiners", "selectors", "unassigned") && !IDLE_JOINER.test(name);
}

/** Scripts whose letters joiners connect and separate. */
const JOINING = [
	...["Arabic", "Syriac", "Nko", "Mandaic", "Mongolian", "Adlam", "Hanifi_Rohingya", "Sogdian"],
	...["Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"],
	...["Khmer", "Myanmar", "Tibetan", "Lao", "Thai", "Balinese", "Javanese", "Tai_Tham", "Grantha", "Newa", "Chakma"],
]
	.map((script) => `\\p{scx=${script}}`)
	.join("");
const EMOJI = `\\p{Extended_Pictographic}[${EXCEPTIONS.selectors}]?\\p{Emoji_Modifier}?`;
const FOLLOWS_WORD = `(?=[[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}]--[${EXCEPTIONS.selectors}]])`;
const NEEDED = [
	`(?<=${EMOJI})\\u200d(?=\\p{Extended_Pictographic})`,
	// After a mark, such as a virama, a joiner counts at the end of a word too.
	`(?<=[\\p{M}&&[${JOINING}]])[${EXCEPTIONS.joiners}]`,
	`(?<=[\\p{L}&&[${JOINING}]])[${EXCEPTIONS.joiners}]${FOLLOWS_WORD}`,
	`(?<=[\\p{Emoji}--[\\0-\\x7f]])[${EXCEPTIONS.selectors}]`,
	`(?<=[0-9#*])[${EXCEPTIONS.selectors}](?=\\u20e3)`,
].join("|");
/** Compiled on first use: activation and the page load this file. */
let joinerOrSelector: RegExp | undefined;

/** Removes joiners and selectors, except between parts of an emoji, after a symbol, and in words of scripts that use them. */
export function removeIdleJoiners(text: string): string {
	joinerOrSelector ??= new RegExp(`(${NEEDED})|[${EXCEPTIONS.joiners}${EXCEPTIONS.selectors}]`, "gv");
	return text.replace(joinerOrSelector, "$1");
}

/** Symbols drawn as text unless U+FE0F follows; after other characters U+FE0F is invisible. */
const BECOMES_EMOJI = /(?=\p{Emoji})(?!\p{Emoji_Presentation})[^\0-\x7f]/u;

export function makesEmoji(selector: string, symbol: string): boolean {
	return selector === "\ufe0f" && BECOMES_EMOJI.test(symbol);
}

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Removes ignorable characters, to compare file names as file systems do. File systems distinguish other hidden characters, and exceptions
 * must not match more than they do.
 */
export function removeIgnorable(name: string): string {
	return name.replace(IGNORABLE, "");
}

const ESCAPE = "\\u001b";
/** ECMA-48 sequences that color a terminal, set its title, or fill the clipboard; an unterminated string ends at its line. */
const TERMINAL_ESCAPES = new RegExp(
	[
		`(?:${ESCAPE}\\[|\\u009b)[0-?]*[ -/]*[@-~]?`,
		`(?:${ESCAPE}[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\n\\u0007\\u001b\\u009c]*(?:\\u0007|${ESCAPE}\\\\|\\u009c)?`,
		`${ESCAPE}[ -/]*[0-~]?`,
	].join("|"),
	"g",
);

export function removeTerminalEscapes(text: string): string {
	return text.replace(TERMINAL_ESCAPES, "");
}
