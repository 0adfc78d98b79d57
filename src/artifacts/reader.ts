// Finds and reads artifacts, one file each.

// Unreadable files are renamed, and renamed back after they have been fixed.
import { readdirSync } from "node:fs";
import { readdir, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ARTIFACT_KINDS, ArtifactError, type ArtifactKind, type ArtifactSummary, type DamagedArtifact } from "../core/ports/artifacts.ts";
import { sha256 } from "../shared/node/hash.ts";
import { decodeUtf8 } from "../shared/utf8.ts";
import { type ArtifactList, parseList, parseView, printJson, printList, type SavedView } from "./list.ts";
import { isId, type Note, parseNote, printNote } from "./note.ts";

export interface StoredArtifact<K extends ArtifactKind = ArtifactKind> {
	summary: ArtifactSummary;
	body: ArtifactBodies[K];
	/** Absolute path. */
	path: string;
	mtime: number;
	ctime: number;
}

export interface ArtifactListing {
	artifacts: ArtifactSummary[];
	damaged: DamagedArtifact[];
}

interface ArtifactReader {
	/** Returns paths by file name; earlier roots take precedence. */
	filesOf(kind: ArtifactKind): Promise<Map<string, string>>;
	idsOf(kind: ArtifactKind): Promise<Set<string>>;
	/** Throws ArtifactError if it does not exist or is damaged. */
	find<K extends ArtifactKind>(kind: K, id: string): Promise<StoredArtifact<K>>;
	/** Sorted by name; damaged files are renamed under the lock. */
	listKind(kind: ArtifactKind): Promise<ArtifactListing>;
	/** Kinds with at least one artifact at the last listing. */
	known: Set<ArtifactKind>;
}

export const MAX_ARTIFACTS = 1_000;
const ASIDE = ".damaged";
/** Milliseconds to wait for a file that another program may be writing in place. */
const BEING_WRITTEN = 150;

type Locked = <T>(work: () => Promise<T>) => Promise<T>;

export function createArtifactReader(roots: readonly string[], locked: Locked, log: (line: string) => void): ArtifactReader {
	/** Summaries by path, time, and size. */
	const told = new Map<string, ArtifactSummary>();
	const known = new Set(ARTIFACT_KINDS.filter((kind) => roots.some((root) => holdsSome(kindFolder(root, kind), KINDS[kind].end))));

	async function filesOf(kind: ArtifactKind): Promise<Map<string, string>> {
		const found = new Map<string, string>();
		for (const base of roots) {
			const entries = await readdir(kindFolder(base, kind), { withFileTypes: true }).catch(fallbackWhenMissing([]));
			for (const entry of entries)
				if (entry.isFile() && !found.has(entry.name)) found.set(entry.name, join(kindFolder(base, kind), entry.name));
		}
		return found;
	}

	async function find<K extends ArtifactKind>(kind: K, id: string): Promise<StoredArtifact<K>> {
		if (isId(id)) {
			for (const base of roots) {
				const path = join(kindFolder(base, kind), `${id}${KINDS[kind].end}`);
				const stored = await readStored(kind, id, path).catch(fallbackWhenMissing(undefined));
				if (stored) return stored;
			}
		}
		throw artifactNotFound(kind, id);
	}

	/** Reads the file again before renaming it, since another window may have written it meanwhile. */
	async function setAside(kind: ArtifactKind, id: string, path: string): Promise<DamagedArtifact | undefined> {
		const problem = await readStored(kind, id, path).then(() => undefined, problemOf);
		if (problem === undefined) return undefined;
		const file = freeName(await readdir(join(path, "..")), `${id}${KINDS[kind].end}${ASIDE}`);
		const aside = join(path, "..", file);
		await rename(path, aside);
		log(`the ${kind} ${id} could not be read (${problem}); its file is now ${file}`);
		return { kind, file, path: aside, problem };
	}

	async function mended(
		kind: ArtifactKind,
		file: string,
		path: string,
		names: ReadonlyMap<string, string>,
	): Promise<DamagedArtifact | undefined> {
		const { end } = KINDS[kind];
		const id = file.slice(0, file.indexOf(`${end}${ASIDE}`));
		const problem = await readStored(kind, id, path).then(() => undefined, problemOf);
		if (problem !== undefined) return { kind, file, path, problem };
		if (!isId(id) || names.has(`${id}${end}`)) return { kind, file, path, problem: `there is another ${id}${end}` };
		await rename(path, join(path, "..", `${id}${end}`));
		return undefined;
	}

	async function listKind(kind: ArtifactKind): Promise<{ artifacts: ArtifactSummary[]; damaged: DamagedArtifact[] }> {
		const { end } = KINDS[kind];
		const damaged: DamagedArtifact[] = [];
		const before = await filesOf(kind);
		for (const [file, path] of before) {
			if (!file.includes(`${end}${ASIDE}`)) continue;
			const still = await locked(() => mended(kind, file, path, before)).catch(fallbackWhenMissing(undefined));
			if (still) damaged.push(still);
		}
		const artifacts: ArtifactSummary[] = [];
		for (const [file, path] of await filesOf(kind)) {
			const id = file.endsWith(end) ? file.slice(0, -end.length) : "";
			if (!isId(id)) continue;
			const summary = await summaryOf(kind, id, path);
			if ("problem" in summary) damaged.push(summary);
			else if ("id" in summary) artifacts.push(summary);
		}
		if (artifacts.length > 0) known.add(kind);
		else known.delete(kind);
		artifacts.sort((left, right) => left.name.localeCompare(right.name) || (left.id < right.id ? -1 : 1));
		return { artifacts, damaged };
	}

	/** Returns {} if the file no longer exists. */
	async function summaryOf(
		kind: ArtifactKind,
		id: string,
		path: string,
	): Promise<ArtifactSummary | DamagedArtifact | Record<never, never>> {
		try {
			const { mtimeMs, size } = await stat(path);
			const key = `${path}\n${mtimeMs}\n${size}`;
			const summary = told.get(key) ?? (await readStored(kind, id, path)).summary;
			if (told.size > 4 * MAX_ARTIFACTS) told.clear();
			told.set(key, summary);
			return summary;
		} catch (error) {
			if (isNotFoundError(error)) return {};
			if (!(error instanceof ArtifactError)) throw error;
			await wait(BEING_WRITTEN);
			return (await locked(() => setAside(kind, id, path)).catch(fallbackWhenMissing(undefined))) ?? {};
		}
	}

	async function idsOf(kind: ArtifactKind): Promise<Set<string>> {
		const names = [...(await filesOf(kind)).keys()];
		return new Set(names.map((name) => name.slice(0, name.indexOf(KINDS[kind].end))));
	}

	return { filesOf, idsOf, find, listKind, known };
}

