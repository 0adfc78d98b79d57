// Writes plugins' SKILL.md files and CLI programs to a private folder, and identifies our programs.
import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Tool } from "../core/ports/tool.ts";
import { sha256 } from "../shared/node/hash.ts";
import { describePlugin, operationsOf, renderCliSkillDoc } from "./cliSkillDoc.ts";
import { readBounded } from "./skillFolder.ts";
import type { PluginSkill } from "./useSkill.ts";

export interface PluginProgramOptions {
	/** Our private folder; created on demand. */
	root: string;
	/** Script run by every program (media/cli/troupe-cli.cjs). */
	script: string;
	/** Node executable that runs it. */
	node: string;
	log(line: string): void;
}

export interface PluginPrograms {
	/** Writes the skill of a plugin with these tools. Paths and content are deterministic. Rejects with file system errors. */
	write(name: string, plugin: string, tools: readonly Tool[]): Promise<PluginSkill>;
	/** Returns the plugin of the program at this exact path, if nobody else can have changed it. */
	program(path: string): Promise<string | undefined>;
	/** Returns true for the exact path of a SKILL.md that we wrote. */
	guide(path: string): boolean;
}

/** Maximum bytes of one of our files. */
const LARGEST = 4 * 1024 * 1024;
/** Milliseconds before unused programs are deleted. */
const KEPT = 30 * 24 * 60 * 60 * 1_000;

interface Known {
	plugin: string;
	/** Content by name. */
	files: ReadonlyMap<string, string>;
}

export function createPluginPrograms(options: PluginProgramOptions): PluginPrograms {
	const { script, node, log } = options;
	/** Known programs by path. */
	const known = new Map<string, Known>();
	const guides = new Set<string>();
	let root: Promise<string> | undefined;
	const writing = new Map<string, Promise<void>>();

	async function rootFolder(): Promise<string> {
		await mkdir(options.root, { recursive: true, mode: 0o700 });
		const real = await realpath(options.root);
		if (!(await isPrivate(real))) throw new Error(`${real} can be changed by others, so no program is put there.`);
		await sweep(real).catch((error: unknown) => log(`skills: old programs could not be removed: ${String(error)}`));
		return real;
	}

	return {
		async write(name, plugin, tools) {
			root ??= rootFolder().catch((error: unknown) => {
				root = undefined;
				throw error;
			});
			const operations = operationsOf(tools);
			const description = describePlugin(plugin, operations);
			const [base, run] = await Promise.all([root, readFile(script, "utf8")]);
			const spec = `${JSON.stringify({ name, plugin, description, operations }, undefined, "\t")}\n`;
			const folder = join(base, sha256(JSON.stringify([name, spec, run, node, base])).slice(0, 16));
			const [cliPath, skillPath] = [shellPath(join(folder, name)), shellPath(join(folder, "SKILL.md"))];
			const text = renderCliSkillDoc({ name, plugin, description, operations }, cliPath);
			const files = new Map([
				[name, launcher(node, folder)],
				[`${name}.cmd`, windowsLauncher(node)],
				["run.cjs", run],
				["operations.json", spec],
				["SKILL.md", text],
			]);
			const busy = writing.get(folder) ?? put(base, folder, files, name).finally(() => writing.delete(folder));
			writing.set(folder, busy);
			await busy;
			known.set(cliPath, { plugin, files });
			guides.add(skillPath);
			return { id: plugin, name, description, skillPath, cliPath, text };
		},
		async program(path) {
			const found = known.get(path);
			if (!found || process.platform === "win32") return undefined;
			const folder = dirname(path);
			const ours = (await isPrivate(dirname(folder))) && (await isPrivate(folder)) && (await isIntact(folder, found.files));
			return ours ? found.plugin : undefined;
		},
		guide: (path) => guides.has(path),
	};
}

/** Shells accept forward slashes on every platform. */
function shellPath(path: string): string {
	return process.platform === "win32" ? path.replaceAll("\\", "/") : path;
}

/** Returns true for a folder of ours that other users cannot access. */
async function isPrivate(folder: string): Promise<boolean> {
	const stat = await lstat(folder).catch(() => undefined);
	if (!stat?.isDirectory()) return false;
	if (process.platform === "win32") return true;
	return stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0 && (await realpath(folder)) === folder;
}

async function isIntact(folder: string, files: ReadonlyMap<string, string>): Promise<boolean> {
	for (const [name, content] of files) {
		const path = join(folder, name);
		const stat = await lstat(path).catch(() => undefined);
		if (!stat?.isFile() || stat.nlink !== 1) return false;
		if (process.platform !== "win32" && (stat.uid !== process.getuid?.() || (stat.mode & 0o022) !== 0)) return false;
		const bytes = await readBounded(path, LARGEST).catch(() => undefined);
		if (!bytes || Buffer.compare(bytes, Buffer.from(content)) !== 0) return false;
	}
	return true;
}

/** Creates the folder atomically; replaces one whose content differs. */
async function put(root: string, folder: string, files: ReadonlyMap<string, string>, program: string): Promise<void> {
	if ((await isPrivate(folder)) && (await isIntact(folder, files))) return;
	const temp = join(root, `.${randomBytes(8).toString("hex")}`);
	try {
		await mkdir(temp, { mode: 0o700 });
		for (const [name, content] of files) {
			await writeFile(join(temp, name), content, { flag: "wx", mode: name === program ? 0o500 : 0o400 });
		}
		await rename(temp, folder).catch(async () => {
			const aside = `${temp}.old`;
			await rename(folder, aside);
			await rename(temp, folder);
			await rm(aside, { recursive: true, force: true });
		});
	} finally {
		await rm(temp, { recursive: true, force: true });
	}
}

/** Node may be the editor's executable, which needs ELECTRON_RUN_AS_NODE. Clears variables that inject code. */
function launcher(node: string, folder: string): string {
	const word = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
	return [
		"#!/bin/sh",
		"# Runs tools of one plugin through Troupe, which wrote this file and replaces it where it was changed.",
		"unset NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS",
		"ELECTRON_RUN_AS_NODE=1",
		"export ELECTRON_RUN_AS_NODE",
		`exec ${word(node)} ${word(join(folder, "run.cjs"))} ${word(join(folder, "operations.json"))} "$@"`,
		"",
	].join("\n");
}

function windowsLauncher(node: string): string {
	const escaped = node.replaceAll("%", "%%");
	return `@echo off\r\nsetlocal\r\nset NODE_OPTIONS=\r\nset ELECTRON_RUN_AS_NODE=1\r\n"${escaped}" "%~dp0run.cjs" "%~dp0operations.json" %*\r\n`;
}

async function sweep(root: string): Promise<void> {
	for (const name of await readdir(root)) {
		if (!/^(\.?[0-9a-f]{16})(\.old)?$/.test(name)) continue;
		const path = join(root, name);
		const stat = await lstat(path);
		if (Date.now() - stat.mtimeMs > KEPT) await rm(path, { recursive: true, force: true });
	}
}
