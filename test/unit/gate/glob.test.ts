// Tests globs against minimatch: fixed options, limits on one pattern, and files of a plan's step.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { compileGlob, stepNames } from "../../../src/gate/glob.ts";

type Kind = Parameters<typeof compileGlob>[1];

const KINDS: readonly Kind[] = ["entry", "tool", "path", "stepFile"];

function matches(pattern: string, text: string, kind: Kind = "tool"): boolean | "invalid" {
	const glob = compileGlob(pattern, kind);
	return "invalid" in glob ? "invalid" : glob.matches(text);
}

describe("a glob of the gate", () => {
	const everywhere: [why: string, pattern: string, text: string, want: boolean | "invalid"][] = [
		["matches names that begin with a dot", "*", ".env", true],
		["goes into folders that begin with a dot", "**/*.ts", ".x/a.ts", true],
		["never matches a folder's way up", "**", "../x", false],
		["takes an extended glob for the characters that it has", "+(a|b)", "a", false],
		["takes a number sign for a character", "#a", "#a", true],
		["takes a backslash for an escape, as on Linux", "a\\*", "a*", true],
		["takes no backslash for a separator", "a/b", "a\\b", false],
		["stays within a name with one star", "*.ts", "a/b.ts", false],
		["matches what is in a folder and not the folder", "src/**", "src", false],
		["matches a folder with its slash", "src/**", "src/", true],
		["has alternatives", "{a,b}/{c,d}", "b/c", true],
		["has ranges", "{01..20..5}", "06", true],
		["has classes", "[]a]", "]", true],
		["has classes that are negated", "[!a-c]", "b", false],
		["has no class that runs backwards", "[z-a]", "z", false],
		["resolves the way up", "a/../b", "b", true],
		["takes an invisible character for a character", "a?b", "a\u200bb", true],
		["matches an emoji with one question mark", "?", "\u{1f600}", true],
		["is not to be empty", "", "", "invalid"],
		["is not to be longer than a name", "x".repeat(257), "x", "invalid"],
		["may be as long as a name", "x".repeat(256), "x".repeat(256), true],
		["has no more than four globstars", "**/**/**/**/**/a", "a", "invalid"],
		["has no more than 64 alternatives", "{1..65}", "1", "invalid"],
		["has no more than 64 alternatives of several braces", "{a,b}".repeat(7), "a", "invalid"],
		["has no more alternatives than can be counted", "{1..99999999999999999999}", "1", "invalid"],
		["has braces that stand for at most 4,096 characters", `{a,b}{a,b}{a,b}{a,b}{a,b}${"x".repeat(130)}`, "a", "invalid"],
		["has no class by name", "[[:alpha:]]", "a", "invalid"],
	];
	for (const [why, pattern, text, want] of everywhere) {
		it(`${why}: ${JSON.stringify(pattern).slice(0, 30)}`, () => {
			for (const kind of KINDS) assert.equal(matches(pattern, text, kind), want, kind);
		});
	}

	it("has the same options on every platform", async () => {
		const folder = await mkdtemp(join(tmpdir(), "troupe-glob-"));
		try {
			const program = join(folder, "windows.cjs");
			const contents = `import { compileGlob } from "./src/gate/glob.ts";
				const matches = (text) => ["entry", "tool", "path", "stepFile"].map((kind) => compileGlob("a\\\\*/b", kind).matches(text));
				console.log(JSON.stringify([matches("a*/b"), matches("a*\\\\b")]));`;
			await build({ stdin: { contents, resolveDir: process.cwd() }, bundle: true, platform: "node", outfile: program });
			const env = { ...process.env, __MINIMATCH_TESTING_PLATFORM__: "win32" };
			const printed = execFileSync(process.execPath, [program], { env, encoding: "utf8" });
			assert.deepEqual(JSON.parse(printed), [Array(4).fill(true), Array(4).fill(false)]);
		} finally {
			await rm(folder, { recursive: true });
		}
	});

	it("ignores case where it is about a rule's paths, and nowhere else", () => {
		for (const kind of KINDS) assert.equal(matches("SRC/*.TS", "src/a.ts", kind), kind === "path", kind);
	});

	it("is negated by an exclamation mark in an agent's list, and nowhere else", () => {
		for (const kind of KINDS) assert.equal(matches("!a", "b", kind), kind === "entry", kind);
		for (const kind of KINDS) assert.equal(matches("!a", "!a", kind), true, kind);
		assert.deepEqual([matches("!!a", "a", "entry"), matches("!", "a", "entry")], [true, "invalid"]);
	});

	it("says that it goes beyond its bounds with more than six wildcards in one alternative", () => {
		const beyond = (pattern: string) => "excess" in compileGlob(pattern, "path");
		const six = ["*a".repeat(6), "?".repeat(6), "[ab]".repeat(6), "{*a*b*c,*d*e*f*g*h*i}", `${"**/".repeat(4)}*.*`, `\\*${"*a".repeat(6)}`];
		const seven = ["*a".repeat(7), "?".repeat(7), "[ab]".repeat(7), "{a,*d*e*f*g*h*i*j}", `${"**/".repeat(4)}*.*?`];
		assert.deepEqual([six.filter(beyond), seven.filter((pattern) => !beyond(pattern))], [[], []]);
	});

	it("decides at once what stalls other matchers", function () {
		// Backtracking takes seconds to years here; this is a limit of the runner's, not a measurement.
		this.timeout(2_000);
		assert.equal(matches(`${"*".repeat(15)}b`, "a".repeat(60)), false);
		assert.equal(matches(`${"*a".repeat(100)}b`, "a".repeat(4_000)), false);
		assert.equal(matches(`${"**/".repeat(4)}b`, `${"a/".repeat(2_000)}c`), false);
		assert.equal(matches(`${"**/a*b*/".repeat(4)}b`, `${"aab/".repeat(1_000)}c`), false);
		assert.equal(matches("*(*(*(a|b)))", "a".repeat(60)), false);
		assert.equal(matches("{a,b}".repeat(50), "a"), "invalid");
		assert.equal(matches(`${"{a,b".repeat(40)}${"}".repeat(40)}`, "c"), false);
		assert.equal(matches(`*[!B]${"?".repeat(200)}[B-Z]*`, "a".repeat(20_000)), false);
		assert.equal(matches(`${"{a,*}".repeat(6)}${"*a".repeat(14)}B`, "a".repeat(2_000)), false);
	});
});

