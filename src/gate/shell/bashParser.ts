// Creates the bash parser; a separate file so that it loads with the first command.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Language, Parser } from "web-tree-sitter";

/** `folder` contains web-tree-sitter.wasm and tree-sitter-bash.wasm. */
export async function createBashParser(folder: string): Promise<Parser> {
	await Parser.init({ locateFile: () => join(folder, "web-tree-sitter.wasm") });
	const parser = new Parser();
	parser.setLanguage(await Language.load(await readFile(join(folder, "tree-sitter-bash.wasm"))));
	return parser;
}
