// Sanitizes text from MCP servers: no escapes, no invisible or bidirectional characters, limited length.
import { removeHidden, toOneLine } from "../../core/hiddenText.ts";

/** ANSI control sequences, and strings that set titles, links and the clipboard. */
const ESCAPES =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
	/(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,16}[@-~]?|\u001b[PX^_][^\u001b\u009c]{0,4096}(?:\u001b\\|\u009c)?|\u001b[ -/]{0,4}[0-~]?/g;

/** Longer texts are truncated before processing, to limit the cost. */
const LOOKED_AT = 262_144;

export function cleanText(text: string): string {
	return removeHidden(text.replaceAll("\r\n", "\n").replace(ESCAPES, ""), "lines", "selectors");
}

/** One line of at most `limit` characters. */
export function cleanLine(text: string, limit = 300): string {
	const line = toOneLine(text.slice(0, limit * 4).replace(ESCAPES, ""), "selectors");
	return line.length <= limit ? line : `${whole(line, limit - 1)}…`;
}

/** Returns at most `limit` bytes: the beginning and end, with the number of omitted bytes between them. */
export function cleanBlock(text: string, limit: number): string {
	const cut = text.length - LOOKED_AT;
	const half = LOOKED_AT / 2;
	if (cut <= 0) return capped(cleanText(text), limit, 0);
	return capped(cleanText(`${text.slice(0, half)}\n${text.slice(-half)}`), limit, Buffer.byteLength(text.slice(half, -half)));
}

/** Returns the beginning, at most `limit` bytes. */
export function cleanStart(text: string, limit: number): string {
	const cleaned = cleanText(text.slice(0, limit * 2));
	if (Buffer.byteLength(cleaned) <= limit && text.length <= limit * 2) return cleaned;
	return `${decode(Buffer.from(cleaned).subarray(0, limit - 3))}…`;
}

function capped(text: string, limit: number, before: number): string {
	const bytes = Buffer.from(text);
	if (bytes.length <= limit && before === 0) return text;
	const half = Math.floor((limit - 64) / 2);
	if (bytes.length <= 2 * half) return `${text}\n[${before} bytes left out here]`;
	const [head, tail] = [decode(bytes.subarray(0, half)), decode(bytes.subarray(bytes.length - half))];
	const omitted = before + bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
	return `${head}\n[${omitted} bytes left out here]\n${tail}`;
}

/** Drops characters split by truncation. */
function decode(bytes: Buffer): string {
	return bytes.toString("utf8").replace(/^\ufffd+|\ufffd+$/g, "");
}

function whole(text: string, length: number): string {
	return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

/** Sanitizes all strings in a JSON value; throws RangeError for field names with hidden characters or if nested too deeply. */
export function cleanJson(value: unknown, depth = 0): unknown {
	if (typeof value === "string") return cleanStart(value, 2_048);
	if (typeof value !== "object" || value === null) return value;
	if (depth > MAX_DEPTH) throw new RangeError("too deep");
	if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth + 1));
	return Object.fromEntries(
		Object.entries(value).map(([key, item]) => {
			if (key !== cleanText(key) || key === "__proto__") throw new RangeError("hidden characters");
			return [key, cleanJson(item, depth + 1)];
		}),
	);
}

const MAX_DEPTH = 32;
