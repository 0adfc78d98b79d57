// How the extension is bundled: split along its dynamic imports, then made CommonJS, which is what the extension host wants.

import { join } from "node:path";
import { transform } from "esbuild";
import { root } from "./install.mjs";

export const extensionBuild = {
	bundle: true,
	splitting: true,
	format: "esm",
	platform: "node",
	target: "node20",
	external: ["vscode"],
	alias: {
		// Its ES module asks for `import.meta.url`, which CommonJS has not.
		"web-tree-sitter": join(root, "node_modules/web-tree-sitter/web-tree-sitter.cjs"),
		// Its other form asks for its parts by a `require` that no bundler sees.
		"jsonc-parser": join(root, "node_modules/jsonc-parser/lib/esm/main.js"),
	},
	metafile: true,
	write: false,
	logLevel: "warning",
};

export async function asCommonJs(text) {
	const options = { format: "cjs", platform: "node", target: "node20", supported: { "dynamic-import": false }, minify: true };
	return (await transform(text, options)).code;
}
