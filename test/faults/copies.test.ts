// Takes changes from copies while the person edits the same files, and looks for bytes of theirs that are lost.

// Every run has a seed, which says what both sides do. On files in memory it also says when: the person acts before any file
// operation, except between the last comparison and the write that belongs to it. With real files, they act whenever the
// event loop is free.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { CopyChange, WorkspaceCopies, WorkspaceCopy } from "../../src/core/ports/copies.ts";
import type { OpenBuffers } from "../../src/core/ports/workspace/editor.ts";
import type { FileEdit, VirtualFileSystem } from "../../src/core/ports/workspace/files.ts";
import type { Workspace } from "../../src/core/ports/workspace.ts";
import { createOutputStore } from "../../src/platform/processes/outputStore.ts";
import { createVirtualWorkspace } from "../../src/platform/virtual/workspace.ts";
import { MemoryFiles } from "../fakes/memoryFileSystem.ts";
import { virtualMemory } from "../fakes/virtualMemory.ts";
import { commitAll, copyPlace, gitIn, only, options, treeOf, write } from "../unit/platform/copies/support.ts";
import { memoryBlobs } from "../unit/platform/support.ts";

/** Interleavings in memory: `npm run faults:copies -- 100`. One for every twenty runs on real files. */
const RUNS = Number(process.env["KILLS"] ?? 1_000);
const FIRST_SEED = Number(process.env["SEED"] ?? 1);
const BATCH = 50;
const ROUNDS = 6;
const FILES = ["a.txt", "b.txt", "src/c.txt", "src/d.txt", "src/e.txt", "f.txt"];
/** Names that both sides may create. */
const MORE = ["new.txt", "src/new.txt"];

type Random = (below: number) => number;

