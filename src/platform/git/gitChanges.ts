// Reads changes since the last commit from git, without running anything that the repository configures.

import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { formatDisplayPath, relativePathWithin } from "../../core/paths.ts";
import type { EditorFacts } from "../../core/ports/workspace/editor.ts";
import type { WorkspaceFolder } from "../../core/ports/workspace/files.ts";
import type { Programs } from "../programs/programs.ts";
import { mayBeInRepository } from "../programs/repositories.ts";
import { readSmallFile } from "./smallFile.ts";

/**
 * Reads the changes in all workspace folders in a repository; returns undefined if there is none. Paths in the diff are relative to each
 * folder.
 */
export async function readWorkingChanges(
	programs: GitRunner,
	folders: readonly WorkspaceFolder[],
	shown: (path: string) => Promise<boolean>,
): Promise<Awaited<ReturnType<EditorFacts["changes"]>>> {
	const all = await Promise.all(folders.map(async (folder) => ({ folder, found: await changesIn(programs, folder.path, shown) })));
	const known = all.flatMap(({ folder, found }) => (found ? [{ folder, ...found }] : []));
	if (known.length === 0) return undefined;
	const several = folders.length > 1;
	return {
		diff: known
			.filter(({ diff }) => diff !== "")
			.map(({ folder, diff }) => (several ? `In ${folder.name}:\n${diff}` : diff))
			.join("\n"),
		untracked: known.flatMap(({ folder, untracked }) => untracked.map((name) => formatDisplayPath(join(folder.path, name), folders))),
		hidden: known.reduce((sum, { hidden }) => sum + hidden, 0),
	};
}

async function changesIn(programs: GitRunner, folder: string, shown: (path: string) => Promise<boolean>) {
	if (!(await isInWorkTree(programs, folder))) return undefined;
	const git = (args: readonly string[]): Promise<Buffer | undefined> => programs.gitOutput(folder, args);
	const against = (await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])) ? ["HEAD"] : ["--cached"];
	const diff = ["diff", ...PLAIN, "--relative"];
	const [listed, others] = await Promise.all([
		git([...diff, "--name-only", "-z", "--no-renames", ...against]),
		git(["ls-files", "-z", "--others", "--exclude-standard"]),
	]);
	if (!listed || !others) return undefined;
	const [changed, untracked] = await Promise.all([split(folder, listed, shown), split(folder, others, shown)]);
	const hidden = changed.hidden + untracked.hidden;
	if (changed.names.length === 0) return { diff: "", untracked: untracked.names, hidden };
	// Files are passed by name, and names must not be read as patterns.
	const text = await git(["--literal-pathspecs", ...diff, ...against, "--", ...changed.names]);
	return { diff: text?.toString("utf8") ?? "", untracked: untracked.names, hidden };
}

/** Input for a commit message: staged changes, else all changes, and the last messages, newest first. */
export async function readCommitContext(programs: GitRunner, folder: string): Promise<{ diff: string; commits: string[] } | undefined> {
	if (!(await isInWorkTree(programs, folder))) return undefined;
	const git = async (args: readonly string[]): Promise<string | undefined> => (await programs.gitOutput(folder, args))?.toString("utf8");
	const diff = (await git(["diff", ...PLAIN, "--cached"])) || (await git(["diff", ...PLAIN]));
	if (diff === undefined) return undefined;
	const log = await git(["log", `--max-count=${COMMITS}`, "-z", "--format=%B", "--no-patch", "--no-show-signature"]);
	return { diff, commits: (log ?? "").split("\0").filter((message) => message.trim() !== "") };
}

/** Number of messages that is enough to show a style. */
const COMMITS = 10;

/** Runs none of the repository's programs; shows only the commit of a submodule, because its content was not requested. */
const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--submodule=short"];

async function split(folder: string, listed: Buffer, shown: (path: string) => Promise<boolean>) {
	const names = listed.toString("utf8").split("\0").filter(Boolean).slice(0, MOST_FILES);
	const visible = await Promise.all(names.map((name) => shown(join(folder, name))));
	return { names: names.filter((_, index) => visible[index]), hidden: visible.filter((seen) => !seen).length };
}

const MOST_FILES = 2_000;

/**
 * Returns undefined outside git, before the first commit, and if it cannot be read: refs in a reftable, a partially written file, or a pipe
 * or link in place of a file.
 */
export async function readHeadCommit(folder: string): Promise<string | undefined> {
	try {
		const found = await gitFolders(folder);
		return found && (await resolveRef("HEAD", found, 0));
	} catch {
		return undefined;
	}
}

/** Git folders with links resolved. `own` belongs to this work tree, `common` is shared by the repository's work trees. */
interface GitFolders {
	own: string;
	common: string;
}

/** Maximum depth of refs that refer to other refs. */
const DEPTH = 5;
const FOLDERS = 64;
/** Bytes. */
const SMALL = 4_096;
const PACKED_REFS = 32 * 1024 * 1024;

