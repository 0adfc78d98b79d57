// Small pure parts: escape sequences, prompts, globs, diffs.
import assert from "node:assert/strict";
import { computeDiff } from "../../../src/platform/files/diffs.ts";
import { looksLikePrompt, toPlainText } from "../../../src/platform/processes/terminalText.ts";
import { compileGlob } from "../../../src/platform/search/glob.ts";
import { bytes } from "./support.ts";

describe("text for the model", () => {
	const plain: Record<string, string> = {
		"\u001b[1;31mred\u001b[0m": "red",
		"\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u0007": "link",
		"\u001b]52;c;c2VjcmV0\u0007after": "after",
		"\u009b31mred\u009d0;title\u009cafter": "redafter",
		"\u001bP1$r0m\u001b\\dcs\u001b_apc\u001b\\": "dcs",
		"\u001b]0;never ended\nnext line": "\nnext line",
		"\u001b(Bcharset\u001b=\u001b7": "charset",
		"10%\r50%\r100%\ndone\r\n": "100%\ndone\n",
		"doubled\r\r\n": "doubled\n",
		"bell\u0007 back\bspace\u007f": "bell backspace",
		"a\0b": "a␀b",
		"tab\tand é 😀": "tab\tand é 😀",
		"\u001b[": "",
		"\u001b": "",
		"\u001b[31": "",
	};
	for (const [given, expected] of Object.entries(plain)) {
		it(`holds no escape sequence of ${JSON.stringify(given)}`, () => assert.equal(toPlainText(given), expected));
	}
});

describe("a prompt", () => {
	it("is known by the line on which the output stops", () => {
		const prompts = [
			"Password:",
			"[sudo] password for ann: ",
			"Enter passphrase for key '/x/id': ",
			"Continue? ",
			"Overwrite a.txt? (y/n) ",
		];
		const more = [
			"Proceed [Y/n]? ",
			"Username for 'https://example.org': ",
			"? Project name › ",
			"Press any key to continue . . . ",
			"(END)",
			"--More--(5%)",
		];
		const yes = "Are you sure you want to continue connecting (yes/no/[fingerprint])? ";
		for (const text of [...prompts, ...more, yes]) assert.ok(looksLikePrompt(bytes(`before\n${text}`)), text);
	});

	it("is not what merely has no newline at its end", () => {
		for (const text of ["", "done", "Building: ", "50% ", "Password: \n", "listening on :3000", "> "])
			assert.ok(!looksLikePrompt(bytes(text)), text);
	});
});

describe("a glob", () => {
	const cases: [string, string, boolean][] = [
		["*.ts", "a/b/c.ts", true],
		["*.ts", "a/b/c.tsx", false],
		["src/*.ts", "src/a.ts", true],
		["src/*.ts", "src/a/b.ts", false],
		["/a.ts", "a.ts", true],
		["/a.ts", "b/a.ts", false],
		["src/**/a.ts", "src/a.ts", true],
		["src/**/a.ts", "src/x/y/a.ts", true],
		["src/**/a.ts", "src/xa.ts", false],
		["**/test/**", "a/test/b/c", true],
		["**/test/**", "atest/b", false],
		["a?c", "abc", true],
		["a?c", "a/c", false],
		["[a-c]x", "bx", true],
		["[!a-c]x", "bx", false],
		["*.{ts,{js,jsx}}", "a.jsx", true],
		["a\\*b", "a*b", true],
		["a\\*b", "axb", false],
		["*.{ts}", "a/b.ts", true],
		["v{1..3}", "v2", false],
		["v{1..3}", "v1..3", true],
		["{a,b/c}", "x/a", true],
		["{a,b/c}", "b/c", true],
		["*", ".github", true],
		["!(a)", "b", false],
		["#a", "x/#a", true],
	];
	for (const [glob, path, expected] of cases) {
		it(`${glob} ${expected ? "takes" : "leaves"} ${path}`, () => assert.equal(compileGlob(glob)?.(path), expected));
	}

	it("that is made to take long does not", () => {
		// Tried one way after the other, each of these would not end before the test's timeout.
		const globs = [`${"*".repeat(15)}b`, `${"*a".repeat(40)}b`, "**/".repeat(40), "*(*(*(a|b)))"];
		for (const glob of globs) assert.equal(compileGlob(glob)?.("a".repeat(200)), false, glob);
		for (const glob of ["a".repeat(300), "{a,b}".repeat(7), "a\nb"]) assert.equal(compileGlob(glob), undefined, glob);
	});
});

