// Tests that titles of cases which people read in a red log have at most 15 words.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDERS = ["e2e", "host", "ui", "faults"];
const MOST_WORDS = 15;

describe("the title of a case in a real window, page or process", () => {
	it("has at most 15 words", () => {
		const titles = FOLDERS.flatMap((folder) =>
			readdirSync(join("test", folder), { recursive: true, encoding: "utf8" })
				.filter((name) => name.endsWith(".ts"))
				.flatMap((name) => titlesIn(readFileSync(join("test", folder, name), "utf8"))),
		);
		assert.ok(titles.length > 250, "found no titles to check");
		assert.deepEqual(titles.filter(isLong), []);
	});

	it("is seen to have 16 words, where a filled-in value is one", () => {
		const fifteen = `a \${kind.name ?? "b"}${" word".repeat(13)}`;
		const text = `it("${fifteen}", () => {});\nfor (const a of all) it(\n\t\`${fifteen} more\`,\n\tasync () => edit("x"),\n);\n`;
		assert.deepEqual(titlesIn(text).map(isLong), [false, true]);
	});
});

/** The first argument of every `it(`, where it is a string or a template. */
function titlesIn(text: string): string[] {
	return [...text.matchAll(/\bit(?:\.\w+)?\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g)].map(([, , title]) => title ?? "");
}

function isLong(title: string): boolean {
	return title.replaceAll(/\$\{[^}]*\}/g, "value").split(/\s+/).length > MOST_WORDS;
}
