// Escapes text so that what is displayed determines its bytes.

// What a user approves is displayed through this file, and through nothing else.
import {
	DRAWN,
	escapeCharacter,
	escapeHidden,
	hasControl,
	hasHidden,
	makesEmoji,
	removeHidden,
	removeIdleJoiners,
	removeTerminalEscapes,
	replaceHidden,
} from "../core/hiddenText.ts";
import { t } from "./l10n.ts";

/** A piece of a shown line. `escape` stands for one character that would not be seen, `note` for a run of them. */
export interface Segment {
	kind: "text" | "escape" | "note";
	text: string;
}

export interface SafeLine {
	/** Line number, starting at 1. */
	number?: number;
	segments: readonly Segment[];
	/** The beginning of the line is folded. */
	continued?: true;
}

/** Options for what is written out besides invisible characters. */
export interface EscapeOptions {
	/** True if every run of blanks is written out that is more than one space between two words, indentation included. */
	blanks?: boolean;
	/** True if every character is written out that is not ASCII. */
	ascii?: boolean;
}

/** Length from which a run of blanks, or of one invisible character, is shown as its count. */
const LONG_RUN = 12;
/** Columns of a line's indentation that stay as they are. */
const DEEPEST = 64;
const TAB_WIDTH = 4;
/** Number from which empty lines are shown as their count. */
const MANY_EMPTY = 3;
/** Marks that one letter may carry: more of them run into the lines around it. */
const MOST_MARKS = 4;

/** Every line of a text. Joined as they are, with a line feed between two, they can be read back into the text. */
export function visibleLines(text: string): SafeLine[] {
	const lines = text.split("\n");
	const shown: SafeLine[] = [];
	for (let at = 0; at < lines.length; at += 1) {
		let end = at;
		while (lines[end] === "") end += 1;
		if (end - at < MANY_EMPTY) shown.push({ number: at + 1, segments: segmentLine(lines[at] as string) });
		else {
			shown.push({ number: at + 1, segments: [createNote(t("{0} empty lines", end - at))] });
			at = end - 1;
		}
	}
	return shown;
}

/** Returns the visible lines as plain text, for documents and dialogs. */
export function visibleText(text: string): string {
	return visibleLines(text).map(joinSegments).join("\n");
}

export function joinSegments({ segments }: SafeLine): string {
	return segments.map((segment) => segment.text).join("");
}

/** Returns one line, for names, labels and titles: line feeds are written out, and every run of blanks. */
export function visibleLine(text: string): string {
	return joinSegments({ segments: segmentLine(text, { blanks: true }) });
}

/** A message of the editor, which would make links of `[…](command:…)`, and run what is clicked. */
export function escapeMessage(text: string): string {
	return visibleText(text).replaceAll("](", `]${escapeCharacter("(")}`);
}

/** A label of the editor's lists, which would make icons of `$(…)`. */
export function escapeLabel(text: string): string {
	return visibleLine(text).replaceAll("$(", `${escapeCharacter("$")}(`);
}

/** One line; with `closely.blanks` it has no indentation that stays as it is. A line feed in it is written out. */
export function segmentLine(line: string, closely: EscapeOptions = {}): Segment[] {
	const indentation = (/^[ \t]+(?=[^ \t])/.exec(line) ?? [""])[0].length;
	const kept = closely.blanks || columnsOf(line.slice(0, indentation)) > DEEPEST ? 0 : indentation;
	const end = line.length - (/[ \t]+$/.exec(line) ?? [""])[0].length;
	const segments: Segment[] = [];
	let plainFrom = 0;
	let marks = 0;
	for (let at = kept; at < line.length; ) {
		const code = line.charCodeAt(at);
		const character = code < 128 ? (line[at] as string) : String.fromCodePoint(line.codePointAt(at) as number);
		marks = code >= 128 && MARK.test(character) ? marks + 1 : 0;
		// What follows an escape or a blank has nothing to stand on.
		const previous = code >= 128 ? lastOf(line.slice(Math.max(plainFrom, at - 2), at)) : "";
		const spaces = at >= end || at < indentation ? 1 : closely.blanks ? 2 : LONG_RUN;
		const length = hiddenAt(line, at, character, { spaces, previous, marks, closely });
		if (length === 0) {
			at += character.length;
			continue;
		}
		push(segments, "text", line.slice(plainFrom, at));
		segments.push(...writtenOut(character, length / character.length));
		at += length;
		plainFrom = at;
	}
	push(segments, "text", line.slice(plainFrom));
	return segments;
}

function lastOf(text: string): string {
	return [...text].at(-1) ?? "";
}

function writtenOut(character: string, count: number): Segment[] {
	if (character === " ") return [createNote(count === 1 ? t("1 space") : t("{0} spaces", count))];
	if (count >= LONG_RUN) return [createNote(`${count} × ${formatCodePoint(character)}`)];
	return Array.from({ length: count }, () => ({ kind: "escape", text: escapeCharacter(character) }));
}

interface Place {
	/** Length from which a run of spaces is shown as its count here. */
	spaces: number;
	/** The character that is drawn before, "" where there is none. */
	previous: string;
	/** Number of marks in a row that this one ends. */
	marks: number;
	closely: EscapeOptions;
}

/**
 * Returns the length of the part of the line, from there on, that repeats one character and is written out; 0 where it is shown as it is.
 */
function hiddenAt(line: string, at: number, character: string, place: Place): number {
	if (character === " ") {
		const length = runAt(line, at, character);
		return length >= place.spaces ? length : 0;
	}
	if (character === "\\") return line.startsWith("\\u{", at) ? 1 : 0;
	if (character === "[") return looksLikeNote(line, at) ? 1 : 0;
	return isHidden(character, place) ? runAt(line, at, character) : 0;
}

