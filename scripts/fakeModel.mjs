// Starts the fake model server and prints its base URL. PORT sets the port.
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const outfile = resolve(join("out", "fake-model.mjs"));
await mkdir("out", { recursive: true });
await build({
	entryPoints: ["test/fakes/modelServer/command.ts"],
	outfile,
	bundle: true,
	packages: "external",
	format: "esm",
	platform: "node",
	target: "node20",
	logLevel: "warning",
});
await import(pathToFileURL(outfile).href);
