// Runs a worker in one home after another, kills it at random moments, and has it check what it finds.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runWorker } from "./killedWorker.ts";

/** How often: `npm run faults:tasks -- 500`. */
const KILLS = Number(process.env["KILLS"] ?? 25);
/** Kills in one home before a new one is taken. */
const LIVES = 5;
/** A kill comes at most so long after the session was open. Milliseconds. */
const LONGEST_LIFE = 1_200;

/** The worker's lines: that it is ready, an event that was recorded, a session's events, or what a check found. */
interface Line {
	opened?: string;
	session?: string;
	id?: string;
	transcript?: string[];
	trouble?: string[];
}

/** Sentences about the worker, and its bundle. */
interface Killed {
	who: string;
	dies: string;
	keeps: string;
	worker: URL;
}

export function describeKills({ who, dies, keeps, worker }: Killed): void {
	for (let home = 1; (home - 1) * LIVES < KILLS; home += 1)
		describe(`${who}, killed in home ${home}`, () => {
			let folder: string;
			/** Recorded events: their session, by id. */
			const recorded = new Map<string, string>();
			const run = (mode: string[], heard: (line: Line, kill: () => void) => void) =>
				runWorker(fileURLToPath(worker), [folder, ...mode], heard);

			before(() => {
				folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-killed-")));
			});
			after(() => rmSync(folder, { recursive: true, force: true }));

			for (let life = 1; life <= LIVES && (home - 1) * LIVES + life <= KILLS; life += 1)
				it(`${dies}: life ${life} of home ${home}`, async () => {
					let timer: NodeJS.Timeout | undefined;
					const how = await run([], ({ opened, session, id }, kill) => {
						if (opened !== undefined) timer ??= setTimeout(kill, Math.random() * LONGEST_LIFE);
						if (session !== undefined && id !== undefined) recorded.set(id, session);
					});
					clearTimeout(timer);
					assert.ok(timer !== undefined, "the session was opened");
					assert.equal(how, "SIGKILL");
				});

			it(`${keeps}: home ${home}`, async () => {
				const lines: Line[] = [];
				assert.equal(await run(["check"], (line) => lines.push(line)), 0);
				const kept = new Set(lines.flatMap(({ transcript = [] }) => transcript));
				assert.deepEqual(
					[...recorded].filter(([id]) => !kept.has(id)),
					[],
					"events that were recorded and are lost",
				);
				assert.deepEqual(lines.find(({ trouble }) => trouble !== undefined)?.trouble, []);
			});
		});
}
