// Where sessions lie: the folder of this workspace, and those the same folders have had before.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import { type BlobStore, StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { createBlobs } from "../blobs.ts";
import { isNotFound, makeFolder, nodeFileSystem, parseJson, readText, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { withFileLock } from "../json/fileLock.ts";
import { toStorageError } from "../storageErrors.ts";

export interface SessionPaths {
	sessionId: string;
	/** The session's own folder. */
	folder: string;
	blobs: BlobStore;
}

export interface SessionPathResolver {
	/** Where a session lies, or where it would if it does not exist. Throws StorageError for an unsafe id. */
	resolve(sessionId: string): Promise<SessionPaths>;
	/** Where a new session goes; its folder is not made. */
	resolveNew(sessionId: string): Promise<SessionPaths>;
	all(): Promise<SessionPaths[]>;
	/** Every folder that may hold temporary files beside those of sessions. */
	roots(): string[];
	forget(sessionId: string): void;
}

export const SESSIONS_FOLDER = "sessions";
export const BLOBS_FOLDER = "blobs";

/** A session that is found in several roots is the one of the first. */
export function createSessionPathResolver(files: StorageFileSystem, root: string, also: readonly string[]): SessionPathResolver {
	const roots = [root, ...also.filter((other) => other !== root)].map((path) => ({
		path,
		blobs: createBlobs(join(path, BLOBS_FOLDER), files),
	}));
	const main = roots[0] as (typeof roots)[number];
	/** Looked for once, so that appends asked for side by side stay in order. */
	const known = new Map<string, Promise<SessionPaths>>();

	function placeIn({ path, blobs }: typeof main, sessionId: string): SessionPaths {
		return { sessionId, folder: join(path, SESSIONS_FOLDER, sessionId), blobs };
	}

	async function namesIn(path: string): Promise<string[]> {
		try {
			const entries = await files.readdir(join(path, SESSIONS_FOLDER), { withFileTypes: true });
			return entries.filter((entry) => entry.isDirectory() && isSafeId(entry.name)).map((entry) => entry.name);
		} catch (cause) {
			if (isNotFound(cause)) return [];
			throw cause;
		}
	}

	async function look(sessionId: string): Promise<SessionPaths> {
		for (const candidate of roots) {
			const found = placeIn(candidate, sessionId);
			const stat = await files.stat(found.folder).catch(() => undefined);
			if (stat?.isDirectory()) return found;
		}
		known.delete(sessionId);
		return placeIn(main, sessionId);
	}

	return {
		roots: () => roots.map(({ path }) => path),
		forget: (sessionId) => void known.delete(sessionId),
		async resolve(sessionId) {
			const looking = known.get(requireSafeId(sessionId)) ?? look(sessionId);
			known.set(sessionId, looking);
			return looking;
		},
		async resolveNew(sessionId) {
			const place = placeIn(main, requireSafeId(sessionId));
			await makeFolder(files, join(root, SESSIONS_FOLDER));
			return place;
		},
		async all() {
			const places = new Map<string, SessionPaths>();
			for (const candidate of roots) {
				for (const sessionId of await namesIn(candidate.path)) {
					if (!places.has(sessionId)) places.set(sessionId, placeIn(candidate, sessionId));
				}
			}
			return [...places.values()];
		},
	};
}

const SAFE = /^[A-Za-z0-9_-]{1,64}$/;

export function isSafeId(id: string): boolean {
	return SAFE.test(id);
}

/** Throws a StorageError for an id that could lead elsewhere. */
export function requireSafeId(id: string): string {
	if (isSafeId(id)) return id;
	throw new StorageError(
		t("This session id cannot be used: 1 to 64 letters, digits, _ and - are allowed. Nothing was read or written; choose another id."),
		"EINVAL",
	);
}

const FOLDERS = "folders";

/** Notes that these folders are kept in `storage` now. Rejects with StorageError. */
export async function rememberStorage(
	globalRoot: string,
	folderUris: readonly string[],
	storage: string,
	files: StorageFileSystem = nodeFileSystem,
): Promise<void> {
	try {
		for (const folder of folderUris) {
			if ((await storagesIn(files, globalRoot, folder)).includes(storage)) continue;
			await makeFolder(files, join(globalRoot, FOLDERS));
			const path = fileOf(globalRoot, folder);
			await withFileLock(files, `${path}.lock`, async () => {
				const storages = await storagesIn(files, globalRoot, folder);
				if (storages.includes(storage)) return;
				await writeAtomically(files, path, `${JSON.stringify({ folder, storages: [...storages, storage] }, undefined, "\t")}\n`);
			});
		}
	} catch (cause) {
		throw toStorageError(cause, t("note where the sessions of this folder are kept"));
	}
}

/** Every storage any of these folders has had, the oldest first; those that are gone are left out. */
export async function listStorages(
	globalRoot: string,
	folderUris: readonly string[],
	files: StorageFileSystem = nodeFileSystem,
): Promise<string[]> {
	const storages = new Set<string>();
	for (const folder of folderUris) {
		for (const storage of await storagesIn(files, globalRoot, folder)) {
			const stat = await files.stat(storage).catch(() => undefined);
			if (stat?.isDirectory()) storages.add(storage);
		}
	}
	return [...storages];
}

async function storagesIn(files: StorageFileSystem, globalRoot: string, folder: string): Promise<string[]> {
	const text = await readText(files, fileOf(globalRoot, folder)).catch(() => undefined);
	const value = text === undefined ? undefined : parseJson(text);
	// The hash could be another folder's only if the file was copied there by hand.
	if (!isRecord(value) || value["folder"] !== folder || !Array.isArray(value["storages"])) return [];
	return value["storages"].filter((storage) => typeof storage === "string");
}

function fileOf(globalRoot: string, folder: string): string {
	return join(globalRoot, FOLDERS, `${createHash("sha256").update(folder).digest("hex")}.json`);
}
