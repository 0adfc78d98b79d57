// What a repository's configuration names beside itself: a folder of hooks, files of attributes, further configuration.
import { dirname, resolve } from "node:path";
import type { GitQuery } from "./tracked.ts";

/** Absolute paths, there or not; none where git has no answer. */
export async function listGitConfiguredPaths(git: GitQuery, folder: string): Promise<string[]> {
	const listed = await git(folder, ["config", "--list", "-z", "--show-origin", "--includes"]);
	if (!listed) return [];
	const parts = Buffer.from(listed).toString("utf8").split("\0");
	const paths: string[] = [];
	for (let at = 0; at + 1 < parts.length; at += 2) {
		const origin = /^file:(.+)$/s.exec(parts[at] ?? "")?.[1];
		const file = resolve(folder, origin ?? ".");
		if (origin !== undefined) paths.push(file);
		const [key = "", ...lines] = (parts[at + 1] ?? "").split("\n");
		const value = lines.join("\n");
		if (value === "") continue;
		if (INCLUDES.test(key)) paths.push(resolve(dirname(file), value));
		if (NAMING.has(key.toLowerCase())) paths.push(resolve(folder, value));
	}
	return [...new Set(paths)].filter((path) => path !== folder);
}

const INCLUDES = /^include(if\..*)?\.path$/is;
const NAMING = new Set(["core.hookspath", "core.attributesfile", "core.sshcommand", "core.fsmonitor"]);
