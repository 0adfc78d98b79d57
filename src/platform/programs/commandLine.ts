// Turns a command line into what is started for it: bash behind a shell that joins the streams and sets limits.
import type { ProgramLaunch } from "./startProgram.ts";

export interface CommandLine {
	/** Absolute. */
	bash: string;
	text: string;
	cwd: string;
	env: Record<string, string>;
	/** It goes ahead unasked because it only reads. */
	readOnly: boolean;
}

/** Milliseconds that what only reads may take, in the background, too. */
export const READ_ONLY_TIMEOUT = 600_000;

/**
 * Memory of a process that only reads, in KiB: what it may write to, since files that are mapped and addresses that are
 * only reserved cost nothing (git maps whole packs, and Node reserves more than this to say its version). macOS takes the
 * limit and does not keep it. A crash leaves no core file behind.
 */
const READING_LIMITS = `ulimit -c 0 2>/dev/null; ulimit -d ${2 * 1024 * 1024} 2>/dev/null; `;

/** A shell first joins both streams, so that they come in the order in which they were written. */
export function createCommandLaunch(line: CommandLine): ProgramLaunch {
	const { file, args, cwd, env } = createBareLaunch(line);
	const shell = process.platform === "win32" ? file : "/bin/sh";
	return { file: shell, args: ["-c", execScript(line.readOnly), file, ...args], cwd, env };
}

/** Without the shell before it, for what has one of its own there. */
export function createBareLaunch({ bash, text, cwd, env }: CommandLine): ProgramLaunch {
	return { file: bash, args: ["--noprofile", "--norc", "-c", text], cwd, env };
}

/** What a shell does before it becomes the program in its words: sets the limits, and makes one stream of two. */
export function execScript(reads: boolean): string {
	return `${reads ? READING_LIMITS : ""}exec "$0" "$@" 2>&1`;
}
