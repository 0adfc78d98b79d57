// Runs the end-to-end tests against the packaged extension in a real VS Code, driven by a browser.

// `--no-build` uses dist/ as it is, `--show` opens a visible window, `--readme` updates the images in media/, `--themes`
// takes pictures in all themes, `--grep=WORDS` selects tests by name, and `--under=test/faults` runs those of another
// folder; `--built` takes the tests from the build of `npm test`; `--once` and `--repeat=5` are in scripts/testRun/suite.mjs.
// Other arguments are file names.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createVSIX } from "@vscode/vsce";
import { browserArguments, ensureBrowser } from "./browser.mjs";
import { root } from "./install.mjs";
import { run } from "./processes.mjs";
import { installExtensions, startServer } from "./server.mjs";
import { buildTests, findWholeBuild, listTests, toBundlePath } from "./testRun/build.mjs";
import { runMocha } from "./testRun/mocha.mjs";
import { readSuiteOptions, runSuite, toPattern } from "./testRun/suite.mjs";

const options = process.argv.slice(2).filter((word) => word.startsWith("-"));
const names = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const has = (option) => options.includes(option);

const settings = {
	"troupe.model": "offline/offline",
	/* Tests can read the text only without GPU rendering. */
	"terminal.integrated.gpuAcceleration": "off",
	"workbench.reduceMotion": "on",
	/* Extensions that run in the page are VS Code's own, which no case is about; ours runs on the server. */
	"extensions.webWorker": false,
	"window.commandCenter": false,
	/* In a browser, VS Code would save by itself what is typed. */
	"files.autoSave": "off",
	"editor.minimap.enabled": false,
	/* Keeps the TypeScript server from starting, for cases that are not about it. */
	"files.associations": { "*.ts": "plaintext" },
};

const optionValue = (option) => options.find((each) => each.startsWith(`${option}=`))?.slice(option.length + 1);
const folder = basename(optionValue("--under") ?? "test/e2e");
const pictures = join(root, "out", [folder, ...names].join("-"));
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
	const tests = await chooseTests();
	await rm(pictures, { recursive: true, force: true });
	const bundle = has("--built") ? await findWholeBuild() : await buildTests([folder, ...names].join("-"), tests);
	const browser = await ensureBrowser();
	const userDataDir = join(scratch, "profile");
	const extensionsDir = join(scratch, "extensions");
	const vsix = join(scratch, "extension.vsix");
	await run(process.execPath, [join(root, "scripts", "package.mjs"), "--out", vsix, ...(has("--no-build") ? ["--no-build"] : [])]);
	await installExtensions({ files: [vsix, await pack("relay"), await pack("driver")], extensionsDir, userDataDir });
	const driver = join(scratch, "driver.sock");
	const server = await startServer({
		mode: "person",
		extensionsDir,
		userDataDir,
		settings,
		isLean: true,
		environment: { E2E_DRIVER: driver },
	});
	try {
		const environment = {
			E2E_ORIGIN: server.origin,
			E2E_SETTINGS: join(userDataDir, "User", "settings.json"),
			E2E_BROWSER: browser,
			E2E_BROWSER_ARGUMENTS: JSON.stringify(browserArguments),
			E2E_DRIVER: driver,
			E2E_PICTURES: pictures,
			...(has("--themes") ? { E2E_THEMES: "1" } : {}),
			...(has("--show") ? { E2E_SHOW: "1" } : {}),
			...(has("--readme") ? { E2E_MEDIA: join(root, "media") } : {}),
		};
		return await runSuite({
			name: folder,
			// What is no end-to-end test, such as killed extension hosts, never runs again.
			...readSuiteOptions(folder === "e2e" ? options : [...options, "--once"]),
			run: ({ results, attempt, only }) =>
				runMocha({
					files: (only ? [only.file.slice("test/".length)] : tests).map((name) => toBundlePath(bundle, name)),
					pattern: only ? toPattern(only) : optionValue("--grep"),
					timeout: 240_000,
					environment: { ...environment, TEST_RESULTS: results, TEST_ATTEMPT: attempt },
				}),
		});
	} finally {
		await server.stop();
	}
}

/** Packages an extension of the tests: `relay` provides a language model, `driver` acts in windows. */
async function pack(name) {
	const packagePath = join(scratch, `${name}.vsix`);
	const cwd = join(root, "test", "e2e", name);
	await createVSIX({ cwd, packagePath, dependencies: false, allowMissingRepository: true, skipLicense: true, allowStarActivation: true });
	return packagePath;
}

async function chooseTests() {
	const found = (await listTests(folder, /^[^/]+\/[^/]+\.test\.ts$/)).map((name) => basename(name));
	const chosen = found.filter((name) => names.length === 0 || names.some((word) => name.startsWith(word)));
	if (chosen.length === 0) throw new Error(`No file of test/${folder} begins with ${names.join(" or ")}.`);
	return chosen.map((name) => `${folder}/${name}`);
}
