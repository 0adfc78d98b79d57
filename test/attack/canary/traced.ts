// Runs a test again under strace to find the programs it starts.

import { spawnSync } from "node:child_process";
import { accessSync, existsSync, readFileSync } from "node:fs";

const STRACE = "/usr/bin/strace";
const MARKS = { begin: "/troupe-canary-begins", end: "/troupe-canary-ends" };

/** Marks in a trace what is looked at: nothing is there at these paths. */
export async function observed(act: () => Promise<unknown>): Promise<void> {
	touch(MARKS.begin);
	try {
		await act();
	} finally {
		touch(MARKS.end);
	}
}

function touch(path: string): void {
	try {
		accessSync(path);
	} catch {
		// It shows in the trace.
	}
}

export function canTrace(): boolean {
	if (process.env[TRACED] !== undefined || !existsSync(STRACE)) return false;
	return spawnSync(STRACE, ["-f", "--seccomp-bpf", "-e", "trace=execve", "/bin/true"], { stdio: "ignore" }).status === 0;
}

/** Set in the test that is being traced. */
const TRACED = "TROUPE_CANARY_TRACED";

/** Every path that somebody tried to run while a test of this file that matches `title` was observed. Throws where it failed. */
export function programsOf(file: string, title: string, log: string): Set<string> {
	const words = [
		"-f",
		"-qq",
		"--seccomp-bpf",
		"-s",
		"300",
		"-o",
		log,
		"-e",
		"trace=execve,execveat,access,faccessat,faccessat2",
		process.execPath,
	];
	const mocha = ["node_modules/mocha/bin/mocha.js", "--exit", "--timeout", "300000", "--grep", title, file];
	const { status, stdout } = spawnSync(STRACE, [...words, ...mocha], {
		env: { ...process.env, [TRACED]: "1" },
		encoding: "utf8",
		timeout: 400_000,
	});
	if (status !== 0) throw new Error(`the traced test failed: ${stdout}`);
	const found = new Set<string>();
	let looking = false;
	for (const line of readFileSync(log, "utf8").split("\n")) {
		if (line.includes(MARKS.begin)) looking = true;
		if (line.includes(MARKS.end)) looking = false;
		const [, path] = /\bexecve(?:at)?\((?:AT_FDCWD, |\d+, )?"([^"]*)"/.exec(line) ?? [];
		if (looking && path !== undefined) found.add(path);
	}
	return found;
}
