// Stores bytes under their SHA-256: written once and atomically, and verified when read.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { BlobStore } from "../core/ports/sessions.ts";
import { t } from "../shared/l10n.ts";
import { sha256 } from "../shared/node/hash.ts";
import { isNotFound, makeFolder, nodeFileSystem, type StorageFileSystem, writeAtomically } from "./fileSystem.ts";
import { toReadError, toStorageError } from "./storageErrors.ts";

const HASH = /^[0-9a-f]{64}$/;

/** `put` rejects with StorageError; `get` returns undefined for blobs that are missing or don't match their hash. */
export function createBlobs(folder: string, files: StorageFileSystem = nodeFileSystem): BlobStore {
	return {
		async put(bytes) {
			const hash = sha256(bytes);
			const path = join(folder, hash);
			try {
				const existing = await files.stat(path).catch(() => undefined);
				if (existing?.size === bytes.byteLength && (await touch(files, path))) return hash;
				await makeFolder(files, folder);
				await writeAtomically(files, path, bytes);
				return hash;
			} catch (cause) {
				throw toStorageError(cause, t("Could not save a large output or image."));
			}
		},
		async get(hash) {
			if (!HASH.test(hash)) return undefined;
			const path = join(folder, hash);
			const bytes = await files.readFile(path).catch((cause: unknown) => {
				if (isNotFound(cause)) return undefined;
				throw toReadError(cause, t("Could not read a large output or image."));
			});
			if (!bytes) return undefined;
			if (sha256(bytes) === hash) return bytes;
			// Moved aside, so that the same bytes can be stored again.
			await files.rename(path, `${path}.corrupt`).catch(() => undefined);
			return undefined;
		},
	};
}

/** Writes to the first store and reads from all, because sessions of another workspace id bring their pre-images. */
export function combineBlobs(all: readonly BlobStore[]): BlobStore {
	return {
		put: (bytes) => (all[0] as BlobStore).put(bytes),
		async get(hash) {
			for (const blobs of all) {
				const found = await blobs.get(hash);
				if (found) return found;
			}
			return undefined;
		},
	};
}

/**
 * Removes an unreferenced blob. Returns false and removes nothing if it was put within `young` milliseconds, because the
 * reference to it may not be written yet.
 */
export async function removeBlob(files: StorageFileSystem, folder: string, hash: string, young: number): Promise<boolean> {
	await files.rm(join(folder, `${hash}.corrupt`), { force: true });
	const path = join(folder, hash);
	try {
		if (isRecent(await files.stat(path), young)) return false;
		// Moved aside first: a later `put` writes it again, and a `put` that has just happened is detected below.
		const aside = join(folder, `.${hash}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
		await files.rename(path, aside);
		if (isRecent(await files.stat(aside), young)) {
			await files.rename(aside, path);
			return false;
		}
		await files.rm(aside, { force: true });
	} catch (cause) {
		if (!isNotFound(cause)) throw cause;
	}
	return true;
}

export function isRecent({ mtimeMs }: { mtimeMs: number }, young: number): boolean {
	return Math.abs(Date.now() - mtimeMs) < young;
}

/** Refreshes a stored blob that is about to be referenced. False if it was removed meanwhile. */
async function touch(files: StorageFileSystem, path: string): Promise<boolean> {
	const now = new Date();
	return files.utimes(path, now, now).then(
		() => true,
		(cause: unknown) => !isNotFound(cause),
	);
}
