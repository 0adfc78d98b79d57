// Samples the processor time of process trees from /proc; on other systems nothing is known.
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds. Processes that live for less are not seen. */
const INTERVAL = 500;
/** Linux counts in hundredths of a second for programs, whatever the kernel's own clock is. */
const TICK = 10;

/** `follow` begins to sample a process and its descendants, those too that outlive their parents. */
export function createSampler() {
	/** By name. */
	const roots = new Map();
	/** Every process that was ever below one. */
	const processes = new Map();
	const isKnown = process.platform === "linux";
	const timer = isKnown ? setInterval(sample, INTERVAL) : undefined;
	timer?.unref();

	function sample() {
		const at = Date.now();
		const alive = readProcesses();
		for (const { pid, parent, key, ticks } of alive.values()) {
			const root = processes.get(key)?.root ?? rootOf(pid, parent, alive);
			if (root !== undefined) processes.set(key, { root, ticks });
		}
		const sums = new Map();
		for (const { root, ticks } of processes.values()) sums.set(root, (sums.get(root) ?? 0) + ticks);
		for (const [name, root] of roots) root.series.push([at, (sums.get(name) ?? 0) * TICK]);
	}

	function rootOf(pid, parent, alive) {
		for (const [name, root] of roots) if (root.pid === pid) return name;
		const above = alive.get(parent);
		return above ? (processes.get(above.key)?.root ?? rootOf(above.pid, above.parent, alive)) : undefined;
	}

	return {
		follow(name, pid) {
			roots.set(name, { pid, series: [] });
		},
		/** Milliseconds of processor between two times; undefined where it isn't known. */
		measure(name, from = 0, until = Number.POSITIVE_INFINITY) {
			const { series } = roots.get(name) ?? { series: [] };
			if (series.length === 0) return undefined;
			const at = (time) => series.findLast(([sampled]) => sampled <= time)?.[1] ?? 0;
			return Math.round(at(until) - at(from));
		},
		stop() {
			if (timer) sample();
			clearInterval(timer);
		},
	};
}

/** By process id. `key` tells a process from a later one with its id. */
function readProcesses() {
	const processes = new Map();
	for (const entry of readdirSync("/proc")) {
		if (!/^\d+$/.test(entry)) continue;
		try {
			const text = readFileSync(`/proc/${entry}/stat`, "latin1");
			// The name in parentheses may itself have spaces and parentheses.
			const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
			const pid = Number(entry);
			processes.set(pid, {
				pid,
				parent: Number(fields[1]),
				key: `${entry} ${fields[19]}`,
				ticks: Number(fields[11]) + Number(fields[12]),
			});
		} catch {
			// It has ended meanwhile.
		}
	}
	return processes;
}
