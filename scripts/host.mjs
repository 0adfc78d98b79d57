// Runs the tests in test/host inside a real VS Code extension host.

// Uses the VS Code from npm, or with `--desktop` the desktop VS Code that @vscode/test-electron downloads; `--oldest`
// uses the oldest VS Code from npm. `--no-build` uses dist/ as it is; `--once` and `--repeat=5` are in
// scripts/testRun/suite.mjs; other arguments are file names.

import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { runTests } from "@vscode/test-electron";
import { build } from "esbuild";
import { root } from "./install.mjs";
import { run } from "./processes.mjs";
import { copySample } from "./sample.mjs";
import { prepareProfile } from "./server.mjs";
import { listTests, toBuildFolder } from "./testRun/build.mjs";
import { findOurErrors, readLogs } from "./testRun/logs.mjs";
import { writeLine } from "./testRun/secondChance.mjs";
import { readSuiteOptions, runSuite, toPattern } from "./testRun/suite.mjs";

const options = process.argv.slice(2).filter((word) => word.startsWith("-"));
const names = process.argv.slice(2).filter((word) => !word.startsWith("-"));

if (options.includes("--oldest")) process.env["TROUPE_VSCODE"] = "oldest";

/** Settings of all tests; a test sets further ones itself. In a browser, VS Code would save by itself what is typed. */
const settings = { "troupe.model": "offline/offline", "files.autoSave": "off" };
const failed = join(root, "out", "host", "failed");

if (!options.includes("--no-build")) await run(process.execPath, ["esbuild.mjs"], { cwd: root });
await rm(failed, { recursive: true, force: true });
const tests = await bundleTests();
process.exitCode = await runSuite({ name: "host", ...readSuiteOptions(options), run: runInHost });

/** Each run has a VS Code and a workspace of its own. */
async function runInHost({ results, attempt, only }) {
	const workspace = await copySample();
	const scratch = await mkdtemp(join(tmpdir(), "troupe-profile-"));
	const extensions = join(scratch, "extensions");
	// Installs extensions that provide language models and tools; VS Code in a browser supports only one extension in
	// development.
	for (const name of ["models", "tools"])
		await cp(join(root, "test", "host", name), join(extensions, `troupe-test.${name}-0.0.1`), { recursive: true });
	const profile = join(scratch, "profile");
	const log = join(scratch, "console.log");
	// The server from npm writes its own profile.
	if (options.includes("--desktop")) await prepareProfile({ userDataDir: profile, extensionsDir: extensions, settings });
	try {
		await runTests({
			...(options.includes("--desktop") ? {} : { vscodeExecutablePath: join(root, "scripts", "fakeCode.mjs") }),
			extensionDevelopmentPath: root,
			extensionTestsPath: tests,
			extensionTestsEnv: {
				TEST_SETTINGS: JSON.stringify(settings),
				TEST_LOG: log,
				TEST_RESULTS: results,
				TEST_ROOT: root,
				TEST_FAILED: join(failed, attempt),
				...(only && { TEST_PATTERN: toPattern(only) }),
			},
			launchArgs: [workspace, `--user-data-dir=${profile}`, `--extensions-dir=${extensions}`],
		});
		return 0;
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		await keepLogs(join(failed, attempt), results, { log, profile });
		return 1;
	} finally {
		const folders = [dirname(workspace), scratch];
		await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
	}
}

/** Keeps the host's console and logs, and adds errors of ours in them to the results of the run. */
async function keepLogs(folder, results, { log, profile }) {
	await mkdir(folder, { recursive: true });
	await cp(log, join(folder, "console.log")).catch(() => undefined);
	const logs = await readLogs(profile);
	for (const { name, entries } of logs) await writeFile(join(folder, name), entries.join("\n"));
	const problems = findOurErrors(logs);
	if (problems.length > 0) await writeLine(results, { problems });
	console.error(`The window's last state and its logs are in ${folder}.`);
}

/** The extension host loads CommonJS; test files are bundled separately, so that mocha shows their names. */
async function bundleTests() {
	const outdir = toBuildFolder(["host", ...names].join("-"));
	const found = (await listTests("host", /^host\/[^/]+\.test\.ts$/)).map((name) => basename(name));
	const chosen = found.filter((name) => names.length === 0 || names.some((word) => name.startsWith(word)));
	if (chosen.length === 0) throw new Error(`No file of test/host begins with ${names.join(" or ")}.`);
	await rm(outdir, { recursive: true, force: true });
	await build({
		absWorkingDir: root,
		entryPoints: ["index.ts", ...chosen].map((name) => join("test", "host", name)),
		outbase: "test",
		outdir,
		bundle: true,
		external: ["vscode", "mocha"],
		// ES modules in packages use `import.meta.url`, which CommonJS lacks.
		define: { "import.meta.url": "importMetaUrl" },
		banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
		alias: { "web-tree-sitter": join(root, "node_modules/web-tree-sitter/web-tree-sitter.cjs") },
		format: "cjs",
		platform: "node",
		target: "node20",
		sourcemap: "inline",
		logLevel: "warning",
	});
	return join(outdir, "host", "index.js");
}
