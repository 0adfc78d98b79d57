// Creates a fresh copy of the sample workspace with its packages and a one-commit git repository.

// `node scripts/sample.mjs FOLDER` creates one in FOLDER. Packages are copied, not linked, so the copy is complete,
// works offline, and contains no links out of the workspace.

import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { root } from "./install.mjs";
import { isMain, run } from "./processes.mjs";

const source = join(root, "samples", "shop");

/** Resolves with the path of the copy: `shop` in the given folder, or in a new temporary one. */
export async function copySample(folder) {
	const parent = folder ?? (await mkdtemp(join(tmpdir(), "troupe-")));
	const copy = join(parent, "shop");
	const ignored = [join(source, "node_modules"), join(source, "out")];
	await cp(source, copy, { recursive: true, filter: (path) => !ignored.includes(path) });
	const { devDependencies } = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
	await copyPackages(Object.keys(devDependencies), join(copy, "node_modules"));
	await commitAll(copy);
	return copy;
}

async function copyPackages(names, to) {
	const done = new Set();
	const wanted = [...names];
	for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
		if (done.has(name)) continue;
		done.add(name);
		const from = join(root, "node_modules", name);
		const definition = await readFile(join(from, "package.json"), "utf8").catch(() => undefined);
		// An optional dependency for another platform.
		if (definition === undefined) continue;
		await mkdir(dirname(join(to, name)), { recursive: true });
		await cp(from, join(to, name), { recursive: true });
		const { dependencies = {}, optionalDependencies = {}, bin = {} } = JSON.parse(definition);
		wanted.push(...Object.keys(dependencies), ...Object.keys(optionalDependencies));
		await linkPrograms(name, bin, to);
	}
}

async function linkPrograms(name, bin, to) {
	const programs = typeof bin === "string" ? { [name]: bin } : bin;
	const from = join(root, "node_modules", ".bin");
	for (const program of Object.keys(programs))
		for (const ending of ["", ".cmd", ".ps1"])
			await cp(join(from, program + ending), join(to, ".bin", program + ending), { verbatimSymlinks: true }).catch((error) => {
				if (error.code !== "ENOENT") throw error;
			});
}

async function commitAll(folder) {
	const identity = ["-c", "user.name=Shop", "-c", "user.email=shop@example.com", "-c", "commit.gpgsign=false"];
	const git = (...parameters) => run("git", [...identity, ...parameters], { cwd: folder });
	try {
		await git("init", "--quiet", "--initial-branch=main");
		await git("add", "--all");
		await git("commit", "--quiet", "--no-verify", "--message", "The shop");
	} catch (error) {
		// The sample works without git; only its history is missing.
		console.warn(`The sample has no git history: ${error.message.split("\n")[0]}`);
	}
}

if (isMain(import.meta.url)) {
	const folder = resolve(process.argv[2] ?? join(root, "out", "sample"));
	await rm(join(folder, "shop"), { recursive: true, force: true });
	console.log(await copySample(folder));
}
