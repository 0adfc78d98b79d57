// Stores the folded beginning of a transcript, so that it can be opened at its end.

// The index holds nothing that the transcript does not say, and counts only if it matches the file.

import { dirname, join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { isRecord } from "../../core/isRecord.ts";
import { sha256Bytes } from "../../shared/node/hash.ts";
import { isNotFound, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import type { TranscriptPrefix } from "./windowFold.ts";

const NAME = "window.index";
const VERSION = 1;
/** Bytes of the file, at its start and before the end of what is indexed, that must be as they were. */
const CHECKED = 4_096;
const DIGEST = 32;

export interface TranscriptIndex {
	/** Who the session was when it began: the fold starts with it. */
	begins: { agentId: string; role: string } | undefined;
	beginning: TranscriptPrefix;
}

interface Kept extends TranscriptIndex {
	version: number;
	fits: string;
}

/** Undefined where there is none, or it is not of this file as it is now. */
export async function readTranscriptIndex(files: StorageFileSystem, transcript: string): Promise<TranscriptIndex | undefined> {
	const kept = await readKept(files, pathOf(transcript)).catch(() => undefined);
	const end = kept?.beginning.bases.at(-1)?.position.offset;
	if (!kept || end === undefined || kept.fits !== (await fitOf(files, transcript, end))) return undefined;
	return { begins: kept.begins, beginning: kept.beginning };
}

/** Whole or not at all; a power cut may cost it. */
export async function writeTranscriptIndex(files: StorageFileSystem, transcript: string, index: TranscriptIndex): Promise<void> {
	const end = index.beginning.bases.at(-1)?.position.offset ?? 0;
	const fits = await fitOf(files, transcript, end);
	if (fits === undefined) return;
	const bytes = serialize({ ...index, version: VERSION, fits } satisfies Kept);
	await writeAtomically(files, pathOf(transcript), Buffer.concat([sha256Bytes(bytes), bytes]), { flush: false });
}

async function readKept(files: StorageFileSystem, path: string): Promise<Kept | undefined> {
	const bytes = await files.readFile(path);
	const body = bytes.subarray(DIGEST);
	if (!sha256Bytes(body).equals(bytes.subarray(0, DIGEST))) return undefined;
	const kept: unknown = deserialize(body);
	return isRecord(kept) && kept["version"] === VERSION ? (kept as unknown as Kept) : undefined;
}

/** What a file looks like up to `end`; undefined where it does not reach that far. */
async function fitOf(files: StorageFileSystem, path: string, end: number): Promise<string | undefined> {
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
