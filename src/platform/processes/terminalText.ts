// Converts terminal output to plain text: removes escape sequences, control characters and overwritten lines.

/** A single pass, linear in the length of any text. */
export function toPlainText(text: string): string {
	let plain = "";
	let from = 0;
	for (let at = 0; at < text.length; ) {
		const code = text.charCodeAt(at);
		if (isPlain(code)) {
			at += 1;
			continue;
		}
		plain += text.slice(from, at);
		if (code === 0) plain += "␀";
		at = code === ESCAPE || isC1(code) ? afterSequence(text, at) : at + 1;
		if (code === RETURN && overwrites(text, at)) plain = plain.slice(0, plain.lastIndexOf("\n") + 1);
		from = at;
	}
	return plain + text.slice(from);
}

/** Returns true if more than a tenth of the characters are neither text nor whitespace. */
export function looksBinary(bytes: Uint8Array): boolean {
	const text = new TextDecoder().decode(bytes);
	let unusual = 0;
	for (let at = 0; at < text.length; at += 1) {
		const code = text.charCodeAt(at);
		if (code === 0xfffd || isC1(code) || (code < 32 && !USUAL.has(code))) unusual += 1;
	}
	return unusual > text.length / 10;
}

const ESCAPE = 0x1b;
const RETURN = 0x0d;
const NEWLINE = 0x0a;
const BELL = 0x07;
const CSI = 0x9b;
const STRING_END = 0x9c;
/** DCS, SOS, OSC, PM and APC contain a string up to a terminator; as C1 codes and as the letter after ESC. */
const STRINGS = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);
/** Tab, line feed, carriage return, escape, backspace, form feed and bell occur in text. */
const USUAL = new Set([9, NEWLINE, RETURN, ESCAPE, 8, 12, BELL]);

function isC1(code: number): boolean {
	return code >= 0x80 && code <= 0x9f;
}

function isPlain(code: number): boolean {
	return code === 9 || code === NEWLINE || (code >= 32 && code !== 127 && !isC1(code));
}

/** Returns true if text follows a carriage return and overwrites the line. */
function overwrites(text: string, start: number): boolean {
	const at = skip(text, start, RETURN, RETURN);
	return at < text.length && text.charCodeAt(at) !== NEWLINE;
}

/** The end of the escape sequence that begins here. */
function afterSequence(text: string, start: number): number {
	const escaped = text.charCodeAt(start) === ESCAPE;
	const kind = escaped ? text.charCodeAt(start + 1) + 0x40 : text.charCodeAt(start);
	const at = start + (escaped ? 2 : 1);
	if (kind === CSI) return Math.min(text.length, skip(text, skip(text, at, 0x20, 0x3f), 0x40, 0x7e, 1));
	if (STRINGS.has(kind)) return afterString(text, at);
	if (!escaped) return at;
	return Math.min(text.length, skip(text, skip(text, start + 1, 0x20, 0x2f), 0x30, 0x7e, 1));
}

function skip(text: string, start: number, low: number, high: number, limit = text.length): number {
	let at = start;
	while (at < text.length && at - start < limit && text.charCodeAt(at) >= low && text.charCodeAt(at) <= high) at += 1;
	return at;
}

/** An unterminated string ends with its line, so that it cannot hide what follows. */
function afterString(text: string, start: number): number {
	for (let at = start; at < text.length; at += 1) {
		const code = text.charCodeAt(at);
		if (code === BELL || code === STRING_END) return at + 1;
		if (code === ESCAPE) return text[at + 1] === "\\" ? at + 2 : at;
		if (code === NEWLINE) return at;
	}
	return text.length;
}

/** `tail` is the end of the output so far. */
export function looksLikePrompt(tail: Uint8Array): boolean {
	const text = toPlainText(Buffer.from(tail.subarray(-1_000)).toString("utf8"));
	const line = text.slice(text.lastIndexOf("\n") + 1).trim();
	return line !== "" && PROMPTS.some((prompt) => prompt.test(line));
}

const PROMPTS = [
	/\b(?:password|passphrase|passcode|pin|username|login|otp|one-time code|verification code)\b[^\n]{0,100}[:?]$/i,
	/[[(](?:y\/n|yes\/no|y\/n\/[a-z/]{1,20}|yes\/no\/\[fingerprint\]|y|yes)[\])]\s*[?:>]?$/i,
	/\b(?:continue|proceed|overwrite|replace|are you sure|ok to)\b[^\n]{0,100}\?$/i,
	/\bpress (?:any key|enter|return)\b[^\n]{0,60}$/i,
	/^\? [^\n]{1,200}[›»:?]/,
	/\(END\)$/,
	/^--More--/,
	/^:$/,
];
