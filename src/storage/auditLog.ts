// Appends the audit log, one JSON line an entry, to a file that all windows share; keeps three older files.
import { join } from "node:path";
import { AUDIT_FILE, type AuditEntry, type AuditLog } from "../core/ports/audit.ts";
import { Serial } from "../shared/node/serial.ts";
import { sanitizeForPrompt } from "../shared/safeText.ts";
import { FILE_MODE, isNotFound, makeFolder, nodeFileSystem, type StorageFileSystem } from "./fileSystem.ts";
import { withFileLock } from "./json/fileLock.ts";

/** Bytes of a file and of a line, with its line feed. */
const FILE_BYTES = 10_000_000;
const LINE_BYTES = 8_192;
const OLDER_FILES = 3;
/** Milliseconds in which equal refusals are counted. */
const FOLD_TIME = 60_000;
/** Refusals that are compared with later ones. */
const MAX_FOLDED = 100;
/** Lines kept in memory while the disk fails. */
const MAX_WAITING = 1_000;

/** Characters of a text, characters of an id or another name, and items of a list. */
interface Limits {
	text: number;
	name: number;
	items: number;
}

const USUAL: Limits = { text: 500, name: 200, items: 40 };
/** Limits that are tried one after the other until the line is short enough. */
const LIMITS: readonly Limits[] = [USUAL, { text: 500, name: 60, items: 16 }, { text: 200, name: 20, items: 8 }];

interface AuditLogOptions {
	folder: string;
	log(line: string): void;
	files?: StorageFileSystem;
	/** Bytes of a file. */
	fileBytes?: number;
	/** Milliseconds. */
	foldTime?: number;
}

interface DiskAuditLog extends AuditLog {
	/** Writes counted refusals and everything that still waits for the disk. */
	close(): Promise<void>;
}

/** A refusal that is on disk, and the number of equal ones since, which a crash loses at most. */
interface Folded {
	/** The last of them. */
	entry: AuditEntry;
	count: number;
	timer: NodeJS.Timeout;
}

export function createAuditLog(options: AuditLogOptions): DiskAuditLog {
	const { folder, log, files = nodeFileSystem, fileBytes = FILE_BYTES, foldTime = FOLD_TIME } = options;
	const path = join(folder, AUDIT_FILE);
	const folded = new Map<string, Folded>();
	let waiting: string[] = [];
	const writing = new Serial();

	function write(lines: readonly string[]): Promise<void> {
		waiting.push(...lines);
		return writing.run(flush);
	}

	async function flush(): Promise<void> {
		if (waiting.length === 0) return;
		try {
			await makeFolder(files, folder);
			await withFileLock(files, `${path}.lock`, appendWaiting);
		} catch (cause) {
			waiting = waiting.slice(-MAX_WAITING);
			log(`audit log: ${waiting.length} entries are kept in memory and written with the next one: ${String(cause)}`);
		}
	}

	async function appendWaiting(): Promise<void> {
		while (waiting.length > 0) {
			const size = (await files.stat(path).catch(ignoreMissing))?.size ?? 0;
			const count = countFitting(waiting, fileBytes - size, size === 0);
			if (count === 0) await rotate();
			else await append(waiting.slice(0, count).join(""));
			waiting.splice(0, count);
		}
	}

	async function append(lines: string): Promise<void> {
		const handle = await files.open(path, "a+", FILE_MODE);
		try {
			const { size } = await handle.stat();
			const last = Buffer.alloc(1);
			// A crash may have cut off the last line.
			const isTorn = size > 0 && (await handle.read(last, 0, 1, size - 1)).bytesRead === 1 && last[0] !== LINE_FEED;
			try {
				await handle.writeFile(isTorn ? `\n${lines}` : lines);
			} catch (cause) {
				await handle.truncate(size).catch(() => undefined);
				throw cause;
			}
		} finally {
			await handle.close();
		}
	}

	async function rotate(): Promise<void> {
		const names = [AUDIT_FILE, ...Array.from({ length: OLDER_FILES }, (_, index) => `audit.${index + 1}.jsonl`)];
		for (let index = OLDER_FILES; index > 0; index -= 1) {
			await files.rename(join(folder, names[index - 1] as string), join(folder, names[index] as string)).catch(ignoreMissing);
		}
	}

	/** The line of the refusals that were counted. */
	function endFolding(key: string): string[] {
		const refusal = folded.get(key);
		if (!refusal) return [];
		clearTimeout(refusal.timer);
		folded.delete(key);
		const { entry, count } = refusal;
		return count === 0 ? [] : [formatLine({ ...entry, count })];
	}

	function beginFolding(key: string, entry: AuditEntry): void {
		const timer = setTimeout(() => void write(endFolding(key)), foldTime);
		timer.unref();
		folded.set(key, { entry, count: 0, timer });
	}

	return {
		record(given) {
			const entry = clean(given, USUAL);
			const key = entry.decision === "refused" ? toKey(entry) : undefined;
			const equal = key === undefined ? undefined : folded.get(key);
			if (equal) {
				equal.entry = entry;
				equal.count += 1;
				return Promise.resolve();
			}
			const [oldest] = folded.size >= MAX_FOLDED ? folded.keys() : [];
			const counted = oldest === undefined ? [] : endFolding(oldest);
			if (key !== undefined) beginFolding(key, entry);
			return write([...counted, formatLine(entry)]);
		},
		close: () => write([...folded.keys()].flatMap(endFolding)),
	};
}

