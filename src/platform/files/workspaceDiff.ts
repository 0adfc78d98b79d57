// Detects changed files by comparing a snapshot with the disk: a workspace's with contents, a copy's by file data alone.
import { type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { FileChange } from "../../core/events.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { sha256 } from "../../shared/node/hash.ts";
import type { GitRunner } from "../git/gitChanges.ts";
import { computeDiff, type FileDiff } from "./diffs.ts";
import { errorCode, type GetWorkspaceFolders, listProjectFiles, type WorkspaceFiles } from "./files.ts";

/** Data that identifies the state of a file without reading it. Times are in milliseconds. */
export interface FileStamp {
	size: number;
	mtime: number;
	ctime: number;
	inode: number;
	executable?: true;
}

/** A file in the snapshot. Without `bytes` it was too large to be stored, so its change has no diff and no Undo. */
interface SnapshotFile extends FileStamp {
	bytes?: Buffer;
}

export type WorkspaceSnapshot = ReadonlyMap<string, SnapshotFile>;

/** Reuses the bytes of `earlier` for files that have not been touched since. */
export async function takeSnapshot(
	folders: GetWorkspaceFolders,
	programs: GitRunner,
	earlier?: WorkspaceSnapshot,
): Promise<WorkspaceSnapshot> {
	const snapshot = new Map<string, SnapshotFile>();
	await inSlices(await pathsOf(folders, programs), (path) => {
		const seen = inspectFile(path);
		if (seen) snapshot.set(path, seen);
	});
	let remaining = BYTES_KEPT;
	const small = [...snapshot].filter(([, seen]) => seen.size <= FILE_KEPT).sort(([, left], [, right]) => left.size - right.size);
	await inSlices(small, ([path, seen]) => {
		remaining -= seen.size;
		if (remaining < 0) return;
		const known = earlier?.get(path);
		const bytes = known?.bytes && untouched(known, seen) ? known.bytes : contentOf(path);
		if (bytes) seen.bytes = bytes;
	});
	return snapshot;
}

/** Stores pre-images of changed files as blobs. A moved file appears as one deleted and one created. */
export async function diffSnapshot(
	snapshot: WorkspaceSnapshot,
	folders: GetWorkspaceFolders,
	programs: GitRunner,
	files: Pick<WorkspaceFiles, "version">,
	blobs: BlobStore,
): Promise<FileChange[]> {
	const touched: string[] = [];
	await inSlices(new Set([...snapshot.keys(), ...(await pathsOf(folders, programs))]), (path) => {
		const [before, now] = [snapshot.get(path), inspectFile(path)];
		if (before ? !now || !untouched(before, now) : now) touched.push(path);
	});
	const changes: FileChange[] = [];
	for (const path of touched.sort()) {
		const change = await changeOf(path, snapshot.get(path), files, blobs, changes.length < DIFFS);
		if (change) changes.push(change);
	}
	return changes;
}

/** Takes about a quarter of a second; changes in further files are not reported. */
const FILES_SEEN = 50_000;
const FILE_KEPT = 1024 * 1024;
const BYTES_KEPT = 20 * 1024 * 1024;
/** Maximum number of changes with a diff; a generator can touch thousands of files. */
const DIFFS = 200;
/** Milliseconds of work before the host gets its turn. */
const SLICE = 10;

async function changeOf(
	path: string,
	before: SnapshotFile | undefined,
	files: Pick<WorkspaceFiles, "version">,
	blobs: BlobStore,
	withDiff: boolean,
): Promise<FileChange | undefined> {
	const now = inspectFile(path);
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

function inspectFile(path: string): SnapshotFile | undefined {
	try {
		const stats = lstatSync(path, { throwIfNoEntry: false });
		return stats?.isFile() ? stampOf(stats) : undefined;
	} catch {
		return undefined;
	}
}

export function stampOf(stats: Stats): FileStamp {
	const executable = (stats.mode & 0o100) !== 0;
	return { size: stats.size, mtime: stats.mtimeMs, ctime: stats.ctimeMs, inode: stats.ino, ...(executable && { executable }) };
}

/** The change time reveals writes that restore the old modification time. */
export function untouched(before: FileStamp, after: FileStamp): boolean {
	return before.size === after.size && before.mtime === after.mtime && before.ctime === after.ctime && before.inode === after.inode;
}

function contentOf(path: string): Buffer | undefined {
	try {
		return readFileSync(path);
	} catch {
		return undefined;
	}
}

/** Synchronous calls are five times faster for many small files; pauses keep the host responsive. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
	let until = performance.now() + SLICE;
	for (const item of items) {
		work(item);
		if (performance.now() < until) continue;
		await setImmediate();
		until = performance.now() + SLICE;
	}
}

/** Every file and link below a folder, by its path relative to the folder, with slashes. */
export interface TreeSnapshot {
	files: ReadonlyMap<string, FileStamp & { link?: string }>;
	/** There were too many ignored files, so none of them is in the snapshot. */
	ignoredSkipped: boolean;
	/** Files and folders that are there and could not be read, or whose names aren't valid text. */
	unread: readonly string[];
}

/** Includes ignored files, and has no other limit than theirs. */
export async function takeTreeSnapshot(
	folder: string,
	isIgnored: (path: string) => boolean,
	mostIgnored = MOST_IGNORED,
): Promise<TreeSnapshot> {
	const files = new Map<string, FileStamp & { link?: string }>();
	const ignored: string[] = [];
	const unread: string[] = [];
	const addUnread = (path: string): void => void unread.push(path);
	await inSlices(walkTree(folder, undefined, addUnread), ({ path, entry }) => {
		if (!entry.isFile() && !entry.isSymbolicLink()) return;
		const skippable = isIgnored(path);
		if (skippable && ignored.length > mostIgnored) return;
		try {
			const at = join(folder, path);
			files.set(path, { ...stampOf(lstatSync(at)), ...(entry.isSymbolicLink() && { link: readlinkSync(at) }) });
			if (skippable) ignored.push(path);
		} catch {
			// Otherwise it has just disappeared.
			if (!skippable && isMisnamed(path)) addUnread(path);
		}
	});
	const ignoredSkipped = ignored.length > mostIgnored;
	if (ignoredSkipped) for (const path of ignored) files.delete(path);
	return { files, ignoredSkipped, unread };
}

export const MOST_IGNORED = 200_000;

/** Sorted paths of what was created, deleted, or touched. If one of them skipped ignored files, only the others are compared. */
export function diffTreeSnapshots(
	before: Omit<TreeSnapshot, "unread">,
	after: TreeSnapshot,
	isIgnored: (path: string) => boolean,
): string[] {
	const skip = before.ignoredSkipped || after.ignoredSkipped;
	const touched = [...new Set([...before.files.keys(), ...after.files.keys()])].filter((path) => {
		const [was, is] = [before.files.get(path), after.files.get(path)];
		return !(was && is && was.link === is.link && untouched(was, is)) && !(skip && isIgnored(path));
	});
	return touched.sort();
}

/** Node reads what isn't UTF-8 in a name as this character, and then finds no such file. */
export function isMisnamed(path: string): boolean {
	return path.includes("\ufffd");
}

/** Everything below a folder but repositories; links are not followed. `enter` says which folders are walked. */
export function* walkTree(
	folder: string,
	enter?: (path: string) => boolean,
	unread?: (path: string) => void,
): Generator<{ path: string; entry: Dirent }> {
	const open = [""];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const parent = next;
		for (const entry of entriesOf(join(folder, parent), () => unread?.(parent))) {
			const path = parent === "" ? entry.name : `${parent}/${entry.name}`;
			if (entry.name.toLowerCase() === ".git") continue;
			yield { path, entry };
			if (entry.isDirectory() && (enter?.(path) ?? true)) open.push(path);
		}
	}
}

function entriesOf(folder: string, unread: () => void): Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch (error) {
		if (errorCode(error) !== "ENOENT" || isMisnamed(folder)) unread();
		return [];
	}
}
