// Stores one small file shared by all windows: read, validated, changed under a lock, replaced atomically.

// A damaged file is never overwritten; it is set aside as `.corrupt`.

import { dirname } from "node:path";
import { isNotFound, makeFolder, nodeFileSystem, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { toStorageError } from "../storageErrors.ts";
import { withFileLock } from "./fileLock.ts";

export interface JsonStore<T> {
	/** The current value on disk. Rejects with the file system's error. */
	read(): Promise<T>;
	/**
	 * Replaces the value with the result of `change`, or writes nothing if that is the same object. Resolves with the value then on
	 * disk. Rejects, leaving the file unchanged: with a StorageError that begins with `failed`, or without it with the file
	 * system's error.
	 */
	update(change: (value: T) => T, failed?: string): Promise<T>;
}

export interface JsonStoreOptions<T> {
	path: string;
	/** The value if there is no file. */
	empty: T;
	/** Parses a file's text; undefined if it is damaged. Values are shared and must not be mutated. */
	parse(text: string): T | undefined;
	print?(value: T): string;
	/** The value of a damaged file, if not `empty`. */
	fallback?(): Promise<T>;
	/** Called when a file was set aside. Without it, a damaged file is moved only by the next write. */
	onDamage?(): void;
	/** A lock file other than the store's own, for several files that change together. */
	lock?: string;
	/** False if the folder must exist, so that a deleted folder is not created again. */
	makesFolder?: boolean;
	/** Unchanged files are not read again. */
	cached?: boolean;
	/** `latin1` preserves bytes that are not valid text. */
	encoding?: "utf8" | "latin1";
	files?: StorageFileSystem;
}

export function createJsonStore<T>(options: JsonStoreOptions<T>): JsonStore<T> {
	const { path, parse, print = printJson, encoding = "utf8", files = nodeFileSystem } = options;
	const { empty, fallback = async () => empty, lock = `${path}.lock` } = options;
	let cache: { mark: string; value: T } | undefined;

	/** Returns undefined if the file is damaged. */
	async function load(): Promise<{ value: T } | undefined> {
		const mark = options.cached ? await markOf(files, path) : undefined;
		if (mark !== undefined && cache?.mark === mark) return cache;
		cache = undefined;
		if (mark === "") return { value: empty };
		const text = await files.readFile(path, encoding).catch(ignoreMissing);
		if (text === undefined) return { value: empty };
		const value = parse(text);
		if (value === undefined) return undefined;
		if (mark !== undefined) cache = { mark, value };
		return { value };
	}

	/** Must run under the lock, so that a file another window has just written is not moved. */
	async function loadOrSetAside(): Promise<T> {
		const found = await load();
		if (found) return found.value;
		const value = await fallback();
		await files.rename(path, `${path}.corrupt`).catch(ignoreMissing);
		options.onDamage?.();
		return value;
	}

	async function rewrite(change: (value: T) => T): Promise<T> {
		cache = undefined;
		const before = await loadOrSetAside();
		const after = change(before);
		if (after === before) return before;
		await writeAtomically(files, path, Buffer.from(print(after), encoding));
		cache = undefined;
		return after;
	}

	return {
		async read() {
			const found = await load();
			if (found) return found.value;
			return options.onDamage ? withFileLock(files, lock, loadOrSetAside) : fallback();
		},
		async update(change, failed) {
			try {
				if (options.makesFolder !== false) await makeFolder(files, dirname(path));
				return await withFileLock(files, lock, () => rewrite(change));
			} catch (cause) {
				throw failed === undefined ? cause : toStorageError(cause, failed);
			}
		},
	};
}

function printJson(value: unknown): string {
	return `${JSON.stringify(value, undefined, "\t")}\n`;
}

/** Returns "" if there is no file. */
async function markOf(files: StorageFileSystem, path: string): Promise<string> {
	const stat = await files.stat(path).catch(ignoreMissing);
	return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : "";
}

function ignoreMissing(cause: unknown): undefined {
	if (!isNotFound(cause)) throw cause;
	return undefined;
}
