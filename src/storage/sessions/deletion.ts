// Deletes sessions in two steps: hides them at once, then removes them from disk.
import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { createBlobs, isRecent, removeBlob } from "../blobs.ts";
import { errorCode, FOLDER_MODE, isNotFound, isProcessAlive, type StorageFileSystem, syncFolder, writeAtomically } from "../fileSystem.ts";
import { isStaleLock } from "../json/fileLock.ts";
import { findBlobReferences, readBlobReferences } from "../transcripts/spill.ts";
import { INBOX_FOLDER } from "./inbox.ts";
import { OWNER_FILE } from "./sessionLock.ts";
import { METADATA_FILES } from "./sessionMetadata.ts";
import { BLOBS_FOLDER, FOLDER_BY_KIND } from "./sessionPaths.ts";

/** Milliseconds in which the reference to a new blob, perhaps from another window, may not be written yet. */
export const BLOB_GRACE_PERIOD = 60_000;

const REMOVED = ".removed-";
/** File in a removed folder with the blobs that are still to be removed once everything else is gone. */
const NOTE = "blobs.jsonl";
/** Files that reference blobs: transcripts, and in the inbox messages. */
const LINES = /\.jsonl(\.corrupt)?$/;
const MESSAGES = /\.json(\.corrupt)?$/;

type Finish = () => Promise<unknown>;

/** Files are hidden when these resolve, and removed once the returned function has run. */
export interface SessionDeletion {
	/** Removes a session's folder. */
	deleteSession(folder: string): Promise<Finish>;
	/** Removes everything in a session's folder except its metadata, its lock, and what `keeps`. */
	clearHistory(folder: string, keeps?: (name: string) => boolean): Promise<Finish>;
	/** Continues interrupted and postponed removals. */
	resume(): Promise<void>;
	close(): void;
}

interface DeletionOptions {
	files: StorageFileSystem;
	roots: readonly string[];
	/** The JSON of events that are not on disk yet. */
	unwritten(): Iterable<string>;
	log(line: string): void;
	young: number;
}

/** A removal that fails after hiding the files is logged and retried by `resume`: for the user, it has happened. */
export function createSessionDeletion({ files, roots, unwritten, log, young }: DeletionOptions): SessionDeletion {
	const stores = roots.map((root) => ({
		transcripts: Object.values(FOLDER_BY_KIND).map((folder) => join(root, folder)),
		folder: join(root, BLOBS_FOLDER),
		blobs: createBlobs(join(root, BLOBS_FOLDER), files),
	}));
	const timers = new Set<NodeJS.Timeout>();

	/** Resolves to true if everything has been removed. */
	async function removeContents(removed: string): Promise<boolean> {
		try {
			const named = await namedBelow(removed, await existingBlobs());
			if (named.size > 0 && (await writeBlobNote(removed, named)) && !(await removeBlobs(removed, named))) return false;
			await files.rm(removed, { recursive: true, force: true });
			return true;
		} catch (cause) {
			log(`something of what was removed is left and will be removed at the next start: ${String(cause)}`);
			return false;
		}
	}

	/** Resolves to false if some blobs are too recent; they are retried. */
	async function removeBlobs(removed: string, named: Set<string>): Promise<boolean> {
		for (const hash of await namedElsewhere(named)) named.delete(hash);
		const waiting = new Set<string>();
		for (const hash of named) {
			for (const { folder } of stores) if (!(await removeBlob(files, folder, hash, young))) waiting.add(hash);
		}
		if (waiting.size === 0) return true;
		await writeBlobNote(removed, waiting);
		const timer = setTimeout(() => {
			timers.delete(timer);
			void removeContents(removed).then((done) => done && log("what was removed a while ago is gone"));
		}, young).unref();
		timers.add(timer);
		return false;
	}

	/** Leaves only the blob names in a removed folder, so that removal can continue and the content is gone at once. */
	async function writeBlobNote(removed: string, hashes: ReadonlySet<string>): Promise<boolean> {
		const text = [...hashes].map((blob) => `${JSON.stringify({ blob })}\n`).join("");
		try {
			await writeAtomically(files, join(removed, NOTE), text);
		} catch (cause) {
			// Another window was faster.
			if (isNotFound(cause)) return false;
			log(`the blobs of what was removed could not be noted: ${String(cause)}`);
			return true;
		}
		for (const name of await files.readdir(removed))
			if (name !== NOTE) await files.rm(join(removed, name), { recursive: true, force: true });
		return true;
	}

	async function existingBlobs(): Promise<ReadonlySet<string>> {
		const names = await Promise.all(stores.map(({ folder }) => namesIn(folder)));
		return new Set(names.flat().map((name) => basename(name, ".corrupt")));
	}

	async function namedBelow(folder: string, among: ReadonlySet<string>): Promise<Set<string>> {
		const named = new Set<string>();
		for (const name of await referencingFiles(folder)) {
			for await (const hash of readBlobReferences(files, join(folder, name), bytesOf)) if (among.has(hash)) named.add(hash);
		}
		return named;
	}

	/**
	 * Returns those of these blobs that other sessions reference. Rejects if a session cannot be read, because it may reference all of them.
	 */
	async function namedElsewhere(hashes: ReadonlySet<string>): Promise<Set<string>> {
		const found = new Set<string>();
		const see = (hash: string) => hashes.has(hash) && found.add(hash);
		for (const json of unwritten()) findBlobReferences(json).forEach(see);
		for (const sessions of stores.flatMap(({ transcripts }) => transcripts)) {
			for (const session of await namesIn(sessions)) {
				if (session.startsWith(REMOVED)) continue;
				const read = new Set<string>();
				// Repeated for transcripts renamed meanwhile: a current one may have become an archive.
				for (
					let names = await unread(join(sessions, session), read);
					names.length > 0;
					names = await unread(join(sessions, session), read)
				) {
					for (const name of names) {
						read.add(name);
						for await (const hash of readBlobReferences(files, join(sessions, session, name), bytesOf)) see(hash);
						if (found.size === hashes.size) return found;
					}
				}
			}
		}
		return found;
	}

	async function unread(folder: string, read: ReadonlySet<string>): Promise<string[]> {
		return (await referencingFiles(folder)).filter((name) => !read.has(name));
	}

	/** Messages first: one that is no longer there when it is read has been recorded in the transcript. */
	async function referencingFiles(folder: string): Promise<string[]> {
		const names = await namesIn(folder);
		const messages = names.includes(INBOX_FOLDER) ? await namesIn(join(folder, INBOX_FOLDER)) : [];
		return [
			...messages.filter((name) => MESSAGES.test(name)).map((name) => join(INBOX_FOLDER, name)),
			...names.filter((name) => LINES.test(name)),
		];
	}

	async function bytesOf(hash: string): Promise<Uint8Array | undefined> {
		for (const { blobs } of stores) {
			const bytes = await blobs.get(hash);
			if (bytes) return bytes;
		}
		return undefined;
	}

	async function namesIn(folder: string): Promise<string[]> {
		return files.readdir(folder).catch((cause: unknown) => {
			// Folders of tasks also contain files.
			if (isNotFound(cause) || errorCode(cause) === "ENOTDIR") return [];
			throw cause;
		});
	}

	/** Ignores files that no longer exist. */
	async function moveAway(path: string, removed: string): Promise<void> {
		await files.rename(path, removed).catch((cause: unknown) => {
			if (!isNotFound(cause)) throw cause;
		});
	}

	/** Continues an interrupted clearing inside its session's folder; skips one that is still running. */
	async function resumeIn(session: string): Promise<void> {
		for (const name of await namesIn(session)) {
			if (!name.startsWith(REMOVED)) continue;
			const stat = await files.stat(join(session, name)).catch(() => undefined);
			if (!stat || isRecent(stat, young)) continue;
			const removed = join(dirname(session), name);
			await moveAway(join(session, name), removed);
			await removeContents(removed);
		}
	}

	return {
		async deleteSession(folder) {
			const removed = join(dirname(folder), newName());
			await moveAway(folder, removed);
			return () => removeContents(removed);
		},
		async clearHistory(folder, keeps = () => false) {
			const name = newName();
			const aside = join(folder, name);
			const removed = join(dirname(folder), name);
			await files.mkdir(aside, { mode: FOLDER_MODE });
			try {
				for (const entry of await namesIn(folder)) {
					if (!isKeptOnClear(entry) && !keeps(entry)) await moveAway(join(folder, entry), join(aside, entry));
				}
				await moveAway(aside, removed);
			} catch (cause) {
				for (const entry of await namesIn(aside)) await moveAway(join(aside, entry), join(folder, entry));
				await files.rm(aside, { recursive: true, force: true });
				throw cause;
			}
			await syncFolder(files, folder);
			return () => removeContents(removed);
		},
		async resume() {
			for (const sessions of stores.flatMap(({ transcripts }) => transcripts)) {
				for (const name of await namesIn(sessions)) {
					const path = join(sessions, name);
					if (name.startsWith(REMOVED)) await removeContents(path);
					else await resumeIn(path);
				}
			}
		},
		close() {
			for (const timer of timers) clearTimeout(timer);
		},
	};
}

