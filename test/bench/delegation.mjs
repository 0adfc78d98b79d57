// Measures what it costs that an agent calls others, beside the same turns begun by hand.

import { median } from "./figures.mjs";
import { bundleBench, sample } from "./tokens.mjs";

export async function measureDelegation({ say, rounds = 20 }) {
	const { measureCalls } = await import(await bundleBench("delegation"));
	const { byHand, called, one, four, loop } = await measureCalls(sample, rounds);
	say(
		`delegation: by hand ${median(byHand).toFixed(1)} ms, called ${median(called).toFixed(1)} ms; ${one.toFixed(1)} and ${four.toFixed(1)} ms per call`,
	);
	return [
		{
			name: "a called turn (floor: the same turn begun by hand)",
			unit: "ms",
			value: median(called),
			floor: median(byHand),
			reach: { over: 40 },
			details: { byHand, called },
		},
		{
			name: "per tool call, 4 called agents at once (floor: one turn by hand)",
			unit: "ms",
			value: four,
			floor: one,
			reach: { ratio: 1.5 },
		},
		{ name: "event loop delay meanwhile, 99th percentile", unit: "ms", value: loop, reach: { value: 100 } },
	];
}
