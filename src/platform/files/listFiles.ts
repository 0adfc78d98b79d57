// The files of a folder that belong to the project: what git tracks or would track, without git a walk with an end.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type GitRunner, isInWorkTree } from "../git/workTree.ts";

/** Absolute paths; links are not followed. Files git lists may be gone from disk. */
export async function listProjectFiles(folder: string, programs: GitRunner): Promise<string[]> {
	const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
	const listed = (await isInWorkTree(programs, folder)) ? await programs.gitOutput(folder, words) : undefined;
	if (!listed) return walk(folder);
	const names = listed.toString("utf8").split("\0");
	return [...new Set(names)].filter((name) => name !== "" && !name.endsWith("/")).map((name) => join(folder, name));
}

const MOST_FILES = 20_000;
const SKIPPED = new Set([".git", "node_modules"]);

async function walk(folder: string): Promise<string[]> {
	const files: string[] = [];
	const folders = [folder];
	for (let next = folders.pop(); next !== undefined && files.length < MOST_FILES; next = folders.pop()) {
		for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
			if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(join(next, entry.name));
			if (entry.isFile()) files.push(join(next, entry.name));
		}
	}
	return files.slice(0, MOST_FILES);
}
