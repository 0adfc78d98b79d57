// Installs the project's own packages when they are missing or older than the lock file.
// Not `npm ci`: it refuses a lock file that was written where packages for other platforms could not be had, though
// they are optional. Without install scripts: none of the packages needs its own, and some want a compiler.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./install.mjs";
import { cleanEnvironment, isMain, run } from "./processes.mjs";

export async function installPackages() {
	const installed = await changedAt(join(root, "node_modules", ".package-lock.json"));
	if (installed >= (await changedAt(join(root, "package-lock.json")))) return;
	console.log("Installing packages …");
	await run("npm", ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: root, env: cleanEnvironment() });
}

async function changedAt(path) {
	return stat(path).then(
		({ mtimeMs }) => mtimeMs,
		() => 0,
	);
}

if (isMain(import.meta.url)) await installPackages();
