// Stores artifacts as one file each, with atomic writes under a lock shared by all windows.

// A write never overwrites another writer's changes. One lock covers all files, and notes are Markdown, so this is not a
// JsonStore.
import { mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ARTIFACT_KINDS, ArtifactError, type ArtifactKind, type ArtifactSummary, type TrashedArtifact } from "../core/ports/artifacts.ts";
import { createListeners } from "../shared/listeners.ts";
import { isId, uniqueId } from "./note.ts";
import {
	type ArtifactBodies,
	type ArtifactListing,
	createArtifactReader,
	fallbackWhenMissing,
	KINDS,
	kindFolder,
	MAX_ARTIFACTS,
	readStored,
	type StoredArtifact,
	tooLarge,
} from "./reader.ts";
import { type FolderWatcher, watchFolders } from "./watch.ts";

/** Atomic file writes and a lock between processes, from storage. Both reject with StorageError. */
export interface ArtifactFiles {
	write(path: string, text: string): Promise<void>;
	exclusively<T>(lock: string, work: () => Promise<T>): Promise<T>;
}

export interface ArtifactStore {
	/** Returns all readable artifacts. Unreadable files are renamed, and renamed back after they have been fixed. */
	list(): Promise<ArtifactListing>;
	load<K extends ArtifactKind>(kind: K, id: string): Promise<StoredArtifact<K>>;
	/** Uses `id` if it is given and free. */
	create<K extends ArtifactKind>(kind: K, name: string, body: ArtifactBodies[K], id?: string): Promise<ArtifactSummary>;
	/** `work` returns the new body, or the old one for no change. With `version`, fails if the artifact has changed since. */
	change<K extends ArtifactKind>(
		kind: K,
		id: string,
		work: (now: StoredArtifact<K>) => ArtifactBodies[K],
		options?: ChangeOptions,
	): Promise<ArtifactSummary>;
	/** Moves it to the trash; resolves with its file name there. */
	remove(kind: ArtifactKind, id: string): Promise<string>;
	trash(): Promise<TrashedArtifact[]>;
	restore(file: string): Promise<ArtifactSummary>;
	onChange(listener: () => void): { dispose(): void };
	/** Kinds with at least one artifact at the last listing; reads nothing. */
	known(): ReadonlySet<ArtifactKind>;
	dispose(): void;
}

interface ChangeOptions {
	version?: string | undefined;
	/** Keep a copy of the old content in the trash. */
	keep?: boolean;
}

/** New artifacts are stored in the first of `roots`; the others are earlier storage locations of the workspace's folders. */
export function createArtifactStore({
	roots,
	keeping,
	log,
}: {
	roots: readonly string[];
	keeping: ArtifactFiles;
	log(line: string): void;
}): ArtifactStore {
	const [root = ""] = roots;
	const trash = join(root, "trash");
	const listeners = createListeners<() => void>();
	let watched: FolderWatcher | undefined;
	const reading = createArtifactReader(roots, locked, log);
	const { find, idsOf, filesOf, known } = reading;

	async function locked<T>(work: () => Promise<T>): Promise<T> {
		await mkdir(root, { recursive: true, mode: 0o700 });
		return keeping.exclusively(join(root, ".lock"), work);
	}

	/** Runs under the lock, then notifies listeners. */
	async function changing<T>(work: () => Promise<T>): Promise<T> {
		const done = await locked(work);
		changed();
		return done;
	}

	function changed(): void {
		listeners.tell((listener) => listener());
	}

	/** Writes in place, and always with a new modification time, by which open editors detect changes. */
	async function write<K extends ArtifactKind>(
		kind: K,
		id: string,
		path: string,
		body: ArtifactBodies[K],
		before = 0,
	): Promise<ArtifactSummary> {
		const { print, parse, most } = KINDS[kind];
		const text = print(body);
		if (Buffer.byteLength(text) > most) throw tooLarge(kind);
		parse(text, id);
		await mkdir(dirname(path), { recursive: true, mode: 0o700 });
		await keeping.write(path, text);
		const { mtimeMs } = await stat(path);
		if (Math.trunc(mtimeMs) <= before) await utimes(path, new Date(), (before + 1.5) / 1_000);
		known.add(kind);
		return (await readStored(kind, id, path)).summary;
	}

	async function makeRoom(): Promise<void> {
		let count = 0;
		for (const kind of ARTIFACT_KINDS) count += (await filesOf(kind)).size;
		if (count >= MAX_ARTIFACTS)
			throw new ArtifactError("full", `There are ${MAX_ARTIFACTS} notes, lists and views: no more are kept. Delete some first.`);
	}

	function newPlace(kind: ArtifactKind, id: string): string {
		return join(kindFolder(root, kind), `${id}${KINDS[kind].end}`);
	}

	return {
		async list() {
			const all: ArtifactListing = { artifacts: [], damaged: [] };
			for (const kind of ARTIFACT_KINDS) {
				const { artifacts, damaged } = await reading.listKind(kind);
				all.artifacts.push(...artifacts);
				all.damaged.push(...damaged);
			}
			return all;
		},
		load: find,
		create: (kind, name, body, id) =>
			changing(async () => {
				await makeRoom();
				const taken = await idsOf(kind);
				const free = id !== undefined && isId(id) && !taken.has(id) ? id : uniqueId(name, kind, (candidate) => taken.has(candidate));
				return write(kind, free, newPlace(kind, free), body);
			}),
		change: (kind, id, work, { version, keep } = {}) =>
			changing(async () => {
				const now = await find(kind, id);
				if (version !== undefined && version !== now.summary.version) {
					throw new ArtifactError("changed", `The ${kind} ${id} has changed since: it is at version ${now.summary.version}.`);
				}
				const body = work(now);
				const { print } = KINDS[kind];
				if (print(body) === print(now.body)) return now.summary;
				if (keep) await moveToTrash(trash, kind, id, (target) => keeping.write(target, print(now.body)));
				return write(kind, id, now.path, body, now.mtime);
			}),
		remove: (kind, id) =>
			changing(async () => {
				const { path } = await find(kind, id);
				return moveToTrash(trash, kind, id, (target) => rename(path, target));
			}),
		trash: () => listTrash(trash),
		restore: (file) =>
			changing(async () => {
				await makeRoom();
				let free = "";
				const back = await restoreFromTrash(trash, file, async ({ kind, id, name }) => {
					const taken = await idsOf(kind);
					free = taken.has(id) ? uniqueId(name, kind, (candidate) => taken.has(candidate)) : id;
					await mkdir(kindFolder(root, kind), { recursive: true, mode: 0o700 });
					return newPlace(kind, free);
				});
				known.add(back.kind);
				return { ...back, id: free };
			}),
		onChange(listener) {
			watched ??= watchFolders(
				roots.flatMap((base) => ARTIFACT_KINDS.map((kind) => kindFolder(base, kind))),
				changed,
				log,
			);
			return listeners.add(listener);
		},
		known: () => known,
		dispose: () => watched?.dispose(),
	};
}

