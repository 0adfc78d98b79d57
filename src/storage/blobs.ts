// Bytes kept under their SHA-256: written once, whole or not at all, and checked when read.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { BlobStore } from "../core/ports/sessions.ts";
import { t } from "../shared/l10n.ts";
import { sha256 } from "../shared/node/hash.ts";
import { isNotFound, makeFolder, nodeFileSystem, type StorageFileSystem, writeAtomically } from "./fileSystem.ts";
import { toReadError, toStorageError } from "./storageErrors.ts";

const HASH = /^[0-9a-f]{64}$/;

/** `put` rejects with StorageError; `get` answers undefined for what is missing or no longer has its hash. */
export function createBlobs(folder: string, files: StorageFileSystem = nodeFileSystem): BlobStore {
	return {
		async put(bytes) {
			const hash = sha256(bytes);
			const path = join(folder, hash);
			try {
				const kept = await files.stat(path).catch(() => undefined);
				if (kept?.size === bytes.byteLength && (await makeYoung(files, path))) return hash;
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
			// Out of the way, so that the same bytes can be kept again.
			await files.rename(path, `${path}.corrupt`).catch(() => undefined);
			return undefined;
		},
	};
}

/** Writes to the first and finds what any of them has: sessions of another identity bring their pre-images along. */
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
 * Removes a blob that nothing names. False, and nothing removed, when it was put within `young` milliseconds: its name may
 * not be written yet.
 */
export async function removeBlob(files: StorageFileSystem, folder: string, hash: string, young: number): Promise<boolean> {
	await files.rm(join(folder, `${hash}.corrupt`), { force: true });
	const path = join(folder, hash);
	try {
		if (isRecent(await files.stat(path), young)) return false;
		// Out of the way first: whoever puts it again from here on writes it anew, and who did so just now is seen.
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

/** Whoever puts bytes that are kept already is about to name them. False when they were removed meanwhile. */
async function makeYoung(files: StorageFileSystem, path: string): Promise<boolean> {
	const now = new Date();
	return files.utimes(path, now, now).then(
		() => true,
		(cause: unknown) => !isNotFound(cause),
	);
}