function randomOf(seed: number): Random {
	let state = seed >>> 0;
	return (below) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

function pick<T>(random: Random, all: readonly T[]): T {
	return all[random(all.length)] as T;
}

function linesOf(name: string): string[] {
	return Array.from({ length: 30 }, (_, index) => `${name} ${index}\n`);
}

/** What a person edits: the files of a run, and the text in editors that isn't saved. */
interface PersonFiles {
	read(name: string): string | undefined;
	write(name: string, text: string): void;
	remove(name: string): void;
	unsaved: Map<string, string>;
}

/** A person whose every text is one of a kind, so that none can be taken for what the copy has. */
function createPerson(files: PersonFiles, random: Random) {
	/** What a name has to be at the end; undefined: deleted. */
	const theirs = new Map<string, string | undefined>();
	let count = 0;
	const current = (name: string) => files.unsaved.get(name) ?? files.read(name);
	const edited = (name: string): string => {
		const lines = (current(name) ?? "").split("\n");
		count += 1;
		lines.splice(random(lines.length + 1), random(2), `mine ${count}`);
		return lines.join("\n");
	};
	const acts: ((name: string) => void)[] = [
		(name) => {
			if (files.unsaved.has(name)) return;
			const text = edited(name);
			files.write(name, text);
			theirs.set(name, text);
		},
		(name) => {
			if (files.read(name) === undefined) return;
			const text = edited(name);
			files.unsaved.set(name, text);
			theirs.set(name, text);
		},
		(name) => {
			const text = files.unsaved.get(name);
			if (text === undefined) return;
			files.unsaved.delete(name);
			files.write(name, text);
		},
		(name) => {
			if (files.unsaved.has(name) || files.read(name) === undefined) return;
			files.remove(name);
			theirs.set(name, undefined);
		},
	];
	return {
		act: () => pick(random, acts)(pick(random, [...FILES, ...MORE])),
		acted: () => theirs.size,
		/** Names whose text was lost, or that were made again after they were deleted. */
		lost: () =>
			[...theirs].filter(([name, text]) =>
				text === undefined ? FILES.includes(name) && current(name) !== undefined : current(name) !== text,
			),
	};
}

function editCopy(folder: string, random: Random): void {
	for (const name of FILES) {
		const lines = linesOf(name);
		for (let edits = random(4); edits > 0; edits -= 1) lines[random(lines.length)] = `copy ${random(1_000)}\n`;
		if (random(6) === 0) rmSync(join(folder, name));
		else write(folder, name, lines.join(""));
	}
	for (const name of MORE) if (random(2) === 0) write(folder, name, "made in the copy\n");
}

interface Taker {
	copies: WorkspaceCopies;
	workspace: Pick<Workspace, "apply">;
	random: Random;
	between(): Promise<void>;
}

/** Takes files, hunks and everything, in an order of its own. Returns how much was written, and how often it was a conflict. */
async function takeAll(
	copy: WorkspaceCopy,
	{ copies, workspace, random, between }: Taker,
): Promise<{ written: number; conflicts: number }> {
	const counts = { written: 0, conflicts: 0 };
	const edit = async (change: CopyChange, hunks?: number[]): Promise<FileEdit[]> => {
		const taken = await copies.take(copy, change, hunks);
		if (taken.kind === "conflict") counts.conflicts += 1;
		return taken.kind === "write" ? [taken.edit] : [];
	};
	const apply = async (edits: readonly FileEdit[]) => {
		await between();
		try {
			if (edits.length > 0) await workspace.apply(edits, new Map(edits.map(({ path }) => [path, path])));
			counts.written += edits.length;
		} catch (error) {
			if (!(error instanceof Error && /Nothing was changed\.$|; the earlier contents are kept\./.test(error.message))) throw error;
			counts.conflicts += 1;
		}
	};
	for (let round = 0; round < ROUNDS; round += 1) {
		const { changes } = await copies.changes(copy);
		await between();
		if (changes.length === 0) break;
		if (random(3) === 0) {
			const edits: FileEdit[] = [];
			for (const change of changes) edits.push(...(await edit(change)));
			await apply(edits);
			continue;
		}
		const change = pick(random, changes);
		const hunks = change.diff.match(/^@@/gm)?.map((_, index) => index) ?? [];
		const some = hunks.filter(() => random(2) === 0);
		await apply(await edit(change, change.action === "update" && some.length > 0 ? some : undefined));
	}
	return counts;
}

/** Acts before every operation but a write that follows the reading or looking up of the same path. */
function interrupted(fs: VirtualFileSystem, act: () => void): VirtualFileSystem {
	let looked: string | undefined;
	const before = (path: string, writes: boolean) => {
		if (!writes || looked !== path) act();
		looked = writes ? undefined : path;
	};
	const wrap =
		<Rest extends unknown[], Result>(operation: (path: string, ...rest: Rest) => Result, writes = false) =>
		(path: string, ...rest: Rest): Result => {
			before(path, writes);
			return operation(path, ...rest);
		};
	return {
		stat: wrap(fs.stat),
		readFile: wrap(fs.readFile),
		readDirectory: wrap(fs.readDirectory),
		createDirectory: wrap(fs.createDirectory),
		writeFile: wrap(fs.writeFile, true),
		delete: wrap(fs.delete, true),
		rename: wrap(fs.rename, true),
	};
}

async function runInMemory(seed: number) {
	const random = randomOf(seed);
	const memory = new MemoryFiles();
	const unsaved = new Map<string, string>();
	let acting = () => {};
	const plain = copyPlace();
	const { folder } = plain;
	const at = (name: string) => join(folder, name);
	const buffers: OpenBuffers = {
		dirty: (path) => {
			const text = unsaved.get(path.slice(folder.length + 1));
			return text === undefined ? undefined : Buffer.from(text);
		},
		refusal: () => undefined,
		async setText(path, content) {
			unsaved.set(path.slice(folder.length + 1), Buffer.from(content).toString());
		},
		async save(path) {
			const name = path.slice(folder.length + 1);
			memory.put(path, Buffer.from(unsaved.get(name) ?? ""));
			unsaved.delete(name);
		},
	};
	const workspace = createVirtualWorkspace({
		fs: interrupted(
			virtualMemory(memory, (path) => path),
			() => acting(),
		),
		folders: () => [{ name: "workspace", path: folder }],
		identity: () => folder,
		blobs: memoryBlobs(),
		buffers,
		outputStore: createOutputStore(join(plain.outside, "output")),
		programs: plain.machine.programs,
	});
	const place = copyPlace({
		root: plain.root,
		folders: () => [{ name: "workspace", path: folder }],
		programs: { gitOutput: async () => undefined },
		workspace,
	});
	try {
		for (const name of FILES) {
			plain.put(name, linesOf(name).join(""));
			memory.put(at(name), linesOf(name).join(""));
		}
		const copy = await place.copies.create("task", options());
		editCopy(only(copy), random);
		const person = createPerson(
			{
				read: (name) => memory.text(at(name)),
				write: (name, text) => memory.put(at(name), text),
				remove: (name) => memory.remove(at(name)),
				unsaved,
			},
			random,
		);
		acting = () => {
			if (random(40) === 0) person.act();
		};
		const counts = await takeAll(copy, { copies: place.copies, workspace, random, between: async () => acting() });
		return { ...counts, lost: person.lost(), acted: person.acted() };
	} finally {
		await Promise.all([plain.dispose(), place.dispose()]);
	}
}

async function runOnDisk(seed: number) {
	const random = randomOf(seed);
	const place = copyPlace();
	const { folder } = place;
	const at = (name: string) => join(folder, name);
	try {
		for (const name of FILES) place.put(name, linesOf(name).join(""));
		commitAll(folder);
		place.put("a.txt", "stashed\n");
		place.git("stash");
		place.put("staged.txt", "staged\n");
		place.git("add", "staged.txt");
		const repository = treeOf(join(folder, ".git"));
		const copy = await place.copies.create("task", options());
		editCopy(only(copy), random);
		gitIn(only(copy), "add", "-A");
		gitIn(only(copy), "commit", "-q", "-m", "in the copy");
		const person = createPerson(
			{
				read: (name) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined),
				write(name, text) {
					mkdirSync(dirname(at(name)), { recursive: true });
					// Some editors replace the file.
					const path = random(2) === 0 ? at(name) : at(`${name}.tmp`);
					writeFileSync(path, text);
					if (path !== at(name)) renameSync(path, at(name));
				},
				remove: (name) => rmSync(at(name)),
				unsaved: new Map(),
			},
			random,
		);
		let ended = false;
		const acting = (async () => {
			// Fewer than there are files: where the person has edited all of them, none is taken.
			for (let acts = 1 + random(FILES.length); acts > 0 && !ended; acts -= 1) {
				for (let pause = random(60); pause >= 0 && !ended; pause -= 1) await setImmediate();
				if (!ended) person.act();
			}
		})();
		const taking = takeAll(copy, { copies: place.copies, workspace: place.machine, random, between: () => setImmediate() });
		const counts = await taking.finally(() => {
			ended = true;
		});
		await acting;
		assert.deepEqual(treeOf(join(folder, ".git")), repository, `seed ${seed}: the repository has changed`);
		return { ...counts, lost: person.lost(), acted: person.acted() };
	} finally {
		await place.dispose();
	}
}

function suite(title: string, runs: number, run: (seed: number) => ReturnType<typeof runInMemory>): void {
	describe(title, function () {
		this.timeout(300_000);
		const sums = { written: 0, conflicts: 0, acted: 0 };
		for (let start = 0; start < runs; start += BATCH) {
			const end = Math.min(start + BATCH, runs);
			it(`taking changes from ${title} loses nothing the person wrote: seeds ${FIRST_SEED + start} to ${FIRST_SEED + end - 1}`, async () => {
				for (let seed = FIRST_SEED + start; seed < FIRST_SEED + end; seed += 1) {
					const { lost, ...counts } = await run(seed);
					assert.deepEqual(lost, [], `seed ${seed}`);
					for (const key of ["written", "conflicts", "acted"] as const) sums[key] += counts[key];
				}
			});
		}
		it(`random runs on ${title} included writes, conflicts and edits by the person`, () => {
			assert.ok(
				Object.values(sums).every((sum) => sum > 0),
				JSON.stringify(sums),
			);
		});
	});
}

suite("copies in memory", RUNS, runInMemory);
suite("copies on disk", Math.ceil(RUNS / 20), runOnDisk);
