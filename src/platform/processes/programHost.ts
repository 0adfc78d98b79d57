// Implements the port that starts programs without a shell.
import { randomUUID } from "node:crypto";
import type { ProgramHost } from "../../core/ports/programs.ts";
import { isExecutable } from "../programs/lookup.ts";
import type { Programs } from "../programs/programs.ts";
import { startProgram } from "../programs/startProgram.ts";
import { MARKER_VARIABLE, terminateProcessTree } from "./processTree.ts";

export function createProgramHost(programs: Pick<Programs, "environment" | "findOutsideWorkspace">): ProgramHost {
	return {
		environment: (own) => programs.environment("server", own),
		findProgram: programs.findOutsideWorkspace,
		isExecutable,
		start({ file, args, cwd, env }, listener) {
			const mark = randomUUID();
			const child = startProgram({ file, args, cwd, env: { ...env, [MARKER_VARIABLE]: mark } }, "all");
			const broken = (error: Error): void => listener.broken?.(error);
			child.once("spawn", () => listener.started?.());
			child.once("error", listener.failed);
			child.once("exit", (code, signal) => listener.exited({ code, signal }));
			child.once("close", listener.closed);
			child.stdin.on("error", broken);
			child.stdout.on("error", broken);
			child.stdout.on("data", listener.output);
			child.stderr.on("error", () => undefined);
			child.stderr.on("data", (bytes: Buffer) => listener.errors?.(bytes));
			return {
				get writable() {
					return child.stdin.writable;
				},
				get unread() {
					return child.stdin.writableLength;
				},
				write: (text) => void child.stdin.write(text),
				closeInput: () => void child.stdin.end(),
				pause: () => void child.stdout.pause(),
				resume: () => void child.stdout.resume(),
				async end() {
					child.stdin.destroy();
					child.stdout.destroy();
					child.stderr.destroy();
					if (child.pid !== undefined) await terminateProcessTree({ pid: child.pid, mark });
				},
			};
		},
	};
}
