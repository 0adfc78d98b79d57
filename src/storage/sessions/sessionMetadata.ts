// session.json: who a session is. What it has done is in its transcript.

import { join } from "node:path";
import type { SessionSummary } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import { UNREADABLE_IDENTITY } from "../../core/transcript/fold.ts";
import { parseJson, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { createJsonStore, type JsonStore } from "../json/jsonStore.ts";

export interface SessionMetadata {
	/** Where the folder's name does not say it. */
	sessionId?: string;
	/** Agent and role it starts with; events in the transcript come after. */
	agentId: string;
	role: string;
	createdAt: string;
	/** Counts where the transcript says nothing later. */
	updatedAt?: string;
	name?: string;
	pinnedAt?: string;
	attributes?: Record<string, unknown>;
}

/** A value of undefined takes the field away. */
export type SessionMetadataChange = { [Field in keyof SessionSummary]?: SessionSummary[Field] | undefined };

export const METADATA_FILE = "session.json";

/** Undefined for a session from before there were identities. */
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

/** Changes an identity as it is on disk now: another window may have changed another field of it. */
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