const MAX_IN_TRASH = 500;

/** Moves an artifact to the trash, deletes the oldest entries, and returns its file name. Call it under the lock. */
async function moveToTrash(trash: string, kind: ArtifactKind, id: string, move: (target: string) => Promise<void>): Promise<string> {
	await mkdir(trash, { recursive: true, mode: 0o700 });
	const names = await namesIn(trash);
	let at = Date.now();
	const name = () => `${kind}.${id}.${at}${KINDS[kind].end}`;
	while (names.includes(name())) at += 1;
	const file = name();
	await move(join(trash, file));
	const oldest = names.sort((left, right) => timeOf(left) - timeOf(right)).slice(0, Math.max(0, names.length + 1 - MAX_IN_TRASH));
	for (const old of oldest) await rm(join(trash, old), { force: true });
	return file;
}

/** Lists deleted artifacts, most recent first. */
async function listTrash(trash: string): Promise<TrashedArtifact[]> {
	const names = (await namesIn(trash)).sort((left, right) => timeOf(right) - timeOf(left));
	const found = names.map(async (file) => {
		const { kind, id } = whatIs(file);
		const name = await readStored(kind, id, join(trash, file)).then(
			({ summary }) => summary.name,
			() => id,
		);
		return { file, kind, name, at: new Date(timeOf(file)).toISOString() };
	});
	return Promise.all(found);
}

/** Moves it to the path that `place` returns, and returns its summary. Call it under the lock. */
async function restoreFromTrash(trash: string, file: string, place: (found: ArtifactSummary) => Promise<string>): Promise<ArtifactSummary> {
	const gone = new ArtifactError("missing", `There is no ${file} in the trash.`);
	if (!NAME.test(file)) throw gone;
	const { kind, id } = whatIs(file);
	const stored = await readStored(kind, id, join(trash, file)).catch(fallbackWhenMissing(undefined));
	if (!stored) throw gone;
	await rename(join(trash, file), await place(stored.summary));
	return stored.summary;
}

const NAME = /^(note|list|view)\.([A-Za-z0-9_-]{1,64})\.(\d{10,16})\.(md|json)$/;

async function namesIn(trash: string): Promise<string[]> {
	return (await readdir(trash).catch(fallbackWhenMissing<string[]>([]))).filter((name) => NAME.test(name));
}

function whatIs(file: string): { kind: ArtifactKind; id: string } {
	const [, kind, id = ""] = NAME.exec(file) ?? [];
	return { kind: kind as ArtifactKind, id };
}

function timeOf(file: string): number {
	return Number(NAME.exec(file)?.[3]);
}
