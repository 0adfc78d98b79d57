// Makes text safe to look at, and to hand on: what is invisible or reorders text becomes a visible escape, long blanks become a
// count. Pure; the chat and the editor's own dialogs show through this file what they ask a person about.
import { t } from "../l10n.ts";

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

/** A message of the editor that names what others named: it would make links of `[…](command:…)`, and run what is clicked. */
export function messageText(text: string): string {
	return visibleText(text).replaceAll("](", "] (");
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

/** Adds a piece, if there is anything of it. */
export function push(segments: Segment[], kind: Segment["kind"], text: string): void {
	if (text) segments.push({ kind, text });
}

const ESCAPE = "\\u001b";
/** CSI and OSC sequences and the shorter ones of ECMA-48; an OSC that never ends is cut at the end of its line. */
export const TERMINAL_CODES = new RegExp(
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

/** What variation selectors beyond the usual ones spell is for machines alone. */
const SMUGGLED = /[\u{e0100}-\u{e01ef}]/gu;

/** Words from outside for a model: as `cleanText`, but what deceives is gone. */
export function strippedText(text: string): string {
	return text.replace(/\r\n?/g, "\n").replace(TERMINAL_CODES, "").replace(CONTROLS, "").replace(DECEIVING, "").replace(SMUGGLED, "");
}
