// Artifacts as files, one each: written whole, under a lock that all windows share, and never over what somebody else wrote.
import { mkdir, rename, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ARTIFACT_KINDS, type ArtifactKind, ArtifactProblem, type ArtifactSummary, type TrashedArtifact } from "../core/ports/artifacts.ts";
import { type Bodies, KINDS, tooLarge } from "./kinds.ts";
import { freeId, isId } from "./names.ts";
import { createReading, type Found, folderOf, MOST, readStored, type Stored } from "./reader.ts";
import { takeBack, throwAway, thrownAway } from "./trash.ts";
import { type Watched, watchFolders } from "./watch.ts";

/** What storage gives: a file replaced at one stroke, and a lock between processes. Both reject with StorageError. */
export interface Keeping {
	write(path: string, text: string): Promise<void>;
	exclusively<T>(lock: string, work: () => Promise<T>): Promise<T>;
}

export interface Store {
	/** Every artifact that can be read. What cannot is set aside, and put back once somebody has mended it. */
	list(): Promise<Found>;
	load<K extends ArtifactKind>(kind: K, id: string): Promise<Stored<K>>;
	/** Under `id` where that is given and free. */
	create<K extends ArtifactKind>(kind: K, name: string, body: Bodies[K], id?: string): Promise<ArtifactSummary>;
	/** `work` gives the new body, or the old one to leave it. With `version` only what is as it was then is changed. */
	change<K extends ArtifactKind>(
		kind: K,
		id: string,
		work: (now: Stored<K>) => Bodies[K],
		options?: ChangeOptions,
	): Promise<ArtifactSummary>;
	/** To the trash; resolves with its file there. */
	remove(kind: ArtifactKind, id: string): Promise<string>;
	trash(): Promise<TrashedArtifact[]>;
	restore(file: string): Promise<ArtifactSummary>;
	onChange(listener: () => void): { dispose(): void };
	/** Kinds of which something was there when last looked at: nothing is read for it. */
	known(): ReadonlySet<ArtifactKind>;
	dispose(): void;
}

export interface ChangeOptions {
	version?: string | undefined;
	/** A copy of what was there goes to the trash. */
	keep?: boolean;
}

/** The first of `roots` takes what is new; the others are storages that this workspace's folders have had before. */
export function createStore({ roots, keeping, log }: { roots: readonly string[]; keeping: Keeping; log(line: string): void }): Store {
	const [root = ""] = roots;
	const trash = join(root, "trash");
	const listeners = new Set<() => void>();
	let watched: Watched | undefined;
	const reading = createReading(roots, locked, log);
	const { find, idsOf, filesOf, known } = reading;

	async function locked<T>(work: () => Promise<T>): Promise<T> {
		await mkdir(root, { recursive: true, mode: 0o700 });
		return keeping.exclusively(join(root, ".lock"), work);
	}

	/** Under the lock, and then whoever listens hears of it. */
	async function changing<T>(work: () => Promise<T>): Promise<T> {
		const done = await locked(work);
		changed();
		return done;
	}

	function changed(): void {
		for (const listener of listeners) listener();
	}

	/** Writes where it lies, and never with the time it had: an editor that has it open tells by that. */
	async function write<K extends ArtifactKind>(kind: K, id: string, path: string, body: Bodies[K], before = 0): Promise<ArtifactSummary> {
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
		if (count >= MOST) throw new ArtifactProblem("full", `There are ${MOST} notes, lists and views: no more are kept. Delete some first.`);
	}

	function newPlace(kind: ArtifactKind, id: string): string {
		return join(folderOf(root, kind), `${id}${KINDS[kind].end}`);
	}

	return {
		async list() {
			const all: Found = { artifacts: [], damaged: [] };
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
				const free = id !== undefined && isId(id) && !taken.has(id) ? id : freeId(name, kind, (candidate) => taken.has(candidate));
				return write(kind, free, newPlace(kind, free), body);
			}),
		change: (kind, id, work, { version, keep } = {}) =>
			changing(async () => {
				const now = await find(kind, id);
				if (version !== undefined && version !== now.summary.version) {
					throw new ArtifactProblem("changed", `The ${kind} ${id} has changed since: it is at version ${now.summary.version}.`);
				}
				const body = work(now);
				const { print } = KINDS[kind];
				if (print(body) === print(now.body)) return now.summary;
				if (keep) await throwAway(trash, kind, id, (target) => keeping.write(target, print(now.body)));
				return write(kind, id, now.path, body, now.mtime);
			}),
		remove: (kind, id) =>
			changing(async () => {
				const { path } = await find(kind, id);
				return throwAway(trash, kind, id, (target) => rename(path, target));
			}),
		trash: () => thrownAway(trash),
		restore: (file) =>
			changing(async () => {
				await makeRoom();
				let free = "";
				const back = await takeBack(trash, file, async ({ kind, id, name }) => {
					const taken = await idsOf(kind);
					free = taken.has(id) ? freeId(name, kind, (candidate) => taken.has(candidate)) : id;
					await mkdir(folderOf(root, kind), { recursive: true, mode: 0o700 });
					return newPlace(kind, free);
				});
				known.add(back.kind);
				return { ...back, id: free };
			}),
		onChange(listener) {
			listeners.add(listener);
			watched ??= watchFolders(
				roots.flatMap((base) => ARTIFACT_KINDS.map((kind) => folderOf(base, kind))),
				changed,
				log,
			);
			return { dispose: () => void listeners.delete(listener) };
		},
		known: () => known,
		dispose: () => watched?.dispose(),
	};
}
