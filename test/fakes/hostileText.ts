// Generates hostile text from a seed and reads displayed text back.

/** A number below `limit` at each call. */
type Next = (limit: number) => number;

/** The same row of numbers for the same seed. */
export function numbers(seed: number): Next {
	let state = seed >>> 0;
	return (limit) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
	};
}

const PIECES = [
	...["rm -rf .", "echo", "npm test", "é", "e\u0301", "価格", "שלום", "𝒜", "❤\ufe0f", "1\ufe0f\u20e3", "👩\u200d💻", "\u212b", "\u037e"],
	...["\\", "\\u{202e}", "\\u{000d}", "\\u{", "u{202e}", "\\n", "\\\\u{41}", "{", "}", "[", "]", "U+00A0]", "[12 × U+00A0]", "[12 × "],
	...[
		"[300 spaces]",
		"[1 space]",
		"[39 empty lines]",
		"[5 more lines]",
		"[no newline at end]",
		"300 spaces]",
		"](command:x)",
		"$(x)",
		"`id`",
	],
	...["\0", "\r", "\x1b", "\x1b[2K", "\x1b]0;title\x07", "\x1b]8;;https://evil.example\x1b\\", "\u009b31m", "\x85", "\x7f", "\b\b\b"],
	...["\t", "\t\t", " ", "  ", " ".repeat(11), " ".repeat(12), " ".repeat(400), "\t".repeat(30), "\u00a0", "\u00a0".repeat(40), "\u3000"],
	...["\u2800", "\u3164", "\u115f", "\u1160", "\uffa0", "\u2009", "\u202f", "\u205f", "\u1680", "\u180e", "\u2028", "\u2029", "\ufeff"],
	...[
		"\u202e",
		"\u2066",
		"\u200b",
		"\u200d",
		"\u2060",
		"\u034f",
		"\u00ad",
		"\u{e0041}",
		"\ufe0f",
		"\u{e0100}",
		"\u0301",
		"\u0301".repeat(9),
	],
	...[
		"\ud800",
		"\udc00",
		"\ue000",
		"\u{10ffff}",
		"\u0378",
		"\ufffc",
		"\ufffd",
		"\u{1d159}",
		"\n",
		"\n",
		"\n\n\n\n",
		"\r\n",
		"\n".repeat(40),
	],
];

/** Up to `most` pieces in a row. */
export function hostileText(next: Next, most = 12): string {
	let text = "";
	for (let left = next(most) + 1; left > 0; left -= 1) {
		text += next(5) === 0 ? String.fromCodePoint(next(0x110000)) : PIECES[next(PIECES.length)];
	}
	return text;
}

/** The one text that is shown like that, in English. */
export function readBack(shown: string): string {
	return shown
		.split("\n")
		.flatMap((line) => {
			const empty = /^\[(\d+) empty lines\]$/.exec(line);
			return empty ? Array.from({ length: Number(empty[1]) }, () => "") : [readLine(line)];
		})
		.join("\n");
}

export function readLine(line: string): string {
	return line.replace(
		/\\u\{([0-9a-f]{4,6})\}|\[(?:(1) space|(\d+) spaces|(\d+) × U\+([0-9A-F]+))\]/g,
		(_, code?: string, one?: string, spaces?: string, count?: string, repeated?: string) => {
			if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
			if (repeated !== undefined) return String.fromCodePoint(Number.parseInt(repeated, 16)).repeat(Number(count));
			return " ".repeat(Number(one ?? spaces));
		},
	);
}

/** Whatever of a shown text is not plainly seen, line feeds and a line's indentation aside. */
export const UNSEEN =
	/(?!\n)(?![\t](?<=^[ \t]*))(?!\ufe0f)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\S *) {12}|[ \t]$/mu;
