// Makes text safe to look at: what is invisible or reorders text becomes a visible escape, long blanks become a count,
// and of long text both ends always show. Pure; what a person approves is shown through this file.
import { shownNumber, t } from "../src/l10n.ts";

/** A piece of text; `escape` stands for a character that would not be seen, `note` is our own remark. */
export interface Segment {
	kind: "text" | "escape" | "note";
	text: string;
}

/** The text of an approval, with nothing left that could hide in it. */
export function visibleSegments(text: string): Segment[] {
	const segments: Segment[] = [];
	let from = 0;
	for (const match of text.replaceAll("\r\n", "\n").matchAll(SUSPICIOUS)) {
		push(segments, "text", match.input.slice(from, match.index));
		from = match.index + match[0].length;
		segments.push(shown(match[0]));
	}
	push(segments, "text", text.replaceAll("\r\n", "\n").slice(from));
	return segments;
}

/** The same as plain text, for names and titles. */
export function visibleText(text: string): string {
	return visibleSegments(text)
		.map((segment) => segment.text)
		.join("");
}

/** From this many blanks on, a run is shown as its count: it could push the rest out of sight. */
const LONG_BLANK = 12;

const SUSPICIOUS = new RegExp(
	[
		`[ \\t]{${LONG_BLANK},}`,
		"\\n[ \\t]*(?:\\n[ \\t]*){3,}",
		// Control, format, unassigned and private characters, other spaces, and what fonts draw as nothing.
		"[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800](?<![\\n\\t])",
		"[^\\S \\n\\t]",
	].join("|"),
	"gu",
);

function shown(found: string): Segment {
	if (/^[ \t]+$/.test(found)) return { kind: "note", text: `[${t("{0} blanks", found.length)}]` };
	if (found.startsWith("\n")) return { kind: "note", text: `\n[${t("{0} empty lines", found.split("\n").length - 2)}]\n` };
	return { kind: "escape", text: escapeOf(found) };
}

function escapeOf(character: string): string {
	const named: Record<string, string> = { "\r": "\\r", "\0": "\\0", "\b": "\\b", "\u001b": "\\e", "\v": "\\v", "\f": "\\f" };
	const code = character.codePointAt(0) ?? 0;
	return named[character] ?? `\\u{${code.toString(16).padStart(4, "0")}}`;
}

function push(segments: Segment[], kind: Segment["kind"], text: string): void {
	if (text) segments.push({ kind, text });
}

/** Both ends of a text that is too long to show at once, and what lies between. */
export interface Clipped {
	head: Segment[];
	/** Absent when everything is in `head`. */
	tail?: Segment[];
	/** What the button says that shows the rest. */
	hidden: string;
}

const LIMIT = { characters: 1_600, lines: 24 };
const ENDS = { characters: 700, lines: 10 };

/** Cuts the middle out of long text. The end is never cut: that is where harm hides. */
export function clip(segments: Segment[]): Clipped {
	const whole = segments.map((segment) => segment.text).join("");
	const lines = whole.split("\n");
	if (whole.length <= LIMIT.characters && lines.length <= LIMIT.lines) return { head: segments, hidden: "" };
	const headEnd = Math.min(ENDS.characters, lines.slice(0, ENDS.lines).join("\n").length);
	const tailStart = Math.max(whole.length - ENDS.characters, whole.length - lines.slice(-ENDS.lines).join("\n").length);
	const between = whole.slice(headEnd, tailStart);
	const count = between.split("\n").length - 2;
	const hidden = count > 1 ? t("Show {0} more lines", shownNumber(count)) : t("Show {0} more characters", shownNumber(between.length));
	return { head: cut(segments, 0, headEnd), tail: cut(segments, tailStart, whole.length), hidden };
}

/** The part between two offsets, without splitting a surrogate pair or an escape. */
function cut(segments: Segment[], from: number, to: number): Segment[] {
	const part: Segment[] = [];
	let offset = 0;
	for (const { kind, text } of segments) {
		const start = Math.max(0, from - offset);
		const end = Math.min(text.length, to - offset);
		offset += text.length;
		if (end <= 0 || start >= text.length) continue;
		if (kind !== "text") part.push({ kind, text });
		else push(part, kind, text.slice(onCharacter(text, start), onCharacter(text, end)));
	}
	return part;
}

function onCharacter(text: string, index: number): number {
	const code = text.charCodeAt(index);
	return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

const ESCAPE = "\\u001b";
/** CSI and OSC sequences and the shorter ones of ECMA-48; an OSC that never ends is cut at the end of its line. */
const TERMINAL_CODES = new RegExp(
	[
		`(?:${ESCAPE}\\[|\\u009b)[0-?]*[ -/]*[@-~]`,
		`(?:${ESCAPE}[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\n\\u0007\\u001b\\u009c]*(?:\\u0007|${ESCAPE}\\\\|\\u009c)?`,
		`${ESCAPE}[ -/]*[0-~]`,
		`${ESCAPE}`,
	].join("|"),
	"g",
);

/** Reorders or hides text; joiners and variation selectors stay, emoji and many scripts need them. */
const DECEIVING = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** Words of a model or a tool: no escape codes, no control characters, and what deceives is made visible. */
export function cleanText(text: string): string {
	return text.replaceAll("\r\n", "\n").replace(TERMINAL_CODES, "").replace(CONTROLS, "").replace(DECEIVING, escapeOf);
}

/** What a program printed, as a terminal would leave it: a line that was written over shows its last state. */
export function cleanOutput(text: string): string {
	const lines = text.replaceAll("\r\n", "\n").replace(TERMINAL_CODES, "").split("\n");
	return cleanText(lines.map((line) => line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1)).join("\n"));
}
