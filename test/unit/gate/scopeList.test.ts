// The bounds on an agent's lists: what counts beyond them, what does not, and what is said of it.
import assert from "node:assert/strict";
import type { ScopeListKind } from "../../../src/core/ports/gate.ts";
import { findEntry, scopeLists } from "../../../src/gate/scopeList.ts";

const letters = (at: number) => String.fromCharCode(97 + (at % 26), 97 + at / 26);
const prefixes = (count: number) => Array.from({ length: count }, (_, at) => `${letters(at)}_*`);

/** What is said of a list, by the index of its entry where there is one. */
function said(list: readonly string[], kind: ScopeListKind): string[] {
	const { unusable, excess, refused } = scopeLists.inspect(list, kind);
	return [
		...unusable.map(({ index, reason }) => `${index} unusable: ${reason}`),
		...excess.map(({ index, reason }) => `${index ?? "list"} excess: ${reason}`),
		...(refused === undefined ? [] : [`refused: ${refused}`]),
	];
}

const MANY = "list excess: More than 64 patterns with wildcards; a pattern with text between two wildcards counts as several";

describe("a list of an agent", () => {
	it("has any number of names beside 64 patterns", () => {
		const names = Array.from({ length: 436 }, (_, at) => `tool_${at}`);
		for (const kind of ["allow", "deny"] as const) {
			const list = [...names, ...prefixes(64)];
			assert.deepEqual(said(list, kind), []);
			assert.deepEqual(
				["tool_0", "tool_435", "aa_x", "lc_x", "mc_x", "tool_436", "xx_x"].map((name) => findEntry(list, kind, name)),
				["tool_0", "tool_435", "aa_*", "lc_*", undefined, undefined, undefined],
			);
		}
	});

	it("takes names in braces and escaped names for names", () => {
		const list = ["{read,write}_file", "Bash(git \\*\\)", "a b", ...prefixes(64)];
		assert.deepEqual(said(list, "allow"), []);
		assert.deepEqual(
			["read_file", "write_file", "Bash(git *)", "a b", "x_file"].map((name) => findEntry(list, "allow", name)),
			["{read,write}_file", "{read,write}_file", "Bash(git \\*\\)", "a b", undefined],
		);
	});

	it("with a 65th pattern lets none of its patterns in, and keeps out all that it kept out", () => {
		const list = [...prefixes(65), "exact"];
		assert.deepEqual([said(list, "allow"), said(list, "deny")], [[MANY], [MANY]]);
		assert.deepEqual(
			["aa_x", "exact", "zz_x"].map((name) => [findEntry(list, "allow", name), findEntry(list, "deny", name)]),
			[
				[undefined, "aa_*"],
				["exact", "exact"],
				[undefined, undefined],
			],
		);
	});

	it("counts each alternative of braces that is a pattern", () => {
		assert.deepEqual(said([`{${prefixes(64).join(",")}}`.slice(0, 250)], "allow"), ["0 unusable: A bracket or brace isn't closed"]);
		assert.deepEqual(said(["{a,b,c,d,e,f,g,h}{a,b,c,d,e,f,g,h}_*"], "allow"), []);
		assert.deepEqual(said(["{a,b,c,d,e,f,g,h}{a,b,c,d,e,f,g,h}_*", "x*"], "allow"), [MANY]);
	});

	it("counts a pattern with text between wildcards as several, the more the oftener the text can begin", () => {
		const times = (count: number, pattern: (at: number) => string) => Array.from({ length: count }, (_, at) => pattern(at));
		const within = [
			times(10, (at) => `*_${letters(at)}_*`),
			times(16, (at) => `*${letters(at)}*`.replace(/(.).\*$/, "$1*")),
			times(4, () => "*aaaaaaaB*"),
			times(64, (at) => `*_${letters(at)}`),
			times(64, (at) => `${letters(at)}*_x`),
			times(64, (at) => `[rs]_${letters(at)}`),
			times(64, (at) => `${letters(at)}??`),
		];
		const beyond = [
			times(11, (at) => `*_${letters(at)}_*`),
			times(17, (at) => `*${letters(at)}*`.replace(/(.).\*$/, "$1*")),
			times(5, () => "*aaaaaaaB*"),
			times(4, () => "*\\a\\a\\a\\a\\a\\a\\a\\aB*"),
			[`?${"a".repeat(40)}*`],
			times(9, (at) => `*[${letters(at)}]*`),
		];
		assert.deepEqual(
			within.map((list) => said(list, "deny")),
			within.map(() => []),
		);
		assert.deepEqual(
			beyond.map((list) => said(list, "deny")),
			beyond.map(() => [MANY]),
		);
	});

	it("closes an allow entry with more than six wildcards, and still keeps out what a deny entry kept out", () => {
		const list = ["a*b*c*d*e*f*g*", "x*"];
		const reason = "More than 6 wildcards";
		assert.equal(said(list, "allow")[0], `0 unusable: ${reason}`);
		assert.ok(said(list, "deny").includes(`0 excess: ${reason}`));
		assert.deepEqual([findEntry(list, "allow", "abcdefg"), findEntry(list, "deny", "abcdefg")], [undefined, "a*b*c*d*e*f*g*"]);
		assert.equal(findEntry(list, "deny", "b"), undefined);
	});

	it("is closed altogether beyond what any list may cost, without its braces being unfolded", () => {
		const refused = "refused: Patterns with wildcards have more than 4096 characters in total";
		for (const list of [
			Array(500).fill("{1..64}x*"),
			Array(20).fill(`${"{a,".repeat(70)}${"}".repeat(46)}`),
			["exact", ...Array(17).fill(`${"a".repeat(249)}*`)],
		]) {
			assert.deepEqual([said(list, "allow"), said(list, "deny")], [[refused], [refused]]);
			assert.equal(findEntry(list, "allow", "exact"), undefined);
			assert.notEqual(findEntry(list, "deny", "anything"), undefined);
		}
	});
});
