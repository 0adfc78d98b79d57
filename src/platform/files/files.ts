// Reads files and folders from disk; unsaved editor content takes precedence.
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { formatDisplayPath } from "../../core/paths.ts";
import { ToolError } from "../../core/ports/tool.ts";
import type { OpenBuffers } from "../../core/ports/workspace/editor.ts";
import type { FileStat, WorkspaceFolder } from "../../core/ports/workspace/files.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { hasReason, modelReasonOf } from "../../shared/reasonOf.ts";
import { type GitRunner, isInWorkTree } from "../git/gitChanges.ts";
import { inspect, walk } from "./walk.ts";

/** A function, because a workspace may gain and lose folders. */
export type GetWorkspaceFolders = () => readonly WorkspaceFolder[];

/** Larger files are read in pages and never written. */
export const WHOLE_FILE_LIMIT = 50 * 1024 * 1024;

export type WorkspaceFiles = Pick<Workspace, "lstat" | "realpath" | "peek" | "stat" | "read" | "version" | "list" | "walk" | "inspect">;

export function createWorkspaceFiles(folders: GetWorkspaceFolders, buffers?: OpenBuffers): WorkspaceFiles {
	const shown = (path: string) => formatDisplayPath(path, folders());
	return {
		async lstat(path) {
			const found = await unlessMissing(lstat(path));
			if (!found) return undefined;
			return { ...statOf(found), ...(found.isSymbolicLink() && { link: await readlink(path) }) };
		},
		async realpath(path) {
			return unlessMissing(realpath(path));
		},
		walk,
		inspect,
		async peek(path, limit) {
			try {
				return await withFile(path, (handle) => readRange(handle, 0, limit));
			} catch {
				return undefined;
			}
		},
		async stat(path) {
			const found = await unlessMissing(stat(path));
			return found && statOf(found);
		},
		async read(path, range) {
			const unsaved = buffers?.dirty(path);
			if (unsaved) return range ? unsaved.subarray(range.offset, range.offset + range.length) : unsaved;
			try {
				return await withFile(path, async (handle, { size }) => {
					if (!range && size > WHOLE_FILE_LIMIT) {
						throw new ToolError(`${shown(path)} has ${size} bytes, too many to read at once. Read a part of it.`);
					}
					return readRange(handle, range?.offset ?? 0, range?.length ?? size);
				});
			} catch (error) {
				throw toReadProblem(shown(path), error);
			}
		},
		async version(path) {
			const unsaved = buffers?.dirty(path);
			try {
				return await withFile(path, async (handle, { size, mtimeMs }) => {
					if (unsaved) return { size: unsaved.length, mtime: mtimeMs, hash: sha256(unsaved) };
					return { size, mtime: mtimeMs, hash: await hashOfFile(handle, size, mtimeMs) };
				});
			} catch {
				return undefined;
			}
		},
		async list(path) {
			const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
				throw toReadProblem(shown(path), error);
			});
			return Promise.all(
				entries.map(async (entry) => {
					const link = entry.isSymbolicLink();
					const target = link ? await stat(join(path, entry.name)).catch(() => undefined) : entry;
					return { name: entry.name, type: target ? typeOf(target) : ("other" as const), link };
				}),
			);
		},
	};
}

export function errorCode(error: unknown): string | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Returns fewer bytes than requested at the end of the file. */
export async function readRange(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
	const { size } = await handle.stat();
	const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
	let filled = 0;
	while (filled < buffer.length) {
		const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, offset + filled);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return buffer.subarray(0, filled);
}

/** Uses O_NONBLOCK so that a pipe or device of that name can't block the host. */
async function withFile<T>(path: string, use: (handle: FileHandle, stats: Stats) => Promise<T>): Promise<T> {
	const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		const stats = await handle.stat();
		if (!stats.isFile()) throw Object.assign(new Error("not a file"), { code: stats.isDirectory() ? "EISDIR" : "ENOTFILE" });
		return await use(handle, stats);
	} finally {
		await handle.close();
	}
}

/** A file too large to write is identified by its ends, size and time; hashing all of it would take seconds. */
async function hashOfFile(handle: FileHandle, size: number, mtime: number): Promise<string> {
	if (size <= WHOLE_FILE_LIMIT) return sha256(await readRange(handle, 0, size));
	const ends = await Promise.all([readRange(handle, 0, 65_536), readRange(handle, size - 65_536, 65_536)]);
	return sha256(Buffer.concat([...ends, Buffer.from(`${size} ${mtime}`)]));
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
	try {
		return await found;
	} catch (error) {
		if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
		throw error;
	}
}

function statOf(stats: Stats): FileStat {
	const names = stats.isDirectory() ? namesOf(stats) : undefined;
	return { type: typeOf(stats), size: stats.size, mtime: stats.mtimeMs, links: stats.nlink, ...(names !== undefined && { names }) };
}

/** Windows has file systems that don't date folders, and a folder that has just changed may change again at the same time. */
function namesOf({ dev, ino, mtimeMs, ctimeMs }: Stats): string | undefined {
	const age = Date.now() - Math.max(mtimeMs, ctimeMs);
	return process.platform === "win32" || age < COARSEST_TIME ? undefined : `${dev}:${ino}:${mtimeMs}:${ctimeMs}`;
}

/** Milliseconds that file systems round times to at most (FAT), and some more. */
const COARSEST_TIME = 3_000;

function typeOf(entry: { isFile(): boolean; isDirectory(): boolean }): FileStat["type"] {
	if (entry.isFile()) return "file";
	return entry.isDirectory() ? "directory" : "other";
}

const READ_PROBLEMS: Record<string, string> = {
	ENOENT: "does not exist. Look for it with find_files or list_directory.",
	ENOTDIR: "does not exist: a part of its path is a file. Look for it with find_files.",
	EISDIR: "is a folder. Use list_directory to see what is in it.",
	ENOTFILE: "is neither a file nor a folder (a pipe, a socket or a device) and is not read.",
	EACCES: "may not be read: the operating system refuses. Go on without it or ask the person.",
	ELOOP: "is a ring of links that leads nowhere.",
};

/** Returns errors without a reason, which are bugs, as they are. */
export function toReadProblem(name: string, error: unknown): unknown {
	if (error instanceof ToolError || !hasReason(error)) return error;
	const known = READ_PROBLEMS[errorCode(error) ?? ""];
	return new ToolError(`${name} ${known ?? `cannot be read: ${modelReasonOf(error, undefined)}`}`);
}

/** Returns absolute paths; links are not followed. Files that git lists may no longer exist on disk. */
export async function listProjectFiles(folder: string, programs: GitRunner): Promise<string[]> {
	const names = await listGitNames(folder, programs);
	if (!names) return walkNames(folder);
	return names.filter((name) => !name.endsWith("/")).map((name) => join(folder, name));
}

/**
 * Returns names relative to the folder; a name that ends in a slash is another repository. Returns undefined if git doesn't list them.
 * `timeFactor`: see GitRunner.
 */
export async function listGitNames(folder: string, programs: GitRunner, timeFactor?: number): Promise<string[] | undefined> {
	const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
	const listed = (await isInWorkTree(programs, folder)) ? await programs.gitOutput(folder, args, timeFactor) : undefined;
	return listed && [...new Set(listed.toString("utf8").split("\0"))].filter((name) => name !== "");
}

const MOST_FILES = 20_000;
const SKIPPED = new Set([".git", "node_modules"]);

async function walkNames(folder: string): Promise<string[]> {
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
