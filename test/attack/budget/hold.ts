// Measures for how long some work held the event loop, beside a fixed piece of work of the same process.

/** Milliseconds between two looks at the clock. */
const TICK = 5;

export interface Hold {
	/** Milliseconds the loop stood still at most. */
	held: number;
	/** Milliseconds from beginning to end. */
	took: number;
	/** Milliseconds that the fixed piece of work took, before or after: more on a slower or busier machine. */
	unit: number;
}

/** What `unit` is on a machine like the one that the figures of the README are from, with nothing beside it. */
export const UNIT = 10;

export async function holdOf(work: () => Promise<unknown>): Promise<Hold> {
	const before = unit();
	let held = 0;
	let last = { time: performance.now(), work: process.cpuUsage() };
	const timer = setInterval(() => {
		const time = performance.now();
		// On a busy machine others take the time: what was not worked was not held.
		held = Math.max(held, Math.min(time - last.time - TICK, worked(last.work)));
		last = { time, work: process.cpuUsage() };
	}, TICK);
	const pause = () => new Promise((resolve) => setTimeout(resolve, 4 * TICK));
	await pause();
	held = 0;
	const began = performance.now();
	try {
		await work();
		const took = performance.now() - began;
		await pause();
		return { held, took, unit: Math.max(before, unit()) };
	} finally {
		clearInterval(timer);
	}
}

/** Milliseconds that would have been measured on the machine of the README, or less: nothing is made worse by a fast machine. */
export function scaled(milliseconds: number, unit: number): number {
	return unit > UNIT ? (milliseconds * UNIT) / unit : milliseconds;
}

function unit(): number {
	const [time, work] = [performance.now(), process.cpuUsage()];
	spin();
	return Math.min(performance.now() - time, worked(work));
}

const worked = (since: NodeJS.CpuUsage) => {
	const { user, system } = process.cpuUsage(since);
	return (user + system) / 1_000;
};

/** Builds and looks up short texts, as a parser does. */
function spin(): number {
	const seen = new Map<string, number>();
	for (let at = 0; at < SPINS; at += 1) {
		const name = `word ${at % 997}`;
		seen.set(name, (seen.get(name) ?? 0) + name.charCodeAt(at % name.length));
	}
	return seen.size;
}

const SPINS = 150_000;
// The compiler has seen it before it counts.
for (let round = 0; round < 3; round += 1) spin();
