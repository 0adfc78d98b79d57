// Starts programs: the one place in which a process is made.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import type { Writable } from "node:stream";

/** What is started, whole: nothing is added to it. What keeps a program in changes this, and nothing else. */
export interface ProgramLaunch {
	/** Absolute: no PATH and no current folder decides what runs. */
	file: string;
	args: readonly string[];
	cwd: string;
	env: Record<string, string>;
	/** What it gets as the descriptors 3, 4 and so on: bytes to read, or what is open here under that number. */
	extraDescriptors?: readonly (Uint8Array | number)[];
}

/** Which of its standard streams are pipes to us; the others lead nowhere. */
export type PipedStreams = "output" | "output and errors" | "all";

/** It leads a process group of its own on POSIX. Throws where it cannot be started at all; else `error` is emitted. */
export function startProgram(launch: ProgramLaunch, streams: "all"): ChildProcessWithoutNullStreams;
export function startProgram(launch: ProgramLaunch, streams: PipedStreams): ChildProcess;
export function startProgram({ file, args, cwd, env, extraDescriptors: inputs = [] }: ProgramLaunch, streams: PipedStreams): ChildProcess {
	if (!isAbsolute(file)) throw new Error(`${file} is no absolute path.`);
	const child = spawn(file, [...args], {
		cwd,
		env,
		shell: false,
		detached: process.platform !== "win32",
		windowsHide: true,
		stdio: [...STDIO[streams], ...inputs.map((input) => (typeof input === "number" ? input : ("pipe" as const)))],
	});
	for (const [index, bytes] of inputs.entries()) {
		if (typeof bytes === "number") continue;
		const stream = child.stdio[index + FIRST_INPUT] as Writable | null | undefined;
		// One that has ended before it read them says why in its output.
		stream?.on("error", () => undefined).end(bytes);
	}
	return child;
}

const FIRST_INPUT = 3;

const STDIO = {
	output: ["ignore", "pipe", "ignore"],
	"output and errors": ["ignore", "pipe", "pipe"],
	all: ["pipe", "pipe", "pipe"],
} as const;
