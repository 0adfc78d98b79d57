// Where sessions lie: the folder of this workspace, and those the same folders have had before.
import { join } from "node:path";
import type { Blobs } from "../../core/ports/sessions.ts";
import { createBlobs } from "../blobs.ts";
import { type Files, isMissing, makeFolder } from "../files.ts";
import { isSafeId, safeId } from "./ids.ts";

export interface Place {
	sessionId: string;
	/** The session's own folder. */
	folder: string;
	blobs: Blobs;
}

export interface Places {
	/** Where a session lies, or where it would if it does not exist. Throws StorageError for an unsafe id. */
	of(sessionId: string): Promise<Place>;
	/** Where a new session goes; its folder is not made. */
	fresh(sessionId: string): Promise<Place>;
	all(): Promise<Place[]>;
	/** Every folder that may hold temporary files beside those of sessions. */
	roots(): string[];
	forget(sessionId: string): void;
}

export const SESSIONS = "sessions";
export const BLOBS = "blobs";

/** A session that is found in several roots is the one of the first. */
export function createPlaces(files: Files, root: string, also: readonly string[]): Places {
	const roots = [root, ...also.filter((other) => other !== root)].map((path) => ({ path, blobs: createBlobs(join(path, BLOBS), files) }));
	const main = roots[0] as (typeof roots)[number];
	/** Looked for once, so that appends asked for side by side stay in order. */
	const known = new Map<string, Promise<Place>>();

	function placeIn({ path, blobs }: typeof main, sessionId: string): Place {
		return { sessionId, folder: join(path, SESSIONS, sessionId), blobs };
	}

	async function namesIn(path: string): Promise<string[]> {
		try {
			const entries = await files.readdir(join(path, SESSIONS), { withFileTypes: true });
			return entries.filter((entry) => entry.isDirectory() && isSafeId(entry.name)).map((entry) => entry.name);
		} catch (cause) {
			if (isMissing(cause)) return [];
			throw cause;
		}
	}

	async function look(sessionId: string): Promise<Place> {
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
		async of(sessionId) {
			const looking = known.get(safeId(sessionId)) ?? look(sessionId);
			known.set(sessionId, looking);
			return looking;
		},
		async fresh(sessionId) {
			const place = placeIn(main, safeId(sessionId));
			await makeFolder(files, join(root, SESSIONS));
			return place;
		},
		async all() {
			const places = new Map<string, Place>();
			for (const candidate of roots) {
				for (const sessionId of await namesIn(candidate.path)) {
					if (!places.has(sessionId)) places.set(sessionId, placeIn(candidate, sessionId));
				}
			}
			return [...places.values()];
		},
	};
}
