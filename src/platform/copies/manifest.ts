// Stores a copy's description and the original content of its files, apart from the files that agents change.

// <id>/copy.json: folders, notes and time. <id>/files.json: every copied file. <id>/base: the bytes of the copied project
// files, one after the other. <id>/taken: a line for each content that taking changes wrote. <id>/discarded: one for each content whose change was discarded. <id>/writes: a line for each taken change before it is written, and one once it is recorded. <id>/abandoned: its task is being deleted. <id>/0/<name>, <id>/1/<name>: the folders.
import { randomUUID } from "node:crypto";
import { open, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import type { CopyFolder, TakenWrite, WorkspaceCopy } from "../../core/ports/copies.ts";
import { sha256 } from "../../shared/node/hash.ts";
import type { FileStamp } from "../files/workspaceDiff.ts";

/** A file as it was copied. */
export interface BaseFile {
	/** SHA-256 of its bytes; absent for links, ignored files, and files too large to be taken. */
	hash?: string;
	/** Offset of its bytes in `base`; absent if only the hash was kept. */
	offset?: number;
	size: number;
	link?: string;
	ignored?: true;
	/** Stamp of the file in the copy, after it was copied. Absent for ignored files if there were too many. */
	copied?: FileStamp;
	/** Stamp of the workspace's file when it was copied, if there is no hash. */
	original?: FileStamp;
}

/** One copied folder. */
export interface FolderManifest {
	/** Files with paths relative to the folder, with slashes. */
	files: [path: string, file: BaseFile][];
	/** Folders of submodules and other repositories, whose files are copied too. */
	nested: string[];
	ignoredSkipped: boolean;
}

type CopyFile = Omit<WorkspaceCopy, "id" | "home" | "folders"> & {
	folders: Omit<CopyFolder, "path">[];
	/** SHA-256 of files.json. */
	filesHash: string;
	baseSize: number;
};

/** `path` of the folder at that index in the copy. */
export function copiedFolderPath(home: string, index: number, original: string): string {
	return join(home, String(index), basename(original) || "root");
}

/** `home` is the copy's folder. The last file that is written makes the copy complete. */
export async function writeManifest(
	home: string,
	copy: Omit<WorkspaceCopy, "id" | "home">,
	folders: readonly FolderManifest[],
	baseSize: number,
): Promise<void> {
	const files = JSON.stringify(folders);
	await writeDurably(join(home, FILES), files);
	const { createdAt, notes } = copy;
	const described = copy.folders.map(({ name, original }) => ({ name, original }));
	const content: CopyFile = { folders: described, createdAt, notes, filesHash: sha256(files), baseSize };
	await writeDurably(join(home, COPY), JSON.stringify(content));
}

/** Returns undefined if the copy is missing or damaged. */
export async function readCopy(home: string, id: string): Promise<WorkspaceCopy | undefined> {
	const content = await readCopyFile(home);
	const base = await stat(join(home, BASE)).catch(() => undefined);
	const files = await stat(join(home, FILES)).catch(() => undefined);
	if (!content || base?.size !== content.baseSize || !files) return undefined;
	const folders = content.folders.map((folder, index) => ({ ...folder, path: copiedFolderPath(home, index, folder.original) }));
	const present = await Promise.all(folders.map(({ path }) => stat(path).catch(() => undefined)));
	if (present.some((found) => !found?.isDirectory())) return undefined;
	return { id, home, folders, createdAt: content.createdAt, notes: content.notes };
}

/** Returns undefined if it is missing or not what was written with the copy. */
export async function readFolderManifests(home: string): Promise<FolderManifest[] | undefined> {
	const [copy, text] = await Promise.all([readCopyFile(home), readText(join(home, FILES))]);
	return copy && text !== undefined && sha256(text) === copy.filesHash ? (JSON.parse(text) as FolderManifest[]) : undefined;
}

/** Returns undefined if the bytes were not kept or are damaged. */
export async function readBase(home: string, file: BaseFile | undefined): Promise<Uint8Array | undefined> {
	if (file?.offset === undefined) return undefined;
	const handle = await open(join(home, BASE), "r");
	try {
		const { buffer, bytesRead } = await handle.read(Buffer.alloc(file.size), 0, file.size, file.offset);
		return bytesRead === file.size && sha256(buffer) === file.hash ? buffer : undefined;
	} finally {
		await handle.close();
	}
}

/** `taken`: what taking changes has written. `discarded`: what the copy had when its change was discarded. */
type HashFile = "taken" | "discarded";

/** Returns the recorded hashes of each file; "" for a deleted file. */
export async function readHashes(home: string, file: HashFile): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
	const hashes = new Map<string, Set<string>>();
	for (const entry of await readEntries(join(home, file))) {
		if (entry.length !== 3 || entry.some((part) => typeof part !== "string")) continue;
		const [folder, path, hash] = entry as [string, string, string];
		const key = hashesKey(Number(folder), path);
		hashes.set(key, (hashes.get(key) ?? new Set()).add(hash));
	}
	return hashes;
}

