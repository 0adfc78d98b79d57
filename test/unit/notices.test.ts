// THIRD_PARTY_NOTICES.md: the license of everything that is bundled.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { thirdPartyNotices } from "../../scripts/notices.mjs";

async function noticesOf(contents: string): Promise<string> {
	const { metafile } = await build({
		stdin: { contents, resolveDir: process.cwd() },
		bundle: true,
		write: false,
		metafile: true,
		platform: "node",
		format: "esm",
	});
	return thirdPartyNotices([metafile], ".");
}

const headings = (text: string): string[] => [...text.matchAll(/^## (.+)$/gm)].flatMap(([, names = ""]) => names.split(", "));
const versionOf = (name: string): string => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;

describe("the notices of a bundle", () => {
	it("hold each package of which a part is in it, with its version and license, and no other", async () => {
		const text = await noticesOf('import { parse } from "jsonc-parser"; import { diffLines } from "diff"; console.log(parse);');
		const expected = ["jsonc-parser", "tree-sitter-bash", "web-tree-sitter"].map((name) => `${name} ${versionOf(name)}`);
		assert.deepEqual(headings(text).sort(), expected);
		assert.ok(text.includes(readFileSync("node_modules/jsonc-parser/LICENSE.md", "utf8").replaceAll("\r\n", "\n").trim()));
	});

	it("have the text of the license for a package that only names it", async () => {
		const text = await noticesOf('import { config } from "@vscode/l10n"; console.log(config);');
		assert.match(text, /## @vscode\/l10n [\d.]+\n\n````text\nThe MIT License \(MIT\)/);
	});

	it("go into the package that people install", () => {
		assert.match(readFileSync(".vscodeignore", "utf8"), /^!THIRD_PARTY_NOTICES\*$/m);
	});
});
