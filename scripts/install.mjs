// Installs VS Code's server (code-server) and its Node from the npm registry into .vscode-test/npm.

// Requires only Node 20 and npm. An interrupted install has no marker file and is redone.

import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, run } from "./processes.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** TROUPE_VSCODE=oldest uses the oldest VS Code that package.json supports. */
const oldest = process.env.TROUPE_VSCODE === "oldest";
const home = join(root, ".vscode-test", oldest ? "npm-oldest" : "npm");
const marker = join(home, "installed.json");
const lock = join(root, ".vscode-test", "install.lock");

const platform = process.platform === "win32" ? "win" : process.platform;
const nodePackage = `node${platform === "darwin" && process.arch === "arm64" ? "-bin" : ""}-${platform}-${process.arch}`;
const packages = oldest ? { [nodePackage]: "22.23.3", "code-server": "4.100.3" } : { [nodePackage]: "24.21.0", "code-server": "4.139.1" };

const codeServer = join(home, "node_modules", "code-server");

/** Paths in an installed VS Code. */
export const vscodeFromNpm = {
	node: join(home, "node_modules", nodePackage, "bin", platform === "win" ? "node.exe" : "node"),
	/** The entry point for regular use, which can install extensions. */
	entry: join(codeServer, "out", "node", "entry.js"),
	/** The bare server, which can run tests in its extension host. */
	server: join(codeServer, "lib", "vscode", "out", "server-main.js"),
	/** Extensions that come with it. */
	extensions: join(codeServer, "lib", "vscode", "extensions"),
};

/** Installs it once if missing; other processes wait for the first. */
export async function ensureInstalled({ say = console.log } = {}) {
	if (!(await isInstalled()))
		await withLock(say, async () => {
			if (await isInstalled()) return;
			await install(say);
		});
	await useFileLogger();
	return vscodeFromNpm;
}

/** Replaces the native logger's loader, unless it is ours already. */
async function useFileLogger() {
	const ours = await readFile(join(root, "scripts", "fileLogger.cjs"));
	const place = join(codeServer, "lib", "vscode", "node_modules", "@vscode", "spdlog", "index.js");
	if (ours.equals(await readFile(place).catch(() => Buffer.of()))) return;
	const written = `${place}.${process.pid}`;
	await writeFile(written, ours);
	await rename(written, place);
}

async function isInstalled() {
	const found = await readFile(marker, "utf8").catch(() => "");
	return found === JSON.stringify(packages);
}

async function install(say) {
	if (platform === "win")
		throw new Error("VS Code from npm runs on Linux and macOS. On Windows install the desktop VS Code, with `code` on the PATH.");
	const began = Date.now();
	await rm(home, { recursive: true, force: true });
	await mkdir(home, { recursive: true });
	await writeFile(join(home, "package.json"), JSON.stringify({ private: true, dependencies: packages }));
	const npm = (folder, ...more) =>
		run("npm", ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", ...more], {
			cwd: folder,
			env: { ...cleanEnvironment(), npm_config_engine_strict: "false" },
		});
	say("Installing VS Code from npm (about 750 MB in .vscode-test, once) …");
	await npm(home);
	const inner = join(codeServer, "lib", "vscode");
	say("  its own packages …");
	await npm(inner, "--omit=dev");
	say("  its built-in languages …");
	await npm(join(inner, "extensions"), "--omit=dev");
	await run(vscodeFromNpm.node, ["--version"]);
	await writeFile(marker, JSON.stringify(packages));
	say(`  done in ${Math.round((Date.now() - began) / 1000)} s.`);
}

/** The lock file contains its owner's process ID; it is created by linking, which is atomic. */
async function withLock(say, work) {
	await mkdir(dirname(lock), { recursive: true });
	const mine = `${lock}.${process.pid}`;
	await writeFile(mine, String(process.pid));
	let told = false;
	while (!(await taken(mine))) {
		const owner = Number(await readFile(lock, "utf8").catch(() => "0"));
		if (owner > 0 && !isAlive(owner)) await removeStale(owner);
		else if (!told) say(`Process ${owner} is installing VS Code; waiting for it.`);
		told = true;
		await pause(500);
	}
	try {
		await work();
	} finally {
		await rm(lock, { force: true });
		await rm(mine, { force: true });
	}
}

async function taken(mine) {
	try {
		await link(mine, lock);
		return true;
	} catch (error) {
		if (error.code === "EEXIST") return false;
		throw error;
	}
}

async function removeStale(owner) {
	const aside = `${lock}.${process.pid}.stale`;
	await rename(lock, aside).catch(() => undefined);
	const moved = Number(await readFile(aside, "utf8").catch(() => "0"));
	// Another process has acquired the lock meanwhile: restore its file.
	if (moved !== 0 && moved !== owner) await link(aside, lock).catch(() => undefined);
	await rm(aside, { force: true });
}

function isAlive(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error.code === "EPERM";
	}
}
