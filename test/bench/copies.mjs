// Measures copying a workspace of 2,000 files and 20 MB, and taking 20 changed files back.

import { median } from "./figures.mjs";
import { bundleBench } from "./tokens.mjs";

export async function measureCopies({ say, rounds = 7 }) {
	const { timeCopies, timeTakeAll } = await import(await bundleBench("copies"));
	const { copied, cloned, listed, taken, written, delay } = await timeCopies(rounds);
	const all = await timeTakeAll(3);
	say(`copies: created ${median(copied).toFixed(0)} ms, compared ${median(listed).toFixed(0)} ms, taken ${median(taken).toFixed(0)} ms`);
	return [
		{
			name: "copy of a workspace, 2,000 files and 20 MB (floor: a shared clone that git checks out)",
			unit: "ms",
			value: median(copied),
			floor: median(cloned),
			reach: { value: 1_500 },
			details: { copied, cloned },
		},
		{
			name: "event loop delay while four are made at once, 99th percentile",
			unit: "ms",
			value: delay,
			reach: { value: 100 },
		},
		{
			name: "comparing the copy, and taking 20 changed files (floor: 20 files written)",
			unit: "ms",
			value: median(taken) + median(listed),
			floor: median(written),
			reach: { value: 500 },
			details: { listed, taken, written },
		},
		{
			name: "Take All of 20 changed files in a task's card, with its comparison (floor: 20 files written)",
			unit: "ms",
			value: median(all),
			floor: median(written),
			reach: { value: 500 },
			details: { all, written },
		},
	];
}
