// Times copies of a real repository on disk, with the gate's judgment of every file, beside git and plain writes.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createGate } from "../../src/gate/gate.ts";
import { finishedTask, write } from "../unit/delegation/applyChanges/finishedTask.ts";
import { closeTestTasks, newHome } from "../unit/delegation/tasks/testTasks.ts";
import { copyPlace, gitIn, only, options } from "../unit/platform/copies/support.ts";

// Nothing is removed between rounds: ext4 without a journal takes 20 times as long to create files where some were just deleted.
const FILES = 2_000;
const BYTES = 10_000;
const TAKEN = 20;

export interface CopyTimes {
	/** Milliseconds: creating a copy; a shared clone by git; listing 20 changes; taking them; writing 20 files. */
	copied: number[];
	cloned: number[];
	listed: number[];
	taken: number[];
	written: number[];
	/** 99th percentile of the event loop's delay while four copies are made, in milliseconds. */
	delay: number;
}

function textOf(file: number, changed = ""): string {
	const lines = Array.from({ length: BYTES / 50 }, (_, line) => `${file} ${line} ${"x".repeat(50)}`.slice(0, 49));
	if (changed) lines[100] = changed;
	return `${lines.join("\n")}\n`;
}

const nameOf = (file: number): string => `src/${file % 100}/file${file}.ts`;

async function timed(work: () => unknown): Promise<number> {
	const began = performance.now();
	await work();
	return performance.now() - began;
}

export async function timeCopies(rounds: number): Promise<CopyTimes> {
	const place = copyPlace();
	const times: CopyTimes = { copied: [], cloned: [], listed: [], taken: [], written: [], delay: 0 };
	const gate = createGate({ disk: place.machine, folders: place.machine.folders, storage: [], parser: "" });
	const how = options({ isReadable: (path) => gate.visible(path) });
	try {
		for (let file = 0; file < FILES; file += 1) place.put(nameOf(file), textOf(file));
		place.git("init", "-q");
		place.git("add", "-A");
		place.git("commit", "-q", "-m", "first");
		for (let round = -1; round < rounds; round += 1) {
			const id = `copy${round}`;
			const clone = join(place.outside, id);
			const floor = await timed(() => execFileSync("git", ["clone", "-q", "--shared", place.folder, clone]));
			const copied = await timed(() => place.copies.create(id, how));
			const copy = (await place.copies.find(id)) ?? fail(id);
			for (let file = 0; file < TAKEN; file += 1) writeFileSync(join(only(copy), nameOf(file * 7)), textOf(file * 7, `round ${round}`));
			gitIn(only(copy), "add", "-A");
			let found: Awaited<ReturnType<typeof place.copies.changes>> | undefined;
			const listed = await timed(async () => {
				found = await place.copies.changes(copy);
			});
			if (found?.changes.length !== TAKEN) fail(`${found?.changes.length} changes`);
			const taken = await timed(async () => {
				for (const change of found?.changes ?? []) if ((await place.take(copy, change)) !== "write") fail(change.path);
			});
			const written = await timed(async () => {
				for (let file = 0; file < TAKEN; file += 1) await writeFile(join(clone, `${file}.ts`), textOf(file, `round ${round}`));
			});
			// The first round only warms up.
			if (round < 0) continue;
			for (const [name, value] of Object.entries({ copied, cloned: floor, listed, taken, written })) {
				(times[name as keyof CopyTimes] as number[]).push(value);
			}
		}
		const delay = monitorEventLoopDelay({ resolution: 5 });
		delay.enable();
		await Promise.all([1, 2, 3, 4].map((id) => place.copies.create(`at-once-${id}`, how)));
		delay.disable();
		times.delay = delay.percentile(99) / 1e6;
		return times;
	} finally {
		await place.dispose();
	}
}

function fail(what: string): never {
	throw new Error(`went wrong: ${what}`);
}

/** Milliseconds in which a person's Take All compares a task's copy and takes 20 files of it, into the list of changes with Undo. */
export async function timeTakeAll(rounds: number): Promise<number[]> {
	const times: number[] = [];
	for (let round = -1; round < rounds; round += 1) {
		const home = newHome();
		for (let file = 0; file < FILES; file += 1) write(join(home, "workspace"), nameOf(file), textOf(file));
		const task = await finishedTask({ home });
		for (let file = 0; file < TAKEN; file += 1) task.change(nameOf(file * 7), textOf(file * 7, `round ${round}`));
		let taken = 0;
		const time = await timed(async () => {
			const { files } = await task.takeAll();
			taken = files.filter(({ outcome }) => outcome === "taken").length;
		});
		if (taken !== TAKEN) fail(`${taken} files were taken`);
		if (round >= 0) times.push(time);
	}
	await closeTestTasks();
	return times;
}
