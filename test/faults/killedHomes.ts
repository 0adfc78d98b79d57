// Runs a worker in one home after another, kills it in different ways, and has it check what it finds.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startWorker } from "./killedWorker.ts";

/** How often: `npm run faults:tasks -- 500`. */
const KILLS = Number(process.env["KILLS"] ?? 25);
/** Kills in one home before a new one is taken. */
const LIVES = 5;
/** Only lives of this mode: `npm run faults:tasks -- 50 --env=MODE=take`. */
const { MODE } = process.env;
/** A kill comes at most so long after the session was open. Milliseconds. */
const LONGEST_LIFE = 1_200;
/** A kill that waits for a moment comes at random after one of the first so many, and then at most so late. Milliseconds. */
const MOMENTS = 3;
const LATEST = 60;
/** A worker that doesn't get to its moment is killed all the same. Milliseconds. */
const LONGEST_WAIT = 15_000;

/** A way to live and to be killed. */
export interface Life {
	/** What the worker does. In the mode `share`, another window does it too and goes on: it is killed later, or brings all to its end. */
	mode: string;
	/** A sentence about it. */
	dies: string;
	/** How many lives of a round are like this. */
	weight: number;
	/** What the worker reports just before the kill; without it, the kill comes at a random time. */
	at?: string;
	/** The kill comes at most so long after that. Milliseconds. */
	within?: number;
}

/** The worker's lines: that it is ready, where it is, an event that was recorded, a session's events, or what a check found. */
interface Line {
	opened?: string;
	moment?: string;
	session?: string;
	id?: string;
	transcript?: string[];
	trouble?: string[];
}

/** Sentences about the worker, its lives, and its bundle. */
interface Killed {
	who: string;
	lives: readonly Life[];
	keeps: string;
	worker: URL;
}

export function describeKills({ who, lives, keeps, worker }: Killed): void {
	const round = toRound(lives.filter(({ mode }) => MODE === undefined || mode === MODE));
	/** Modes that were to be killed at a moment, and those that were. */
	const [awaited, reached] = [new Set<string>(), new Set<string>()];
	for (let home = 1; (home - 1) * LIVES < KILLS; home += 1)
		describe(`killed ${who}, home ${home}`, () => {
			let folder: string;
			/** Recorded events: their session, by id. */
			const recorded = new Map<string, string>();
			const start = (mode: string, heard: (line: Line, kill: () => void) => void) =>
				startWorker(fileURLToPath(worker), [folder, mode], (line: Line, kill) => {
					if (line.session !== undefined && line.id !== undefined) recorded.set(line.id, line.session);
					heard(line, kill);
				});

			before(() => {
				folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-killed-")));
			});
			after(() => {
				if (process.env["KEEP"] === undefined) rmSync(folder, { recursive: true, force: true });
				else console.log("KEPT", home, folder);
			});

			for (let number = 1; number <= LIVES && (home - 1) * LIVES + number <= KILLS; number += 1) {
				const life = round[((home - 1) * LIVES + number - 1) % round.length] ?? assert.fail("no lives");
				it(`${life.dies}: home ${home}, life ${number}`, async () => {
					if (life.mode === "share") return twoLives(start, life.mode, Math.random() < 0.5);
					if (life.at !== undefined) awaited.add(life.mode);
					const { how, came } = await oneLife(start, life);
					if (came) reached.add(life.mode);
					assert.equal(how, "SIGKILL");
				});
			}

			it(`${keeps}: home ${home}`, async () => {
				const lines: Line[] = [];
				assert.equal(await start("check", (line) => lines.push(line)).ended, 0);
				const kept = new Set(lines.flatMap(({ transcript = [] }) => transcript));
				assert.deepEqual(
					[...recorded].filter(([id]) => !kept.has(id)),
					[],
					"events that were recorded and are lost",
				);
				assert.deepEqual(lines.find(({ trouble }) => trouble !== undefined)?.trouble, []);
			});
		});
	describe(`kills of ${who}`, () => {
		it(`kills of ${who} came at every intended moment`, () => {
			assert.deepEqual([...awaited].sort(), [...reached].sort());
		});
	});
}

type Start = (mode: string, heard: (line: Line, kill: () => void) => void) => ReturnType<typeof startWorker>;

/** A process that is killed at its moment, or at random. `came`: the moment did. */
async function oneLife(start: Start, { mode, at, within = LATEST }: Life): Promise<{ how: NodeJS.Signals | number | null; came: boolean }> {
	let timer: NodeJS.Timeout | undefined;
	let left = 1 + Math.floor(Math.random() * MOMENTS);
	let came = false;
	const how = await start(mode, ({ opened, moment }, kill) => {
		if (opened !== undefined) timer ??= setTimeout(kill, at === undefined ? Math.random() * LONGEST_LIFE : LONGEST_WAIT);
		if (at === undefined || moment !== at || came) return;
		left -= 1;
		if (left > 0) return;
		came = true;
		clearTimeout(timer);
		timer = setTimeout(kill, Math.random() * within);
	}).ended;
	clearTimeout(timer);
	assert.ok(timer !== undefined, "the session was opened");
	return { how, came };
}

/** Two windows, of which the first is killed at random while both work. `ends`: the other brings all to its end. */
async function twoLives(start: Start, mode: string, ends: boolean): Promise<void> {
	const timers: NodeJS.Timeout[] = [];
	const trouble: string[] = [];
	let open: () => void = () => undefined;
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	const first = start(mode, (line) => line.opened !== undefined && open());
	await Promise.race([opened, first.ended]);
	const second = start(mode, (line) => {
		if (line.opened !== undefined) timers.push(setTimeout(first.kill, Math.random() * LONGEST_LIFE));
		trouble.push(...(line.trouble ?? []));
	});
	try {
		assert.equal(await Promise.race([first.ended, second.ended]), "SIGKILL");
		if (!ends) timers.push(setTimeout(second.kill, Math.random() * LONGEST_LIFE));
		else second.tell("end");
		assert.equal(await second.ended, ends ? 0 : "SIGKILL");
		assert.deepEqual(trouble, []);
	} finally {
		for (const timer of timers) clearTimeout(timer);
		first.kill();
		second.kill();
	}
}

/** As many of each as its weight says, spread over the round. */
function toRound(lives: readonly Life[]): Life[] {
	const places = lives.flatMap((life, index) =>
		Array.from({ length: life.weight }, (_, count) => ({ life, at: (count + (index + 1) / (lives.length + 1)) / life.weight })),
	);
	return places.sort((one, other) => one.at - other.at).map(({ life }) => life);
}
