// Bundles tests that run under Node into out/build.

// `npm test` bundles all of them once; a named run bundles its own.
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../install.mjs";
import { copyParser } from "../parserAssets.mjs";

/** Suites whose cases are in files named `*.test.ts`, and what they load before. */
const SUITES = ["unit", "attack", "faults", "conformance", "ui", "e2e"];
const LOADED = ["ui/browser.ts"];
/** Programs that any test may start. */
const FAKES = "fakes";

/** Scripts find their folder by their own place, so they are not bundled. */
const scriptsStay = {
	name: "scripts stay where they are",
	setup(builder) {
		builder.onResolve({ filter: /^\..*\.mjs$/ }, ({ path, resolveDir }) => ({
			path: pathToFileURL(resolve(resolveDir, path)).href,
			external: true,
		}));
	},
};

/** @type {import("esbuild").BuildOptions} */
export const testBuild = {
	absWorkingDir: root,
	outbase: "test",
	bundle: true,
	splitting: true,
	packages: "external",
	plugins: [scriptsStay],
	alias: { vscode: join(root, "test", "fakes", "editorWindow.ts") },
	// The fake has only what tests reach.
	logOverride: { "import-is-undefined": "silent" },
	format: "esm",
	outExtension: { ".js": ".mjs" },
	chunkNames: "chunks/[hash]",
	platform: "node",
	target: "node20",
	sourcemap: "inline",
	jsx: "automatic",
	jsxImportSource: "preact",
	logLevel: "warning",
};

/** The folder of a build; `all` is the one of `npm test`. File systems limit names to 255 bytes. */
export const toBuildFolder = (label) => join(root, "out", "build", label.replaceAll("/", "_").slice(0, 200));

/** The bundle of a file of test/ in a build. */
export const toBundlePath = (folder, file) => join(folder, file.replace(/\.tsx?$/, ".mjs"));

/** Files below a folder of test/, from test/. */
export async function listTests(folder, pattern) {
	const names = await readdir(join(root, "test", folder), { recursive: true });
	return names.map((name) => `${folder}/${name.replaceAll("\\", "/")}`).filter((name) => pattern.test(name));
}

/** Bundles these files of test/, and the programs that tests may start, whose folder goes to TEST_PROGRAMS. */
export async function buildTests(label, files) {
	const options = await prepareBuild(label, files);
	await build(options);
	return options.outdir;
}

/** The options for that, for builds that watch. */
export async function prepareBuild(label, files) {
	const outdir = toBuildFolder(label);
	const programs = await listTests(FAKES, /\.program\.ts$/);
	await rm(outdir, { recursive: true, force: true });
	await usePrograms(outdir);
	return { ...testBuild, entryPoints: [...files, ...programs].map((file) => join("test", file)), outdir };
}

/** The build of `npm test`, if this run belongs to one. */
export async function findWholeBuild() {
	const folder = toBuildFolder("all");
	if (!existsSync(folder)) throw new Error("Nothing is built: `node scripts/testRun/buildAll.mjs` does it.");
	await usePrograms(folder);
	return folder;
}

async function usePrograms(folder) {
	process.env["TEST_PROGRAMS"] = join(folder, FAKES);
	await copyParser(join(root, "out", "parser"));
}

/** Bundles every test that runs under Node. */
export async function buildEverything() {
	const files = await Promise.all(SUITES.map((suite) => listTests(suite, /\.(test|program)\.tsx?$/)));
	return buildTests("all", [...files.flat(), ...LOADED]);
}
