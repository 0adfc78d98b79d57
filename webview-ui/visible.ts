// Makes text safe to look at in the chat: beside what every surface shares, of long text both ends always show, and output
// reads as a terminal would leave it. Pure; what a person approves is shown through this file.
import { shownNumber, t } from "../src/l10n.ts";
import { cleanText, push, type Segment, TERMINAL_CODES } from "../src/shared/safeText.ts";

export { cleanText, type Segment, visibleSegments, visibleText } from "../src/shared/safeText.ts";

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

/** What a program printed, as a terminal would leave it: a line that was written over shows its last state. */
export function cleanOutput(text: string): string {
	const lines = text.replaceAll("\r\n", "\n").replace(TERMINAL_CODES, "").split("\n");
	return cleanText(lines.map((line) => line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1)).join("\n"));
}
