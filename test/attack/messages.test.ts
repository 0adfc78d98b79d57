// What others named is named in messages of the editor, which make links of Markdown: none of it becomes one.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageText } from "../../src/shared/safeText.ts";

/** As the workbench reads the text of a message. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;

describe("A message of the editor", () => {
	it("has no link, however a file, a note or an agent is called", () => {
		for (const name of [
			"[Update](command:workbench.extensions.installExtension?%22evil.ext%22).json",
			"[[x]](command:x)",
			"[x]\u200b(command:x)",
			'[x](https://evil.example "title")',
			"[a](file:///etc/passwd)",
			"[x](COMMAND:x)",
		]) {
			const shown = messageText(`The agent “${name}” cannot be used.`);
			assert.deepEqual(shown.match(LINK), null, shown);
			assert.ok(!/\p{Cf}/u.test(shown));
		}
		assert.equal(messageText("Nothing [odd] here (at all)."), "Nothing [odd] here (at all).");
	});

	it("says no error's words as they stand", () => {
		const folders = ["src/vscode", "src/engine"];
		const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)));
		const raw = files
			.filter((name) => name.endsWith(".ts"))
			.flatMap((name) =>
				[...readFileSync(name, "utf8").matchAll(/show(?:Warning|Error|Information)Message\((?:String\(|error\b|why\b|message\b).*/g)].map(
					([found]) => `${name}: ${found}`,
				),
			);
		assert.deepEqual(raw, []);
	});
});
