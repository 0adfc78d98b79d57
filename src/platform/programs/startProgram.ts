// Starts programs; the only place that creates processes.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { isAbsolute, join } from "node:path";
import type { Writable } from "node:stream";
import type { SandboxRestrictions } from "../../core/ports/workspace/commands.ts";
import type { ProgramLimits, ProgramOutput } from "../../core/ports/workspace/programs.ts";

/** A complete launch: nothing is added to it. Only a sandbox changes it. */
export interface ProgramLaunch {
	/** Absolute path, so that neither PATH nor the current folder decides what runs. */
	file: string;
	args: readonly string[];
	cwd: string;
	env: Record<string, string>;
	/** File descriptors 3, 4 and so on: bytes to read, or a descriptor that is open here. */
	extraDescriptors?: readonly (Uint8Array | number)[];
}

/** Standard streams that are pipes; the others are ignored. */
type PipedStreams = "output" | "output and errors" | "all";

/** Starts the program in its own process group on POSIX. Throws if it cannot be started at all; otherwise emits `error`. */
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
		// A program that exits before reading its input explains that in its output.
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

/** Resolves to undefined if it cannot be started, times out, exceeds the output limit, is cancelled or is killed. */
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
			// A process that has left the group may still hold the pipe open.
			child.stdout?.destroy();
		};
		const timer = setTimeout(stop, time);
		signal?.addEventListener("abort", stop, { once: true });
		const end = (result: ProgramOutput | undefined): void => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", stop);
			resolve(result);
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
		// Git for Windows is a wrapper that starts the real program.
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
		// It has already ended.
	}
}

/** The path of a program that ships with Windows, independent of PATH. */
export function windowsSystemProgram(name: string): string {
	return join(windowsFolder(), "System32", name);
}

function windowsFolder(): string {
	return process.env["SystemRoot"] ?? "C:\\Windows";
}

export interface SandboxLaunch extends ProgramLaunch {
	/** Called once after all its processes have ended; returns protected paths that were created or replaced meanwhile. */
	afterExit?(): Promise<readonly string[]>;
}

export interface ProgramConfiner {
	/** Confines a program and merges its output streams. Throws ToolError if that fails; the program must not be started then. */
	confine(start: SandboxLaunch, confinement: SandboxRestrictions): Promise<SandboxLaunch>;
}
