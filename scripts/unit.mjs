// Bundles the tests that need no VS Code and runs them with mocha.

// `npm run unit -- gate storage` runs only the named folders; `--watch` reruns them when one of their sources changes;
// `--under=test/attack` runs the tests of another folder, `--not=vectors` skips a folder, `--quick` skips those in
// scripts/thorough.mjs; `--jobs=1` sets how many files run in parallel, `--env=NAME=VALUE` sets an environment
// variable for the tests. Files named `*.program.ts` are bundled next to the tests that start them.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join, resolve } from "node:path";
import { build, context } from "esbuild";
import { ensureBubblewrap } from "./bubblewrap.mjs";
import { copyParser } from "./parserAssets.mjs";
import { THOROUGH } from "./thorough.mjs";

const given = process.argv.slice(2);
const valuesOf = (name) => given.filter((word) => word.startsWith(`--${name}=`)).map((word) => word.slice(name.length + 3));
const OWN = /^--(under|not|jobs|env)=|^--(quick|watch)$/;
const rooms = given.filter((word) => !word.startsWith("-"));
const passed = given.filter((word) => word.startsWith("-") && !OWN.test(word));
const under = valuesOf("under")[0] ?? "test/unit";
const left = [...valuesOf("not"), ...(given.includes("--quick") ? THOROUGH : [])];
// File systems limit names to 255 bytes.
const outdir = join("out", [basename(under), ...rooms].join("-").replaceAll("/", "_").slice(0, 200));

const all = (await readdir(under, { recursive: true })).map((name) => name.replaceAll("\\", "/"));
const chosen = all
	.filter((name) => /\.test\.tsx?$/.test(name))
	.filter((name) => rooms.length === 0 || rooms.some((room) => name.startsWith(room)))
	.filter((name) => !left.some((room) => name.startsWith(room)));

const programs = all.filter((name) => name.endsWith(".program.ts"));

/** @type {import("esbuild").BuildOptions} */
const options = {
	entryPoints: [...chosen, ...programs].map((name) => join(under, name)),
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
};
const files = chosen.map((name) => join(outdir, name.replace(/\.tsx?$/, ".mjs")));

for (const assignment of valuesOf("env")) {
	const at = assignment.indexOf("=");
	process.env[assignment.slice(0, at)] = assignment.slice(at + 1);
}
await rm(outdir, { recursive: true, force: true });
await copyParser("out/parser");
await ensureBubblewrap();
await buildFakePrograms();
if (given.includes("--watch")) await watch();
else {
	await build(options);
	const all = rooms.length === 0;
	process.exitCode = await ended(startMocha(all ? [`${outdir.replaceAll("\\", "/")}/**/*.test.mjs`] : files, { sideBySide: all }));
}

/** Builds the programs in test/fakes, which any test may start, into the folder in TEST_PROGRAMS. */
async function buildFakePrograms() {
	const fakes = join("test", "fakes");
	const entryPoints = (await readdir(fakes)).filter((name) => name.endsWith(".program.ts")).map((name) => join(fakes, name));
	process.env["TEST_PROGRAMS"] = resolve(outdir, "fakes");
	await build({ ...options, entryPoints, outbase: fakes, outdir: join(outdir, "fakes") });
}

/** Watches sources, and after each build runs the test files whose output changed. */
async function watch() {
	const seen = new Map();
	let running;
	const again = {
		name: "again",
		setup(watched) {
			watched.onEnd(async ({ errors }) => {
				if (errors.length > 0) return;
				const changed = [];
				for (const file of files) {
					const hash = createHash("sha256")
						.update(await readFile(file))
						.digest("hex");
					if (seen.get(file) !== hash) changed.push(file);
					seen.set(file, hash);
				}
				if (changed.length === 0) return;
				running?.kill();
				running = startMocha(changed, { sideBySide: changed.length > 1 });
			});
		},
	};
	const watching = await context({ ...options, plugins: [again] });
	await watching.watch();
}

function startMocha(specs, { sideBySide }) {
	const jobs = valuesOf("jobs")[0] ?? String(availableParallelism() + 1);
	return spawn(
		process.execPath,
		[
			"--enable-source-maps",
			"node_modules/mocha/bin/mocha.js",
			"--timeout",
			"60000",
			"--reporter",
			"dot",
			// Tests mostly wait for files and child processes. Named folders run in order, where `.only` works, and in one
			// process, which must also end by itself; workers are terminated.
			...(sideBySide ? ["--parallel", "--jobs", jobs] : ["--require", "./scripts/unitEnd.mjs"]),
			...passed,
			...specs,
		],
		{ stdio: "inherit" },
	);
}

function ended(child) {
	return new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
}
