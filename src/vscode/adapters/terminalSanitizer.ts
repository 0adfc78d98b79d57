// Sanitizes command output for display in a terminal.

// Colors and cursor movement within the screen pass. Every other control is removed: titles, links, clipboard writes, device
// strings, queries, modes and C1 controls.

/** Accepts output in chunks; a sequence split across chunks is handled as a whole. */
export function createTerminalSanitizer(): (chunk: string) => string {
	/** An incomplete sequence at the end of the last chunk. */
	let open = "";
	/** Inside a string that ends only at its terminator or at the end of the line. */
	let inString = false;
	let afterReturn = false;

	return (chunk) => {
		const text = open + chunk;
		open = "";
		let shown = "";
		let at = 0;
		while (at < text.length) {
			if (inString) {
				const end = endOfString(text, at);
				inString = end.open;
				at = end.at;
				if (end.cut) open = ESCAPE;
				continue;
			}
			const plain = match(PLAIN, text, at);
			if (plain) {
				shown += plain;
				at += plain.length;
				afterReturn = plain.endsWith("\r");
				continue;
			}
			if (text[at] === "\n") {
				shown += afterReturn ? "\n" : "\r\n";
				at += 1;
				afterReturn = false;
				continue;
			}
			const string = match(STRING_START, text, at);
			if (string) {
				inString = true;
				at += string.length;
				continue;
			}
			const sequence = match(SEQUENCE, text, at);
			if (sequence) {
				if (ALLOWED.test(sequence)) shown += sequence;
				at += sequence.length;
				continue;
			}
			const prefix = match(PREFIX, text, at);
			if (prefix && at + prefix.length === text.length && prefix.length <= LONGEST) {
				open = prefix;
				return shown;
			}
			at += prefix ? prefix.length : 1;
		}
		return shown;
	};
}

/** No allowed sequence is longer. */
const LONGEST = 64;

const ESCAPE = "\x1b";

/** Character ranges by code, for patterns of control characters. */
const code = (from: number, to = from): string => `\\x${hex(from)}-\\x${hex(to)}`;
const hex = (value: number): string => value.toString(16).padStart(2, "0");
const sticky = (pattern: string): RegExp => new RegExp(pattern, "y");

const ESC = `[${code(0x1b)}]`;
/** ESC [ and its C1 equivalent. */
const CSI = `(?:${ESC}\\[|[${code(0x9b)}])`;

/** Text, and the controls backspace, tab and carriage return. */
const PLAIN = sticky(`[${code(0x20, 0x7e)}${code(0x08, 0x09)}${code(0x0d)}\\u00a0-\\uffff]+`);

/** OSC, DCS, SOS, PM and APC. */
const STRING_START = sticky(`${ESC}[\\]PX^_]|[${code(0x90)}${code(0x98)}${code(0x9d, 0x9f)}]`);

const SEQUENCE = sticky(
	`${CSI}[${code(0x30, 0x3f)}]*[${code(0x20, 0x2f)}]*[${code(0x40, 0x7e)}]|${ESC}(?:[${code(0x20, 0x2f)}]+[${code(0x30, 0x7e)}]|(?![\\[\\]PX^_])[${code(0x30, 0x7e)}])`,
);

/** A prefix that more characters may complete to a sequence. */
const PREFIX = sticky(`${CSI}[${code(0x30, 0x3f)}]*[${code(0x20, 0x2f)}]*|${ESC}[${code(0x20, 0x2f)}]*`);

/** Colors; cursor movement, erasing, inserting and scrolling; ESC 7, 8, D, E and M save, restore and move the cursor. */
const ALLOWED = new RegExp(`^${ESC}(?:\\[[0-9;:]{0,${LONGEST}}[A-HJKLMPSTXadfm@]|[78DEM])$`);

function match(pattern: RegExp, text: string, at: number): string {
	pattern.lastIndex = at;
	return pattern.exec(text)?.[0] ?? "";
}

const STRING_END = new RegExp(`[${code(0x07)}${code(0x0a)}${code(0x18)}${code(0x1a, 0x1b)}${code(0x9c)}]`, "g");

/** A line end also ends a string, so an unterminated one can't swallow what follows. `cut`: the text ends with ESC. */
function endOfString(text: string, from: number): { at: number; open: boolean; cut: boolean } {
	STRING_END.lastIndex = from;
	const at = STRING_END.exec(text)?.index;
	if (at === undefined) return { at: text.length, open: true, cut: false };
	if (text[at] === "\n") return { at, open: false, cut: false };
	if (text[at] !== ESCAPE) return { at: at + 1, open: false, cut: false };
	if (at + 1 === text.length) return { at: text.length, open: true, cut: true };
	return { at: text[at + 1] === "\\" ? at + 2 : at, open: false, cut: false };
}
