// Cleans words that are read, not approved: no terminal codes, no control characters, and what deceives is made visible.
import { escapeCharacter } from "./safeText.ts";

const ESCAPE = "\\u001b";
/** CSI and OSC sequences and the shorter ones of ECMA-48; an OSC that never ends is cut at the end of its line. */
export const TERMINAL_ESCAPES = new RegExp(
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
	return text.replaceAll("\r\n", "\n").replace(TERMINAL_ESCAPES, "").replace(CONTROLS, "").replace(DECEIVING, escapeCharacter);
}

/** As long as it is not seen it is not read either, except for joiners and selectors that emoji and many scripts need. */
const UNSEEN = /(?!\n|\t|\u200c|\u200d|\ufe0e|\ufe0f)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Words that a person answers to, such as a plan's: as `cleanText`, but nothing of them is left out. */
export function escapeHiddenCharacters(text: string): string {
	return text.replaceAll("\r\n", "\n").replace(UNSEEN, escapeCharacter);
}

/** What variation selectors beyond the usual ones spell is for machines alone. */
const SMUGGLED = /[\u{e0100}-\u{e01ef}]/gu;

/** Words from outside for a model: as `cleanText`, but what deceives is gone. */
export function stripHiddenCharacters(text: string): string {
	return text.replace(/\r\n?/g, "\n").replace(TERMINAL_ESCAPES, "").replace(CONTROLS, "").replace(DECEIVING, "").replace(SMUGGLED, "");
}
