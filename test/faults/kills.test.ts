// Kills a process that runs the real session and storage code, at random moments, and looks for what was lost.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runWorker } from "./killedWorker.ts";

/** How often: `npm run faults -- --env=KILLS=30`. */
const KILLS = Number(process.env["KILLS"] ?? 500);
/** Kills in one home before a new one is taken: sessions grow over their lives. */
const LIVES = 10;
/** A kill comes at most so long after the session was open. Milliseconds. */
const LONGEST_LIFE = 600;
/** From the start of a session's opening to its first new event on disk, after all the kills. Milliseconds. */
const FIRST_WRITE = 1_000;

const worker = join(dirname(fileURLToPath(import.meta.url)), "worker.program.mjs");

/** The worker's lines: an event that a UI was shown, what a session held when it was opened, or what a check found. */
interface Line {
	opened?: string;
	ids?: string[];
	seq?: number;
	id?: string;
	orphans?: string[];
	inOrder?: boolean;
	firstWrite?: number;
}

function run(home: string, mode: string[], heard: (line: Line, kill: () => void) => void): Promise<NodeJS.Signals | number | null> {
	return runWorker(worker, [home, ...mode], heard);
}

for (let home = 1; (home - 1) * LIVES < KILLS; home += 1)
	describe(`processes killed in home ${home}`, () => {
		let folder: string;
		/** Events by number. */
		const acknowledged = new Map<number, string>();

		before(() => {
			folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-kills-")));
		});
		after(() => rmSync(folder, { recursive: true, force: true }));

		for (let life = 1; life <= LIVES && (home - 1) * LIVES + life <= KILLS; life += 1)
			it(`a process opens a killed process's session and is killed too: home ${home}, life ${life}`, async () => {
				let timer: NodeJS.Timeout | undefined;
				const how = await run(folder, [], ({ opened, seq, id }, kill) => {
					if (opened !== undefined) timer ??= setTimeout(kill, Math.random() * LONGEST_LIFE);
					else if (seq !== undefined && id !== undefined) acknowledged.set(seq, id);
				});
				clearTimeout(timer);
				assert.ok(timer !== undefined, "the session was opened");
				assert.equal(how, "SIGKILL");
			});

		it(`killed processes lose no shown event and leave nothing open: home ${home}`, async () => {
			const lines: Line[] = [];
			assert.equal(await run(folder, ["check"], (line) => void lines.push(line)), 0);
			const ids = lines.find(({ opened }) => opened !== undefined)?.ids ?? [];
			const state = lines.find(({ orphans }) => orphans !== undefined);
			for (const { id, seq } of lines) if (id !== undefined && seq !== undefined) acknowledged.delete(seq);
			assert.deepEqual(
				[...acknowledged].filter(([seq, id]) => ids[seq - 1] !== id),
				[],
				"events that were shown and are lost",
			);
			assert.equal(state?.inOrder, true);
			assert.deepEqual(state?.orphans, []);
			assert.ok((state?.firstWrite ?? Number.POSITIVE_INFINITY) <= FIRST_WRITE, `the first write took ${state?.firstWrite} ms`);
			const names = readdirSync(join(folder, "storage"), { recursive: true }).map(String);
			assert.deepEqual(
				names.filter((name) => /\.tmp|\.temp|~$/.test(name)),
				[],
			);
		});
	});
