// Measures the memory that remains after a thousand turns in one session.

// The whole app runs in a process of its own, without an editor.

import { fileURLToPath } from "node:url";
import { root } from "../../scripts/install.mjs";
import { run } from "../../scripts/processes.mjs";
import { bundleBench } from "./tokens.mjs";

const TURNS = 1_000;

export async function measureTurnsMemory({ say, rounds: turns = TURNS }) {
	const script = fileURLToPath(await bundleBench("turnsMemory"));
	const told = await run(process.execPath, ["--expose-gc", script, String(turns)], { cwd: root });
	const { start, end, heap, events, seconds } = JSON.parse(told.trim().split("\n").at(-1));
	say(`memory1000: ${start.toFixed(1)} → ${end.toFixed(1)} MB after ${turns} turns, ${events} events, ${seconds} s`);
	return [
		{
			name: `memory after ${turns.toLocaleString("en-US")} turns (floor: before them)`,
			unit: "MB",
			value: end,
			floor: start,
			reach: { over: 60 },
			note: "resident size of the app in a process without an editor, after a collection; every turn reads a file and answers",
			details: { heap, events, seconds },
		},
	];
}
