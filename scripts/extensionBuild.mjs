// Bundles the extension: code-split along dynamic imports, then converted to CommonJS for the extension host.

import { basename, join } from "node:path";
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
		// Its ES module uses `import.meta.url`, which CommonJS lacks.
		"web-tree-sitter": join(root, "node_modules/web-tree-sitter/web-tree-sitter.cjs"),
		// Its UMD build loads modules with a `require` that bundlers cannot resolve.
		"jsonc-parser": join(root, "node_modules/jsonc-parser/lib/esm/main.js"),
	},
	metafile: true,
	write: false,
	logLevel: "warning",
};

/**
 * Converts the output to CommonJS files by name. The entry and its static imports become one file, since each required file costs
 * the extension host about a millisecond. Other files load shared modules from it.
 */
export async function asFiles({ outputFiles, metafile }, entry) {
	const code = new Map();
	for (const { path, text } of outputFiles) code.set(basename(path), await asCommonJs(text));
	const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
	const together = new Set([entry]);
	for (const name of together)
		for (const { path, kind } of outputs.get(name).imports)
			if (kind === "import-statement" && code.has(basename(path))) together.add(basename(path));
	// In parentheses they are compiled with the file: each runs at once, and would otherwise be parsed twice.
	const parts = [...together].map((name) => `${JSON.stringify(`./${name}`)}:(function(module,exports,require){${code.get(name)}})`);
	const merged = outputs.get(entry);
	for (const name of together) {
		code.delete(name);
		if (name === entry) continue;
		Object.assign(merged.inputs, outputs.get(name).inputs);
		merged.bytes += outputs.get(name).bytes;
		delete metafile.outputs[Object.keys(metafile.outputs).find((path) => basename(path) === name)];
	}
	const shared = (whole, path) => (together.has(path.slice(2)) ? `require("./${entry}").part("${path}")` : whole);
	for (const [name, text] of code) code.set(name, text.replaceAll(/\brequire\("(\.\/[^"]+)"\)/g, shared));
	code.set(
		entry,
		`"use strict";const parts={${parts.join(",")}},made={},part=(name)=>{if(made[name])return made[name].exports;const module=made[name]={exports:{}};if(Object.hasOwn(parts,name))parts[name](module,module.exports,part);else module.exports=require(name);return module.exports};module.exports={...part("./${entry}"),part};`,
	);
	return code;
}

export async function asCommonJs(text) {
	const options = { format: "cjs", platform: "node", target: "node20", supported: { "dynamic-import": false }, minify: true };
	const { code } = await transform(text, options);
	// The helper would copy hundreds of API names for each file that imports it.
	return code.replaceAll(/\b[\w$]+\(require\("vscode"\)\)/g, 'require("vscode")');
}
