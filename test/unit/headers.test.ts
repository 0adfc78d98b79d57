// Tests that every source file begins with a short header, and that doc comments are no fragments.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDERS = ["src", "webview-ui", "scripts", "test"];
const MOST_WORDS = 20;
/** A header says what the file does or holds: an imperative or a noun phrase, not a question. */
const QUESTION = /^(?:What|Who|Whose|Whether|Where|How|Of|When|Which|That|If)\b/;
/** A doc comment that begins like this can only be understood together with the name below it. */
const FRAGMENT = /\/\*\*\s+(?:\*\s+)?(?:Of|What|Who|Whose|Whether|How|Where|Which)\b/;

describe("the header of a source file", () => {
	it("is there, has at most 20 words, and is no question", () => {
		const files = filesIn(FOLDERS);
		assert.ok(files.length > 500, "found no files to check");
		assert.deepEqual(
			files.filter((file) => !isHeader(headerOf(readFileSync(file, "utf8")))),
			[],
		);
	});

	it("is seen to be missing, too long, or a question", () => {
		assert.equal(isHeader(headerOf("// Reads a file.\nimport a from 'a';\n")), true);
		assert.equal(isHeader(headerOf("import a from 'a';\n// Reads a file.\n")), false);
		assert.equal(isHeader(headerOf("// What a file holds.\n")), false);
		assert.equal(isHeader(headerOf(`// Reads ${"one file and ".repeat(7)}no more.\n`)), false);
	});
});

describe("a doc comment", () => {
	it("is a phrase or a sentence, and no fragment that only completes a name", () => {
		const files = filesIn(["src", "webview-ui"]);
		assert.ok(files.length > 500, "found no files to check");
		assert.deepEqual(
			files.filter((file) => FRAGMENT.test(readFileSync(file, "utf8"))),
			[],
		);
	});

	it("is seen to be a fragment", () => {
		assert.equal(FRAGMENT.test("/** Number of the first line. */\nline: number;\n"), false);
		assert.equal(FRAGMENT.test("// Of the first line.\nline: number;\n"), false);
		assert.equal(FRAGMENT.test('const glob = "src/**/*.ts"; // Which files.\n'), false);
		assert.equal(FRAGMENT.test("\t/** Of the first line. */\n\tline: number;\n"), true);
		assert.equal(FRAGMENT.test("\t/**\n\t * Whether the line is the first,\n\t * or not.\n\t */\n\tisFirst: boolean;\n"), true);
	});
});

function filesIn(folders: readonly string[]): string[] {
	return folders.flatMap((folder) =>
		readdirSync(folder, { recursive: true, encoding: "utf8" })
			.filter((name) => /\.(?:tsx?|mjs)$/.test(name) && !/(?:^|[\\/])fixtures[\\/]/.test(name))
			.map((name) => join(folder, name)),
	);
}

/** The first comment block, as one line; a shebang before it does not count. */
function headerOf(text: string): string {
	const block = /^(?:\/\/.*\r?\n)+/.exec(text.replace(/^#!.*\r?\n/, ""))?.[0] ?? "";
	return block
		.replaceAll(/^\/\/ ?/gm, "")
		.split(/\s+/)
		.filter(Boolean)
		.join(" ");
}

function isHeader(header: string): boolean {
	return header !== "" && header.split(" ").length <= MOST_WORDS && !QUESTION.test(header);
}
