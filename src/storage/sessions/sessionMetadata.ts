// Reads and writes the metadata of a session or a task. Its history is in its transcript.

import { join } from "node:path";
import type { SessionSummary, TranscriptKind } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import type { TaskRecord } from "../../core/task.ts";
import { UNREADABLE_IDENTITY } from "../../core/transcript/fold.ts";
import { parseJson, readText, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { createJsonStore, type JsonStore } from "../json/jsonStore.ts";
import { parseTaskRecord, salvageTaskRecord } from "./taskRecord.ts";

export interface SessionMetadata {
	/** Id of the session, if the folder's name is not the id. */
	sessionId?: string;
	/** Initial agent and role; events in the transcript take precedence. */
	agentId: string;
	role: string;
	createdAt: string;
	/** Used if the transcript has no later time. */
	updatedAt?: string;
	name?: string;
	pinnedAt?: string;
	attributes?: Record<string, unknown>;
	/** Record of a task; absent for other sessions. */
	task?: TaskRecord;
}

/** A value of undefined removes the field. */
export type SessionMetadataChange = { [Field in keyof SessionSummary]?: SessionSummary[Field] | undefined };

/** The folder of a transcript, and the kind that determines the name of its metadata file. */
export interface TranscriptFolder {
	folder: string;
	kind: TranscriptKind;
}

export const METADATA_FILES: Readonly<Record<TranscriptKind, string>> = { session: "session.json", task: "task.json" };

export function metadataPath({ folder, kind }: TranscriptFolder): string {
	return join(folder, METADATA_FILES[kind]);
}

/** Returns undefined for a session from before there was metadata. */
export async function readSessionMetadata(files: StorageFileSystem, place: TranscriptFolder): Promise<SessionMetadata | undefined> {
	return storeOf(files, place).read();
}

function storeOf(files: StorageFileSystem, place: TranscriptFolder): JsonStore<SessionMetadata | undefined> {
	const path = metadataPath(place);
	return createJsonStore<SessionMetadata | undefined>({
		files,
		path,
		empty: undefined,
		parse: (text) => parseSessionMetadata(parseJson(text), place.kind),
		async fallback() {
			const createdAt = (await files.stat(place.folder)).birthtime.toISOString();
			const unreadable = { ...UNREADABLE_IDENTITY, createdAt };
			if (place.kind === "session") return unreadable;
			const value = parseJson((await readText(files, path)) ?? "");
			const task = salvageTaskRecord(isRecord(value) ? value["task"] : undefined);
			return { ...unreadable, ...parseSessionMetadata(value, "session"), role: unreadable.role, task };
		},
		makesFolder: false,
	});
}

/** Returns undefined if a required field is missing, which for a task includes its record. */
export function parseSessionMetadata(value: unknown, kind: TranscriptKind): SessionMetadata | undefined {
	if (!isRecord(value)) return undefined;
	const { sessionId, agentId, role, createdAt, updatedAt, name, pinnedAt, attributes } = value;
	const task = kind === "task" ? parseTaskRecord(value["task"]) : undefined;
	if (typeof agentId !== "string" || typeof role !== "string" || typeof createdAt !== "string") return undefined;
	if (kind === "task" && !task) return undefined;
	return {
		...(typeof sessionId === "string" && { sessionId }),
		agentId,
		role,
		createdAt,
		...(typeof updatedAt === "string" && { updatedAt }),
		...(typeof name === "string" && { name }),
		...(typeof pinnedAt === "string" && { pinnedAt }),
		...(isRecord(attributes) && { attributes }),
		...(task && { task }),
	};
}

export async function writeSessionMetadata(files: StorageFileSystem, place: TranscriptFolder, identity: SessionMetadata): Promise<void> {
	await writeAtomically(files, metadataPath(place), `${JSON.stringify(identity, undefined, "\t")}\n`);
}

/** Changes the metadata on disk, because another window may have changed another field. */
export async function updateSessionMetadata(
	files: StorageFileSystem,
	place: TranscriptFolder,
	base: SessionMetadata,
	change: SessionMetadataChange,
): Promise<void> {
	await storeOf(files, place).update((before) => {
		const current = before ?? base;
		const { sessionId = current.sessionId } = base;
		const changed = parseSessionMetadata({ ...current, ...change, sessionId, createdAt: current.createdAt }, place.kind);
		if (!changed) throw new TypeError("a session needs an agent and a role, and a task its record");
		return changed;
	});
}
