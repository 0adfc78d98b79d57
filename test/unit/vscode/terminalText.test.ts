// Tests the sanitizer for command output in a terminal, with any split of the text.
import assert from "node:assert/strict";
import { createTerminalSanitizer } from "../../../src/vscode/adapters/terminalSanitizer.ts";

const whole = (text: string): string => createTerminalSanitizer()(text);

/** The same text in two pieces, cut at every place. */
function cuts(text: string): string[] {
	return Array.from({ length: text.length + 1 }, (_, at) => {
		const show = createTerminalSanitizer();
		return show(text.slice(0, at)) + show(text.slice(at));
	});
}

function charByChar(text: string): string {
	const show = createTerminalSanitizer();
	return [...text].map((character) => show(character)).join("");
}

const E = "\x1b";

const table: [string, string, string][] = [
	["plain words, tabs and emoji", "a\tb é 😀", "a\tb é 😀"],
	["colors", `${E}[1;38;5;196mred${E}[0m${E}[38:2:1:2:3mx`, `${E}[1;38;5;196mred${E}[0m${E}[38:2:1:2:3mx`],
	["moves and erasing", `10%\r${E}[2K20%${E}[1A${E}[3;4H${E}7${E}8`, `10%\r${E}[2K20%${E}[1A${E}[3;4H${E}7${E}8`],
	["line ends, made whole", "a\nb\r\nc\n\nd", "a\r\nb\r\nc\r\n\r\nd"],
	["no title", `a${E}]0;Trust me\x07b${E}]2;again${E}\\c`, "abc"],
	["no clipboard write", `a${E}]52;c;cm0gLXJm\x07b`, "ab"],
	["no link", `${E}]8;;https://evil.example${E}\\text${E}]8;;${E}\\`, "text"],
	["no device string", `a${E}P1$r0m${E}\\b${E}Xsos${E}\\c${E}^pm${E}\\d${E}_apc${E}\\e`, "abcde"],
	["no C1 twins of them", "a\x9d52;c;x\x07b\x90q\x9cc\x9b31md\x85e\x8df", "abcdef"],
	["no questions that it would answer", `a${E}[cb${E}[6nc${E}[>0qd\x05e${E}[?1;2$pf`, "abcdef"],
	["no modes, resets or window moves", `a${E}[?1049hb${E}cc${E}[8;1;1td${E}[!pe${E}(0f${E}[>4;1mg`, "abcdefg"],
	["no endless repetition and no bell", `a${E}[99999999bb\x07c`, "abc"],
	["a string that never ends takes its line alone", `a${E}]52;c;open\nb`, "a\r\nb"],
	["a string in a string", `a${E}]0;x${E}]52;c;y\x07b`, "ab"],
	["a sequence that is broken off", `a${E}[31${E}[32mb`, `a${E}[32mb`],
	["an escape before a line's end", `a${E}\nb`, "a\r\nb"],
];

describe("output in a terminal", () => {
	for (const [what, given, shown] of table) {
		it(`shows ${what}`, () => {
			assert.equal(whole(given), shown);
		});
	}

	it("is the same however it is cut", () => {
		for (const [what, given, shown] of table) {
			for (const cut of cuts(given)) assert.equal(cut, shown, what);
			assert.equal(charByChar(given), shown, what);
		}
	});

	it("holds no clipboard write whose escape ends a piece", () => {
		const show = createTerminalSanitizer();
		assert.equal(show(`text${E}`), "text");
		assert.equal(show("]52;c;cm0gLXJm"), "");
		assert.equal(show(`${E}`), "");
		assert.equal(show("\\more"), "more");
	});

	it("keeps nothing of a sequence that never ends", () => {
		const show = createTerminalSanitizer();
		assert.equal(show(`${E}[`), "");
		for (let piece = 0; piece < 100; piece += 1) show("1;1;1;1;");
		assert.match(show("mend"), /^[0-9;]*m?end$/);
	});

	it("takes time in proportion to its length", () => {
		const hostile = [`${E}[`.repeat(200_000), `${E}]`.repeat(200_000), `${E}[${"1;".repeat(200_000)}`, `${E}P${"x".repeat(400_000)}`];
		for (const text of hostile) assert.ok(whole(text).length <= text.length);
	});
});
