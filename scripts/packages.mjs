// Installs the npm packages from the lock file when the installed ones differ.

// Install scripts are disabled: no package needs its own, and some of them require a compiler.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./install.mjs";
import { cleanEnvironment, isMain, run } from "./processes.mjs";

export async function installPackages() {
	const [locked, installed] = await Promise.all([
		readLock(join(root, "package-lock.json")),
		readLock(join(root, "node_modules", ".package-lock.json")),
	]);
	if (isInstalled(locked, installed)) return;
	console.log("Installing packages …");
	await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: root, env: cleanEnvironment() });
}

/**
 * Returns true if a folder contains the locked packages, by npm's lock file in that folder. Optional packages may be missing,
 * such as those for other platforms.
 */
export function isInstalled(locked, installed) {
	const same = (path) => locked[path]?.version === installed[path].version && locked[path].integrity === installed[path].integrity;
	return (
		Object.keys(installed).every(same) &&
		Object.entries(locked).every(([path, { optional, devOptional }]) => path === "" || optional || devOptional || path in installed)
	);
}

async function readLock(path) {
	const text = await readFile(path, "utf8").catch(() => "{}");
	return JSON.parse(text).packages ?? {};
}

if (isMain(import.meta.url)) await installPackages();
