// Implements the SessionStore port on disk, with one folder per session and a cached list.
import { isSessionId, type SessionStore } from "../../core/ports/sessions.ts";
import { isTaskOver } from "../../core/task.ts";
import { t } from "../../shared/l10n.ts";
import { nodeFileSystem, type StorageFileSystem } from "../fileSystem.ts";
import { createHealth, type HealthSource, throwSessionNotFound, toReadError, toStorageError } from "../storageErrors.ts";
import { listArchives } from "./archives.ts";
import { BLOB_GRACE_PERIOD, createSessionDeletion, sweepStorage } from "./deletion.ts";
import { createHistoryChanges } from "./historyChanges.ts";
import { createInbox, createInboxWatcher } from "./inbox.ts";
import { createPendingTasks } from "./pendingTasks.ts";
import { readFileStamp, toSessionSummary } from "./readIndexEntry.ts";
import { searchSessions } from "./searchSessions.ts";
import { createTranscriptFolder, toSessionMetadata } from "./sessionCreation.ts";
import { createSessionIndex, type StateEntry } from "./sessionIndex.ts";
import { createSessionList } from "./sessionList.ts";
import { createSessionLock } from "./sessionLock.ts";
import { readSessionMetadata, type SessionMetadataChange, updateSessionMetadata } from "./sessionMetadata.ts";
import { createSessionPathResolver, type SessionPathResolver, type SessionPaths } from "./sessionPaths.ts";
import { createTranscriptReading } from "./transcriptReading.ts";
import { createTranscriptWindows, type WindowSizes } from "./transcriptWindow.ts";
import { createCheckpoints, createTranscriptWriters } from "./transcriptWriters.ts";

export interface SessionStoreOptions {
	/** Folder of this workspace's storage, created on first write. */
	root: string;
	/** One key of the editor's workspace state, used as a cache. */
	index: StateEntry;
	/** Storages whose sessions belong here too (see storagesOf). */
	additionalRoots?: readonly string[];
	now?(): Date;
	log?(line: string): void;
	files?: StorageFileSystem;
	/** Milliseconds for which an unreferenced blob is kept. */
	blobGracePeriod?: number;
	/** Size from which a transcript is opened at its end. */
	windowSizes?: WindowSizes;
}

export interface DiskSessionStore extends SessionStore, HealthSource {
	update(sessionId: string, change: SessionMetadataChange): Promise<void>;
	/** Removes leftovers of interrupted processes. Call it once, when idle. */
	recover(): Promise<void>;
	/** Writes pending events, releases sessions and closes files. */
	close(): Promise<void>;
	/** Number of events waiting to be written. */
	pendingWrites(sessionId: string): number;
	/** Returns true if this host holds the session. */
	isHeld(sessionId: string): boolean;
}

