// Tests sed scripts assessed as read-only against the real sed.

// sed's own sandbox refuses none of them, and they change nothing.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSafeSedScript } from "../../../src/gate/programs/readers/sed.ts";

/** Numbers from a seed, the same in every run. */
function random(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

const pieces = [
	...[
		"s",
		"y",
		"p",
		"d",
		"w PWNED",
		"W PWNED",
		"e touch PWNED",
		"e",
		"r .env",
		"R x",
		"q",
		"l",
		"a text",
		"i\\\n",
		"c\\",
		"{",
		"}",
		";",
		"\n",
		"#",
	],
	...[
		"/",
		"/",
		"/",
		"|",
		",",
		"1",
		"$",
		"!",
		" ",
		"[",
		"]",
		"[^",
		"[]",
		"[:",
		":]",
		"[[:alpha:]",
		"[.",
		".]",
		"\\",
		"\\n",
		"\\/",
		"\\[",
		"\\]",
	],
	...[
		"s/",
		"/w PWNED",
		"/e",
		"/g",
		":a",
		"ba",
		"t",
		"T",
		"n",
		"N",
		"=",
		"x",
		"~2",
		",+1",
		"&",
		"*",
		"a",
		"b",
		"I",
		"g",
		"0",
		"\\a",
		"y/ab/cd/",
	],
];

function scripts(count: number, seed: number): string[] {
	const next = random(seed);
	const known = new Set<string>();
	while (known.size < count) {
		const length = 1 + next(9);
		known.add(Array.from({ length }, () => pieces[next(pieces.length)]).join(""));
	}
	return [...known];
}

/** Runs `sed` once for each script, and returns the numbers of those whose outcome holds `text`. */
function ran(folder: string, list: readonly string[], words: string, text: string): number[] {
	const file = join(folder, "..", "scripts");
	writeFileSync(file, list.map((script) => `${script}\0`).join(""));
	const loop = `n=0; while IFS= read -r -d "" script; do said=$(${words} 2>&1 </dev/null); case $said in *"${text}"*) echo $n;; esac; n=$((n+1)); done < "$1"`;
	const out = execFileSync("bash", ["-c", loop, "bash", file], { cwd: folder, encoding: "utf8", maxBuffer: 64_000_000 });
	return out.split("\n").filter(Boolean).map(Number);
}

/** `SED_SCRIPTS=400000` takes as many; a thousand take about a second. */
const COUNT = Number(process.env["SED_SCRIPTS"] ?? 20_000);
const MOST = COUNT / 20;

const isGnu = execFileSync("bash", ["-c", "sed --version 2>/dev/null | head -1; true"], { encoding: "utf8" }).includes("GNU");

describe("a script of sed that is judged to only print", () => {
	const outer = mkdtempSync(join(tmpdir(), "troupe-sed-"));
	const folder = join(outer, "in");
	before(() => {
		execFileSync("mkdir", [folder]);
		writeFileSync(join(folder, "f"), "one\ntwo/x]\n[a]\n");
	});
	after(() => rmSync(outer, { recursive: true, force: true }));

	const all = scripts(COUNT, 7);
	/** Those first that hold the letter of a command that would do more. */
	const harmless = all.filter(isSafeSedScript).sort((one, other) => Number(/[weWrR]/.test(other)) - Number(/[weWrR]/.test(one)));

	it("is nothing that sed's own sandbox refuses", function () {
		if (!isGnu) return this.skip();
		assert.ok(harmless.length > 500, `only ${harmless.length} are harmless`);
		const refused = ran(folder, harmless.slice(0, MOST), 'sed --sandbox -n "$script"', "sandbox");
		assert.deepEqual(
			refused.map((index) => harmless[index]),
			[],
		);
	});

	it("changes nothing when it runs", () => {
		const some = harmless.filter((script) => !/[btT]/.test(script)).slice(0, 200);
		ran(folder, some, 'timeout 2 sed -n "$script" f', "nothing says this");
		assert.deepEqual(readdirSync(folder), ["f"]);
		assert.equal(readFileSync(join(folder, "f"), "utf8"), "one\ntwo/x]\n[a]\n");
	});

	it("is not one of those that the sandbox does refuse: the generated ones hold many", function () {
		if (!isGnu) return this.skip();
		const others = all.filter((script) => !isSafeSedScript(script)).slice(0, 700);
		const refused = ran(folder, others, 'sed --sandbox -n "$script"', "sandbox");
		assert.ok(refused.length > 50, `only ${refused.length} would do more`);
	});

	it("is none that another sed takes otherwise", () => {
		for (const script of [
			"s/[]/]/;s/w src/x/g",
			"s/[[:x/w a/;p]/b/",
			":a;s/x/y\\\nw PWNED/",
			"a\\\ntext\\\nw PWNED",
			"# more\\\nw PWNED",
			"y/[/]/x/;w PWNED/",
			"s/[/x/w a/]/y/",
			"s\nx\nw a\n",
		]) {
			assert.equal(isSafeSedScript(script), false, script);
		}
	});

	it("is what people write every day", () => {
		const daily = [
			...["1,80p", "s/a/b/g", "/foo/,/bar/p", "$!d", "s|/usr|/opt|", "s/[^/]*$//", "s/[[:space:]]*$//", "10q", "/^#/d", "s/\\s\\+/ /g"],
			...[
				":a;N;$!ba;s/\\n/,/g",
				"1!G;h;$!d",
				"/x/{s/a/b/;p}",
				"y/abc/xyz/",
				"=",
				"s/\\(a\\)\\(b\\)/\\2\\1/2p",
				"a hello",
				"1i\\\nhead",
				"n;d",
			],
			...["s/a/b/; s/c/d/ # why", "/a/!d", "2,+3p", "0~3d", "s#a#b#I", "/^$/N;/^\\n$/D"],
		];
		assert.deepEqual(
			daily.filter((script) => !isSafeSedScript(script)),
			[],
		);
	});
});
