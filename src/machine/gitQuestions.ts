// What has to be known of a repository before our own git is asked about its files.
import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { insideOf } from "../core/paths.ts";
import type { Programs } from "./programs/programs.ts";

export type OwnGit = Pick<Programs, "ownGit">;

/** Whether the folder lies in a work tree of git. A configuration that names a work tree elsewhere would have us read there. */
export async function inWorkTree(programs: OwnGit, folder: string): Promise<boolean> {
	const before = known.get(folder);
	const signature = await signatureOf(folder);
	if (before && signature !== undefined && before.signature === signature) return before.inside;
	const said = await programs.ownGit(folder, ["rev-parse", "--show-toplevel"]);
	const top = said?.toString().replace(/\r?\n$/, "");
	const inside = top !== undefined && top !== "" && insideOf(top, await realpath(folder).catch(() => folder)) !== undefined;
	known.delete(folder);
	if (signature !== undefined) known.set(folder, { signature, inside });
	return inside;
}

const known = new Map<string, { signature: string; inside: boolean }>();

/** Undefined unless all that decides it is the folder's own `.git/config`. */
async function signatureOf(folder: string): Promise<string | undefined> {
	const at = await lstat(join(folder, ".git")).catch(() => undefined);
	const config = at?.isDirectory() ? await lstat(join(folder, ".git", "config")).catch(() => undefined) : undefined;
	return config?.isFile() && at ? [at.ino, config.ino, config.size, config.mtimeMs, config.ctimeMs].join() : undefined;
}

/**
 * Configuration by which no filter runs that a file's attributes may name, the person's own (Git LFS) among them:
 * its program reads the repository's configuration. Undefined where it cannot be known.
 */
export async function filtersOff(programs: OwnGit, folder: string): Promise<[string, string][] | undefined> {
	const words = ["config", "--includes", "-z", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|smudge|process|required)$"];
	// 1: there is none.
	const said = await programs.ownGit(folder, words, { codes: [0, 1] });
	if (!said) return undefined;
	const keys = [...new Set(said.toString("utf8").split("\0").filter(Boolean))];
	return keys.map((key) => [key, key.endsWith(".required") ? "false" : ""]);
}