export function createSessionStore(options: SessionStoreOptions): DiskSessionStore {
	const { root, files = nodeFileSystem, log = () => undefined, now = () => new Date() } = options;
	const places = createSessionPathResolver(files, root, options.additionalRoots ?? []);
	const health = createHealth(log);
	const checkpoints = createCheckpoints(files);
	const owned = new Set<string>();
	const wantedListeners: ((sessionId: string) => void)[] = [];
	const lock = createSessionLock(
		files,
		(folder) => {
			disown(places.idOf(folder));
			arrivals.unwatch(folder);
			log(`another window took the session ${places.idOf(folder)} while this one was silent`);
		},
		(folder) => {
			const sessionId = places.idOf(folder);
			if (logs.pending(sessionId) === 0) for (const listener of wantedListeners) listener(sessionId);
		},
		(folder) => arrivals.check(folder),
	);
	const pending = createPendingTasks({ files, places, isOwned: (sessionId) => owned.has(sessionId), log });
	const arrivals = createInboxWatcher(files, log);
	const list = createSessionList({ files, places, index: () => index, log });
	const index = createSessionIndex({ files, root, small: options.index, log, refresh: list.refresh });
	const windows = createTranscriptWindows(files, log, options.windowSizes);
	const written = (place: SessionPaths) => {
		list.mark(place);
		windows.scheduleIndex(place);
	};
	const logs = createTranscriptWriters({ files, ownership: lock, health, log, written });
	const deletion = createSessionDeletion({
		files,
		roots: places.roots(),
		unwritten: logs.unwritten,
		log,
		young: options.blobGracePeriod ?? BLOB_GRACE_PERIOD,
	});

	function disown(sessionId: string): void {
		owned.delete(sessionId);
		pending.forget(sessionId);
	}

	async function existing(sessionId: string): Promise<SessionPaths> {
		const place = await places.resolve(sessionId);
		const stat = await files.stat(place.folder).catch(() => undefined);
		return stat ? place : throwSessionNotFound();
	}

	/** Moves files of a session: some file systems do not move what is watched. */
	async function unwatched<T>({ sessionId, folder }: SessionPaths, work: () => Promise<T>): Promise<T> {
		arrivals.unwatch(folder);
		try {
			return await work();
		} finally {
			if (owned.has(sessionId)) arrivals.watch(folder);
		}
	}

	async function deleted(place: SessionPaths): Promise<void> {
		const { sessionId, kind } = place;
		await store.release(sessionId);
		logs.forget(place);
		places.forget(sessionId);
		if (kind === "task") await pending.settle([place]);
	}

	const store: DiskSessionStore = {
		...createTranscriptReading({ files, places, list, windows, logs, identity: (sessionId) => store.identity(sessionId), now }),
		...createInboxAccess({ files, places, existing, inbox: createInbox(files, now, log), arrivals }),
		...createHistoryChanges({ files, places, lock, logs, list, deletion, existing, unwatched, deleted, now }),
		async list(kind = "session") {
			try {
				return await list.all(kind);
			} catch (cause) {
				throw toReadError(cause, t("Could not list the sessions."));
			}
		},
		async find(sessionId) {
			if (!isSessionId(sessionId)) return undefined;
			const place = await places.resolve(sessionId);
			return (await list.summarize([place]))[0];
		},
		async pendingTasks() {
			const found = await Promise.all((await pending.ids()).map((id) => places.resolve(id)));
			const tasks = (await list.summarize(found)).filter(({ task }) => task && !isTaskOver(task.state));
			const left = new Set(tasks.map(({ sessionId }) => sessionId));
			const settled = found.filter(({ sessionId }) => !left.has(sessionId));
			if (settled.length > 0) await pending.settle(settled);
			return tasks;
		},
		async *search(sessionIds, words, signal) {
			const found = await Promise.all(sessionIds.map((id) => places.resolve(id)));
			yield* searchSessions(files, found, words, signal);
		},
		async create(summary) {
			try {
				list.mark(await createTranscriptFolder({ files, places, deletion, addPending: pending.add }, summary));
			} catch (cause) {
				throw toStorageError(cause, t("Could not create the session."));
			}
		},
		async append(sessionId, event) {
			await logs.of(await places.resolve(sessionId)).append(event);
		},
		async update(sessionId, patch) {
			const place = await existing(sessionId);
			const { name, pinnedAt, updatedAt, attributes, agentId, role, task } = patch;
			const given = Object.entries({ name, pinnedAt, updatedAt, attributes, agentId, role, task }).filter(([field]) => field in patch);
			if (given.length === 0) return;
			const write = async () => {
				const base = toSessionSummary(sessionId, (await list.look(place)) ?? (await throwSessionNotFound()));
				await updateSessionMetadata(files, place, toSessionMetadata(place, base), Object.fromEntries(given));
			};
			try {
				await (task && !isTaskOver(task.state) ? pending.add(place, write) : write());
			} catch (cause) {
				throw toStorageError(cause, t("Could not change the session."));
			}
			list.mark(place);
			if (task && isTaskOver(task.state)) await pending.settle([place]);
		},
		async identity(sessionId) {
			const place = await places.resolve(sessionId);
			const identity = await readSessionMetadata(files, place).catch((cause: unknown) => {
				throw toReadError(cause, t("Could not read the session details."));
			});
			return identity && { agentId: identity.agentId, role: identity.role };
		},
		archives: async (sessionId) => listArchives(files, (await places.resolve(sessionId)).folder),
		async saveCheckpoint(sessionId, text) {
			const place = await places.resolve(sessionId);
			await checkpoints.save(place, text).catch((cause: unknown) => {
				throw toStorageError(cause, t("Could not save the streamed text."));
			});
		},
		checkpoint: async (sessionId) => checkpoints.read(await places.resolve(sessionId)),
		onWanted: (listener) => void wantedListeners.push(listener),
		async own(sessionId, how) {
			const place = await existing(sessionId);
			try {
				const taken = await (how === "ask" ? lock.requestHandover(place.folder) : lock.acquire(place.folder));
				if (taken) {
					owned.add(sessionId);
					arrivals.watch(place.folder);
				}
				return taken;
			} catch (cause) {
				throw toStorageError(cause, t("Could not use this session here."));
			}
		},
		isHeldElsewhere: async (sessionId) => lock.isHeldElsewhere((await places.resolve(sessionId)).folder),
		async release(sessionId) {
			disown(sessionId);
			const { folder } = await places.resolve(sessionId);
			arrivals.unwatch(folder);
			await lock.release(folder);
		},
		isHeld: (sessionId) => owned.has(sessionId),
		pendingWrites: logs.pending,
		onHealth: health.onHealth,
		async recover() {
			for (const path of places.roots()) await sweepStorage(files, path);
			await deletion.resume();
			await pending.rebuild();
		},
		async close() {
			deletion.close();
			windows.close();
			arrivals.close();
			await logs.close();
			await index.close();
			await lock.close();
			owned.clear();
		},
	};
	return store;
}

interface InboxParts {
	files: StorageFileSystem;
	places: SessionPathResolver;
	existing(sessionId: string): Promise<SessionPaths>;
	inbox: ReturnType<typeof createInbox>;
	arrivals: ReturnType<typeof createInboxWatcher>;
}

type InboxAccess = Pick<SessionStore, "post" | "inbox" | "takeFromInbox" | "onInbox">;

/** Messages for sessions, which any window may post and the owner takes. */
function createInboxAccess({ files, places, existing, inbox, arrivals }: InboxParts): InboxAccess {
	return {
		async post(sessionId, message) {
			const place = await existing(sessionId);
			try {
				if (!(await readFileStamp(files, place))) throwSessionNotFound();
				await inbox.post(place.folder, message);
			} catch (cause) {
				throw toStorageError(cause, t("Could not send the message."));
			}
		},
		async inbox(sessionId) {
			const { folder } = await places.resolve(sessionId);
			return inbox.read(folder).catch((cause: unknown) => {
				throw toReadError(cause, t("Could not read the messages for this session."));
			});
		},
		async takeFromInbox(sessionId, id) {
			const { folder } = await places.resolve(sessionId);
			await inbox.take(folder, id).catch((cause: unknown) => {
				throw toStorageError(cause, t("Could not remove a message that was taken."));
			});
		},
		onInbox: (listener) => arrivals.onArrival((folder) => listener(places.idOf(folder))),
	};
}
