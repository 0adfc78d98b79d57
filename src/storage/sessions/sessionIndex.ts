// Caches the session list: the newest in the editor's workspace state, all in a file.

// The cache holds nothing that is not on disk elsewhere, so it needs no lock and no copy of a damaged file: not a JsonStore.

import { join } from "node:path";
import type { SessionSummary } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import { isSessionId } from "../../core/ports/sessions.ts";
import { sha256Bytes } from "../../shared/node/hash.ts";
import { parseJson, readText, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { type IndexEntry, parseIndexEntry, toSessionSummary } from "./readIndexEntry.ts";

/** The editor's state of a workspace, which may hold 64 KB in all. */
export interface StateEntry {
	get(): unknown;
	set(value: unknown): PromiseLike<void>;
}

const SAVE_AFTER = 500;

export interface SessionIndex {
	/** What was seen last, from memory or wherever it was kept. */
	entries(): Promise<IndexEntries>;
	/** Keeps what changed within a second. */
	scheduleSave(): void;
	/** Keeps it now. */
	save(): Promise<void>;
	close(): Promise<void>;
}

/** `refresh` brings the entries up to date before they are kept. */
export function createSessionIndex(options: {
	files: StorageFileSystem;
	root: string;
	small: StateEntry;
	log(line: string): void;
	refresh(): Promise<void>;
}): SessionIndex {
	const { files, small, log } = options;
	const path = join(options.root, "index.json");
	let loaded: Promise<IndexEntries> | undefined;
	let timer: NodeJS.Timeout | undefined;
	let saving: Promise<void> = Promise.resolve();
	let changed = false;

	async function load(): Promise<IndexEntries> {
		const text = await readText(files, path).catch(() => undefined);
		const entries = unpackIndex(text === undefined ? undefined : parseJson(text));
		for (const [id, entry] of unpackIndex(small.get())) {
			const known = entries.get(id);
			if (!known || known.inode !== entry.inode || known.end < entry.end) entries.set(id, entry);
		}
		return entries;
	}

	async function keep(): Promise<void> {
		try {
			await options.refresh();
			const entries = newestFirst(await index.entries());
			const sessions = entries.filter(([, { kind }]) => kind === undefined);
			await small.set(packIndex(sessions, STATE_LIMIT));
			await writeAtomically(files, path, JSON.stringify(packIndex(entries, Number.POSITIVE_INFINITY)));
		} catch (cause) {
			log(`the index of sessions was not kept and will be rebuilt: ${String(cause)}`);
		}
	}

	const index: SessionIndex = {
		entries() {
			loaded ??= load();
			return loaded;
		},
		scheduleSave() {
			changed = true;
			timer ??= setTimeout(() => void index.save(), SAVE_AFTER).unref();
		},
		save() {
			clearTimeout(timer);
			timer = undefined;
			if (changed) saving = saving.then(keep);
			changed = false;
			return saving;
		},
		async close() {
			await index.save();
		},
	};
	return index;
}

function newestFirst(entries: IndexEntries): [string, IndexEntry][] {
	return [...entries].sort(([a, one], [b, other]) => compareTimes(toSessionSummary(b, other), toSessionSummary(a, one)));
}

function compareTimes(a: SessionSummary, b: SessionSummary): number {
	return a.updatedAt < b.updatedAt ? -1 : Number(a.updatedAt > b.updatedAt);
}

/** Bytes of JSON the index takes of the workspace's small state: with the tree's agents (4 KB) and the drafts of agents (16 KB) 64 KB. */
const STATE_LIMIT = 44 * 1024;
/** An entry larger than this is left to the disk, so that it pushes out no others. */
const LARGEST = 4 * 1024;
const VERSION = 2;

type IndexEntries = Map<string, IndexEntry>;

/** The sessions in an index as it was kept, perhaps out of date. Reads no file. */
export function readCachedList(kept: unknown): SessionSummary[] {
	return [...unpackIndex(kept)].map(([id, entry]) => toSessionSummary(id, entry));
}

/** As many entries, in order, as fit in `limit` bytes of JSON, under a checksum. */
function packIndex(entries: [string, IndexEntry][], limit: number): { version: number; checksum: string; entries: [string, IndexEntry][] } {
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
function unpackIndex(value: unknown): IndexEntries {
	if (!isRecord(value) || value["version"] !== VERSION || !Array.isArray(value["entries"])) return new Map();
	const packed: unknown[] = value["entries"];
	if (checksumOf(packed) !== value["checksum"]) return new Map();
	const entries: IndexEntries = new Map();
	for (const pair of packed) {
		const [id, kept] = Array.isArray(pair) ? pair : [];
		const entry = parseIndexEntry(kept);
		if (typeof id === "string" && isSessionId(id) && entry) entries.set(id, entry);
	}
	return entries;
}

function checksumOf(entries: unknown[]): string {
	return sha256Bytes(JSON.stringify(entries)).toString("base64");
}
