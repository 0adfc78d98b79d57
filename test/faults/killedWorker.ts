// Runs a worker process that a test kills, and hears the lines that it reports.
import { spawn } from "node:child_process";

/** Resolves with how the process ended. `heard` gets each line, parsed, and a function that kills the process. */
export function runWorker<Line>(
	worker: string,
	args: readonly string[],
	heard: (line: Line, kill: () => void) => void,
): Promise<NodeJS.Signals | number | null> {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, [worker, ...args], { stdio: ["ignore", "pipe", "inherit"] });
		let rest = "";
		child.stdout.on("data", (chunk) => {
			const lines = (rest + chunk).split("\n");
			rest = lines.pop() ?? "";
			for (const line of lines) heard(JSON.parse(line) as Line, () => child.kill("SIGKILL"));
		});
		child.on("close", (code, signal) => resolve(signal ?? code));
	});
}