function newName(): string {
	return `${REMOVED}${randomBytes(6).toString("hex")}`;
}

/** Temporary files and locks belong to running processes; a sweep removes those of dead ones. */
function isKeptOnClear(name: string): boolean {
	return [...Object.values(METADATA_FILES), OWNER_FILE].includes(name) || name.startsWith(REMOVED) || /\.(tmp|lock)$/.test(name);
}

/** Milliseconds for which a live process's temporary file is kept. */
const TEMPORARY = 60_000;
/** Name of a temporary file of writeAtomically. */
const TEMPORARY_NAME = /^\..+\.(\d+)-[0-9a-f]+\.tmp$/;
const LOCK_NAME = /\.lock$/;

/** Removes what interrupted processes have left in a storage. */
export async function sweepStorage(files: StorageFileSystem, root: string): Promise<void> {
	await sweepFolder(files, root);
	await sweepFolder(files, join(root, BLOBS_FOLDER));
	for (const folder of Object.values(FOLDER_BY_KIND)) {
		await sweepFolder(files, join(root, folder));
		await sweepFolders(files, join(root, folder));
	}
}

/** Sweeps a folder and an inbox in it. */
async function sweepFolder(files: StorageFileSystem, folder: string): Promise<void> {
	const names = await files.readdir(folder).catch(() => [] as string[]);
	for (const name of names) {
		const path = join(folder, name);
		if (name === INBOX_FOLDER) await sweepFolder(files, path);
		else if (await isLeftover(files, path, name)) await files.rm(path, { force: true }).catch(() => undefined);
	}
}

/** Sweeps every subfolder. */
async function sweepFolders(files: StorageFileSystem, folder: string): Promise<void> {
	const names = await files.readdir(folder).catch(() => [] as string[]);
	for (const name of names) await sweepFolder(files, join(folder, name));
}

async function isLeftover(files: StorageFileSystem, path: string, name: string): Promise<boolean> {
	if (LOCK_NAME.test(name)) return isStaleLock(files, path);
	const pid = TEMPORARY_NAME.exec(name)?.[1];
	if (pid === undefined) return false;
	const stat = await files.stat(path).catch(() => undefined);
	return stat !== undefined && (!isProcessAlive(Number(pid)) || Date.now() - stat.mtimeMs > TEMPORARY);
}
