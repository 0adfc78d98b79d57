// Bundles a program of the tests into out/, so that Node runs it as the extension's bundle is run.
import { dirname, resolve } from "node:path";
import { build } from "esbuild";
import { testBuild } from "../scripts/testRun/build.mjs";

/** Gives the file, as a path. `folder` is below out/; what the program imports late lies beside it. */
export async function bundled(entry, folder) {
	const outdir = resolve("out", folder);
	await build({ ...testBuild, entryPoints: [entry], outbase: dirname(resolve(entry)), outdir });
	return resolve(outdir, `${/([^/]+)\.ts$/.exec(entry)[1]}.mjs`);
}
