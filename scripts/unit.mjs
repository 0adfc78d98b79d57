// Bundles tests that need no VS Code and runs them under mocha. `npm run unit -- gate storage` runs the named rooms only;
// `--under=test/attack` takes the tests of another folder, `--not=vectors` leaves a room out.
import { spawn } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { ensureBubblewrap } from "./bubblewrap.mjs";
import { copyParser } from "./parserAssets.mjs";

const rooms = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const UNDER = "--under=";
const under = process.argv.find((argument) => argument.startsWith(UNDER))?.slice(UNDER.length) ?? "test/unit";
const NOT = "--not=";
const left = process.argv.filter((argument) => argument.startsWith(NOT)).map((argument) => argument.slice(NOT.length));
const options = process.argv
	.slice(2)
	.filter((argument) => argument.startsWith("-") && !argument.startsWith(UNDER) && !argument.startsWith(NOT));
const all = (await readdir(under, { recursive: true })).filter((name) => /\.test\.tsx?$/.test(name));
const chosen = all
	.filter((name) => rooms.length === 0 || rooms.some((room) => name.startsWith(room)))
	.filter((name) => !left.some((room) => name.startsWith(room)));
const outdir = join("out", [basename(under), ...rooms].join("-").replaceAll("/", "_"));

await rm(outdir, { recursive: true, force: true });
await build({
	entryPoints: chosen.map((name) => join(under, name)),
	outbase: under,
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
await ensureBubblewrap();
const mocha = spawn(
	process.execPath,
	[
		"--enable-source-maps",
		"node_modules/mocha/bin/mocha.js",
		"--timeout",
		"60000",
		"--reporter",
		"dot",
		// Tests wait for files and children more than they compute. Named rooms run in order, where `.only` counts, and in one
		// process: it must end, too. Workers are ended.
		...(rooms.length === 0 ? ["--parallel", "--jobs", String(availableParallelism() + 1)] : ["--require", "./scripts/unitEnd.mjs"]),
		...options,
		`${outdir}/**/*.test.mjs`,
	],
	{ stdio: "inherit" },
);
mocha.on("exit", (code) => process.exit(code ?? 1));