export function kindFolder(root: string, kind: ArtifactKind): string {
	return join(root, KINDS[kind].folder);
}

/** Runs once, at the first use of a tool or view; synchronous because it only lists three small folders. */
function holdsSome(folder: string, end: string): boolean {
	try {
		return readdirSync(folder).some((name) => name.endsWith(end));
	} catch {
		return false;
	}
}

export async function readStored<K extends ArtifactKind>(kind: K, id: string, path: string): Promise<StoredArtifact<K>> {
	const { parse, told, most } = KINDS[kind];
	const { mtimeMs, birthtimeMs, size } = await stat(path);
	if (size > most) throw tooLarge(kind);
	const bytes = await readFile(path);
	const text = decodeUtf8(bytes, { keepMark: true });
	if (text === undefined) throw new ArtifactError("invalid", "it is not UTF-8 text");
	const body = parse(text, id);
	const updatedAt = new Date(mtimeMs).toISOString();
	const version = sha256(bytes).slice(0, 12);
	return {
		body,
		path,
		mtime: Math.trunc(mtimeMs),
		ctime: Math.trunc(birthtimeMs),
		summary: { kind, id, ...told(body), updatedAt, version },
	};
}

function artifactNotFound(kind: ArtifactKind, id: string): ArtifactError {
	return new ArtifactError("missing", `There is no ${kind} ${id}.`);
}

function freeName(names: readonly string[], name: string): string {
	if (!names.includes(name)) return name;
	for (let number = 2; ; number += 1) if (!names.includes(`${name}-${number}`)) return `${name}-${number}`;
}

/** Returns the message for invalid content; rethrows other errors. */
function problemOf(error: unknown): string {
	if (error instanceof ArtifactError) return error.message;
	throw error;
}

function isNotFoundError(error: unknown): boolean {
	return ["ENOENT", "ENOTDIR"].includes(String((error as { code?: unknown } | undefined)?.code));
}

export function fallbackWhenMissing<T>(instead: T): (error: unknown) => T {
	return (error) => {
		if (isNotFoundError(error)) return instead;
		throw error;
	};
}

export interface ArtifactBodies {
	note: Note;
	list: ArtifactList;
	view: SavedView;
}

interface Kind<Body> {
	folder: string;
	/** The file's extension, including the dot. */
	end: string;
	/** Maximum bytes of a file. */
	most: number;
	/** Throws ArtifactError for a damaged file. */
	parse(file: string, id: string): Body;
	print(body: Body): string;
	/** Fields of its summary. */
	told(body: Body): Pick<ArtifactSummary, "name" | "tags" | "items" | "query">;
}

const NOTE_BYTES = 256 * 1024;
const LIST_BYTES = 2 * 1024 * 1024;

export const KINDS: { [K in ArtifactKind]: Kind<ArtifactBodies[K]> } = {
	note: {
		folder: "notes",
		end: ".md",
		most: NOTE_BYTES,
		parse: parseNote,
		print: printNote,
		told: ({ name, tags }) => ({ name, tags }),
	},
	list: {
		folder: "lists",
		end: ".json",
		most: LIST_BYTES,
		parse: parseList,
		print: (list) => printList(list, LIST_BYTES),
		told: ({ name, tags, items }) => ({ name, tags, items: { total: items.length, done: items.filter(({ done }) => done).length } }),
	},
	view: {
		folder: "views",
		end: ".json",
		most: 16 * 1024,
		parse: parseView,
		print: printJson,
		told: ({ name, query }) => ({ name, tags: [], query }),
	},
};

export function tooLarge(kind: ArtifactKind): ArtifactError {
	return new ArtifactError("large", `A ${kind} holds at most ${KINDS[kind].most / 1024} KB. Divide it`);
}
