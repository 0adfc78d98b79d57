// Resolves session folders in this workspace's storage, and in earlier storages of the same folders.

import { basename, join } from "node:path";
import type { TranscriptKind } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import { type BlobStore, isSessionId, StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { createBlobs } from "../blobs.ts";
import { isNotFound, makeFolder, nodeFileSystem, parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { createJsonStore, type JsonStore } from "../json/jsonStore.ts";
import { readFileStamp } from "./readIndexEntry.ts";
import { readSessionMetadata } from "./sessionMetadata.ts";

export interface SessionPaths {
	sessionId: string;
	kind: TranscriptKind;
	/** The session's own folder. */
	folder: string;
	blobs: BlobStore;
}

export interface SessionPathResolver {
	/** The location of a transcript of any kind, or of a future session with that id. Throws StorageError for an unsafe id. */
	resolve(sessionId: string): Promise<SessionPaths>;
	/**
	 * The location for a new transcript, whose folder is not created but may contain remains of an earlier one; undefined if the id
	 * is taken.
	 */
	resolveNew(sessionId: string, kind: TranscriptKind): Promise<SessionPaths | undefined>;
	all(kind: TranscriptKind): Promise<SessionPaths[]>;
	/** The id of a folder returned before. */
	idOf(folder: string): string;
	/** Every folder that may contain temporary files in addition to the sessions' own folders. */
	roots(): string[];
	forget(sessionId: string): void;
}

/** Folder of each transcript kind within a root. */
export const FOLDER_BY_KIND: Readonly<Record<TranscriptKind, string>> = { session: "sessions", task: "tasks" };
const KINDS = Object.keys(FOLDER_BY_KIND) as TranscriptKind[];
export const BLOBS_FOLDER = "blobs";

/** Folder with the copies of the workspace of one storage, whose tasks decide how long they stay. */
export function copiesFolder(shared: string, root: string): string {
	return join(shared, "copies", sha256(root).slice(0, 16));
}

/** If a session exists in several roots, the first one counts. */
export function createSessionPathResolver(files: StorageFileSystem, root: string, also: readonly string[]): SessionPathResolver {
	const roots = [root, ...also.filter((other) => other !== root)].map((path) => ({
		path,
		blobs: createBlobs(join(path, BLOBS_FOLDER), files),
	}));
	const main = roots[0] as (typeof roots)[number];
	/** Resolved once, so that concurrent appends stay in order. */
	const known = new Map<string, Promise<SessionPaths>>();
	const ids = new Map<string, string>();

	function placeIn({ path, blobs }: typeof main, kind: TranscriptKind, sessionId: string, name = nameFolder(sessionId)): SessionPaths {
		const folder = join(path, FOLDER_BY_KIND[kind], name);
		ids.set(folder, sessionId);
		return { sessionId, kind, folder, blobs };
	}

	async function namesIn(folder: string): Promise<string[]> {
		try {
			const entries = await files.readdir(folder, { withFileTypes: true });
			return entries.filter((entry) => entry.isDirectory() && isSessionId(entry.name)).map((entry) => entry.name);
		} catch (cause) {
			if (isNotFound(cause)) return [];
			throw cause;
		}
	}

	/** The id of the transcript in a folder: its name, unless that is a hash and the metadata has the id. */
	async function readId(folder: string, name: string, kind: TranscriptKind): Promise<string> {
		if (!HASHED.test(name)) return name;
		const known = ids.get(join(folder, name));
		if (known !== undefined && known !== name) return known;
		const { sessionId } = (await readSessionMetadata(files, { folder: join(folder, name), kind }).catch(() => undefined)) ?? {};
		return sessionId !== undefined && isSessionId(sessionId) && nameFolder(sessionId) === name ? sessionId : name;
	}

	async function isFolder(path: string): Promise<boolean> {
		return (await files.stat(path).catch(() => undefined))?.isDirectory() === true;
	}

	async function* foldersIn(root: typeof main, kind: TranscriptKind, sessionId: string): AsyncGenerator<SessionPaths> {
		const name = nameFolder(sessionId);
		const folder = join(root.path, FOLDER_BY_KIND[kind]);
		if (await isFolder(join(folder, name))) yield placeIn(root, kind, sessionId);
		// Earlier versions named every folder by its id. Case-insensitive disks may return the folder of another id.
		if (name === sessionId || !(await isFolder(join(folder, sessionId)))) return;
		const exact = (await namesIn(folder)).includes(sessionId) && (await readId(folder, sessionId, kind)) === sessionId;
		if (exact) yield placeIn(root, kind, sessionId, sessionId);
	}

	/** Prefers a folder with a transcript or metadata to one with remains. */
	async function find(sessionId: string): Promise<{ place: SessionPaths; taken: boolean } | undefined> {
		let remains: SessionPaths | undefined;
		for (const candidate of roots) {
			for (const kind of KINDS) {
				for await (const place of foldersIn(candidate, kind, sessionId)) {
					if (await isTaken(place)) return { place, taken: true };
					remains ??= place;
				}
			}
		}
		return remains && { place: remains, taken: false };
	}

	/** A folder that cannot be read counts as taken. */
	async function isTaken(place: SessionPaths): Promise<boolean> {
		return (await readFileStamp(files, place).catch(() => "unknown")) !== undefined;
	}

	async function look(sessionId: string): Promise<SessionPaths> {
		const found = await find(sessionId);
		if (!found?.taken) known.delete(sessionId);
		return found?.place ?? placeIn(main, "session", sessionId);
	}

	return {
		roots: () => roots.map(({ path }) => path),
		forget: (sessionId) => void known.delete(sessionId),
		idOf: (folder) => ids.get(folder) ?? basename(folder),
		async resolve(sessionId) {
			const looking = known.get(requireSafeId(sessionId)) ?? look(sessionId);
			known.set(sessionId, looking);
			return looking;
		},
		async resolveNew(sessionId, kind) {
			if ((await find(requireSafeId(sessionId)))?.taken) return undefined;
			known.delete(sessionId);
			await makeFolder(files, join(root, FOLDER_BY_KIND[kind]));
			return placeIn(main, kind, sessionId);
		},
		async all(kind) {
			const places = new Map<string, SessionPaths>();
			for (const candidate of roots) {
				const folder = join(candidate.path, FOLDER_BY_KIND[kind]);
				for (const name of await namesIn(folder)) {
					const sessionId = await readId(folder, name, kind);
					if (!places.has(sessionId)) places.set(sessionId, placeIn(candidate, kind, sessionId, name));
					else {
						const found = await find(sessionId);
						if (found?.place.kind === kind) places.set(sessionId, found.place);
					}
				}
			}
			return [...places.values()];
		},
	};
}

/** Ids that we create ourselves. */
const OWN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const HASHED = /^x-[0-9a-f]{32}$/;

/** Unique for each id, even on case-insensitive disks. */
export function nameFolder(sessionId: string): string {
	return OWN_ID.test(sessionId) ? sessionId : `x-${sha256(sessionId).slice(0, 32)}`;
}

/** Throws StorageError for an id that could lead elsewhere. */
function requireSafeId(id: string): string {
	if (isSessionId(id)) return id;
	throw new StorageError(
		t("A session ID must be 1 to 128 letters, digits, _ or -. Nothing was read or written. Choose another ID."),
		"EINVAL",
	);
}

const FOLDERS = "folders";

/** Records that these folders' sessions are in `storage` now. Rejects with StorageError. */
export async function rememberStorage(
	globalRoot: string,
	folderUris: readonly string[],
	storage: string,
	files: StorageFileSystem = nodeFileSystem,
): Promise<void> {
	for (const folder of folderUris) {
		const store = storagesOf(files, globalRoot, folder);
		if ((await store.read().catch((): string[] => [])).includes(storage)) continue;
		await store.update(
			(storages) => (storages.includes(storage) ? storages : [...storages, storage]),
			t("Could not save the location of this folder's sessions."),
		);
	}
}

/** Every storage that these folders have had, oldest first, except those that no longer exist. */
export async function listStorages(
	globalRoot: string,
	folderUris: readonly string[],
	files: StorageFileSystem = nodeFileSystem,
): Promise<string[]> {
	const storages = new Set<string>();
	for (const folder of folderUris) {
		for (const storage of await storagesOf(files, globalRoot, folder)
			.read()
			.catch(() => [])) {
			const stat = await files.stat(storage).catch(() => undefined);
			if (stat?.isDirectory()) storages.add(storage);
		}
	}
	return [...storages];
}

function storagesOf(files: StorageFileSystem, globalRoot: string, folder: string): JsonStore<readonly string[]> {
	return createJsonStore<readonly string[]>({
		files,
		path: join(globalRoot, FOLDERS, `${sha256(folder)}.json`),
		empty: [],
		parse(text) {
			const value = parseJson(text);
			// The hash could be another folder's only if the file was copied there by hand.
			if (!isRecord(value) || value["folder"] !== folder || !Array.isArray(value["storages"])) return undefined;
			return value["storages"].filter((storage) => typeof storage === "string");
		},
		print: (storages) => `${JSON.stringify({ folder, storages }, undefined, "\t")}\n`,
	});
}
