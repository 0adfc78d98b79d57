// Creates the folder and the metadata of a session or a task, once for each id among all windows.

import { basename, dirname } from "node:path";
import type { SessionSummary } from "../../core/events.ts";
import { StorageError } from "../../core/ports/sessions.ts";
import { isTaskOver } from "../../core/task.ts";
import { t } from "../../shared/l10n.ts";
import { errorCode, FOLDER_MODE, type StorageFileSystem, syncFolder } from "../fileSystem.ts";
import { withFileLock } from "../json/fileLock.ts";
import { isArchiveName } from "./archives.ts";
import type { SessionDeletion } from "./deletion.ts";
import { readFileStamp } from "./readIndexEntry.ts";
import { metadataPath, type SessionMetadata, writeSessionMetadata } from "./sessionMetadata.ts";
import type { SessionPathResolver, SessionPaths } from "./sessionPaths.ts";
import { parseTaskRecord } from "./taskRecord.ts";

interface CreationParts {
	files: StorageFileSystem;
	places: SessionPathResolver;
	deletion: Pick<SessionDeletion, "clearHistory">;
	/** Runs `write`, which creates a task that is not over. */
	addPending(place: SessionPaths, write: () => Promise<void>): Promise<void>;
}

/** The location of a new transcript. Rejects with EEXIST if the id is taken. */
export async function createTranscriptFolder(parts: CreationParts, summary: SessionSummary): Promise<SessionPaths> {
	const { agentId, role, createdAt, name, pinnedAt, attributes, kind = "session" } = summary;
	const task = kind === "task" ? requireTask(summary) : undefined;
	const { place, made } = await newFolder(parts, summary);
	const extras = { ...(name && { name }), ...(pinnedAt && { pinnedAt }), ...(attributes && { attributes }), ...(task && { task }) };
	const metadata = { ...sessionIdField(place), agentId, role, createdAt, ...extras };
	const write = () => begin(parts, { place, made }, metadata);
	await (task && !isTaskOver(task.state) ? parts.addPending(place, write) : write());
	return place;
}

/** The id, if the folder's name differs from it. */
function sessionIdField({ sessionId, folder }: SessionPaths): Pick<SessionMetadata, "sessionId"> {
	return basename(folder) === sessionId ? {} : { sessionId };
}

/** The metadata of a session that has none, from what is known of it. */
export function toSessionMetadata(place: SessionPaths, { agentId, role, createdAt, task }: SessionSummary): SessionMetadata {
	return { ...sessionIdField(place), agentId, role, createdAt, ...(task && { task }) };
}

function requireTask({ task }: SessionSummary) {
	const parsed = parseTaskRecord(task);
	if (!parsed) throw new TypeError("a task needs a record");
	return parsed;
}

/** `made`: false if the folder has remains of a deleted session, or another window is creating the same one. */
async function newFolder({ files, places }: CreationParts, { sessionId, kind = "session" }: SessionSummary) {
	const place = (await places.resolveNew(sessionId, kind)) ?? throwSessionExists(sessionId);
	try {
		await files.mkdir(place.folder, { mode: FOLDER_MODE });
		return { place, made: true };
	} catch (cause) {
		if (errorCode(cause) === "EEXIST") return { place, made: false };
		throw cause;
	}
}

/** Rejects with EEXIST if another window was faster. Archives of a deleted session stay. */
async function begin(
	{ files, deletion }: CreationParts,
	{ place, made }: { place: SessionPaths; made: boolean },
	metadata: SessionMetadata,
): Promise<void> {
	const { sessionId, folder } = place;
	const finish = await withFileLock(files, `${metadataPath(place)}.lock`, async () => {
		if (await readFileStamp(files, place)) throwSessionExists(sessionId);
		const removed = made ? undefined : await deletion.clearHistory(folder, isArchiveName);
		await writeSessionMetadata(files, place, metadata);
		await syncFolder(files, dirname(folder));
		return removed;
	}).catch(async (cause: unknown) => {
		if (made && errorCode(cause) !== "EEXIST") await files.rm(folder, { recursive: true, force: true }).catch(() => undefined);
		throw cause;
	});
	await finish?.();
}

function throwSessionExists(sessionId: string): never {
	throw new StorageError(t("A session with the ID {0} already exists. Nothing was changed. Choose another ID.", sessionId), "EEXIST");
}
