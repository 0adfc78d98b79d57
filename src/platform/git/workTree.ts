// Tells whether our own git may be asked about the files of a folder.
import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { relativePathWithin } from "../../core/paths.ts";
import type { Programs } from "../programs/programs.ts";

export type GitRunner = Pick<Programs, "gitOutput">;

/** Whether the folder lies in a work tree of git. A configuration that names a work tree elsewhere would have us read there. */
export async function isInWorkTree(programs: GitRunner, folder: string): Promise<boolean> {
	const before = known.get(folder);
	const signature = await signatureOf(folder);
	if (before && signature !== undefined && before.signature === signature) return before.inside;
	const said = await programs.gitOutput(folder, ["rev-parse", "--show-toplevel"]);
	const top = said?.toString().replace(/\r?\n$/, "");
	const inside = top !== undefined && top !== "" && relativePathWithin(top, await realpath(folder).catch(() => folder)) !== undefined;
	known.delete(folder);
	if (signature !== undefined) known.set(folder, { signature, inside });
	return inside;
}

const known = new Map<string, { signature: string; inside: boolean }>();

/** Undefined unless all that decides it is the folder's own `.git`. */
async function signatureOf(folder: string): Promise<string | undefined> {
	const git = join(folder, ".git");
	const [at, ...files] = await Promise.all(
		[git, ...CONFIGURATION.map((name) => join(git, name))].map((path) => lstat(path).catch(() => undefined)),
	);
	if (!at?.isDirectory() || files.some((file) => file && !file.isFile())) return undefined;
	return [at.ino, ...files.map((file) => (file ? [file.ino, file.size, file.mtimeMs, file.ctimeMs].join(":") : ""))].join();
}

const CONFIGURATION = ["config", "config.worktree", "commondir"];
