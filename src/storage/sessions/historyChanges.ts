// Archives, clears and deletes the transcripts of sessions that no other window is running.
import { type SessionStore, StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { isNotFound, type StorageFileSystem } from "../fileSystem.ts";
import { toStorageError } from "../storageErrors.ts";
import { serializeEvents } from "../transcripts/spill.ts";
import { archiveCurrent, replaceCurrent } from "./archives.ts";
import type { SessionDeletion } from "./deletion.ts";
import { toSessionSummary } from "./readIndexEntry.ts";
import { toSessionMetadata } from "./sessionCreation.ts";
import type { SessionList } from "./sessionList.ts";
import type { SessionLock } from "./sessionLock.ts";
import { updateSessionMetadata } from "./sessionMetadata.ts";
import type { SessionPathResolver, SessionPaths } from "./sessionPaths.ts";
import type { SessionLogs } from "./transcriptWriters.ts";

interface HistoryParts {
	files: StorageFileSystem;
	places: SessionPathResolver;
	lock: SessionLock;
	logs: SessionLogs;
	list: SessionList;
	deletion: SessionDeletion;
	/** Rejects if the session does not exist. */
	existing(sessionId: string): Promise<SessionPaths>;
	/** Moves files of a session: some file systems do not move what is watched. */
	unwatched<T>(place: SessionPaths, work: () => Promise<T>): Promise<T>;
	/** Called when a session is gone from disk. */
	deleted(place: SessionPaths): Promise<void>;
	now(): Date;
}

export function createHistoryChanges(parts: HistoryParts): Pick<SessionStore, "archive" | "clear" | "delete"> {
	const { files, places, lock, logs, list, deletion, existing, unwatched, deleted, now } = parts;

	/** Changes a session that no other window is running, with its transcript closed. */
	async function change<T>(
		sessionId: string,
		{ failed, busy }: ChangeTexts,
		work: (place: SessionPaths) => Promise<T>,
		drop = false,
	): Promise<T> {
		const place = await existing(sessionId);
		if (await lock.isHeldElsewhere(place.folder)) {
			throw new StorageError(busy, "EBUSY");
		}
		try {
			return await logs.of(place).runExclusive(() => work(place), drop);
		} catch (cause) {
			throw toStorageError(cause, failed);
		} finally {
			list.mark(place);
		}
	}

	/** Saves in the metadata what the transcript will no longer contain. */
	async function saveState(place: SessionPaths): Promise<void> {
		const entry = await list.look(place);
		if (!entry) return;
		const summary = toSessionSummary(place.sessionId, entry);
		const { agentId, role, updatedAt } = summary;
		await updateSessionMetadata(files, place, toSessionMetadata(place, summary), { agentId, role, updatedAt });
	}

	async function deleteOne(place: SessionPaths): Promise<void> {
		const takeAway = () => unwatched(place, () => deletion.deleteSession(place.folder));
		const finish = await change(place.sessionId, deleting(), takeAway, true).catch((cause: unknown) => {
			if (!isNotFound(cause)) throw cause;
		});
		await deleted(place);
		await finish?.();
	}

	return {
		archive: (sessionId, begin) =>
			change(sessionId, archiving(), async (place) => {
				await saveState(place);
				if (!begin) return archiveCurrent(files, place.folder, now());
				return replaceCurrent(files, place.folder, now(), (archive) => serializeEvents(begin(archive), place.blobs));
			}),
		async clear(sessionId) {
			const takeAway = async (place: SessionPaths) => {
				await saveState(place);
				return unwatched(place, () => deletion.clearHistory(place.folder));
			};
			const finish = await change(sessionId, clearing(), takeAway, true);
			await finish();
		},
		async delete(sessionId, tasks = []) {
			const all = await Promise.all([...tasks, sessionId].map((id) => places.resolve(id)));
			for (const { folder } of all) if (await lock.isHeldElsewhere(folder)) throw new StorageError(deleting().busy, "EBUSY");
			for (const place of all) await deleteOne(place);
		},
	};
}

/** Messages for a failed change, and for one that another window prevents. */
interface ChangeTexts {
	failed: string;
	busy: string;
}

const archiving = (): ChangeTexts => ({
	failed: t("Could not archive the session."),
	busy: t("Could not archive the session because it is running in another window. Nothing was changed. Try again in that window."),
});

const clearing = (): ChangeTexts => ({
	failed: t("Could not clear the session."),
	busy: t("Could not clear the session because it is running in another window. Nothing was changed. Try again in that window."),
});

const deleting = (): ChangeTexts => ({
	failed: t("Could not delete the session."),
	busy: t("Could not delete the session because it is running in another window. Nothing was changed. Try again in that window."),
});
