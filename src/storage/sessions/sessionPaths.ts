// Where sessions lie: the folder of this workspace, and those the same folders have had before.
import { join } from "node:path";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { createBlobs } from "../blobs.ts";
import { isNotFound, makeFolder, type StorageFileSystem } from "../files.ts";
import { isSafeId, requireSafeId } from "./ids.ts";

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
