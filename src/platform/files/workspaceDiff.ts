// Detects the files a command changed by comparing a workspace snapshot with the disk afterwards.
import { lstatSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { FileChange } from "../../core/events.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { sha256 } from "../../shared/node/hash.ts";
import type { GitRunner } from "../git/gitChanges.ts";
import { computeDiff, type FileDiff } from "./diffs.ts";
import { type GetWorkspaceFolders, listProjectFiles, type WorkspaceFiles } from "./files.ts";

/** A file as the picture has it. Without `bytes` it was too large to be kept: its change has no diff and no Undo. */
interface Seen {
	size: number;
	mtime: number;
	ctime: number;
	inode: number;
	bytes?: Buffer;
}

export type WorkspaceSnapshot = ReadonlyMap<string, Seen>;

/** Bytes of `earlier` are taken over where a file has not been touched since. */
export async function takeSnapshot(
	folders: GetWorkspaceFolders,
	programs: GitRunner,
	earlier?: WorkspaceSnapshot,
): Promise<WorkspaceSnapshot> {
	const picture = new Map<string, Seen>();
	await inSlices(await pathsOf(folders, programs), (path) => {
		const seen = look(path);
		if (seen) picture.set(path, seen);
	});
	let room = BYTES_KEPT;
	const small = [...picture].filter(([, seen]) => seen.size <= FILE_KEPT).sort(([, one], [, other]) => one.size - other.size);
	await inSlices(small, ([path, seen]) => {
		room -= seen.size;
		if (room < 0) return;
		const known = earlier?.get(path);
		const bytes = known?.bytes && untouched(known, seen) ? known.bytes : contentOf(path);
		if (bytes) seen.bytes = bytes;
	});
	return picture;
}

/** Pre-images of what changed go to the blobs. A moved file shows as one deleted and one created. */
export async function diffSnapshot(
	picture: WorkspaceSnapshot,
	folders: GetWorkspaceFolders,
	programs: GitRunner,
	files: Pick<WorkspaceFiles, "version">,
	blobs: BlobStore,
): Promise<FileChange[]> {
	const touched: string[] = [];
	await inSlices(new Set([...picture.keys(), ...(await pathsOf(folders, programs))]), (path) => {
		const [before, now] = [picture.get(path), look(path)];
		if (before ? !now || !untouched(before, now) : now) touched.push(path);
	});
	const changes: FileChange[] = [];
	for (const path of touched.sort()) {
		const change = await changeOf(path, picture.get(path), files, blobs, changes.length < DIFFS);
		if (change) changes.push(change);
	}
	return changes;
}

/** A quarter of a second of looking; changes beyond them are not told. */
const FILES_SEEN = 50_000;
const FILE_KEPT = 1024 * 1024;
const BYTES_KEPT = 20 * 1024 * 1024;
/** Changes shown with a diff; a generator can touch thousands of files. */
const DIFFS = 200;
/** Milliseconds of work before the host gets its turn. */
const SLICE = 10;

async function changeOf(
	path: string,
	before: Seen | undefined,
	files: Pick<WorkspaceFiles, "version">,
	blobs: BlobStore,
	withDiff: boolean,
): Promise<FileChange | undefined> {
	const now = look(path);
	const bytes = now && now.size <= FILE_KEPT ? contentOf(path) : undefined;
	if (now && before) {
		if (before.bytes && bytes ? before.bytes.equals(bytes) : before.size === now.size && before.mtime === now.mtime) return undefined;
	}
	if (!now && !before) return undefined;
	const known = (!before || before.bytes) && (!now || bytes) && withDiff;
	const seen: FileDiff = known
		? computeDiff(before?.bytes, bytes)
		: { diff: "", added: 0, removed: 0, unshown: { why: "large", size: (now ?? before)?.size ?? 0 } };
	const after = bytes ? sha256(bytes) : now ? ((await files.version(path))?.hash ?? "") : "";
	const action = before ? (now ? "update" : "delete") : "create";
	const change: FileChange = { path, action, ...seen, after };
	if (before?.bytes) change.before = { blob: await blobs.put(before.bytes), size: before.bytes.length };
	return change;
}

async function pathsOf(folders: GetWorkspaceFolders, programs: GitRunner): Promise<Set<string>> {
	return new Set((await Promise.all(folders().map((folder) => listProjectFiles(folder.path, programs)))).flat().slice(0, FILES_SEEN));
}

function look(path: string): Seen | undefined {
	try {
		const stats = lstatSync(path, { throwIfNoEntry: false });
		return stats?.isFile() ? { size: stats.size, mtime: stats.mtimeMs, ctime: stats.ctimeMs, inode: stats.ino } : undefined;
	} catch {
		return undefined;
	}
}

/** The change time tells writes that put the old modification time back. */
function untouched(one: Seen, other: Seen): boolean {
	return one.size === other.size && one.mtime === other.mtime && one.ctime === other.ctime && one.inode === other.inode;
}

function contentOf(path: string): Buffer | undefined {
	try {
		return readFileSync(path);
	} catch {
		return undefined;
	}
}

/** Synchronous calls are five times quicker for many small files, if the host may breathe in between. */
async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
	let until = performance.now() + SLICE;
	for (const item of items) {
		work(item);
		if (performance.now() < until) continue;
		await setImmediate();
		until = performance.now() + SLICE;
	}
}