function runAt(line: string, at: number, character: string): number {
	let end = at;
	while (line.startsWith(character, end)) end += character.length;
	return end - at;
}

const BLANK = /\p{Zs}/u;
const MARK = /\p{M}/u;
const CARRIES_MARKS = /[\p{L}\p{N}\p{M}]/u;
/** Accents of every script. Marks of one script mean nothing to letters of another, and few fonts draw them there. */
const ANY_SCRIPT = /\p{Script=Inherited}/u;
const ALPHABETS = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}]/u;

function isHidden(character: string, { previous, marks, closely }: Place): boolean {
	if (character >= "!" && character <= "~") return false;
	if (closely.ascii) return true;
	if (BLANK.test(character) || hasHidden(character)) return !makesEmoji(character, previous);
	if (hasTwin(previous, character)) return true;
	if (marks === 0) return false;
	return marks > MOST_MARKS || !CARRIES_MARKS.test(previous) || (ALPHABETS.test(previous) && !ANY_SCRIPT.test(character));
}

/** Returns true if the same is drawn for other characters: a letter and its accent for one letter, U+037E for a semicolon. */
function hasTwin(previous: string, character: string): boolean {
	return (previous + character).normalize("NFC") !== previous + character;
}

function columnsOf(blanks: string): number {
	let columns = 0;
	for (const blank of blanks) columns += blank === "\t" ? TAB_WIDTH - (columns % TAB_WIDTH) : 1;
	return columns;
}

/** "U+00A0" */
function formatCodePoint(character: string): string {
	return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Letters that are written from right to left, and what stands among them. */
export const RIGHT_TO_LEFT = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]";
const REORDERED = new RegExp(`${RIGHT_TO_LEFT}[^\\p{L}]*(?:\\p{N}|[^\\p{L}]${RIGHT_TO_LEFT})`, "u");

/** Returns true if words or numbers of it are drawn in another order than they are in; the page sets them apart, plain text cannot. */
export function isVisuallyReordered(text: string): boolean {
	return REORDERED.test(text);
}

/** Our own remark, in brackets; what stands in the text itself and looks like one gets its bracket written out. */
export function createNote(words: string): Segment {
	return { kind: "note", text: `[${words}]` };
}

/** All remarks that are made in texts, `0` standing for any number. */
const remarks = (): string[] => [
	t("1 space"),
	t("{0} spaces", 0),
	t("{0} empty lines", 0),
	t("{0} more lines", 0),
	t("{0} more characters", 0),
	t("no newline at end"),
];

let known: { language: string; pattern: RegExp } | undefined;

function looksLikeNote(line: string, at: number): boolean {
	const language = t("no newline at end");
	if (known?.language !== language) {
		const literal = remarks()
			.join("|")
			.replace(/[.*+?^${}()[\]\\]/g, "\\$&")
			.replaceAll("0", "\\d+");
		known = { language, pattern: new RegExp(`\\[(?:${literal}|\\d+ × U\\+[0-9A-F]+)\\]`, "y") };
	}
	known.pattern.lastIndex = at;
	return known.pattern.test(line);
}

/** Adds a piece, if there is anything of it. */
function push(segments: Segment[], kind: Segment["kind"], text: string): void {
	if (text) segments.push({ kind, text });
}

/** Words of a model or a tool: no escape codes, no control characters; other hidden characters are escaped. */
export function cleanText(text: string): string {
	const plain = removeTerminalEscapes(text.replaceAll("\r\n", "\n"));
	return replaceHidden(plain, (character) => (hasControl(character) ? "" : escapeCharacter(character)), "lines", ...DRAWN);
}

/** Words that a person answers to, such as a plan's: as `cleanText`, but nothing of them is left out. */
export function escapeHiddenCharacters(text: string): string {
	return escapeHidden(text.replaceAll("\r\n", "\n"), "lines", "joiners", "selectors");
}

/** Text from outside for a model, such as a page's or a tool's: as `sanitizeForPrompt`, with one form of line break. */
export function stripHiddenCharacters(text: string): string {
	return sanitizeForPrompt(text.replace(/\r\n?/g, "\n"));
}

/**
 * Cleans what other agents and channels send, for a model: escape codes and hidden characters are removed. Line breaks, tabs, and the
 * joiners and selectors of emoji and words stay.
 */
export function sanitizeForPrompt(text: string): string {
	return removeIdleJoiners(removeHidden(removeTerminalEscapes(text), "lines", "returns", "joiners", "selectors"));
}

/** The address to the byte, blanks written out, and after it in parentheses what a look at it does not tell. */
export function segmentAddress(address: string): Segment[] {
	const written = address.split(" ").flatMap((part, index) => [...(index > 0 ? [SPACE] : []), ...segmentLine(part, { blanks: true })]);
	const facts = factsOf(address);
	return facts.length === 0 ? written : [...written, { kind: "note", text: ` (${facts.join(", ")})` }];
}

/** Returns the address and its facts as plain text. */
export function formatAddress(address: string): string {
	return segmentAddress(address)
		.map(({ text }) => text)
		.join("");
}

/** No address has a space: what stands behind one is our own remark. */
const SPACE: Segment = { kind: "escape", text: "\\u{0020}" };

function factsOf(address: string): string[] {
	if (!URL.canParse(address)) return [t("not a valid address")];
	const { host, username, password } = new URL(address);
	const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(address)?.[1] ?? "";
	const named = authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
	return [
		...(host === named || `${host}:${usualPort(address)}` === named ? [] : [host]),
		...(username !== "" || password !== "" || authority.includes("@") ? [t("addresses with a user name aren't allowed")] : []),
	];
}

function usualPort(address: string): number {
	return /^https:/i.test(address) ? 443 : 80;
}