/** Uses the nearest `.git` in a folder or its ancestors, of whatever type. */
async function gitFolders(folder: string): Promise<GitFolders | undefined> {
	let at = folder;
	for (let level = 0; level < FOLDERS; level += 1) {
		const path = join(at, ".git");
		const found = await stat(path).catch(() => undefined);
		if (found) return foldersAt(found.isDirectory() ? path : await pathIn(path, "gitdir: "));
		if (dirname(at) === at) return undefined;
		at = dirname(at);
	}
	return undefined;
}

async function foldersAt(path: string | undefined): Promise<GitFolders | undefined> {
	if (path === undefined) return undefined;
	const own = await realpath(path);
	const shared = await pathIn(join(own, "commondir"), "");
	return { own, common: shared === undefined ? own : await realpath(shared) };
}

/** Reads a path from a small file, relative to that file's folder. */
async function pathIn(file: string, mark: string): Promise<string | undefined> {
	const text = (await readSmallFile(file, SMALL))?.toString("utf8");
	const path = text?.startsWith(mark) ? text.slice(mark.length).replace(/\r?\n$/, "") : "";
	if (path === "" || /[\0\n]/.test(path)) return undefined;
	return isAbsolute(path) ? path : resolve(dirname(file), path);
}

async function resolveRef(name: string, folders: GitFolders, depth: number): Promise<string | undefined> {
	if (depth > DEPTH || !isRefName(name)) return undefined;
	const folder = OWN_REFS.test(name) ? folders.own : folders.common;
	const text = await refText(folder, name);
	if (text === undefined) return OWN_REFS.test(name) ? undefined : packedRef(folder, name);
	const [, next] = /^ref:\s*(\S+)\s*$/.exec(text) ?? [];
	if (next !== undefined) return resolveRef(next, folders, depth + 1);
	return COMMIT.exec(text)?.[1];
}

/** Refs that each work tree has separately. */
const OWN_REFS = /^(HEAD$|refs\/(bisect|worktree|rewritten)\/)/;
const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/;

function isRefName(name: string): boolean {
	if (name === "HEAD") return true;
	return name.startsWith("refs/") && name.split("/").every((part) => /^(?!\.)[^\0-\x20\x7f~^:?*[\\]+$/.test(part) && !part.includes(".."));
}

/** Returns undefined if there is no such file, "" if it is no file that can be read; throws if it is outside the git folder. */
async function refText(folder: string, name: string): Promise<string | undefined> {
	const path = join(folder, name);
	const parent = await realpath(dirname(path)).catch(() => undefined);
	if (parent === undefined) return undefined;
	if (relativePathWithin(folder, parent) === undefined) throw new Error(`${name} leads out of ${folder}`);
	const found = await lstat(path).catch(() => undefined);
	if (!found || found.isDirectory()) return undefined;
	// Old git versions used symbolic links whose target is the name of a ref.
	if (found.isSymbolicLink()) return `ref: ${await readlink(path)}`;
	return (await readSmallFile(path, SMALL))?.toString("latin1") ?? "";
}

async function packedRef(folder: string, name: string): Promise<string | undefined> {
	const text = await readSmallFile(join(folder, "packed-refs"), PACKED_REFS);
	const line = Buffer.from(` ${name}\n`);
	for (let at = text?.indexOf(line) ?? -1; text && at >= 0; at = text.indexOf(line, at + 1)) {
		const [, commit] = /(?:^|\n)([0-9a-f]{40}|[0-9a-f]{64})$/.exec(text.toString("latin1", Math.max(0, at - 65), at)) ?? [];
		if (commit !== undefined) return commit;
	}
	return undefined;
}

export type GitRunner = Pick<Programs, "gitOutput">;

/** Resolves to true if the folder is in a git work tree, and not if its configuration points to a work tree elsewhere. */
export async function isInWorkTree(programs: GitRunner, folder: string): Promise<boolean> {
	const before = known.get(folder);
	const signature = await signatureOf(folder);
	if (before && signature !== undefined && before.signature === signature) return before.inside;
	const real = await realpath(folder).catch(() => folder);
	if (!(await mayBeInRepository(real))) return false;
	const output = await programs.gitOutput(folder, ["rev-parse", "--show-toplevel"]);
	const top = output?.toString().replace(/\r?\n$/, "");
	const inside = top !== undefined && top !== "" && relativePathWithin(top, real) !== undefined;
	known.delete(folder);
	// Git may only have been slow.
	if (signature !== undefined && output) known.set(folder, { signature, inside });
	return inside;
}

const known = new Map<string, { signature: string; inside: boolean }>();

/** Returns undefined unless the result depends only on the folder's own `.git`. */
async function signatureOf(folder: string): Promise<string | undefined> {
	const git = join(folder, ".git");
	const [at, names] = await Promise.all([lstat(git), readdir(git)]).catch(() => []);
	if (!at?.isDirectory() || !names) return undefined;
	const files = await Promise.all(CONFIGURATION.map((name) => (names.includes(name) ? lstat(join(git, name)) : undefined))).catch(() => []);
	if (files.length === 0 || files.some((file) => file && !file.isFile())) return undefined;
	return [at.ino, ...files.map((file) => (file ? [file.ino, file.size, file.mtimeMs, file.ctimeMs].join(":") : ""))].join();
}

const CONFIGURATION = ["config", "config.worktree", "commondir"];
