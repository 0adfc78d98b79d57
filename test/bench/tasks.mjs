// Measures background tasks: eight at once beside one turn, and what finished ones leave in memory.

import { bundleBench, sample } from "./tokens.mjs";

export async function measureTasks({ say }) {
	const { measureTaskTimes } = await import(await bundleBench("tasks"));
	const { one, eight, loop, left } = await measureTaskTimes(sample);
	say(`tasks: ${one.toFixed(1)} and ${eight.toFixed(1)} ms per call, ${(left / 1e6).toFixed(1)} MB left`);
	return [
		{
			name: "per tool call, 8 background tasks at once (floor: one turn)",
			unit: "ms",
			value: eight,
			floor: one,
			reach: { ratio: 1.5 },
		},
		{ name: "event loop delay meanwhile, 99th percentile (tasks)", unit: "ms", value: loop, reach: { value: 100 } },
		{ name: "memory that 100 finished tasks leave", unit: "MB", value: left / 1e6, reach: { value: 20 } },
	];
}
