// Copies files as they are now, never through a link, and keeps the bytes that later changes are compared with.

import {
	closeSync,
	constants,
	copyFileSync,
	fstatSync,
	futimesSync,
	lstatSync,
	mkdirSync,
	openSync,
	readlinkSync,
	readSync,
	realpathSync,
	rmSync,
	type Stats,
	symlinkSync,
	utimesSync,
	writeSync,
} from "node:fs";
import { copyFile, utimes } from "node:fs/promises";
import { dirname, isAbsolute, join, posix } from "node:path";
import { relativePathWithin } from "../../core/paths.ts";
import type { OpenBuffers } from "../../core/ports/workspace/editor.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { errorCode, WHOLE_FILE_LIMIT } from "../files/files.ts";
import { inSlices, isMisnamed, stampOf } from "../files/workspaceDiff.ts";
import type { BaseFile } from "./manifest.ts";

/** Reasons why files are not in the copy as they are in the workspace. */
export type Omission =
	| "protected"
	| "outside"
	| "special"
	| "unreadable"
	| "changing"
	| "sameName"
	| "ignoredSize"
	| "large"
	| "lfs"
	| "nested";

export interface CopyJob {
	/** The workspace folder and the folder of its copy, with links resolved. */
	source: string;
	/** The same folder under the name by which editors have opened it. */
	original: string;
	target: string;
	/** Open file for the bytes of project files, and how many it has. Shared by the folders of a copy. */
	base: { fd: number; size: number };
	/** Bytes of ignored files that may still be copied without sharing them. Shared by the folders of a copy. */
	ignoredBudget: { left: number; cannotClone?: boolean };
	buffers: OpenBuffers | undefined;
	signal: AbortSignal;
	omit(why: Omission, path: string): void;
}

/** Returns the copied files by path. The files must be readable. A file that has disappeared is left out. */
export async function copyFiles(
	job: CopyJob,
	batches: AsyncIterable<readonly string[]>,
	ignored: ReadonlySet<string>,
): Promise<Map<string, BaseFile>> {
	const copied = new Map<string, BaseFile>();
	const [links, large]: [string[], string[]] = [[], []];
	const makeFolder = folderMaker(job.target);
	for await (const paths of batches) {
		await inSlices(paths, (path) =>
			withReasons(job, path, () => {
				const stats = lstatSync(join(job.source, path));
				if (stats.isSymbolicLink()) return void links.push(path);
				if (!stats.isFile()) return job.omit("special", path);
				makeFolder(path);
				if (stats.size > (ignored.has(path) ? AT_ONCE : WHOLE_FILE_LIMIT)) return void large.push(path);
				const file = ignored.has(path) ? copyIgnoredFile(job, path) : copyProjectFile(job, path);
				if (file) copied.set(path, file);
			}),
		);
	}
	for (const path of large) {
		const file = await copyLargeFile(job, path, ignored.has(path));
		if (file) copied.set(path, file);
	}
	await inSlices(links, (path) =>
		withReasons(job, path, () => {
			const link = copyLink(job, path, makeFolder);
			if (link !== undefined) copied.set(path, { size: 0, link, ...(ignored.has(path) && { ignored: true }) });
		}),
	);
	// A link can lead outside through another one, which is only seen once all are there.
	await inSlices(links, (path) => {
		if (!copied.has(path) || !leadsOutside(job.target, path)) return;
		rmSync(join(job.target, path));
		copied.delete(path);
		job.omit("outside", path);
	});
	return copied;
}

/** Bytes of an ignored file above which the host gets its turn while it is copied. */
const AT_ONCE = 8 * 1024 * 1024;

/** Errors that concern this file alone leave it out. */
function withReasons(job: CopyJob, path: string, copy: () => void): void {
	job.signal.throwIfAborted();
	try {
		copy();
	} catch (error) {
		explain(error, job, path);
	}
}

