// Caches the session list: the newest sessions in the editor's workspace state, all of them in a file.

// The cache can be rebuilt from disk, so it needs no lock and no copy of a damaged file: not a JsonStore.

import { join } from "node:path";
import type { SessionSummary } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import { isSessionId } from "../../core/ports/sessions.ts";
import { sha256Bytes } from "../../shared/node/hash.ts";
import { Serial } from "../../shared/node/serial.ts";
import { parseJson, readText, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { type IndexEntry, parseIndexEntry, toSessionSummary } from "./readIndexEntry.ts";

/** The editor's state of a workspace, limited to 64 KB in total. */
export interface StateEntry {
	get(): unknown;
	set(value: unknown): PromiseLike<void>;
}

const SAVE_AFTER = 500;

export interface SessionIndex {
	/** The last known entries, from memory or from the cache. */
	entries(): Promise<IndexEntries>;
	/** Saves changes within a second. */
	scheduleSave(): void;
	/** Saves changes now. */
	save(): Promise<void>;
	close(): Promise<void>;
}

/** `refresh` updates the entries before they are saved. */
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
	const saving = new Serial();
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
			if (changed) saving.add(keep);
			changed = false;
			return saving.whenSettled();
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

/** Bytes of JSON in the workspace state; with the tree's agents (4 KB) and agent drafts (16 KB) below 64 KB. */
const STATE_LIMIT = 44 * 1024;
/** Larger entries are stored only on disk, so that they don't displace others. */
const LARGEST = 4 * 1024;
const VERSION = 2;

type IndexEntries = Map<string, IndexEntry>;

/** The sessions in a cached index, which may be out of date. Reads no file. */
export function readCachedList(kept: unknown): SessionSummary[] {
	return [...unpackIndex(kept)].map(([id, entry]) => toSessionSummary(id, entry));
}

/** Packs as many entries, in order, as fit into `limit` bytes of JSON, with a checksum. */
function packIndex(entries: [string, IndexEntry][], limit: number): { version: number; checksum: string; entries: [string, IndexEntry][] } {
	let size = 200;
	const included = entries.filter((entry) => {
		if (limit === Number.POSITIVE_INFINITY) return true;
		const bytes = size < limit ? Buffer.byteLength(JSON.stringify(entry)) + 1 : 0;
		if (bytes > LARGEST) return false;
		size += bytes;
		return size < limit;
	});
	return { version: VERSION, checksum: checksumOf(included), entries: included };
}

/** The entries of a packed index; none if it is invalid in any way. */
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
