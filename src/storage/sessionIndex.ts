// The cache of the session list: the newest in the editor's small state, all of it in a file, and nothing in it that disk does not say.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { SessionSummary } from "../core/events.ts";
import { type Files, isRecord, parseJson, readText, writeAtomically } from "./files.ts";
import { isSafeId } from "./ids.ts";
import { type Entry, parseEntry, summaryOf } from "./summary.ts";

/** The editor's state of a workspace, which may hold 64 KB in all. */
export interface SmallState {
	get(): unknown;
	set(value: unknown): PromiseLike<void>;
}

/** Bytes of JSON the index takes of the small state; the rest is left to other values. */
const SMALL_LIMIT = 56 * 1024;
const SAVE_AFTER = 500;
const VERSION = 1;

type Entries = Map<string, Entry>;

export interface SessionIndex {
	/** What was seen last, from memory or wherever it was kept. */
	entries(): Promise<Entries>;
	/** The newest sessions as the small state has them, at once and perhaps out of date. */
	glimpse(): SessionSummary[];
	/** Keeps what changed within a second. */
	touch(): void;
	/** Keeps it now. */
	save(): Promise<void>;
	close(): Promise<void>;
}

/** `refresh` brings the entries up to date before they are kept. */
export function createSessionIndex(options: {
	files: Files;
	root: string;
	small: SmallState;
	log(line: string): void;
	refresh(): Promise<void>;
}): SessionIndex {
	const { files, small, log } = options;
	const path = join(options.root, "index.json");
	let loaded: Promise<Entries> | undefined;
	let timer: NodeJS.Timeout | undefined;
	let saving: Promise<void> = Promise.resolve();
	let changed = false;

	async function load(): Promise<Entries> {
		const text = await readText(files, path).catch(() => undefined);
		const entries = unpack(text === undefined ? undefined : parseJson(text));
		for (const [id, entry] of unpack(small.get())) {
			const known = entries.get(id);
			if (!known || known.inode !== entry.inode || known.end < entry.end) entries.set(id, entry);
		}
		return entries;
	}

	async function keep(): Promise<void> {
		try {
			await options.refresh();
			const entries = newestFirst(await index.entries());
			await small.set(pack(entries, SMALL_LIMIT));
			await writeAtomically(files, path, JSON.stringify(pack(entries, Number.POSITIVE_INFINITY)));
		} catch (cause) {
			log(`the index of sessions was not kept and will be rebuilt: ${String(cause)}`);
		}
	}

	const index: SessionIndex = {
		entries() {
			loaded ??= load();
			return loaded;
		},
		glimpse() {
			return [...unpack(small.get())].map(([id, entry]) => summaryOf(id, entry));
		},
		touch() {
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

function newestFirst(entries: Entries): [string, Entry][] {
	return [...entries].sort(([a, one], [b, other]) => compareTimes(summaryOf(b, other), summaryOf(a, one)));
}

function compareTimes(a: SessionSummary, b: SessionSummary): number {
	return a.updatedAt < b.updatedAt ? -1 : Number(a.updatedAt > b.updatedAt);
}

/** As many entries, in order, as fit in `limit` bytes of JSON, under a checksum. */
function pack(entries: [string, Entry][], limit: number): { version: number; checksum: string; entries: [string, Entry][] } {
	let size = 200;
	const kept = entries.filter((entry) => {
		if (limit === Number.POSITIVE_INFINITY) return true;
		size += size < limit ? Buffer.byteLength(JSON.stringify(entry)) + 1 : 0;
		return size < limit;
	});
	return { version: VERSION, checksum: checksumOf(kept), entries: kept };
}

/** The entries of a packed index; none when anything about it is not as it was packed. */
function unpack(value: unknown): Entries {
	if (!isRecord(value) || value["version"] !== VERSION || !Array.isArray(value["entries"])) return new Map();
	const packed: unknown[] = value["entries"];
	if (checksumOf(packed) !== value["checksum"]) return new Map();
	const entries: Entries = new Map();
	for (const pair of packed) {
		const [id, kept] = Array.isArray(pair) ? pair : [];
		const entry = parseEntry(kept);
		if (typeof id === "string" && isSafeId(id) && entry) entries.set(id, entry);
	}
	return entries;
}

function checksumOf(entries: unknown[]): string {
	return createHash("sha256").update(JSON.stringify(entries)).digest("base64");
}
