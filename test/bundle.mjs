// Bundles a program of the tests into out/, so that Node runs it as the extension's bundle is run.
import { resolve } from "node:path";
import { build } from "esbuild";

/** @type {import("esbuild").BuildOptions} */
const nodeBundle = {
	outExtension: { ".js": ".mjs" },
	bundle: true,
	splitting: true,
	packages: "external",
	format: "esm",
	platform: "node",
	target: "node20",
	sourcemap: "inline",
	logLevel: "warning",
};

/** Gives the file, as a path. `folder` is below out/; what the program imports late lies beside it. */
export async function bundled(entry, folder) {
	const outdir = resolve("out", folder);
	await build({ ...nodeBundle, entryPoints: [entry], outdir });
	return resolve(outdir, `${/([^/]+)\.ts$/.exec(entry)[1]}.mjs`);
}