function copyProjectFile(job: CopyJob, path: string): BaseFile | undefined {
	const opened = openSource(job, path);
	if (!opened) return undefined;
	try {
		const unsaved = job.buffers?.dirty(join(job.original, path)) ?? job.buffers?.dirty(join(job.source, path));
		const bytes = unsaved ?? readStable(opened.fd, () => job.omit("changing", path));
		writeNew(join(job.target, path), bytes, opened.stats);
		if (posix.basename(path) === ".gitattributes" && /\bfilter=lfs\b/.test(Buffer.from(bytes).toString("latin1"))) job.omit("lfs", path);
		const file: BaseFile = { hash: sha256(bytes), size: bytes.length };
		if (bytes.length > BASE_LIMIT) return file;
		writeAll(job.base.fd, bytes);
		job.base.size += bytes.length;
		return { ...file, offset: job.base.size - bytes.length };
	} finally {
		closeSync(opened.fd);
	}
}

/** Bytes up to which a project file's content is kept for merging. */
export const BASE_LIMIT = 5 * 1024 * 1024;

/** Shares the bytes until one side writes if the file system can; otherwise what may be copied is limited. */
function copyIgnoredFile(job: CopyJob, path: string): BaseFile | undefined {
	const opened = openSource(job, path);
	if (!opened) return undefined;
	const { fd, from, stats } = opened;
	try {
		const target = join(job.target, path);
		const cloned = cloneResult(job, () => copyFileSync(from, target, CLONE), target);
		if (!cloned && !takeFromBudget(job, path, stats)) return undefined;
		if (!cloned) copyFileSync(from, target, constants.COPYFILE_EXCL);
		utimesSync(target, stats.atimeMs / 1_000, stats.mtimeMs / 1_000);
		return { size: stats.size, ignored: true, original: stampOf(stats) };
	} finally {
		closeSync(fd);
	}
}

/** Copies a file that is ignored, or too large to be taken. */
async function copyLargeFile(job: CopyJob, path: string, ignored: boolean): Promise<BaseFile | undefined> {
	job.signal.throwIfAborted();
	let opened: OpenedSource | undefined;
	try {
		opened = openSource(job, path);
		if (!opened) return undefined;
		const { from, stats } = opened;
		const target = join(job.target, path);
		if (!ignored) job.omit("large", path);
		const cloned = cloneResult(job, () => copyFileSync(from, target, CLONE), target);
		if (!cloned && ignored && !takeFromBudget(job, path, stats)) return undefined;
		if (!cloned) await copyFile(from, target, constants.COPYFILE_EXCL);
		await utimes(target, stats.atimeMs / 1_000, stats.mtimeMs / 1_000);
		return { size: stats.size, ...(ignored && { ignored }), original: stampOf(stats) };
	} catch (error) {
		explain(error, job, path);
		return undefined;
	} finally {
		if (opened) closeSync(opened.fd);
	}
}

const CLONE = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE;

/** Tries to clone until the file system turns out not to be able to. */
function cloneResult(job: CopyJob, clone: () => void, target: string): boolean {
	if (job.ignoredBudget.cannotClone) return false;
	try {
		clone();
		return true;
	} catch (error) {
		if (["EEXIST", "ENOSPC", "EDQUOT", "ENOENT"].includes(errorCode(error) ?? "")) throw error;
		rmSync(target, { force: true });
		job.ignoredBudget.cannotClone = true;
		return false;
	}
}

function takeFromBudget({ ignoredBudget, omit }: CopyJob, path: string, { size }: Stats): boolean {
	const fits = size <= ignoredBudget.left;
	if (fits) ignoredBudget.left -= size;
	else omit("ignoredSize", path);
	return fits;
}

interface OpenedSource {
	fd: number;
	/** Leads to the opened file, where possible even if another one has its name now. */
	from: string;
	stats: Stats;
}

/** Opens a regular file and makes sure that no folder on its path is a link. */
function openSource(job: CopyJob, path: string): OpenedSource | undefined {
	const source = join(job.source, path);
	const fd = openSync(source, READ_FILE);
	try {
		const stats = fstatSync(fd);
		const refusal = !stats.isFile() ? "special" : !isOpenedThere(fd, source, stats) ? "outside" : undefined;
		if (refusal === undefined) return { fd, from: process.platform === "linux" ? `/proc/self/fd/${fd}` : source, stats };
		job.omit(refusal, path);
	} catch (error) {
		closeSync(fd);
		throw error;
	}
	closeSync(fd);
	return undefined;
}