describe("the files of a plan's step", () => {
	it("name paths as they are, with and without a dot before them", () => {
		const files = ["src/a.ts", "./src/b.ts", "a b@c-d.md"];
		assert.deepEqual(
			["src/a.ts", "src/b.ts", "a b@c-d.md", "src/A.ts", "src", "src/c.ts"].map((path) => stepNames(files, path)),
			[true, true, true, false, false, false],
		);
	});

	it("name paths by globs, in which an exclamation mark is a character", () => {
		const files = ["src/**/*.{ts,tsx}", "!docs/**"];
		assert.deepEqual(
			["src/x/a.tsx", "src/.x/a.ts", "src/a.js", "test/a.ts", "!docs/a"].map((path) => stepNames(files, path)),
			[true, true, false, false, true],
		);
	});

	it("name nothing with what can't be used or goes beyond the bounds, and the others still count", () => {
		const files = ["", "x".repeat(300), "{1..300}", `${"*a".repeat(7)}*`, "**/**/**/**/**/a", "src/*"];
		assert.deepEqual(
			["a", "1", "aaaaaaa", "src/a", "x".repeat(300)].map((path) => stepNames(files, path)),
			[false, false, false, true, false],
		);
	});

	it("have 64 globs that count, and any number of paths", () => {
		const files = [...Array.from({ length: 65 }, (_, at) => `f${at}/*`), ...Array.from({ length: 500 }, (_, at) => `a/${at}.ts`)];
		assert.deepEqual(
			["f0/x", "f63/x", "f64/x", "a/499.ts"].map((path) => stepNames(files, path)),
			[true, true, false, true],
		);
	});
});
