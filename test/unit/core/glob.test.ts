// Globs: the same answers as minimatch gives, with work that stays bounded for the patterns that stall it.
import assert from "node:assert/strict";
import { minimatch } from "minimatch";
import { compileGlob } from "../../../src/core/glob.ts";

function matches(pattern: string, text: string, nocase = false): boolean | string {
	const glob = compileGlob(pattern, nocase);
	return "invalid" in glob ? "invalid" : glob.matches(text);
}

const options = { dot: true, noext: true, nocomment: true, nonegate: true };

describe("a glob", () => {
	it("means what minimatch means", () => {
		const pieces = ["a", "b", ".", "*", "**", "?", "/", "[ab]", "[!a]", "{a,b}", "x.ts", "{a,*}", "..", "[a-c]"];
		const texts = [
			"a",
			"b",
			"ab",
			"a/b",
			"a/b/a",
			".a",
			"a/.b",
			"x.ts",
			"a/x.ts",
			"b/a/x.ts",
			"ba",
			"..",
			"a/..",
			"a/../b",
			"c",
			"abc/x.ts",
		];
		const different: string[] = [];
		let seed = 7;
		const next = (limit: number) => {
			seed = (seed * 48271) % 2147483647;
			return seed % limit;
		};
		for (let round = 0; round < 2_000; round++) {
			const pattern = Array.from({ length: 1 + next(5) }, () => pieces[next(pieces.length)]).join("");
			const glob = compileGlob(pattern);
			if ("invalid" in glob || /\/\/|\/$|^\/|\.\.|\/\.\/|^\.\/|\/\.$/.test(pattern)) continue;
			for (const text of texts) {
				if (glob.matches(text) !== minimatch(text, pattern, options)) different.push(`${pattern} on ${text}`);
			}
		}
		assert.deepEqual(different, []);
	});

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
		["{1..9}", "1", "invalid"],
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

	it("ignores case when asked to", () => {
		assert.equal(matches("SRC/*.TS", "src/a.ts", true), true);
		assert.equal(matches("SRC/*.TS", "src/a.ts"), false);
	});
});
