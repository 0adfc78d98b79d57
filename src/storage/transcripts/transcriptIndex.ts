// Stores the folded beginning of a transcript, so that it can be opened at its end.

// The index contains only what is in the transcript, and is valid only if it matches the file.

import { dirname, join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { isRecord } from "../../core/isRecord.ts";
import { sha256Bytes } from "../../shared/node/hash.ts";
import { isNotFound, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import type { TranscriptPrefix } from "./windowFold.ts";

const NAME = "window.index";
const VERSION = 2;
/** Bytes at the file's start and before the end of the indexed part that must be unchanged. */
const CHECKED = 4_096;
const HASH_LENGTH = 32;

export interface TranscriptIndex {
	/** Initial agent and role of the session, with which the fold starts. */
	begins: { agentId: string; role: string } | undefined;
	beginning: TranscriptPrefix;
}

interface StoredIndex extends TranscriptIndex {
	version: number;
	fits: string;
}

/** Resolves to undefined if there is none, or if it does not match the file. */
export async function readTranscriptIndex(files: StorageFileSystem, transcript: string): Promise<TranscriptIndex | undefined> {
	const stored = await readStored(files, pathOf(transcript)).catch(() => undefined);
	const end = stored?.beginning.bases.at(-1)?.position.offset;
	if (!stored || end === undefined || stored.fits !== (await fingerprint(files, transcript, end))) return undefined;
	return { begins: stored.begins, beginning: stored.beginning };
}

/** Writes the index atomically, but does not flush it: a power failure may lose it. */
export async function writeTranscriptIndex(files: StorageFileSystem, transcript: string, index: TranscriptIndex): Promise<void> {
	const end = index.beginning.bases.at(-1)?.position.offset ?? 0;
	const fits = await fingerprint(files, transcript, end);
	if (fits === undefined) return;
	const bytes = serialize({ ...index, version: VERSION, fits } satisfies StoredIndex);
	await writeAtomically(files, pathOf(transcript), Buffer.concat([sha256Bytes(bytes), bytes]), { flush: false });
}

async function readStored(files: StorageFileSystem, path: string): Promise<StoredIndex | undefined> {
	const bytes = await files.readFile(path);
	const body = bytes.subarray(HASH_LENGTH);
	if (!sha256Bytes(body).equals(bytes.subarray(0, HASH_LENGTH))) return undefined;
	const stored: unknown = deserialize(body);
	return isRecord(stored) && stored["version"] === VERSION ? (stored as unknown as StoredIndex) : undefined;
}

/** A fingerprint of the file up to `end`; undefined if the file is shorter. */
async function fingerprint(files: StorageFileSystem, path: string, end: number): Promise<string | undefined> {
	const handle = await files.open(path, "r").catch((cause: unknown) => {
		if (isNotFound(cause)) return undefined;
		throw cause;
	});
	if (!handle) return undefined;
	try {
		const { size, ino } = await handle.stat();
		if (size < end) return undefined;
		const length = Math.min(CHECKED, end);
		const ends = Buffer.alloc(length * 2);
		await handle.read(ends, 0, length, 0);
		await handle.read(ends, length, length, end - length);
		return `${end} ${ino} ${sha256Bytes(ends).toString("base64")}`;
	} finally {
		await handle.close();
	}
}

function pathOf(transcript: string): string {
	return join(dirname(transcript), NAME);
}
