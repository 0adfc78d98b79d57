// Asks a program something: its output within bounds of time and size, and nothing of it left.
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { ProgramLimits, ProgramOutput } from "../../core/ports/workspace.ts";
import { type ProgramLaunch, startProgram } from "./startProgram.ts";

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
