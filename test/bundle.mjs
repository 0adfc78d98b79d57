// Bundles a program of the tests into out/, so that Node runs it as the extension's bundle is run.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** Gives the file, as a path. `folder` is below out/; what the program imports late lies beside it. */
export async function bundled(entry, folder) {
	const outdir = resolve("out", folder);
	await build({
		entryPoints: [entry],
		outdir,
		outExtension: { ".js": ".mjs" },
		bundle: true,
		splitting: true,
		packages: "external",
		format: "esm",
		platform: "node",
		target: "node20",
		sourcemap: "inline",
		logLevel: "warning",
	});
	return resolve(outdir, `${/([^/]+)\.ts$/.exec(entry)[1]}.mjs`);
}

/** Bundles it and runs it here. */
export async function runBundled(entry, folder) {
	await import(pathToFileURL(await bundled(entry, folder)).href);
}
