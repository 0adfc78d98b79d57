// Tests text shown for approval: nothing is hidden, and it can be read back to the byte.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createFoldMark, foldLines } from "../../../src/shared/foldText.ts";
import { config } from "../../../src/shared/l10n.ts";
import {
	cleanText,
	escapeLabel,
	escapeMessage,
	joinSegments,
	visibleLine,
	visibleLines,
	visibleText,
} from "../../../src/shared/safeText.ts";
import { cleanTerminalOutput, truncateMiddle } from "../../../webview-ui/text/displayText.ts";
import { hostileText, numbers, readBack, readLine, UNSEEN } from "../../fakes/hostileText.ts";

describe("text that a person approves", () => {
	for (const [name, text, expected] of [
		["an ordinary command stays as it is", "npm test -- --grep 'two  words'", "npm test -- --grep 'two  words'"],
		["escapes of a language stay as they are", "printf 'a\\tb\\r\\n\\x1b\\0' | tr -d '\\r'", "printf 'a\\tb\\r\\n\\x1b\\0' | tr -d '\\r'"],
		["a long run of spaces becomes its count", `echo ok${" ".repeat(400)}; touch X`, "echo ok[400 spaces]; touch X"],
		["eleven spaces stay", `a${" ".repeat(11)}b`, `a${" ".repeat(11)}b`],
		["many empty lines become their count", `echo ok${"\n".repeat(40)}rm -r .`, "echo ok\n[39 empty lines]\nrm -r ."],
		["blanks at the end of a line are counted", "a  \n b \n\t\nc", "a[2 spaces]\n b[1 space]\n\\u{0009}\nc"],
		["indentation stays, up to 64 columns", `\t  if x\n${" ".repeat(64)}y`, `\t  if x\n${" ".repeat(64)}y`],
		["deeper indentation is counted", `${" ".repeat(65)}y\n${"\t".repeat(17)}z`, "[65 spaces]y\n[17 × U+0009]z"],
		["a tab that is no indentation is written out", "a\tb\n\tc", "a\\u{0009}b\n\tc"],
		["a bidi override is written out", "echo \u202e; touch X", "echo \\u{202e}; touch X"],
		["zero width characters are written out", "git\u200b pu\u2060sh\ufeff", "git\\u{200b} pu\\u{2060}sh\\u{feff}"],
		["tag characters are written out", "ls\u{e0041}\u{e0042}", "ls\\u{e0041}\\u{e0042}"],
		["control characters are written out", "a\rb\0c\u001b[2Kd\u0085", "a\\u{000d}b\\u{0000}c\\u{001b}[2Kd\\u{0085}"],
		["a title of a terminal is written out whole", "ls\u001b]0;rm -rf .\u0007", "ls\\u{001b}]0;rm -rf .\\u{0007}"],
		["a carriage return before a line feed is written out", 'echo "a\r\n# b"', 'echo "a\\u{000d}\n# b"'],
		["a blank that is not the space is written out", "rm\u00a0-r\u3000x\u2800y\u3164z", "rm\\u{00a0}-r\\u{3000}x\\u{2800}y\\u{3164}z"],
		["a long run of one of them becomes its count", `a${"\u3000".repeat(400)}b`, "a[400 × U+3000]b"],
		["half a surrogate pair is written out", "a\ud800b", "a\\u{d800}b"],
		["what no font has is written out", "a\ue000b\u0378", "a\\u{e000}b\\u{0378}"],
		[
			"a variation selector is written out where it changes nothing",
			"a\ufe0f❤\ufe0f\ufe0f\u{e0101}",
			"a\\u{fe0f}❤\ufe0f\\u{fe0f}\\u{e0101}",
		],
		[
			"marks that stand on nothing, or pile up, are written out",
			`" \u0301 ก่ a${"\u0336".repeat(9)}`,
			`" \\u{0301} ก่ a${"\u0336".repeat(4)}${"\\u{0336}".repeat(5)}`,
		],
		["marks of another script are written out", "rm\u2d7f -r\u17d2f x\u0336 ⵜ\u2d7fⵙ", "rm\\u{2d7f} -r\\u{17d2}f x\u0336 ⵜ\u2d7fⵙ"],
		["an accent that looks like a letter of its own is written out", "e\u0301 é \u037e", "e\\u{0301} é \\u{037e}"],
		["letters of other scripts stay", "grep 価格 prix_été.txt नमस्ते שלום", "grep 価格 prix_été.txt नमस्ते שלום"],
		["what looks like an escape has its backslash written out", "\\u{202e} \u202e", "\\u{005c}u{202e} \\u{202e}"],
		["what looks like a remark has its bracket written out", `[12 spaces]${" ".repeat(12)}x[1]`, "\\u{005b}12 spaces][12 spaces]x[1]"],
	] as const) {
		it(name, () => assert.equal(visibleText(text), expected));
	}

	it("keeps on one line what belongs there, with every blank counted that could be overlooked", () => {
		assert.equal(visibleLine("  a  b\nAll is well. "), "[2 spaces]a[2 spaces]b\\u{000a}All is well.[1 space]");
	});

	it("tells escapes and remarks from the text itself", () => {
		assert.deepEqual(visibleLines(`[300 spaces] \u202e${" ".repeat(300)}x`)[0]?.segments, [
			{ kind: "escape", text: "\\u{005b}" },
			{ kind: "text", text: "300 spaces] " },
			{ kind: "escape", text: "\\u{202e}" },
			{ kind: "note", text: "[300 spaces]" },
			{ kind: "text", text: "x" },
		]);
	});

	it("can be read back to the byte, and has nothing in it that is not seen, whatever the text", () => {
		const next = numbers(Number(process.env["TROUPE_SEED"] ?? 9));
		const shown = new Map<string, string>();
		for (let round = 0; round < 5_000; round += 1) {
			const text = hostileText(next);
			const [lines, line] = [visibleText(text), visibleLine(text)];
			assert.equal(readBack(lines), text, JSON.stringify(text));
			assert.equal(readLine(line), text, JSON.stringify(text));
			assert.equal(readBack(escapeMessage(text)), text, JSON.stringify(text));
			assert.equal(readLine(escapeLabel(text)), text, JSON.stringify(text));
			assert.doesNotMatch(lines, UNSEEN, JSON.stringify(text));
			assert.doesNotMatch(line, UNSEEN, JSON.stringify(text));
			assert.equal(shown.get(lines) ?? text, text, "two texts look the same");
			shown.set(lines, text);
		}
	});

	for (const language of ["de", "zh-cn"]) {
		it(`makes its remarks in another language, and nobody makes them for us: ${language}`, () => {
			config({ contents: JSON.parse(readFileSync(`l10n/bundle.l10n.${language}.json`, "utf8")) });
			try {
				for (const run of [" ".repeat(300), " ", "\n".repeat(40), "\u00a0".repeat(20)]) {
					const shown = visibleText(`a${run}${run === " " ? "" : "b"}`);
					assert.doesNotMatch(shown, /space|empty/);
					assert.notEqual(visibleText(shown), shown);
				}
			} finally {
				config({ contents: {} });
			}
		});
	}

	it("is written out before the test's time is over, however long it is", () => {
		for (const text of ["a[1] \\u ".repeat(125_000), "\0a".repeat(500_000), " ".repeat(1_000_000), "\u0301".repeat(1_000_000)]) {
			assert.ok(visibleLines(text).length > 0);
		}
	});

	it("leaves nothing hidden in any known trick", function () {
		const file = "../shared/vectors/commands.json";
		if (!existsSync(file)) this.skip();
		const vectors = JSON.parse(readFileSync(file, "utf8")) as { id: string; class: string; cmd: string }[];
		const tricks = vectors.filter((vector) => vector.class === "display");
		assert.ok(tricks.length > 0, "no display vectors");
		for (const { id, cmd } of tricks) {
			const { head, tail } = foldLines(visibleLines(cmd), { lines: 24, characters: 1_600 });
			const text = [...head, ...tail].map(joinSegments).join("\n");
			assert.doesNotMatch(text, UNSEEN, id);
			assert.equal(text.endsWith(cmd.trimEnd().slice(-12)), true, `${id} does not show its end: ${text}`);
		}
	});
});

