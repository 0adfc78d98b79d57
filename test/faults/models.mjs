// The matrix of failing model servers: every fault at every place of an answer, in every wire format, through the real house.
// `node test/faults/models.mjs`. Exits with 1 when a cell is wrong.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { copyParser } from "../../scripts/parserAssets.mjs";

const outfile = resolve("out/faults/models.mjs");
await copyParser("out/parser");
await build({
	entryPoints: ["test/faults/models/print.ts"],
	outfile,
	bundle: true,
	packages: "external",
	format: "esm",
	platform: "node",
	target: "node20",
	sourcemap: "inline",
	logLevel: "warning",
});
await import(pathToFileURL(outfile).href);