/** Opens no link, and waits for no pipe. */
export const READ_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Returns true if the open file is the one at that path, which must have its links resolved: none of its folders is a link. */
export function isOpenedThere(fd: number, path: string, stats: Stats): boolean {
	if (process.platform === "linux") return readlinkSync(`/proc/self/fd/${fd}`) === path;
	const plain = (text: string) => text.normalize("NFC").toLowerCase();
	return plain(realpathSync.native(path)) === plain(path) && lstatSync(path).ino === stats.ino;
}

/** Returns the bytes of one moment, unless the file changes again and again. */
function readStable(fd: number, changing: () => void): Buffer {
	for (let attempt = 1; ; attempt += 1) {
		const before = fstatSync(fd);
		const bytes = Buffer.allocUnsafe(before.size);
		let filled = 0;
		for (let read = -1; read !== 0 && filled < bytes.length; filled += read)
			read = readSync(fd, bytes, filled, bytes.length - filled, filled);
		const after = fstatSync(fd);
		const same = filled === after.size && before.mtimeMs === after.mtimeMs && before.ctimeMs === after.ctimeMs;
		if (!same && attempt === ATTEMPTS) changing();
		if (same || attempt === ATTEMPTS) return bytes.subarray(0, filled);
	}
}

const ATTEMPTS = 3;

function writeNew(path: string, bytes: Uint8Array, { mode, atimeMs, mtimeMs }: Stats): void {
	const fd = openSync(path, "wx", (mode & 0o777) | 0o600);
	try {
		writeAll(fd, bytes);
		futimesSync(fd, atimeMs / 1_000, mtimeMs / 1_000);
	} finally {
		closeSync(fd);
	}
}

function writeAll(fd: number, bytes: Uint8Array): void {
	for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

/** The link's text; undefined if it was left out. */
function copyLink(job: CopyJob, path: string, makeFolder: (path: string) => void): string | undefined {
	const link = readlinkSync(join(job.source, path));
	const inside = relativePathWithin(job.source, join(job.source, dirname(path), link)) !== undefined;
	if (isAbsolute(link) || !inside || leadsOutside(job.source, path)) {
		job.omit("outside", path);
		return undefined;
	}
	makeFolder(path);
	symlinkSync(link, join(job.target, path));
	return link;
}

/** Judges a link whose target doesn't exist by the nearest folder above the target that does exist. */
function leadsOutside(root: string, path: string): boolean {
	const target = `${root}/${dirname(path)}/${readlinkSync(join(root, path))}`;
	for (let [at, rest] = [target, ""]; at.length >= root.length; [rest, at] = [posix.basename(at), posix.dirname(at)]) {
		if (rest === "..") return true;
		try {
			return relativePathWithin(root, realpathSync.native(at)) === undefined;
		} catch (error) {
			if (!isGone(error)) return true;
		}
	}
	return true;
}

function folderMaker(target: string): (path: string) => void {
	const made = new Set<string>(["."]);
	return (path) => {
		const folder = posix.dirname(path);
		if (made.has(folder)) return;
		mkdirSync(join(target, folder), { recursive: true });
		made.add(folder);
	};
}

function isGone(error: unknown): boolean {
	return ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
}

/** Throws unless the error concerns this file alone. */
function explain(error: unknown, job: CopyJob, path: string): void {
	const code = errorCode(error) ?? "";
	if (isGone(error) && !isMisnamed(path)) return;
	if (isGone(error)) job.omit("unreadable", path);
	else if (code === "EEXIST") job.omit("sameName", path);
	else if (code === "ELOOP") job.omit("outside", path);
	else if (["EACCES", "EPERM", "EIO", "EBUSY", "ENXIO", "ENAMETOOLONG"].includes(code)) job.omit("unreadable", path);
	else throw error;
}

/** Returns the size in bytes; 0 if the file is missing. */
export function sizeOf(path: string): number {
	try {
		return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
	} catch {
		return 0;
	}
}
