#!/usr/bin/env node
// Stands in for the desktop VS Code executable and runs extension host tests in a headless browser.

// Accepts the arguments that `runTests` of @vscode/test-electron passes, uses the VS Code from npm, prints the tests'
// output and exits with their exit code. All other output of the host goes to the file that TEST_LOG names.

import { appendFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { browserArguments, ensureBrowser } from "./browser.mjs";
import { startServer, workbenchUrl } from "./server.mjs";

const given = process.argv.slice(2);
const valuesOf = (name) => given.filter((each) => each.startsWith(`--${name}=`)).map((each) => each.slice(name.length + 3));
const scratch = await mkdtemp(join(tmpdir(), "troupe-host-"));
const folder = resolve(given.find((each) => !each.startsWith("-")) ?? scratch);
const logFile = process.env["TEST_LOG"] ?? join(scratch, "console.log");
const settings = JSON.parse(process.env["TEST_SETTINGS"] ?? "{}");

/** VS Code's own startup messages. */
const workbenchChatter = /^(\[[\w:-]+\] |Resolv(ing|ed) connection|Creating a socket|Updating additional|Settings Sync|Started local)/;

/** Milliseconds without output after which the host counts as hung. */
const timeout = 180_000;

async function main() {
	const server = await startServer({
		mode: "test",
		extensionsDir: valuesOf("extensions-dir")[0] ?? join(scratch, "extensions"),
		userDataDir: valuesOf("user-data-dir")[0] ?? join(scratch, "profile"),
		trust: given.includes("--disable-workspace-trust"),
		isLean: true,
		settings,
	});
	const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: browserArguments });
	try {
		const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
		return await runIn(page, server.origin);
	} finally {
		await browser.close();
		await server.stop();
	}
}

async function runIn(page, origin) {
	const authority = new URL(origin).host;
	const remote = (path) => `vscode-remote://${authority}${resolve(path)}`;
	const payload = ["extensionDevelopmentPath", "extensionTestsPath"].flatMap((name) => valuesOf(name).map((path) => [name, remote(path)]));
	let hung;
	let heard = () => {};
	const ended = new Promise((finish, reject) => {
		heard = () => {
			clearTimeout(hung);
			hung = setTimeout(() => reject(new Error(`The extension host said nothing for ${timeout / 1_000} s.`)), timeout);
		};
		page.exposeFunction("codeAutomationExit", finish).catch(reject);
		page.on("crash", () => reject(new Error("The browser's page crashed.")));
	});
	await page.exposeFunction("codeAutomationLog", (type, parts) => {
		heard();
		appendFileSync(logFile, `[${type}] ${parts.join(" ")}\n`);
		if (type === "info" && !workbenchChatter.test(String(parts[0]))) console.log(...parts);
	});
	heard();
	await page.goto(workbenchUrl(origin, folder, payload));
	let code = 1;
	try {
		code = Number(await ended);
		return code;
	} finally {
		clearTimeout(hung);
		if (code !== 0) await keepState(page);
	}
}

/** Saves what the window shows to the folder in TEST_FAILED. */
async function keepState(page) {
	const failed = process.env["TEST_FAILED"];
	if (failed === undefined) return;
	await mkdir(failed, { recursive: true });
	await page.screenshot({ path: join(failed, "window.png") }).catch(() => undefined);
	await writeFile(join(failed, "state.txt"), await page.locator("body").ariaSnapshot({ timeout: 5_000 }).catch(String));
}

try {
	process.exitCode = Number(await main());
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
} finally {
	await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
}
