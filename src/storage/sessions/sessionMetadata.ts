// Reads and writes session.json, a session's metadata. Its history is in its transcript.

import { join } from "node:path";
import type { SessionSummary } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import { UNREADABLE_IDENTITY } from "../../core/transcript/fold.ts";
import { parseJson, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { createJsonStore, type JsonStore } from "../json/jsonStore.ts";

export interface SessionMetadata {
	/** Present if the folder's name is not the id. */
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
}

/** A value of undefined removes the field. */
export type SessionMetadataChange = { [Field in keyof SessionSummary]?: SessionSummary[Field] | undefined };

export const METADATA_FILE = "session.json";

/** Undefined for a session from before there was metadata. */
export async function readSessionMetadata(files: StorageFileSystem, folder: string): Promise<SessionMetadata | undefined> {
	return storeOf(files, folder).read();
}

function storeOf(files: StorageFileSystem, folder: string): JsonStore<SessionMetadata | undefined> {
	return createJsonStore<SessionMetadata | undefined>({
		files,
		path: join(folder, METADATA_FILE),
		empty: undefined,
		parse: (text) => parseSessionMetadata(parseJson(text)),
		fallback: async () => ({ ...UNREADABLE_IDENTITY, createdAt: (await files.stat(folder)).birthtime.toISOString() }),
		makesFolder: false,
	});
}

export function parseSessionMetadata(value: unknown): SessionMetadata | undefined {
	if (!isRecord(value)) return undefined;
	const { sessionId, agentId, role, createdAt, updatedAt, name, pinnedAt, attributes } = value;
	if (typeof agentId !== "string" || typeof role !== "string" || typeof createdAt !== "string") return undefined;
	return {
		...(typeof sessionId === "string" && { sessionId }),
		agentId,
		role,
		createdAt,
		...(typeof updatedAt === "string" && { updatedAt }),
		...(typeof name === "string" && { name }),
		...(typeof pinnedAt === "string" && { pinnedAt }),
		...(isRecord(attributes) && { attributes }),
	};
}

export async function writeSessionMetadata(files: StorageFileSystem, folder: string, identity: SessionMetadata): Promise<void> {
	await writeAtomically(files, join(folder, METADATA_FILE), `${JSON.stringify(identity, undefined, "\t")}\n`);
}

/** Changes the metadata on disk, because another window may have changed another field. */
export async function updateSessionMetadata(
	files: StorageFileSystem,
	folder: string,
	base: SessionMetadata,
	change: SessionMetadataChange,
): Promise<void> {
	await storeOf(files, folder).update((before) => {
		const current = before ?? base;
		const { sessionId = current.sessionId } = base;
		const changed = parseSessionMetadata({ ...current, ...change, sessionId, createdAt: current.createdAt });
		if (!changed) throw new TypeError("a session needs an agent and a role");
		return changed;
	});
}
