// Bundles the webview tests and runs them under mocha in one browser.

// `npm run ui -- words of a title` runs the tests whose titles have all of these words; `--pictures [STATE…]` takes
// screenshots of states in every theme instead.
import { spawn } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { nodeBundle } from "../test/bundle.mjs";
import { copyParser } from "./parserAssets.mjs";

const UNDER = join("test", "ui");
const PICTURES = "pictures.test.ts";

const all = process.argv.slice(2);
const words = all.filter((argument) => !argument.startsWith("-"));
const pictures = all.includes("--pictures");
const options = all.filter((argument) => argument.startsWith("-") && argument !== "--pictures");
const tests = (await readdir(UNDER, { recursive: true })).filter(
	(name) => name.endsWith(".test.ts") && name.endsWith(PICTURES) === pictures,
);
const outdir = join("out", pictures ? "ui-pictures" : "ui-tests");

await rm(outdir, { recursive: true, force: true });
await build({ ...nodeBundle, entryPoints: [...tests, "browser.ts"].map((name) => join(UNDER, name)), outbase: UNDER, outdir });
await copyParser("out/parser");
const mocha = spawn(
	process.execPath,
	[
		"--enable-source-maps",
		"node_modules/mocha/bin/mocha.js",
		"--timeout",
		"300000",
		"--reporter",
		"spec",
		"--require",
		"./scripts/unitEnd.mjs",
		"--require",
		`./${outdir.replaceAll("\\", "/")}/browser.mjs`,
		...(words.length === 0 ? [] : ["--grep", titles()]),
		...options,
		`${outdir.replaceAll("\\", "/")}/**/*.test.mjs`,
	],
	{ stdio: "inherit" },
);
mocha.on("exit", (code) => process.exit(code ?? 1));

/** Returns a pattern for titles with all words, or for pictures of one of the states. */
function titles() {
	const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
	return pictures ? `"(?:${escaped.join("|")})"` : `^${escaped.map((word) => `(?=.*${word})`).join("")}`;
}