export function hashesKey(folder: number, path: string): string {
	return `${folder} ${path}`;
}

/**
 * Records a hash. A taken change is recorded before it is written, so that a crash in between can't make our own content look like the
 * user's.
 */
export async function recordHash(home: string, file: HashFile, folder: number, path: string, hash: string): Promise<void> {
	await appendEntry(join(home, file), [String(folder), path, hash]);
}

/** Returns the id by which the write is ended. */
export async function recordWriteBegin(home: string, write: TakenWrite): Promise<string> {
	const id = randomUUID();
	await appendEntry(join(home, WRITES), [id, write], true);
	return id;
}

export function recordWriteEnd(home: string, id: string): Promise<void> {
	return appendEntry(join(home, WRITES), [id]);
}

/** Writes that have begun and not ended, by id, in their order. */
export async function readOpenWrites(home: string): Promise<ReadonlyMap<string, TakenWrite>> {
	const begun = new Map<string, TakenWrite>();
	for (const [id, write] of await readEntries(join(home, WRITES))) {
		if (typeof id !== "string") continue;
		if (isTakenWrite(write)) begun.set(id, write);
		else begun.delete(id);
	}
	return begun;
}

function isTakenWrite(value: unknown): value is TakenWrite {
	if (!isRecord(value) || typeof value["at"] !== "string") return false;
	const change = value["change"];
	return isRecord(change) && typeof change["path"] === "string" && typeof change["after"] === "string";
}

const WRITES = "writes";

/** Reads lines of JSON arrays; anything else is passed over. */
async function readEntries(path: string): Promise<unknown[][]> {
	return ((await readText(path)) ?? "")
		.split("\n")
		.map(parse)
		.filter((entry) => Array.isArray(entry));
}

/** The line break before it ends what a crash may have cut off. `isSynced`: it also outlives a power cut. */
async function appendEntry(path: string, entry: readonly unknown[], isSynced = false): Promise<void> {
	const file = await open(path, "a", 0o600);
	try {
		await file.appendFile(`\n${JSON.stringify(entry)}`);
		if (isSynced) await file.datasync();
	} finally {
		await file.close();
	}
}

const COPY = "copy.json";
const FILES = "files.json";
export const BASE = "base";

async function readCopyFile(home: string): Promise<CopyFile | undefined> {
	const content = parse((await readText(join(home, COPY))) ?? "");
	return isCopyFile(content) ? content : undefined;
}

function isCopyFile(value: unknown): value is CopyFile {
	if (!isRecord(value)) return false;
	const { folders, createdAt, notes, filesHash, baseSize } = value;
	return (
		Array.isArray(folders) &&
		folders.every((folder) => isRecord(folder) && typeof folder["name"] === "string" && typeof folder["original"] === "string") &&
		Array.isArray(notes) &&
		notes.every((note) => typeof note === "string") &&
		typeof createdAt === "string" &&
		typeof filesHash === "string" &&
		typeof baseSize === "number"
	);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function readText(path: string): Promise<string | undefined> {
	return readFile(path, "utf8").catch(() => undefined);
}

async function writeDurably(path: string, text: string): Promise<void> {
	const file = await open(path, "wx", 0o600);
	try {
		await file.writeFile(text);
		await file.sync();
	} finally {
		await file.close();
	}
}
