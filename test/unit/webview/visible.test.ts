// Text of others, with nothing in it that the eye would miss.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { cleanOutput, cleanText, clip, visibleSegments, visibleText } from "../../../webview-ui/visible.ts";

const BLANKS = " ".repeat(300);

describe("text that a person approves", () => {
	for (const [name, text, expected] of [
		["an ordinary command stays as it is", "npm test -- --grep 'two  words'", "npm test -- --grep 'two  words'"],
		["a long run of blanks becomes its count", `echo ok${BLANKS}; touch X`, "echo ok[300 blanks]; touch X"],
		["many empty lines become their count", `echo ok${"\n".repeat(40)}rm -r .`, "echo ok\n[39 empty lines]\nrm -r ."],
		["a bidi override is written out", "echo \u202e; touch X", "echo \\u{202e}; touch X"],
		["zero width characters are written out", "git\u200b pu\u2060sh\ufeff", "git\\u{200b} pu\\u{2060}sh\\u{feff}"],
		["tag characters are written out", "ls\u{e0041}\u{e0042}", "ls\\u{e0041}\\u{e0042}"],
		["control characters are written out", "a\rb\0c\u001b[2Kd\u0085", "a\\rb\\0c\\e[2Kd\\u{0085}"],
		["a blank that is not the space is written out", "rm\u00a0-r\u3000x\u2800y", "rm\\u{00a0}-r\\u{3000}x\\u{2800}y"],
		["half a surrogate pair is written out", "a\ud800b", "a\\u{d800}b"],
		["line ends and tabs stay", 'echo "a\r\n# b"\n\ttouch X', 'echo "a\n# b"\n\ttouch X'],
		["letters of other scripts stay", "grep 価格 prix_été.txt", "grep 価格 prix_été.txt"],
	] as const) {
		it(name, () => assert.equal(visibleText(text), expected));
	}

	it("tells escapes and remarks from the text itself, so that they can't be imitated", () => {
		assert.deepEqual(visibleSegments(`[300 blanks] \u202e${BLANKS}x`), [
			{ kind: "text", text: "[300 blanks] " },
			{ kind: "escape", text: "\\u{202e}" },
			{ kind: "note", text: "[300 blanks]" },
			{ kind: "text", text: "x" },
		]);
	});

	it("shows the beginning and the end of what is too long, and says what lies between", () => {
		const { head, tail, hidden } = clip(visibleSegments(`first ${"true && ".repeat(1_000)}touch LAST`));
		assert.equal(head[0]?.text.startsWith("first true"), true);
		assert.equal(tail?.at(-1)?.text.endsWith("&& touch LAST"), true);
		assert.match(hidden, /^Show 6,\d{3} more characters$/);
	});

	it("cuts by lines as well, and never through a pair or an escape", () => {
		const lines = clip(visibleSegments(Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n")));
		assert.equal(lines.tail?.[0]?.text.split("\n").at(-1), "line 199");
		assert.equal(lines.hidden, "Show 180 more lines");
		const odd = clip(visibleSegments(`a${"😀".repeat(900)}`));
		assert.equal(
			[...(odd.head[0]?.text ?? "")].every((character) => character === "a" || character === "😀"),
			true,
		);
		const escapes = clip(visibleSegments("\u202e".repeat(400)));
		assert.equal(
			escapes.head.every((segment) => segment.text === "\\u{202e}"),
			true,
		);
	});

	it("leaves nothing hidden in any known trick", function () {
		const file = "../shared/vectors/commands.json";
		if (!existsSync(file)) this.skip();
		const vectors = JSON.parse(readFileSync(file, "utf8")) as { id: string; class: string; cmd: string }[];
		const shown = vectors.filter((vector) => vector.class === "display");
		assert.ok(shown.length > 0, "no display vectors");
		for (const { id, cmd } of shown) {
			const { head, tail } = clip(visibleSegments(cmd));
			const text = [...head, ...(tail ?? [])].map((segment) => segment.text).join("");
			assert.equal(/\p{Cf}|\p{Cc}(?<![\n\t])| {12}|\n{4}/u.test(text), false, `${id} hides something: ${text}`);
			assert.equal(text.endsWith(cmd.trimEnd().slice(-12)), true, `${id} does not show its end: ${text}`);
		}
	});
});

describe("what a program printed", () => {
	it("loses its colours, titles and links", () => {
		assert.equal(
			cleanOutput("\u001b[1;32mok\u001b[0m \u001b]0;title\u0007\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\"),
			"ok click",
		);
	});

	it("shows the last state of a line that was written over", () => {
		assert.equal(cleanOutput("10 %\r50 %\r100 %\r\ndone\r\n"), "100 %\ndone\n");
	});

	it("keeps what follows a code that never ends", () => {
		assert.equal(cleanOutput("\u001b]0;never closed\nnext line"), "\nnext line");
	});
});

describe("words of a model", () => {
	it("show what would reorder or hide them, and keep what emoji and scripts need", () => {
		assert.equal(
			cleanText("\u202etxt.exe \u{e0041} 👩\u200d💻 می\u200cخواهم\u0007"),
			"\\u{202e}txt.exe \\u{e0041} 👩\u200d💻 می\u200cخواهم",
		);
	});
});
