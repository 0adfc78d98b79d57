// Opens a file's folder step by step without following links, so that writes cannot be redirected.

// Other processes can replace a checked path, but not an open folder handle.
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { FileConflict, type WorkspaceFolder } from "../../core/ports/workspace/files.ts";
import { findRedirectedPaths } from "../sandbox/protectedPlaces.ts";
import { errorCode } from "./files.ts";

/** A file name inside a folder that is held open. */
export interface AnchoredPath {
	/** Path for system calls; leads into the opened folder even if that is moved. */
	readonly path: string;
	/** The path that was asked for. */
	readonly realPath: string;
	/** Folders created on the way, outermost first. */
	readonly createdFolders: readonly string[];
	/** Throws FileConflict if the folder is no longer at its original path. */
	assertNotMoved(): Promise<void>;
	/** Opens the file itself, never through a link. */
	open(flags: number, mode?: number): Promise<FileHandle>;
	close(): Promise<void>;
}

/** `real` must be absolute and free of links; links found on the way are refused. `make` creates missing folders. */
export function openAnchoredPath(real: string, make = false): Promise<AnchoredPath> {
	return process.platform === "linux" ? openHeld(real, make) : openChecked(real, make);
}

/** Removes a folder that was created for a file, if it is empty. */
export async function removeEmptyFolder(real: string): Promise<void> {
	const place = await openAnchoredPath(real);
	try {
		await rmdir(place.path);
	} finally {
		await place.close();
	}
}

/** Linux's O_PATH, which Node does not define: a handle for traversal, even through folders that can't be listed. */
const O_PATH = 0o10000000;
const ENTER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const FILE = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function openHeld(real: string, make: boolean): Promise<AnchoredPath> {
	const made: string[] = [];
	let folder = await open("/", ENTER);
	let path = "/";
	try {
		for (const part of dirname(real).split("/").filter(Boolean)) {
			path = join(path, part);
			const next = await enter(folder, part, path, make ? made : undefined);
			await folder.close();
			folder = next;
		}
	} catch (error) {
		await folder.close();
		for (const created of made.toReversed()) await removeEmptyFolder(created).catch(() => undefined);
		throw error;
	}
	const folderPath = `/proc/self/fd/${folder.fd}`;
	const at = `${folderPath}/${basename(real)}`;
	return {
		path: at,
		realPath: real,
		createdFolders: made,
		async assertNotMoved() {
			if ((await readlink(folderPath)) !== dirname(real)) throw movedAway(real);
		},
		async open(flags, mode) {
			return open(at, flags | FILE, mode).catch((error: unknown) => {
				throw errorCode(error) === "ELOOP" ? movedAway(real) : error;
			});
		},
		close: () => folder.close(),
	};
}

async function enter(folder: FileHandle, part: string, path: string, made: string[] | undefined): Promise<FileHandle> {
	const at = `/proc/self/fd/${folder.fd}/${part}`;
	const opened = await open(at, ENTER).catch((error: unknown) => {
		if (errorCode(error) === "ENOENT" && made) return undefined;
		throw asConflict(error, path);
	});
	if (opened) return opened;
	await mkdir(at).then(
		() => made?.push(path),
		(error: unknown) => {
			if (errorCode(error) !== "EEXIST") throw error;
		},
	);
	return open(at, ENTER).catch((error: unknown) => {
		throw asConflict(error, path);
	});
}

/** Opens files on platforms without folder handles: checks afterwards that the path still leads to what was opened. */
async function openChecked(real: string, make: boolean): Promise<AnchoredPath> {
	const parent = dirname(real);
	const first = make ? await mkdir(parent, { recursive: true }) : undefined;
	const assertUnmoved = async () => {
		if ((await realpath(parent).catch(() => undefined)) !== parent) throw movedAway(real);
	};
	await assertUnmoved();
	return {
		path: real,
		realPath: real,
		createdFolders: first === undefined ? [] : foldersBetween(first, parent),
		assertNotMoved: assertUnmoved,
		async open(flags, mode) {
			const handle = await open(real, flags | FILE, mode);
			const [opened, found, leads] = await Promise.all([
				handle.stat(),
				stat(real).catch(() => undefined),
				realpath(real).catch(() => undefined),
			]);
			if (leads === real && found?.ino === opened.ino && found.dev === opened.dev) return handle;
			await handle.close();
			throw movedAway(real);
		},
		async close() {},
	};
}

function foldersBetween(first: string, last: string): string[] {
	return last === first || dirname(last) === last ? [first] : [...foldersBetween(first, dirname(last)), last];
}

function asConflict(error: unknown, path: string): unknown {
	return ["ENOTDIR", "ELOOP", "ENOENT"].includes(errorCode(error) ?? "") ? movedAway(path) : error;
}

function movedAway(path: string): FileConflict {
	return new FileConflict(`${path} no longer leads where it did when the change was approved.`);
}

/** Results are cached for a moment because folders are queried with every path. Calls `dropped` once per path. */
export function excludeRedirectedFolders(
	folders: () => readonly WorkspaceFolder[],
	dropped: (path: string) => void,
): () => WorkspaceFolder[] {
	const reported = new Set<string>();
	let cached: { key: string; at: number; folders: WorkspaceFolder[] } | undefined;
	return () => {
		const all = folders();
		// A single folder can't be inside another one.
		if (all.length < 2) return [...all];
		const key = JSON.stringify(all);
		if (cached?.key === key && performance.now() - cached.at < CACHE_TIME) return cached.folders;
		const paths = all.map(({ path }) => path);
		const redirected = new Set(findRedirectedPaths(paths, paths));
		for (const path of redirected) if (!reported.has(path)) dropped(path);
		for (const path of redirected) reported.add(path);
		cached = { key, at: performance.now(), folders: all.filter(({ path }) => !redirected.has(path)) };
		return cached.folders;
	};
}

/** Milliseconds that the result is cached. */
const CACHE_TIME = 1_000;