describe("a diff", () => {
	it("says where a file has no newline at its end", () => {
		assert.deepEqual(computeDiff(bytes("a"), bytes("a\n")), {
			diff: "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a",
			added: 1,
			removed: 1,
		});
	});

	it("reads UTF-16 and windows-1252, and names what is not UTF-8", () => {
		const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
		const latin = (text: string) => Buffer.from(text, "latin1");
		const wide = computeDiff(utf16("é\n"), utf16("è\n"));
		assert.deepEqual([wide.diff, wide.encoding], ["@@ -1 +1 @@\n-\ufeffé\n+\ufeffè", "UTF-16 LE"]);
		const narrow = computeDiff(latin("\xe9\n"), latin("\xe8\n"));
		assert.deepEqual([narrow.diff, narrow.encoding], ["@@ -1 +1 @@\n-é\n+è", "windows-1252"]);
		assert.deepEqual(computeDiff(latin("\xe9\n"), bytes("é\n")), { diff: "", added: 0, removed: 0, encoding: "windows-1252 → UTF-8" });
	});

	it("says of binary content that it cannot be shown, and shows a NUL in a text", () => {
		const binary = Buffer.from([0x89, 0x50, 0, 0xff]);
		assert.deepEqual(computeDiff(undefined, binary), { diff: "", added: 0, removed: 0, unshown: { why: "binary", size: 4 } });
		assert.deepEqual(computeDiff(binary, binary), { diff: "", added: 0, removed: 0 });
		assert.equal(computeDiff(undefined, bytes("ok\0; rm -rf .\n")).diff, "@@ -0,0 +1 @@\n+ok\0; rm -rf .");
	});

	it("says of what is too large that it cannot be shown, and how much it is", () => {
		const { diff, added, unshown } = computeDiff(undefined, bytes(`${"x".repeat(99)}\n`.repeat(20_000)));
		assert.deepEqual([diff, added, unshown], ["", 20_000, { why: "large", size: 2_000_000 }]);
	});

	it("leaves out line ends that are the same everywhere, says which, and shows them where they differ", () => {
		assert.deepEqual(computeDiff(bytes("a\r\nb\r\n"), bytes("a\r\nc\r\n")), {
			diff: "@@ -1,2 +1,2 @@\n a\n-b\n+c",
			added: 1,
			removed: 1,
			lineEnds: "CRLF",
		});
		assert.deepEqual(computeDiff(bytes("a\r\nb\r\n"), bytes("a\r\nb\n")), {
			diff: "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b",
			added: 1,
			removed: 1,
		});
	});

	it("shows a byte order mark that comes or goes", () => {
		assert.equal(computeDiff(bytes("a\n"), bytes("\ufeffa\n")).diff, "@@ -1 +1 @@\n-a\n+\ufeffa");
	});

	it("of two large files with nothing in common comes in bounded time, whole", () => {
		const lines = (word: string) => bytes(Array.from({ length: 20_000 }, (_, index) => `${word} ${(index * 7_919) % 20_011}`).join("\n"));
		const { added, removed, diff } = computeDiff(lines("a"), bytes(`${Buffer.from(lines("b")).toString()}\n`));
		assert.deepEqual([added, removed], [20_000, 20_000]);
		assert.match(diff, /^@@ -1,20000 \+1,20000 @@\n/);
		assert.match(diff, /\n-a \d+\n\\ No newline at end of file\n\+b /);
	});
});
