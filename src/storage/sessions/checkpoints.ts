// The words of an answer that still streams, beside its transcript, for the case that this host dies.
import { join } from "node:path";
import { readText, type StorageFileSystem, writeAtomically } from "../files.ts";
import type { SessionPaths } from "./sessionPaths.ts";

const CHECKPOINT = "streaming.txt";

interface Checkpoints {
	/** Saves of one session happen in the order they are asked for. */
	save(place: SessionPaths, text: string | undefined): Promise<void>;
	read(place: SessionPaths): Promise<string | undefined>;
}

export function createCheckpoints(files: StorageFileSystem): Checkpoints {
	const saving = new Map<string, Promise<void>>();

	async function write(path: string, text: string | undefined): Promise<void> {
		if (text === undefined) await files.rm(path, { force: true });
		// About once a second: whole or not at all, but not worth waiting for the platter.
		else await writeAtomically(files, path, text, { flush: false });
	}

	return {
		save(place, text) {
			const path = join(place.folder, CHECKPOINT);
			const saved = (saving.get(path) ?? Promise.resolve()).then(() => write(path, text));
			const settled = saved
				.catch(() => undefined)
				.then(() => {
					if (saving.get(path) === settled) saving.delete(path);
				});
			saving.set(path, settled);
			return saved;
		},
		read: (place) => readText(files, join(place.folder, CHECKPOINT)),
	};
}
