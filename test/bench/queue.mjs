// Measures how soon a message typed while the main agent thinks is in its queue.

import { median, quantile } from "./figures.mjs";
import { bundleBench, sample } from "./tokens.mjs";

export async function measureQueueing({ say }) {
	const { measureQueue } = await import(await bundleBench("queue"));
	const { acknowledged, synced } = await measureQueue(sample);
	say(`queue: ${median(acknowledged).toFixed(1)} ms, at worst ${Math.max(...acknowledged).toFixed(1)} ms`);
	return [
		{
			name: "message typed while a turn runs to its queue, 95th percentile (floor: a synced line)",
			unit: "ms",
			value: quantile(acknowledged, 0.95),
			floor: quantile(synced, 0.95),
			reach: { value: 30 },
			details: { acknowledged, synced },
		},
	];
}
