// Installs, builds and opens Troupe in VS Code for newcomers (`npm start`).

// Installs what is missing, builds the extension, and opens a real VS Code on a fresh copy of the sample: the desktop
// one if `code` is on the PATH, otherwise or with `--web` the one from npm in the browser. `--port N` sets the port of
// the latter; `--no-open` does not open the browser. Runs before anything is installed, so top-level imports are
// limited to Node's own modules.

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { access, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { ensureInstalled, root } from "./install.mjs";
import { installPackages } from "./packages.mjs";
import { cleanEnvironment, keep, run } from "./processes.mjs";
import { copySample } from "./sample.mjs";
import { installExtensions, quietSettings, startServer } from "./server.mjs";

const options = process.argv.slice(2);
const has = (option) => options.includes(option);
const optionValue = (option) => (has(option) ? options[options.indexOf(option) + 1] : undefined);
const onWindows = process.platform === "win32";

const tryThis = 'In the Troupe view (the icon in the activity bar) write: "Rename formatPrice to formatMoney everywhere"';

/** Folders to delete on exit. */
const passing = [];
process.on("exit", () => {
	for (const folder of passing) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

try {
	if (has("--help")) console.log("npm start -- [--web] [--port N] [--no-open]\nSee the head of scripts/start.mjs.");
	else await main();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
process.exit();

async function main() {
	if (Number(process.versions.node.split(".")[0]) < 20)
		throw new Error(`This needs Node 20 or newer; this one is ${process.version}. See https://nodejs.org.`);
	await installPackages();
	const scratch = await mkdtemp(join(tmpdir(), "troupe-start-"));
	passing.push(scratch);
	const vsix = join(scratch, "troupe.vsix");
	console.log("Building the extension …");
	await run(process.execPath, [join(root, "scripts", "package.mjs"), "--out", vsix], { cwd: root });
	const workspace = await copySample();
	passing.push(dirname(workspace));
	const code = has("--web") ? undefined : await findOnPath("code");
	await (code ? openDesktop(code, { vsix, scratch, workspace }) : openInBrowser({ vsix, scratch, workspace }));
}

/** Uses a separate profile, so that the user's settings and extensions are unaffected. */
async function openDesktop(code, { vsix, scratch, workspace }) {
	const userDataDir = join(scratch, "profile");
	const profile = ["--user-data-dir", userDataDir, "--extensions-dir", join(scratch, "extensions")];
	await mkdir(join(userDataDir, "User"), { recursive: true });
	await writeFile(join(userDataDir, "User", "settings.json"), JSON.stringify(quietSettings, undefined, "\t"));
	await run(code, [...profile, "--install-extension", vsix, "--force"], { env: cleanEnvironment() });
	console.log(`\nVS Code opens on ${workspace}.\n${tryThis}\nThis ends when that window is closed, or with Ctrl+C.\n`);
	const window = keep(code, [...profile, "--disable-workspace-trust", "--new-window", "--wait", workspace], { env: cleanEnvironment() });
	await Promise.race([window.gone, interrupted()]);
	await window.stop();
}

async function openInBrowser({ vsix, scratch, workspace }) {
	await ensureInstalled();
	const userDataDir = join(scratch, "profile");
	const extensionsDir = join(scratch, "extensions");
	await installExtensions({ files: [vsix], extensionsDir, userDataDir });
	const port = optionValue("--port");
	const server = await startServer({ folder: workspace, extensionsDir, userDataDir, ...(port ? { port: Number(port) } : {}) });
	console.log(`\nVS Code is at ${server.url}\n${tryThis}\nCtrl+C ends it.\n`);
	if (!has("--no-open")) openBrowser(server.url);
	await Promise.race([
		interrupted(),
		server.gone.then((how) => {
			throw new Error(`VS Code's server ended (${how}).`);
		}),
	]);
	await server.stop();
}

function interrupted() {
	return new Promise((resolve) => {
		for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
			process.removeAllListeners(signal);
			// Not `once`, since npm forwards the signal and it arrives twice.
			process.on(signal, resolve);
		}
	});
}

/** Only if there is a display. */
function openBrowser(url) {
	const openers = { darwin: ["open", url], win32: ["cmd", "/c", "start", "", url] };
	const [program, ...parameters] = openers[process.platform] ?? ["xdg-open", url];
	if (program === "xdg-open" && !process.env["DISPLAY"] && !process.env["WAYLAND_DISPLAY"]) return;
	const opener = spawn(program, parameters, { stdio: "ignore", detached: true });
	opener.on("error", () => console.log("No browser could be opened from here; open the address above in one."));
	opener.unref();
}

async function findOnPath(name) {
	const endings = onWindows ? [".cmd", ".exe"] : [""];
	for (const folder of (process.env["PATH"] ?? "").split(delimiter).filter(Boolean))
		for (const ending of endings) {
			const path = join(folder, name + ending);
			if (await isThere(path)) return path;
		}
	return undefined;
}

async function isThere(path) {
	return access(path).then(
		() => true,
		() => false,
	);
}
