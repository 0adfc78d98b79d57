// Runs the end-to-end tests against the packaged extension in a real VS Code, driven by a browser.

// `--no-build` uses dist/ as it is, `--show` opens a visible window, `--readme` updates the images in media/,
// `--grep=WORDS` selects tests by name, and `--under=test/faults` runs those of another folder; other arguments are
// file names.

import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createVSIX } from "@vscode/vsce";
import { build } from "esbuild";
import { browserArguments, ensureBrowser } from "./browser.mjs";
import { root } from "./install.mjs";
import { run } from "./processes.mjs";
import { installExtension, startServer } from "./server.mjs";

const options = process.argv.slice(2).filter((word) => word.startsWith("-"));
const names = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const has = (option) => options.includes(option);

const settings = {
	"troupe.model": "offline/offline",
	/* Tests can read the text only without GPU rendering. */
	"terminal.integrated.gpuAcceleration": "off",
	"workbench.reduceMotion": "on",
	"window.commandCenter": false,
	"editor.minimap.enabled": false,
};

const under = options.find((option) => option.startsWith("--under="))?.slice("--under=".length) ?? "test/e2e";
const outdir = join(root, "out", [basename(under), ...names].join("-"));
const scratch = await mkdtemp(join(tmpdir(), "troupe-e2e-"));
try {
	process.exitCode = await main();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
} finally {
	await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
}

async function main() {
	const files = await bundleTests();
	const browser = await ensureBrowser();
	const userDataDir = join(scratch, "profile");
	const extensionsDir = join(scratch, "extensions");
	const vsix = join(scratch, "extension.vsix");
	await run(process.execPath, [join(root, "scripts", "package.mjs"), "--out", vsix, ...(has("--no-build") ? ["--no-build"] : [])]);
	await installExtension({ vsix, extensionsDir, userDataDir });
	await installExtension({ vsix: await packRelay(), extensionsDir, userDataDir });
	const server = await startServer({ mode: "person", extensionsDir, userDataDir, settings });
	try {
		return await runMocha(files, {
			E2E_ORIGIN: server.origin,
			E2E_SETTINGS: join(userDataDir, "User", "settings.json"),
			E2E_BROWSER: browser,
			E2E_BROWSER_ARGUMENTS: JSON.stringify(browserArguments),
			E2E_PICTURES: outdir,
			...(has("--show") ? { E2E_SHOW: "1" } : {}),
			...(has("--readme") ? { E2E_MEDIA: join(root, "media") } : {}),
		});
	} finally {
		await server.stop();
	}
}

/** Packages the extension that provides a language model for tests. */
async function packRelay() {
	const packagePath = join(scratch, "relay.vsix");
	const cwd = join(root, "test", "e2e", "relay");
	await createVSIX({ cwd, packagePath, dependencies: false, allowMissingRepository: true, skipLicense: true });
	return packagePath;
}

async function bundleTests() {
	const found = (await readdir(join(root, under))).filter((name) => name.endsWith(".test.ts"));
	const chosen = found.filter((name) => names.length === 0 || names.some((word) => name.startsWith(word)));
	if (chosen.length === 0) throw new Error(`No file of ${under} begins with ${names.join(" or ")}.`);
	await rm(outdir, { recursive: true, force: true });
	await build({
		absWorkingDir: root,
		entryPoints: chosen.map((name) => join(under, name)),
		outdir,
		bundle: true,
		splitting: true,
		packages: "external",
		external: ["*.mjs"],
		format: "esm",
		outExtension: { ".js": ".mjs" },
		platform: "node",
		target: "node20",
		sourcemap: "inline",
		logLevel: "warning",
	});
	return chosen.map((name) => join(outdir, name.replace(/\.ts$/, ".mjs")));
}

function runMocha(files, environment) {
	const mocha = join(root, "node_modules", "mocha", "bin", "mocha.js");
	const parameters = [
		"--enable-source-maps",
		mocha,
		"--timeout",
		"240000",
		"--reporter",
		"spec",
		...options.filter((option) => option.startsWith("--grep=")),
		...files,
	];
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, parameters, { cwd: root, env: { ...process.env, ...environment }, stdio: "inherit" });
		child.on("error", reject);
		child.on("close", (code) => resolve(code ?? 1));
	});
}
