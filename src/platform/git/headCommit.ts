// Reads which commit HEAD points at from the files of a repository: nothing is started, and nothing is followed out of it.
import { constants } from "node:fs";
import { lstat, open, readlink, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { relativePathWithin } from "../../core/paths.ts";

/**
 * Undefined outside git, before the first commit, and where it cannot be read: refs kept in a reftable, a file half
 * written, a pipe or a link in a file's place.
 */
export async function readHeadCommit(folder: string): Promise<string | undefined> {
	try {
		const found = await gitFolders(folder);
		return found && (await resolveRef("HEAD", found, 0));
	} catch {
		return undefined;
	}
}

/** Links resolved. `own` is that of this work tree, `common` the one that work trees of a repository share. */
interface GitFolders {
	own: string;
	common: string;
}

/** Levels of refs that name another ref. */
const DEPTH = 5;
const FOLDERS = 64;
/** Bytes. */
const SMALL = 4_096;
const PACKED_REFS = 32 * 1024 * 1024;

/** The nearest `.git` of a folder and those above it counts, whatever it is. */
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

/** A path that a small file holds, seen from the folder it lies in. */
async function pathIn(file: string, mark: string): Promise<string | undefined> {
	const text = (await contentOf(file, SMALL))?.toString("utf8");
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

/** Refs that every work tree has for itself. */
const OWN_REFS = /^(HEAD$|refs\/(bisect|worktree|rewritten)\/)/;
const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/;

function isRefName(name: string): boolean {
	if (name === "HEAD") return true;
	return name.startsWith("refs/") && name.split("/").every((part) => /^(?!\.)[^\0-\x20\x7f~^:?*[\\]+$/.test(part) && !part.includes(".."));
}

/** Undefined where there is no such file; throws where it is no file or leads out of the git folder. */
async function refText(folder: string, name: string): Promise<string | undefined> {
	const path = join(folder, name);
	const parent = await realpath(dirname(path)).catch(() => undefined);
	if (parent === undefined) return undefined;
	if (relativePathWithin(folder, parent) === undefined) throw new Error(`${name} leads out of ${folder}`);
	const found = await lstat(path).catch(() => undefined);
	if (!found || found.isDirectory()) return undefined;
	// As git wrote it long ago: a link whose target is the name of a ref.
	if (found.isSymbolicLink()) return `ref: ${await readlink(path)}`;
	return (await contentOf(path, SMALL))?.toString("latin1") ?? "";
}

async function packedRef(folder: string, name: string): Promise<string | undefined> {
	const text = await contentOf(join(folder, "packed-refs"), PACKED_REFS);
	const line = Buffer.from(` ${name}\n`);
	for (let at = text?.indexOf(line) ?? -1; text && at >= 0; at = text.indexOf(line, at + 1)) {
		const [, commit] = /(?:^|\n)([0-9a-f]{40}|[0-9a-f]{64})$/.exec(text.toString("latin1", Math.max(0, at - 65), at)) ?? [];
		if (commit !== undefined) return commit;
	}
	return undefined;
}

/** Of a regular file of at most so many bytes; a pipe is not waited for. */
async function contentOf(path: string, most: number): Promise<Buffer | undefined> {
	const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
	const file = await open(path, flags).catch(() => undefined);
	if (!file) return undefined;
	try {
		const { size } = await file.stat().then((found) => (found.isFile() ? found : { size: most + 1 }));
		if (size > most) return undefined;
		const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
		return buffer.subarray(0, bytesRead);
	} finally {
		await file.close();
	}
}
