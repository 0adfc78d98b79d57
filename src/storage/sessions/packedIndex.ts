// The index of sessions as it is kept: under a checksum, the newest ones within the limit of the editor's state.
import { createHash } from "node:crypto";
import type { SessionSummary } from "../../core/events.ts";
import { isRecord } from "../files.ts";
import { type IndexEntry, parseIndexEntry, toSessionSummary } from "./entry.ts";
import { isSafeId } from "./ids.ts";

/** Bytes of JSON the index takes of the workspace's small state: with the tree's agents (4 KB) and the drafts of agents (16 KB) 64 KB. */
export const STATE_LIMIT = 44 * 1024;
/** An entry larger than this is left to the disk, so that it pushes out no others. */
const LARGEST = 4 * 1024;
const VERSION = 2;

export type IndexEntries = Map<string, IndexEntry>;

/** The sessions in an index as it was kept, perhaps out of date. Reads no file. */
export function readCachedList(kept: unknown): SessionSummary[] {
	return [...unpackIndex(kept)].map(([id, entry]) => toSessionSummary(id, entry));
}

/** As many entries, in order, as fit in `limit` bytes of JSON, under a checksum. */
export function packIndex(
	entries: [string, IndexEntry][],
	limit: number,
): { version: number; checksum: string; entries: [string, IndexEntry][] } {
	let size = 200;
	const kept = entries.filter((entry) => {
		if (limit === Number.POSITIVE_INFINITY) return true;
		const bytes = size < limit ? Buffer.byteLength(JSON.stringify(entry)) + 1 : 0;
		if (bytes > LARGEST) return false;
		size += bytes;
		return size < limit;
	});
	return { version: VERSION, checksum: checksumOf(kept), entries: kept };
}

/** The entries of a packed index; none when anything about it is not as it was packed. */
export function unpackIndex(value: unknown): IndexEntries {
	if (!isRecord(value) || value["version"] !== VERSION || !Array.isArray(value["entries"])) return new Map();
	const packed: unknown[] = value["entries"];
	if (checksumOf(packed) !== value["checksum"]) return new Map();
	const entries: IndexEntries = new Map();
	for (const pair of packed) {
		const [id, kept] = Array.isArray(pair) ? pair : [];
		const entry = parseIndexEntry(kept);
		if (typeof id === "string" && isSafeId(id) && entry) entries.set(id, entry);
	}
	return entries;
}

function checksumOf(entries: unknown[]): string {
	return createHash("sha256").update(JSON.stringify(entries)).digest("base64");
}
