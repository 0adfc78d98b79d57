// Starts programs: the one place in which a process is made.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { isAbsolute, join } from "node:path";
import type { Writable } from "node:stream";
import type { ProgramLimits, ProgramOutput, SandboxRestrictions } from "../../core/ports/workspace.ts";

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
type PipedStreams = "output" | "output and errors" | "all";

/** It leads a process group of its own on POSIX. Throws where it cannot be started at all; else `error` is emitted. */
export function startProgram(launch: ProgramLaunch, streams: "all"): ChildProcessWithoutNullStreams;
export function startProgram(launch: ProgramLaunch, streams: PipedStreams): ChildProcess;
export function startProgram({ file, args, cwd, env, extraDescriptors: inputs = [] }: ProgramLaunch, streams: PipedStreams): ChildProcess {
	if (!isAbsolute(file)) throw new TypeError(`${file} is not an absolute path.`);
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

/** Undefined when it cannot be started, takes too long, says too much, is cancelled or is killed. */
export function captureOutput(
	launch: ProgramLaunch,
	{ time = TIME, bytes: most = BYTES, signal }: ProgramLimits = {},
): Promise<ProgramOutput | undefined> {
	return new Promise((resolve) => {
		if (signal?.aborted) return resolve(undefined);
		let child: ChildProcess;
		try {
			child = startProgram(launch, "output");
		} catch {
			return resolve(undefined);
		}
		let stopped = false;
		const stop = (): void => {
			stopped = true;
			endGroup(child);
			// What has left the group may hold the pipe open.
			child.stdout?.destroy();
		};
		const timer = setTimeout(stop, time);
		signal?.addEventListener("abort", stop, { once: true });
		const end = (said: ProgramOutput | undefined): void => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", stop);
			resolve(said);
		};
		const chunks: Buffer[] = [];
		let bytes = 0;
		child.stdout?.on("data", (chunk: Buffer) => {
			bytes += chunk.length;
			chunks.push(chunk);
			if (bytes > most) stop();
		});
		child.once("error", () => end(undefined));
		child.once("close", (code) => end(stopped || code === null ? undefined : { code, output: Buffer.concat(chunks) }));
	});
}

/** Milliseconds. */
const TIME = 300;
const BYTES = 4 * 1024 * 1024;

function endGroup(child: ChildProcess): void {
	if (child.pid === undefined) return;
	if (process.platform === "win32") {
		// Git for Windows is a program that starts the real one.
		const args = ["/PID", String(child.pid), "/T", "/F"];
		const env = { SystemRoot: windowsFolder() };
		startProgram({ file: windowsSystemProgram("taskkill.exe"), args, cwd: windowsFolder(), env }, "output").once("error", () =>
			child.kill(),
		);
		return;
	}
	try {
		process.kill(-child.pid, "SIGKILL");
	} catch {
		// It has ended by itself.
	}
}

/** A program that belongs to Windows, wherever the PATH leads. */
export function windowsSystemProgram(name: string): string {
	return join(windowsFolder(), "System32", name);
}

function windowsFolder(): string {
	return process.env["SystemRoot"] ?? "C:\\Windows";
}

export interface SandboxLaunch extends ProgramLaunch {
	/** Called once, when nothing of it runs any more: the protected places that are there since, or are other ones now. */
	afterExit?(): Promise<readonly string[]>;
}

export interface ProgramConfiner {
	/** The same program, kept in, with one stream of its two. Throws ToolError where that cannot be done: then it must not be started. */
	confine(start: SandboxLaunch, confinement: SandboxRestrictions): Promise<SandboxLaunch>;
}
