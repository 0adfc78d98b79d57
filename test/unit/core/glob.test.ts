// Globs: the same answers as minimatch gives, with work that stays bounded for the patterns that stall it.
import assert from "node:assert/strict";
import { minimatch } from "minimatch";
import { compileGlob, isSingleSegment } from "../../../src/core/glob/glob.ts";
import { compileTokenMatcher } from "../../../src/core/glob/globWords.ts";

function matches(pattern: string, text: string, nocase = false): boolean | string {
	const glob = compileGlob(pattern, nocase);
	return "invalid" in glob ? "invalid" : glob.matches(text);
}

const options = { dot: true, noext: true, nocomment: true, nonegate: true, platform: "linux" } as const;

describe("a glob", () => {
	// One piece beside another makes what no list of cases has: classes across braces, ends of ranges, braces that close nothing.
	const letters = ["a", "b", "A", "1", "2", "-", ".", "..", "x.ts", "\u00fc", "\u{1f600}", "#", "!", "_", "(", "|", ")", "+", "@", "$"];
	const wild = ["*", "**", "***", "?", "/", "//", "/../", "**/"];
	const classes = [
		"[",
		"]",
		"[ab]",
		"[!a]",
		"[^b]",
		"[a-c]",
		"[c-a]",
		"[A-z]",
		"[]a]",
		"[a-]",
		"[-a]",
		"[\\]a]",
		"[\\\\]",
		"[!]]",
		"[a/b]",
	];
	const braces = ["{", "}", ",", "{a,b}", "{a,*}", "{a,}", "{,}", "{}", "{a}", "{a,{b,1}}", "{{a,b}}", "{a/b,**}", "${", "{a},b}"];
	const ranges = ["{1..3}", "{3..1}", "{01..10..4}", "{-2..2}", "{a..e}", "{a..e..2}", "{c..a}", "{A..C}", "{1..3..0}"];
	const escapes = ["\\", "\\*", "\\?", "\\{", "\\}", "\\,", "\\[", "\\a", "\\/"];
	const pieces = [...letters, ...wild, ...classes, ...braces, ...ranges, ...escapes];
	const parts = [...letters, ...letters, "/", "B", "3", "c", "C", "01", "05", "{", "}", ",", "[", "]", "*", "\\"];
	/** `[b-a^c]`: minimatch drops what is no range, and then takes the ^ for a negation. */
	const misread = /\[[^\]]*\[\^|\[[^\]]*-[^\]]*\^|\[\\\^/;

	for (const [how, nocase] of [
		["", false],
		[", in any case", true],
	] as const) {
		it(`means what minimatch means, by itself and among the words of a list${how}`, () => {
			const different: string[] = [];
			let seed = nocase ? 11 : 7;
			const next = (limit: number) => {
				seed = (seed * 48271) % 2147483647;
				return seed % limit;
			};
			const one = (choices: readonly string[]) => choices[next(choices.length)] as string;
			const some = (choices: readonly string[], most: number) => Array.from({ length: 1 + next(most) }, () => one(choices)).join("");
			let matched = 0;
			for (let round = 0; round < 4_000; round++) {
				const pattern = some(pieces, 6);
				const glob = compileGlob(pattern, nocase);
				if ("invalid" in glob || misread.test(pattern)) continue;
				const match = compileTokenMatcher(glob.words());
				// What the pattern might mean, and what it surely does not.
				const likely = () => pattern.replace(/\*+|\?|\[.*?\]|\{[^{}]*\}/g, () => one(parts)).replaceAll("\\", "");
				for (let round = 0; round < 16; round++) {
					const text = round < 8 ? likely() : some(parts, 4);
					if (text === "") continue;
					const want = minimatch(text, pattern, { ...options, nocase });
					matched += Number(want);
					if (glob.matches(text) !== want) different.push(`${pattern} on ${text}`);
					if (isSingleSegment(text) && glob.words().some((_, index) => match(text)(index)) !== want)
						different.push(`the words of ${pattern} on ${text}`);
				}
			}
			assert.deepEqual(different, []);
			assert.ok(matched > 3_000, `${matched} of them matched`);
		}).timeout(20_000);
	}

	const cases: [string, string, boolean | string][] = [
		["src/**", "src/a/b.ts", true],
		["src/**", "src", false],
		["**/*.ts", "a.ts", true],
		["**/*.ts", ".x/a.ts", true],
		["*.ts", "a/b.ts", false],
		["{a,b}/{c,d}", "b/c", true],
		["a\\*", "a*", true],
		["a\\*", "ab", false],
		["+(a|b)", "a", false],
		["!a", "b", false],
		["#a", "#a", true],
		["", "a", "invalid"],
		["x".repeat(257), "x", "invalid"],
		["**/**/**/**/**/a", "a", "invalid"],
		["{1..9}", "7", true],
		["{01..20..5}", "06", true],
		["{1..65}", "1", "invalid"],
		["{1..99999999999999999999}", "1", "invalid"],
		["a/../b", "b", true],
		["src/**", "src/", true],
		["[]a]", "]", true],
		["[z-a]", "z", false],
		["[\\]]", "]", true],
		["{a,b}".repeat(7), "a", "invalid"],
		["[[:alpha:]]", "a", "invalid"],
	];
	for (const [pattern, text, want] of cases) {
		it(`${JSON.stringify(pattern).slice(0, 30)} on ${JSON.stringify(text)}: ${want}`, () => assert.equal(matches(pattern, text), want));
	}

	it("decides the patterns that stalled others (S-70)", () => {
		assert.equal(matches(`${"*".repeat(15)}b`, "a".repeat(60)), false);
		assert.equal(matches(`${"*a".repeat(100)}b`, "a".repeat(4_000)), false);
		assert.equal(matches(`${"**/".repeat(4)}b`, `${"a/".repeat(2_000)}c`), false);
		assert.equal(matches(`${"**/".repeat(11)}b`, "a/".repeat(60)), "invalid");
		assert.equal(matches("*(*(*(a|b)))", "a".repeat(60)), false);
		assert.equal(matches(`${"{a,b}".repeat(50)}`, "a"), "invalid");
	});

	it("decides what stands for the most places at once", () => {
		const nasty = [`*[!B]${"?".repeat(200)}[B-Z]*`, `${"{a,*}".repeat(6)}${"*a".repeat(14)}B`, "*?".repeat(120)];
		assert.deepEqual(
			nasty.map((pattern) => matches(pattern, "a".repeat(20_000))),
			[false, false, true],
		);
	});

	it("ignores case when asked to", () => {
		assert.equal(matches("SRC/*.TS", "src/a.ts", true), true);
		assert.equal(matches("SRC/*.TS", "src/a.ts"), false);
	});
});
