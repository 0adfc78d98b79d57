// The cache of the session list: the newest in the editor's small state, all of it in a file, and nothing in it that disk does not say.
import { join } from "node:path";
import type { SessionSummary } from "../../core/events.ts";
import { type Files, parseJson, readText, writeAtomically } from "../files.ts";
import { type Entry, summaryOf } from "./entry.ts";
import { type Entries, pack, SMALL_LIMIT, unpack } from "./packedIndex.ts";

/** The editor's state of a workspace, which may hold 64 KB in all. */
export interface SmallState {
	get(): unknown;
	set(value: unknown): PromiseLike<void>;
}

const SAVE_AFTER = 500;

export interface SessionIndex {
	/** What was seen last, from memory or wherever it was kept. */
	entries(): Promise<Entries>;
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
