// Runs a worker process that a test kills, and hears the lines that it reports.
import { type ChildProcess, spawn } from "node:child_process";

export interface Worker {
	/** Resolves with how the process ended. */
	ended: Promise<NodeJS.Signals | number | null>;
	kill(): void;
	/** Writes a line to the process. */
	tell(line: string): void;
}

/** `heard` gets each line, parsed, and a function that kills the process. */
export function startWorker<Line>(worker: string, args: readonly string[], heard: (line: Line, kill: () => void) => void): Worker {
	const child: ChildProcess = spawn(process.execPath, [worker, ...args], { stdio: ["pipe", "pipe", "inherit"] });
	const kill = () => void child.kill("SIGKILL");
	let rest = "";
	child.stdout?.on("data", (chunk) => {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) heard(JSON.parse(line) as Line, kill);
	});
	// It may have been killed before it reads.
	child.stdin?.on("error", () => undefined);
	return {
		kill,
		tell: (line) => void child.stdin?.write(`${line}\n`),
		ended: new Promise((resolve) => {
			child.on("close", (code, signal) => resolve(signal ?? code));
		}),
	};
}

/** Resolves with how the process ended. */
export function runWorker<Line>(
	worker: string,
	args: readonly string[],
	heard: (line: Line, kill: () => void) => void,
): Promise<NodeJS.Signals | number | null> {
	return startWorker(worker, args, heard).ended;
}
