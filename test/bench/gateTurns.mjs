// Bundles decisions over the sources of this tree or of another one, and runs them in processes of their own.
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/install.mjs";
import { copyParser } from "../../scripts/parserAssets.mjs";
import { run } from "../../scripts/processes.mjs";

const OURS = /^\.\.\/\.\.\/src\//;

/** Resolves with two functions that measure once more. `sources` is a folder `src` of some tree. */
export async function gateTurns(name, sources = join(root, "src")) {
	const outdir = join(root, "out", "bench", name);
	await build({
		absWorkingDir: root,
		entryPoints: { turns: "test/bench/gateTurns.ts", held: "test/bench/gateHeld.ts" },
		outdir,
		bundle: true,
		splitting: true,
		minify: true,
		format: "esm",
		outExtension: { ".js": ".mjs" },
		platform: "node",
		alias: { "@vscode/l10n": "@vscode/l10n/dist/browser.js" },
		plugins: [
			{
				name: "sources",
				setup: ({ onResolve }) => onResolve({ filter: OURS }, ({ path }) => ({ path: path.replace(OURS, `${sources}/`) })),
			},
		],
		// Some packages are CommonJS and ask for parts of Node.
		banner: { js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);' },
		nodePaths: [join(root, "node_modules")],
		target: "node20",
		logLevel: "warning",
	});
	const parser = join(outdir, "parser");
	await copyParser(parser);
	const measure = async (program, ...words) =>
		JSON.parse(await run(process.execPath, [join(outdir, `${program}.mjs`), parser, ...words], { cwd: root }));
	return { turns: (rounds) => measure("turns", String(rounds)), held: () => measure("held") };
}