describe("text that is too long to show at once", () => {
	const shown = (text: string, limit = { lines: 24, characters: 1_600 }) => {
		const { head, tail, hidden } = foldLines(visibleLines(text), limit);
		return { head: head.map(joinSegments).join("\n"), tail: tail.map(joinSegments).join("\n"), hidden };
	};

	it("shows its beginning and its end, and counts what lies between", () => {
		const { head, tail, hidden } = shown(`first ${"true && ".repeat(1_000)}touch LAST`);
		assert.equal(head.startsWith("first true"), true);
		assert.equal(tail.endsWith("&& touch LAST"), true);
		assert.deepEqual(hidden, { lines: 1, characters: "first ".length + 8_000 + "touch LAST".length - 1_600 });
	});

	it("folds lines as well, and only between ends", () => {
		const lines = shown(Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n"));
		assert.equal(lines.head.split("\n").at(-1), "line 11");
		assert.equal(lines.tail.split("\n")[0], "line 188");
		assert.equal(lines.hidden?.lines, 176);
		assert.equal(shown("a\nb").hidden, undefined);
	});

	it("is never cut through a pair or an escape, and nothing of it is lost or shown twice", () => {
		const next = numbers(3);
		for (let round = 0; round < 500; round += 1) {
			const text = Array.from({ length: next(40) + 1 }, () => hostileText(next, 40)).join("");
			const lines = visibleLines(text);
			const whole = lines.map(joinSegments).join("\n");
			const { head, tail, hidden } = shown(text, { lines: next(30) + 2, characters: next(600) + 60 });
			assert.ok(whole.startsWith(head) && whole.endsWith(tail));
			assert.doesNotMatch(head, /[\ud800-\udbff]$/);
			assert.doesNotMatch(tail, /^[\udc00-\udfff]/);
			assert.doesNotMatch(`${head}\n`, /\\u\{[0-9a-f]*\n/);
			const counted = [head, tail].join("").replaceAll("\n", "").length + (hidden?.characters ?? 0);
			assert.equal(counted, whole.replaceAll("\n", "").length);
		}
	});

	it("says between the two ends how much is missing, where nothing can be unfolded", () => {
		assert.equal(joinSegments(createFoldMark({ lines: 96, characters: 5_000 })), "[96 more lines]");
		assert.equal(joinSegments(createFoldMark({ lines: 1, characters: 5_000 })), "[5000 more characters]");
		assert.equal(visibleText("[96 more lines] [5000 more characters]"), "\\u{005b}96 more lines] \\u{005b}5000 more characters]");
	});
});

describe("what a program printed", () => {
	it("loses its colors, titles and links", () => {
		assert.equal(
			cleanTerminalOutput("\u001b[1;32mok\u001b[0m \u001b]0;title\u0007\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\"),
			"ok click",
		);
	});

	it("shows the last state of a line that was written over", () => {
		assert.equal(cleanTerminalOutput("10 %\r50 %\r100 %\r\ndone\r\n"), "100 %\ndone\n");
	});

	it("keeps what follows a code that never ends", () => {
		assert.equal(cleanTerminalOutput("\u001b]0;never closed\nnext line"), "\nnext line");
	});
});

describe("words of a model", () => {
	it("show what would reorder or hide them, and keep what emoji and scripts need", () => {
		assert.equal(
			cleanText("\u202etxt.exe \u{e0041} 👩\u200d💻 می\u200cخواهم\u0007"),
			"\\u{202e}txt.exe \\u{e0041} 👩\u200d💻 می\u200cخواهم",
		);
		assert.equal(cleanText("x\u{e0101}\u3164\ufffc"), "x\\u{e0101}\\u{3164}\\u{fffc}");
	});

	it("keep what fonts draw: icons, plots in braille, emoji newer than this runtime, and half of a pair that is still to come", () => {
		for (const text of ["\ue0b0 main", "⣀\u2800⣀", "\u{1f6d9}", "\ud83d"]) assert.equal(cleanText(text), text);
	});
});

describe("a long name", () => {
	it("keeps both its ends, and no half of a character", () => {
		assert.equal(truncateMiddle("short", 10), "short");
		assert.equal(truncateMiddle(`${"a".repeat(300)}rm -rf .`, 30), `${"a".repeat(19)}…aarm -rf .`);
		assert.equal(truncateMiddle("😀".repeat(100), 10), `${"😀".repeat(6)}…${"😀".repeat(3)}`);
	});
});
