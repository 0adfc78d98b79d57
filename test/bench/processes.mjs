// The processes of a VS Code seen from outside, through /proc (Linux): which there are, how busy, how heavy.

import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

/** The extension hosts below a process, oldest first. */
export async function extensionHosts(pid) {
	const below = await descendants(pid);
	return below.filter(({ command }) => command.includes("--type=extensionHost")).map((each) => each.pid);
}

/** Proportional set size in MB: memory of its own, and its share of what it shares. */
export async function proportionalSize(pid) {
	const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
	return (Number(/^Pss:\s+(\d+) kB/m.exec(rollup)[1]) * 1_024) / 1_000_000;
}

/** Resolves when a process has used next to no time for two seconds. */
export async function untilQuiet(pid) {
	let before = await ticks(pid);
	let quiet = 0;
	await within(90_000, `process ${pid} did not come to rest`, async () => {
		const now = await ticks(pid);
		quiet = now - before <= 2 ? quiet + 1 : 0;
		before = now;
		return quiet >= 8;
	});
}

/** Asks four times a second until the answer is yes. */
export async function within(milliseconds, complaint, ask) {
	const deadline = Date.now() + milliseconds;
	for (;;) {
		const answer = await ask();
		if (answer) return answer;
		if (Date.now() > deadline) throw new Error(`Within ${milliseconds / 1_000} s ${complaint}.`);
		await pause(250);
	}
}

/** Hundredths of a second that it has run. */
async function ticks(pid) {
	const { user, system } = statOf(await readFile(`/proc/${pid}/stat`, "utf8"));
	return user + system;
}

async function descendants(pid) {
	const all = await Promise.all((await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(look));
	const known = all.filter((each) => each !== undefined);
	const found = [];
	for (const open = [pid]; open.length > 0; ) {
		const parent = open.shift();
		for (const each of known.filter((candidate) => candidate.parent === parent)) {
			found.push(each);
			open.push(each.pid);
		}
	}
	return found.sort((one, other) => one.pid - other.pid);
}

/** Undefined when it has ended meanwhile. */
async function look(name) {
	try {
		const [stat, command] = await Promise.all([readFile(`/proc/${name}/stat`, "utf8"), readFile(`/proc/${name}/cmdline`, "utf8")]);
		return { pid: Number(name), parent: statOf(stat).parent, command };
	} catch {
		return undefined;
	}
}

function statOf(text) {
	// The second field is a name in brackets and may hold anything.
	const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
	return { parent: Number(fields[1]), user: Number(fields[11]), system: Number(fields[12]) };
}
