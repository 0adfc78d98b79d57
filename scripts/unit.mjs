// Bundles the unit tests and runs them under mocha. `npm run unit -- gate storage` runs the named rooms only.
import { spawn } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { copyParser } from "./parserAssets.mjs";

const rooms = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const options = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const all = (await readdir("test/unit", { recursive: true })).filter((name) => /\.test\.tsx?$/.test(name));
const chosen = all.filter((name) => rooms.length === 0 || rooms.some((room) => name.startsWith(room)));
const outdir = join("out", rooms.length === 0 ? "unit" : `unit-${rooms.join("-").replaceAll("/", "_")}`);

await rm(outdir, { recursive: true, force: true });
await build({
	entryPoints: chosen.map((name) => join("test/unit", name)),
	outbase: "test/unit",
	outdir,
	bundle: true,
	splitting: true,
	packages: "external",
	format: "esm",
	outExtension: { ".js": ".mjs" },
	platform: "node",
	target: "node20",
	sourcemap: "inline",
	jsx: "automatic",
	jsxImportSource: "preact",
	logLevel: "warning",
});
await copyParser("out/parser");
const mocha = spawn(
	process.execPath,
	[
		"--enable-source-maps",
		"node_modules/mocha/bin/mocha.js",
		"--timeout",
		"20000",
		"--reporter",
		"dot",
		...options,
		`${outdir}/**/*.test.mjs`,
	],
	{ stdio: "inherit" },
);
mocha.on("exit", (code) => process.exit(code ?? 1));
