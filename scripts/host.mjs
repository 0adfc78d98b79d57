// Runs the tests in test/host inside a real VS Code extension host.

// Uses the VS Code from npm, or with `--desktop` the desktop VS Code that @vscode/test-electron downloads; `--oldest`
// uses the oldest VS Code from npm. `--no-build` uses dist/ as it is, `--bundle-only` runs nothing; other arguments
// are file names.

import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runTests } from "@vscode/test-electron";
import { build } from "esbuild";
import { root } from "./install.mjs";
import { run } from "./processes.mjs";
import { copySample } from "./sample.mjs";
import { prepareProfile } from "./server.mjs";

const options = process.argv.slice(2).filter((word) => word.startsWith("-"));
const names = process.argv.slice(2).filter((word) => !word.startsWith("-"));

if (options.includes("--oldest")) process.env["TROUPE_VSCODE"] = "oldest";

/** Settings of all tests; a test sets further ones itself. In a browser, VS Code would save by itself what is typed. */
const settings = { "troupe.model": "offline/offline", "files.autoSave": "off" };

if (!options.includes("--no-build") && !options.includes("--bundle-only")) await run(process.execPath, ["esbuild.mjs"], { cwd: root });
const tests = await bundleTests();
if (!options.includes("--bundle-only")) await runInHost();

async function runInHost() {
	const workspace = await copySample();
	const scratch = await mkdtemp(join(tmpdir(), "troupe-profile-"));
	const extensions = join(scratch, "extensions");
	// Installs extensions that provide language models and tools; VS Code in a browser supports only one extension in
	// development.
	for (const name of ["models", "tools"])
		await cp(join(root, "test", "host", name), join(extensions, `troupe-test.${name}-0.0.1`), { recursive: true });
	const profile = join(scratch, "profile");
	// The server from npm writes its own profile.
	if (options.includes("--desktop")) await prepareProfile({ userDataDir: profile, extensionsDir: extensions, settings });
	try {
		await runTests({
			...(options.includes("--desktop") ? {} : { vscodeExecutablePath: join(root, "scripts", "fakeCode.mjs") }),
			extensionDevelopmentPath: root,
			extensionTestsPath: tests,
			extensionTestsEnv: { TEST_SETTINGS: JSON.stringify(settings), TEST_LOG: join(root, "out", "host", "console.log") },
			launchArgs: [workspace, `--user-data-dir=${profile}`, `--extensions-dir=${extensions}`],
		});
	} catch (error) {
		const what = error instanceof Error ? error.message : error;
		console.error(`${what}. The extension host's console is in out/host/console.log.`);
		process.exitCode = 1;
	} finally {
		const folders = [dirname(workspace), scratch];
		await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
	}
}

/** The extension host loads CommonJS; test files are bundled separately, so that mocha shows their names. */
async function bundleTests() {
	const outdir = join(root, "out", "host");
	const found = (await readdir(join(root, "test", "host"))).filter((name) => name.endsWith(".test.ts"));
	const chosen = found.filter((name) => names.length === 0 || names.some((word) => name.startsWith(word)));
	if (chosen.length === 0) throw new Error(`No file of test/host begins with ${names.join(" or ")}.`);
	await rm(outdir, { recursive: true, force: true });
	await build({
		absWorkingDir: root,
		entryPoints: ["index.ts", ...chosen].map((name) => join("test", "host", name)),
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
	return join(outdir, "index.js");
}