const LINE_FEED = 10;

/** The number of lines that fit; at least one for an empty file. */
function countFitting(lines: readonly string[], bytes: number, empty: boolean): number {
	let left = bytes;
	let count = 0;
	for (const line of lines) {
		left -= Buffer.byteLength(line);
		if (left < 0) break;
		count += 1;
	}
	return empty ? Math.max(count, 1) : count;
}

/** Returns the same key for the same refusal at another time and of another tool call. */
function toKey({ at: _at, tokens: _tokens, count: _count, caller: { call: _call, ...caller }, ...rest }: AuditEntry): string {
	return JSON.stringify({ ...rest, caller });
}

function formatLine(entry: AuditEntry): string {
	const lines = LIMITS.map((limits) => `${JSON.stringify(clean(entry, limits))}\n`);
	return lines.find((line) => Buffer.byteLength(line) <= LINE_BYTES) ?? (lines.at(-1) as string);
}

/** Texts and names come from models. */
function clean(entry: AuditEntry, limits: Limits): AuditEntry {
	const name = (text: string) => shorten(text, limits.name);
	const names = (all: readonly string[]) => all.slice(0, limits.items).map(name);
	const { at, kind, caller, target, chain, ceiling, summary, decision, reason, status, tokens, count } = entry;
	return {
		at: name(at),
		kind,
		caller: {
			session: name(caller.session),
			agent: name(caller.agent),
			...(caller.call !== undefined && { call: name(caller.call) }),
			...(caller.role !== undefined && { role: name(caller.role) }),
		},
		target: { agent: name(target.agent), ...(target.session !== undefined && { session: name(target.session) }) },
		...(chain && { chain: names(chain) }),
		...(ceiling && { ceiling: names(ceiling) }),
		summary: shorten(summary, limits.text),
		decision,
		...(reason !== undefined && { reason: shorten(reason, limits.text) }),
		...(status !== undefined && { status: name(status) }),
		...(tokens !== undefined && { tokens }),
		...(count !== undefined && { count }),
	};
}

/** The first characters; of a long text only its beginning is read. */
function shorten(text: string, limit: number): string {
	const beginning = sanitizeForPrompt(text.slice(0, limit * 8));
	return beginning.length <= limit ? beginning : sanitizeForPrompt(beginning.slice(0, limit));
}

function ignoreMissing(cause: unknown): undefined {
	if (!isNotFound(cause)) throw cause;
	return undefined;
}
