// Loads modules of the editor's room on the editor that only keeps what it is shown.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

type Editor = typeof import("./editorWindow.ts");

/** The exports of these files and of the editor behind them. `name` tells apart who loads. */
export async function onEditorWindow<T>(name: string, ...files: string[]): Promise<T & Editor> {
	const outfile = resolve("out", `unit-${name}`, `${name}-${process.pid}.mjs`);
	const exported = [...files.map((file) => `export * from "./${file}";`), 'export * from "vscode";'];
	await build({
		stdin: { contents: exported.join(" "), resolveDir: resolve("."), loader: "ts" },
		alias: { vscode: resolve(join("test", "fakes", "editorWindow.ts")) },
		external: ["@vscode/l10n"],
		// What is not reached need not be there.
		logOverride: { "import-is-undefined": "silent" },
		bundle: true,
		platform: "node",
		format: "esm",
		outfile,
		logLevel: "warning",
	});
	return import(pathToFileURL(outfile).href);
}
