// One small file that all windows share: read, checked, changed under a lock, replaced whole.

// What is damaged is never written over: it is set aside beside the file, as `.corrupt`.

import { dirname } from "node:path";
import { isNotFound, makeFolder, nodeFileSystem, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { toStorageError } from "../storageErrors.ts";
import { withFileLock } from "./fileLock.ts";

export interface JsonStore<T> {
	/** The value as it is on disk now. Rejects with what the disk throws. */
	read(): Promise<T>;
	/**
	 * Replaces the value by what `change` makes of the one on disk, or writes nothing where that is the same object. Resolves
	 * with what is on disk then. Rejects with a StorageError that begins with the sentence `failed`, or without it with what
	 * the disk throws; the file is then as it was.
	 */
	update(change: (value: T) => T, failed?: string): Promise<T>;
}

export interface JsonStoreOptions<T> {
	path: string;
	/** The value while there is no file. */
	empty: T;
	/** The value of a file's text; undefined where it is damaged. Values are shared: nobody changes one in place. */
	parse(text: string): T | undefined;
	print?(value: T): string;
	/** The value of a damaged file, where that is not `empty`. */
	fallback?(): Promise<T>;
	/** Hears of a file that was set aside. Without it a damaged file is only moved once something is to be written. */
	onDamage?(): void;
	/** Another lock file than the store's own, where several files are changed as one. */
	lock?: string;
	/** False where the folder must be there: what was deleted meanwhile is then not made again. */
	makesFolder?: boolean;
	/** A file that has not changed is not read again. */
	cached?: boolean;
	/** `latin1` for who keeps bytes that are no text. */
	encoding?: "utf8" | "latin1";
	files?: StorageFileSystem;
}

export function createJsonStore<T>(options: JsonStoreOptions<T>): JsonStore<T> {
	const { path, parse, print = printJson, encoding = "utf8", files = nodeFileSystem } = options;
	const { empty, fallback = async () => empty, lock = `${path}.lock` } = options;
	let cache: { mark: string; value: T } | undefined;

	/** Undefined where the file is damaged. */
	async function load(): Promise<{ value: T } | undefined> {
		const mark = options.cached ? await markOf(files, path) : "";
		if (mark !== "" && cache?.mark === mark) return cache;
		cache = undefined;
		const text = await files.readFile(path, encoding).catch(ignoreMissing);
		if (text === undefined) return { value: empty };
		const value = parse(text);
		if (value === undefined) return undefined;
		cache = { mark, value };
		return cache;
	}

	/** Call it under the lock: what another window has just put in place is not moved. */
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

/** "" where there is no file. */
async function markOf(files: StorageFileSystem, path: string): Promise<string> {
	const stat = await files.stat(path).catch(ignoreMissing);
	return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : "";
}

function ignoreMissing(cause: unknown): undefined {
	if (!isNotFound(cause)) throw cause;
	return undefined;
}
